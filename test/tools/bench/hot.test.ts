/** The report of hot accounts. */
import { hotReportOf } from '../../../tools/bench/hot/report';
import { readOptions } from '../../../tools/bench/options';

describe('npm run bench -- --hot', () => {
  it('is a separate measurement', () => {
    expect(readOptions([]).hot).toBeUndefined();
    expect(readOptions(['--hot']).hot).toEqual({ settlements: 4_000, rounds: 2, merchants: 10 });
    expect(readOptions(['--hot', '--quick']).hot).toMatchObject({ settlements: 400, rounds: 1 });
    expect(() => readOptions(['--hot', '--flood'])).toThrow('one measure');
  });

  it('compares the throughput of one account with the lower bound', () => {
    const figures = { bare_rows: 400, one_wallet: 240, many_wallets: 300, one_float: 200, many_floats: 250 };
    const report = hotReportOf(figures, { settlements: 4_000, merchants: 10 });
    expect(report.of_floor).toEqual({
      one_wallet: 0.6,
      many_wallets: 0.75,
      one_float: 0.5,
      many_floats: 0.63,
    });
  });
});
