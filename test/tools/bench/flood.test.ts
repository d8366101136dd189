/** The flood's requests and its comparison; the measurements depend on the machine. */
import Joi from 'joi';
import { readOptions } from '../../../tools/bench/options';
import { attackOf } from '../../../tools/bench/flood/attack';
import { ratioOf } from '../../../tools/bench/flood/flood';
import { initiateBody, submitOrderBody } from '../../../src/rails/cardproc/requests';

const merchantId = '018f0000-0000-7000-8000-000000000001';

describe('npm run bench -- --flood', () => {
  it('is a separate option, shorter with --quick', () => {
    expect(readOptions([]).floodSeconds).toBeUndefined();
    expect(readOptions(['--flood']).floodSeconds).toBe(30);
    expect(readOptions(['--flood', '--quick', '--json'])).toMatchObject({ floodSeconds: 10, json: true });
  });

  it('sends orders that are valid, so that only a limit rejects them', () => {
    Joi.assert(attackOf('initiate', merchantId).body, initiateBody);
    Joi.assert(attackOf('submit_order', merchantId).body, submitOrderBody);
  });

  it('reports how much slower the creation of payments is', () => {
    expect(ratioOf({ p50: 50, p99: 120 }, { p50: 40, p99: 80 })).toEqual({ p50: 1.25, p99: 1.5 });
  });
});
