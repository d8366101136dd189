import { fundedWallet } from '../ledger/books';
import { daysAgo, onDay, withoutTrigger } from '../ledger/digested-days';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());

const heads = (out: string) => out.trim().split('\n');

describe('malipo ledger', () => {
  let kept: string[];

  it('reports that no day has a digest and that none is due', async () => {
    expect(await cli.run('ledger', 'head')).toMatchObject({ code: 1, err: 'No day has a digest yet.\n' });
    expect((await cli.run('ledger', 'digest')).out).toContain('No day was due');
    expect((await cli.run('ledger', 'check')).out).toBe('0 days match their digests.\n');
  });

  it('writes a digest for each past day and prints the chain heads', async () => {
    await onDay(4, () => fundedWallet(cli.db, 1_000n));
    const { code, out } = await cli.run('ledger', 'digest');
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

  it('matches chain heads that were stored elsewhere', async () => {
    const { code, out } = await cli.run('ledger', 'check', '--head', kept[0] ?? '', '--head', kept[1] ?? '');
    expect([code, out]).toEqual([0, expect.stringContaining('2 of 2 chain heads match.')]);
  });

  it.each(['2026-01-31', '2026-02-31:', 'x'])('rejects %s as a chain head', async (text) => {
    expect(await cli.run('ledger', 'check', '--head', text)).toMatchObject({ code: 2 });
  });

  it.each(['2026-02-31', 'today'])('rejects %s as a day', async (text) => {
    expect(await cli.run('ledger', 'head', '--day', text)).toMatchObject({ code: 2 });
  });

  it('detects a rewritten amount with rewritten digests by the stored chain heads alone', async () => {
    await withoutTrigger(cli.db, 'ledger_postings', 'update', () =>
      cli.db.raw('UPDATE ledger_postings SET amount = amount * 2'),
    );
    const seen = await cli.run('ledger', 'check');
    expect([seen.code, seen.out]).toEqual([1, expect.stringContaining(`day ${daysAgo(4)} has the digest`)]);
    await withoutTrigger(cli.db, 'day_digests', 'delete', () => cli.db('day_digests').delete());
    await cli.run('ledger', 'digest');
    expect(await cli.run('ledger', 'check')).toMatchObject({ code: 0 });
    const { code, json } = await cli.run('ledger', 'check', '--head', kept[0] ?? '', '--json');
    expect(code).toBe(1);
    expect(json).toMatchObject({
      clean: false,
      faults: [{ day: daysAgo(4), detail: expect.stringContaining('REWRITTEN') as string }],
    });
  });

  it('reports a chain head of a day that has no digest here', async () => {
    const head = `${daysAgo(9)}:${'0'.repeat(64)}`;
    const { code, out } = await cli.run('ledger', 'check', '--head', head);
    expect([code, out]).toEqual([1, expect.stringContaining('has no digest here')]);
  });
});
