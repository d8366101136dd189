import { fundedWallet } from '../ledger/books';
import { daysAgo, onDay, withoutTrigger } from '../ledger/sealed-days';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());

const heads = (out: string) => out.trim().split('\n');

describe('malipo ledger', () => {
  let kept: string[];

  it('says that nothing is sealed, and that nothing is due', async () => {
    expect(await cli.run('ledger', 'head')).toMatchObject({ code: 1, err: 'No day is sealed yet.\n' });
    expect((await cli.run('ledger', 'seal')).out).toContain('No day was due');
    expect((await cli.run('ledger', 'check')).out).toBe('0 days are as sealed.\n');
  });

  it('seals each day that is over, and tells their heads', async () => {
    await onDay(4, () => fundedWallet(cli.db, 1_000n));
    const { code, out } = await cli.run('ledger', 'seal');
    expect(code).toBe(0);
    kept = heads(out);
    expect(kept[0]).toMatch(new RegExp(`^${daysAgo(4)}:[0-9a-f]{64}$`));
    expect((await cli.run('ledger', 'head')).out.trim()).toBe(kept.at(-1));
    expect((await cli.run('ledger', 'head', '--day', daysAgo(4))).out.trim()).toBe(kept[0]);
    expect(await cli.json('ledger', 'head', '--day', daysAgo(4))).toMatchObject({
      ...{ day: daysAgo(4), head: kept[0], postings: '2' },
    });
    expect(await cli.run('ledger', 'head', '--day', daysAgo(5))).toMatchObject({ code: 1 });
  });

  it('agrees with a head that was kept elsewhere', async () => {
    const { code, out } = await cli.run('ledger', 'check', '--head', kept[0] ?? '', '--head', kept[1] ?? '');
    expect([code, out]).toEqual([0, expect.stringContaining('2 heads of 2 agree.')]);
  });

  it.each(['2026-01-31', '2026-02-31:', 'x'])('refuses %s as a head', async (text) => {
    expect(await cli.run('ledger', 'check', '--head', text)).toMatchObject({ code: 2 });
  });

  it.each(['2026-02-31', 'today'])('refuses %s as a day', async (text) => {
    expect(await cli.run('ledger', 'head', '--day', text)).toMatchObject({ code: 2 });
  });

  it('finds out whoever rewrote an amount and every seal since, by what was kept elsewhere alone', async () => {
    await withoutTrigger(cli.db, 'ledger_postings', 'update', () =>
      cli.db.raw('UPDATE ledger_postings SET amount = amount * 2'),
    );
    const seen = await cli.run('ledger', 'check');
    expect([seen.code, seen.out]).toEqual([1, expect.stringContaining(`day ${daysAgo(4)} was sealed as`)]);
    await withoutTrigger(cli.db, 'ledger_links', 'delete', () => cli.db('ledger_links').delete());
    await cli.run('ledger', 'seal');
    expect(await cli.run('ledger', 'check')).toMatchObject({ code: 0 });
    const { code, json } = await cli.run('ledger', 'check', '--head', kept[0] ?? '', '--json');
    expect(code).toBe(1);
    expect(json).toMatchObject({
      clean: false,
      faults: [{ day: daysAgo(4), detail: expect.stringContaining('REWRITTEN') as string }],
    });
  });

  it('finds a head of a day that is not sealed here', async () => {
    const head = `${daysAgo(9)}:${'0'.repeat(64)}`;
    const { code, out } = await cli.run('ledger', 'check', '--head', head);
    expect([code, out]).toEqual([1, expect.stringContaining('is not sealed here')]);
  });
});
