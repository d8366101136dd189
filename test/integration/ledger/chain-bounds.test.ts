/** The seals of the ledger's days and their check, where one moment, or one posting, more or less makes the difference. */
import { headOf, noHead } from '../../../src/ledger/chain';
import { checkChain } from '../../../src/ledger/check-chain';
import { postingsBefore } from '../../../src/ledger/day-cut';
import { sealDays } from '../../../src/ledger/day-digests';
import { startOf, utcDay } from '../../../src/ledger/utc-days';
import type { LedgerLinkRow } from '../../../src/store/ledger-tables';
import type { Transaction } from '../../../src/store/database';
import { rowsRead } from '../../support/store/rows-read';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { fundedWallet } from './books';
import { daysAgo, emptyLedger, onDay, withoutTrigger } from './sealed-days';

const hour = 3_600_000;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => emptyLedger(test.db));

/** Two postings. */
const fund = () => fundedWallet(test.db, 1_000n);
const never = () => false;

/** Works while the database's clock, for this one connection, stands at a moment. */
function at<T>(moment: Date, work: (trx: Transaction) => Promise<T>): Promise<T> {
  return test.db.transaction(async (trx) => {
    await trx.raw('SET timestamp = ?', [moment.getTime() / 1_000]);
    try {
      return await work(trx);
    } finally {
      await trx.raw('SET timestamp = DEFAULT');
    }
  });
}
const sealedAt = async (moment: Date) => (await at(moment, (trx) => sealDays(trx))).map(({ day }) => day);
const after = (day: string, ms: number) => new Date(startOf(day).getTime() + ms);

describe('a day is sealed', () => {
  it('two hours after its end, and by a process that may go on', async () => {
    await onDay(3, fund);
    expect(await sealedAt(after(daysAgo(2), 2 * hour - 1))).toEqual([]);
    expect(await sealDays(test.db, never)).toEqual([]);
    expect(await sealedAt(after(daysAgo(2), 2 * hour))).toEqual([daysAgo(3)]);
  });

  it('by another, where that one was quicker', async () => {
    await onDay(3, fund);
    const slow = await test.db.transaction(
      async (trx) => {
        // From now on it sees the ledger as it is now.
        expect(await trx('ledger_links').first()).toBeUndefined();
        expect(await sealedAt(after(daysAgo(2), 2 * hour))).toEqual([daysAgo(3)]);
        let tries = 0;
        return sealDays(trx, () => (tries += 1) === 1);
      },
      { isolationLevel: 'repeatable read' },
    );
    expect(slow).toEqual([]);
  });

  it('by nobody who may not write', async () => {
    await onDay(3, fund);
    const sealing = test.db.transaction((trx) => sealDays(trx), { readOnly: true });
    await expect(sealing).rejects.toThrow(/read.only/i);
  });
});

describe('the last posting before a day', () => {
  const before = async (ago: number) => {
    const { last, isSealed } = await postingsBefore(test.db, startOf(daysAgo(ago)));
    return [last, isSealed];
  };

  it('is none of an empty ledger', async () => {
    expect([await before(1), await before(-1)]).toEqual([
      ['0', false],
      ['0', false],
    ]);
  });

  it('is the one that was sealed, or else the one that is there now', async () => {
    for (const ago of [4, 3]) await onDay(ago, fund, '00:00:00.000');
    expect([await before(3), await before(0), await before(-1)]).toEqual([
      ['2', false],
      ['4', false],
      ['4', false],
    ]);
    expect(await sealedAt(after(daysAgo(2), 2 * hour))).toEqual([daysAgo(4), daysAgo(3)]);
    for (const ago of [1, 0]) await onDay(ago, fund, '00:00:00.000');
    expect(await Promise.all([4, 3, 2, 1, 0, -1].map(before))).toEqual([
      ['0', true],
      ['2', true],
      ['4', true],
      ['4', false],
      ['6', false],
      ['8', false],
    ]);
  });

  it('is none of the day itself, from its first moment on', async () => {
    const last = await onDay(0, async () => (await fund(), await before(0)), '00:00:00.000');
    expect(last).toEqual(['0', false]);
  });

  it('is found without what came later, however much that is', async () => {
    for (const ago of [3, 2]) await onDay(ago, fund);
    await sealedAt(after(daysAgo(2), 2 * hour));
    await onDay(0, async () => {
      for (let entry = 0; entry < 100; entry += 1) await fund();
    });
    expect(await before(1)).toEqual(['4', false]);
    expect(await rowsRead(test.db, (trx) => postingsBefore(trx, startOf(daysAgo(1))))).toBeLessThan(20);
  });
});

