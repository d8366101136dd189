/** The effect of Temporal's settings is reported as ratios of consecutive rounds. */
import { readOptions } from '../../../tools/bench/options';
import { settingsReportOf } from '../../../tools/bench/settings/report';
import { variantsOf } from '../../../tools/bench/settings/variants';

describe('npm run bench -- --settings', () => {
  it('is a separate measurement', () => {
    expect(readOptions([]).settings).toBeUndefined();
    expect(readOptions(['--settings', '--quick']).settings).toMatchObject({ rounds: 1, on: 'development' });
    expect(readOptions(['--settings', '--cluster'])).toMatchObject({
      settings: { rounds: 3, on: 'cluster' },
    });
    expect(readOptions(['--settings', '--cluster']).cluster).toBeUndefined();
    expect(() => readOptions(['--settings', '--hot'])).toThrow('one measure');
  });

  it.each(['development', 'cluster'] as const)(
    'changes one setting of a %s server at a time, under its own name',
    (on) => {
      const variants = variantsOf[on];
      expect(new Set(variants.map(({ name }) => name)).size).toBe(variants.length);
      for (const { worker, server } of variants) expect([worker, server].filter(Boolean)).toHaveLength(1);
    },
  );

  it('reports the median of the ratios to our settings, and what was rejected', () => {
    const figures = (ms: number) => ({ accept_p50_ms: ms, settled_per_s: 1_000 / ms, cpu_ms: ms });
    const rounds = [20, 30, 80].map((ms) => ({ usual: figures(20), other: figures(ms) }));
    const report = settingsReportOf(
      [
        { name: 'slower', each: rounds },
        { name: 'no pollers', each: 'at least one' },
      ],
      'cluster',
    );
    expect(report.settings).toEqual([
      { setting: 'slower', ratio: { accept_p50: 1.5, settled: 0.67, cpu: 1.5 } },
      { setting: 'no pollers', refused: 'at least one' },
    ]);
  });
});
