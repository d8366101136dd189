/** What the siege sends, and how it compares; what it measures depends on the machine. */
import Joi from 'joi';
import { readOptions } from '../../../tools/bench/options';
import { attackOf } from '../../../tools/bench/siege/attack';
import { ratioOf } from '../../../tools/bench/siege/siege';
import { initiateBody, submitOrderBody } from '../../../src/rails/cardproc/requests';

const merchantId = '018f0000-0000-7000-8000-000000000001';

describe('npm run bench -- --siege', () => {
  it('is an option of its own, shorter when it is to be quick', () => {
    expect(readOptions([]).siegeSeconds).toBeUndefined();
    expect(readOptions(['--siege']).siegeSeconds).toBe(30);
    expect(readOptions(['--siege', '--quick', '--json'])).toMatchObject({ siegeSeconds: 10, json: true });
  });

  it('orders what would really be taken, so that nothing but a limit turns it away', () => {
    Joi.assert(attackOf('initiate', merchantId).body, initiateBody);
    Joi.assert(attackOf('submit_order', merchantId).body, submitOrderBody);
  });

  it('tells by how much acceptances are slower', () => {
    expect(ratioOf({ p50: 50, p99: 120 }, { p50: 40, p99: 80 })).toEqual({ p50: 1.25, p99: 1.5 });
  });
});