describe('the check of the chain', () => {
  const told = (found: { day: string; detail: string }[]) =>
    found.map(({ day, detail }) => `${day} ${detail}`);
  const unread = async () => told(await checkChain(test.db, never));
  const first = { n: '1', day: '2020-01-01', after_seq: '0', last_seq: '0', postings: '0' };
  const plant = (changes: Partial<LedgerLinkRow> = {}) =>
    test.db('ledger_links').insert({
      ...{ ...first, previous: noHead, head: Buffer.alloc(32, 7), sealed_at: startOf('2020-01-03') },
      ...changes,
    });
  const sevens = '07'.repeat(32);

  it('begins with the first link, whatever its number', async () => {
    await plant();
    await plant({ n: '0', day: '2019-12-31' });
    expect(await unread()).toEqual([
      '2019-12-31 has n 0, and the link before makes it 1',
      `2020-01-01 follows ${'00'.repeat(32)}, and the head before is ${sevens}`,
    ]);
  });

  it('says at which of its steps a link does not follow the one before', async () => {
    await plant({ last_seq: '2' });
    await plant({
      n: '3',
      day: '2020-01-03',
      after_seq: '4',
      last_seq: '6',
      sealed_at: startOf('2020-01-04'),
    });
    expect(await unread()).toEqual([
      '2020-01-03 has n 3, and the link before makes it 2',
      '2020-01-03 has day 2020-01-03, and the link before makes it 2020-01-02',
      '2020-01-03 has after_seq 4, and the link before makes it 2',
      `2020-01-03 follows ${'00'.repeat(32)}, and the head before is ${sevens}`,
    ]);
  });

  it('takes a seal from the end of its day on, and until now', async () => {
    const end = startOf('2020-01-02');
    await plant({ sealed_at: end });
    const faultsAt = (moment: Date) => at(moment, async (trx) => told(await checkChain(trx, never)));
    expect(await faultsAt(end)).toEqual([]);
    const early = `2020-01-01 was sealed at ${end.toISOString()}`;
    expect(await faultsAt(after('2020-01-02', -1))).toEqual([early]);
    await emptyLedger(test.db);
    await plant({ sealed_at: after('2020-01-02', -1) });
    expect(await unread()).toEqual(['2020-01-01 was sealed at 2020-01-01T23:59:59.999Z']);
  });

  it('finds what is of a later day, up to the moment of the seal', async () => {
    const [day, end] = [daysAgo(4), startOf(daysAgo(3))];
    const covering = async () => {
      const span = { ...first, day, last_seq: '6', previous: noHead };
      await plant({ ...span, ...(await headOf(test.db, span)), sealed_at: end });
      return told(await checkChain(test.db));
    };
    for (const [ago, time] of [
      [4, undefined],
      [3, '00:00:00.000'],
      [4, undefined],
    ] as const)
      await onDay(ago, fund, time);
    expect(await covering()).toEqual([`${day} covers what is of ${end.toISOString()}`]);
    await emptyLedger(test.db);
    for (const [ago, time] of [
      [4, undefined],
      [3, '00:00:00.001'],
      [4, undefined],
    ] as const)
      await onDay(ago, fund, time);
    expect(await covering()).toEqual([]);
  });

  it('compares how many postings there are, and reads none where it is told not to', async () => {
    await onDay(3, fund);
    await sealedAt(after(daysAgo(2), 2 * hour));
    await withoutTrigger(test.db, 'ledger_links', 'update', () =>
      test.db('ledger_links').update({ postings: '9' }),
    );
    const link = await test.db('ledger_links').first();
    const head = link?.head.toString('hex') ?? '';
    expect(told(await checkChain(test.db))).toEqual([
      `${daysAgo(3)} was sealed as ${head} over 9 postings, and is ${head} over 2`,
    ]);
    const seen: string[] = [];
    expect(await checkChain(test.db, never, ({ day }) => seen.push(day))).toEqual([]);
    expect(seen).toEqual([daysAgo(3)]);
  });

  it('reads no further than a thousand faults, and tells no more of them', async () => {
    const count = 600;
    const planted = (isFirstRight: boolean) =>
      Array.from({ length: count }, (_, i) => {
        const day = utcDay(after('2001-01-01', i * 24 * hour));
        const previous = isFirstRight && i === 0 ? noHead : Buffer.alloc(32, 9);
        return {
          ...first,
          n: String(i + 1),
          day,
          previous,
          head: Buffer.alloc(32, 7),
          sealed_at: startOf(day),
        };
      });
    const looked = async (links: LedgerLinkRow[]) => {
      let seen = 0;
      await test.db('ledger_links').insert(links);
      const found = await checkChain(test.db, never, () => (seen += 1));
      await emptyLedger(test.db);
      return [found.length, seen];
    };
    // Two of each link: one thousand of the first five hundred.
    expect(await looked(planted(false))).toEqual([1_000, 500]);
    expect(await looked(planted(true))).toEqual([1_000, count]);
  });
});
