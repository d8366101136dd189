/** What the siege sends and prints; what it measures depends on the machine. */
import Joi from 'joi';
import { readOptions } from '../../../bench/options';
import { attackOf } from '../../../bench/siege/attack';
import { siegeReportOf, siegeText } from '../../../bench/siege/report';
import { ratioOf } from '../../../bench/siege/siege';
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

  it('prints both acceptances, their ratio, and what became of the anonymous calls', () => {
    const keyed = { accepted: 150, turned_away: 0, failed: 0 };
    const quiet = { ...keyed, accept_ms: { p50: 40, p99: 80 } };
    const besieged = { ...keyed, accept_ms: { p50: 50, p99: 120 } };
    const report = siegeReportOf(
      {
        keyed_per_s: 5,
        anonymous_per_s: 200,
        quiet,
        onset: quiet,
        besieged,
        customers: { ...keyed, accepted: 7, turned_away: 8 },
        cores: { quiet: { api: 0.05 }, besieged: { api: 0.25, besieger: 0.11 } },
        ratio: ratioOf(besieged.accept_ms, quiet.accept_ms),
        anonymous: { wrong_key: { '401': 100, '429': 900 } },
      },
      new Date('2026-01-02T03:04:05Z'),
    );
    expect(report.ratio).toEqual({ p50: 1.25, p99: 1.5 });
    const text = siegeText(report);
    for (const part of [
      '0.25',
      'besieger',
      'honest customers',
      'alone',
      '120 ms',
      '1.5',
      'wrong key',
      '900 × 429',
      'books verified',
    ]) {
      expect(text).toContain(part);
    }
  });
});
