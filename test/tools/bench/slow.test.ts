/** The report of payments beside slow ones. */
import { readOptions } from '../../../tools/bench/options';
import { slowReportOf, type BesideFigures } from '../../../tools/bench/slow/report';

describe('npm run bench -- --slow-provider and -- --slow-merchants', () => {
  it('are separate measurements', () => {
    expect(readOptions([]).slow).toBeUndefined();
    expect(readOptions(['--slow-provider']).slow).toEqual({
      who: 'provider',
      load: { perSecond: 5, seconds: 30 },
    });
    expect(readOptions(['--slow-merchants', '--quick']).slow).toMatchObject({ who: 'merchants' });
    expect(() => readOptions(['--slow-provider', '--slow-merchants'])).toThrow('one measure');
  });

  it('report how much longer payments that are not slow waited', () => {
    const figures = (ms: number): BesideFigures => ({
      accepted: 150,
      turned_away: 0,
      accept_ms: { p50: ms, p99: 2 * ms },
      // Some results arrive before the answer.
      accept_to_final_ms: { p50: 0, p99: ms },
      accept_to_delivered_ms: { p50: ms, p99: 3 * ms },
    });
    const plan = { who: 'provider', load: { perSecond: 5, seconds: 30 }, slowMs: 2_000 } as const;
    const report = slowReportOf({ quick: figures(50), slow: figures(60) }, plan);
    expect(report.ratio.accept_ms).toEqual({ p50: 1.2, p99: 1.2 });
    expect(report.ratio.accept_to_final_ms).toEqual({ p50: 0, p99: 1.2 });
  });
});
