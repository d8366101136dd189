/** Day digests and their check at the boundaries of time and of postings. */
import { headOf, noHead } from '../../../src/ledger/chain';
import { checkChain } from '../../../src/ledger/check-chain';
import { postingsBefore } from '../../../src/ledger/day-cut';
import { writeDayDigests } from '../../../src/ledger/day-digests';
import { startOf, utcDay } from '../../../src/ledger/utc-days';
import type { LedgerLinkRow } from '../../../src/store/ledger-tables';
import type { Transaction } from '../../../src/store/database';
import { rowsRead } from '../../support/store/rows-read';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { fundedWallet } from './books';
import { daysAgo, emptyLedger, onDay, withoutTrigger } from './digested-days';

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

/** Works with the database clock of this one connection fixed at a moment. */
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
const digestedAt = async (moment: Date) =>
  (await at(moment, (trx) => writeDayDigests(trx))).map(({ day }) => day);
const after = (day: string, ms: number) => new Date(startOf(day).getTime() + ms);

describe('a day gets its digest', () => {
  it('two hours after its end, and from a process that is not stopping', async () => {
    await onDay(3, fund);
    expect(await digestedAt(after(daysAgo(2), 2 * hour - 1))).toEqual([]);
    expect(await writeDayDigests(test.db, never)).toEqual([]);
    expect(await digestedAt(after(daysAgo(2), 2 * hour))).toEqual([daysAgo(3)]);
  });

  it('from another process that was faster', async () => {
    await onDay(3, fund);
    const slow = await test.db.transaction(
      async (trx) => {
        // From now on it reads the ledger of this moment.
        expect(await trx('day_digests').first()).toBeUndefined();
        expect(await digestedAt(after(daysAgo(2), 2 * hour))).toEqual([daysAgo(3)]);
        let tries = 0;
        return writeDayDigests(trx, () => (tries += 1) === 1);
      },
      { isolationLevel: 'repeatable read' },
    );
    expect(slow).toEqual([]);
  });

  it('not with read access only', async () => {
    await onDay(3, fund);
    const sealing = test.db.transaction((trx) => writeDayDigests(trx), { readOnly: true });
    await expect(sealing).rejects.toThrow(/read.only/i);
  });
});

describe('the last posting before a day', () => {
  const before = async (ago: number) => {
    const { last, isDigested } = await postingsBefore(test.db, startOf(daysAgo(ago)));
    return [last, isDigested];
  };

  it('is none in an empty ledger', async () => {
    expect([await before(1), await before(-1)]).toEqual([
      ['0', false],
      ['0', false],
    ]);
  });

  it('is the last one of the digest, or else the last one now', async () => {
    for (const ago of [4, 3]) await onDay(ago, fund, '00:00:00.000');
    expect([await before(3), await before(0), await before(-1)]).toEqual([
      ['2', false],
      ['4', false],
      ['4', false],
    ]);
    expect(await digestedAt(after(daysAgo(2), 2 * hour))).toEqual([daysAgo(4), daysAgo(3)]);
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

  it('is not one of the day itself, from its first moment on', async () => {
    const last = await onDay(0, async () => (await fund(), await before(0)), '00:00:00.000');
    expect(last).toEqual(['0', false]);
  });

  it('is found without reading later postings', async () => {
    for (const ago of [3, 2]) await onDay(ago, fund);
    await digestedAt(after(daysAgo(2), 2 * hour));
    await onDay(0, async () => {
      for (let entry = 0; entry < 100; entry += 1) await fund();
    });
    expect(await before(1)).toEqual(['4', false]);
    expect(await rowsRead(test.db, (trx) => postingsBefore(trx, startOf(daysAgo(1))))).toBeLessThan(20);
  });
});

describe('the check of the chain', () => {
  const reported = (found: { day: string; detail: string }[]) =>
    found.map(({ day, detail }) => `${day} ${detail}`);
  const unread = async () => reported(await checkChain(test.db, never));
  const first = { n: '1', day: '2020-01-01', after_seq: '0', last_seq: '0', postings: '0' };
  const plant = (changes: Partial<LedgerLinkRow> = {}) =>
    test.db('day_digests').insert({
      ...{ ...first, previous: noHead, head: Buffer.alloc(32, 7), digested_at: startOf('2020-01-03') },
      ...changes,
    });
  const sevens = '07'.repeat(32);

  it('begins with the first link, for any number of it', async () => {
    await plant();
    await plant({ n: '0', day: '2019-12-31' });
    expect(await unread()).toEqual([
      '2019-12-31 has n 0, but must have 1',
      `2020-01-01 follows ${'00'.repeat(32)}, but the previous head is ${sevens}`,
    ]);
  });

  it('reports each field in which a link does not follow the previous one', async () => {
    await plant({ last_seq: '2' });
    await plant({
      n: '3',
      day: '2020-01-03',
      after_seq: '4',
      last_seq: '6',
      digested_at: startOf('2020-01-04'),
    });
    expect(await unread()).toEqual([
      '2020-01-03 has n 3, but must have 2',
      '2020-01-03 has day 2020-01-03, but must have 2020-01-02',
      '2020-01-03 has after_seq 4, but must have 2',
      `2020-01-03 follows ${'00'.repeat(32)}, but the previous head is ${sevens}`,
    ]);
  });

  it('accepts a digest time from the end of the day until now', async () => {
    const end = startOf('2020-01-02');
    await plant({ digested_at: end });
    const faultsAt = (moment: Date) => at(moment, async (trx) => reported(await checkChain(trx, never)));
    expect(await faultsAt(end)).toEqual([]);
    const early = `2020-01-01 was digested at the wrong time, ${end.toISOString()}`;
    expect(await faultsAt(after('2020-01-02', -1))).toEqual([early]);
    await emptyLedger(test.db);
    await plant({ digested_at: after('2020-01-02', -1) });
    expect(await unread()).toEqual(['2020-01-01 was digested at the wrong time, 2020-01-01T23:59:59.999Z']);
  });

  it('finds an entry of a later day, up to the moment of the digest', async () => {
    const [day, end] = [daysAgo(4), startOf(daysAgo(3))];
    const covering = async () => {
      const span = { ...first, day, last_seq: '6', previous: noHead };
      await plant({ ...span, ...(await headOf(test.db, span)), digested_at: end });
      return reported(await checkChain(test.db));
    };
    for (const [ago, time] of [
      [4, undefined],
      [3, '00:00:00.000'],
      [4, undefined],
    ] as const)
      await onDay(ago, fund, time);
    expect(await covering()).toEqual([`${day} covers a later entry, of ${end.toISOString()}`]);
    await emptyLedger(test.db);
    for (const [ago, time] of [
      [4, undefined],
      [3, '00:00:00.001'],
      [4, undefined],
    ] as const)
      await onDay(ago, fund, time);
    expect(await covering()).toEqual([]);
  });

  it('compares the number of postings, and reads none when the caller says so', async () => {
    await onDay(3, fund);
    await digestedAt(after(daysAgo(2), 2 * hour));
    await withoutTrigger(test.db, 'day_digests', 'update', () =>
      test.db('day_digests').update({ postings: '9' }),
    );
    const link = await test.db('day_digests').first();
    const head = link?.head.toString('hex') ?? '';
    expect(reported(await checkChain(test.db))).toEqual([
      `${daysAgo(3)} has the digest ${head} of 9 postings, but now they are 2 with ${head}`,
    ]);
    const seen: string[] = [];
    expect(await checkChain(test.db, never, ({ day }) => seen.push(day))).toEqual([]);
    expect(seen).toEqual([daysAgo(3)]);
  });

  it('stops after a thousand violations', async () => {
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
          digested_at: startOf(day),
        };
      });
    const checked = async (links: LedgerLinkRow[]) => {
      let seen = 0;
      await test.db('day_digests').insert(links);
      const found = await checkChain(test.db, never, () => (seen += 1));
      await emptyLedger(test.db);
      return [found.length, seen];
    };
    // Two for each link: a thousand in the first five hundred links.
    expect(await checked(planted(false))).toEqual([1_000, 500]);
    expect(await checked(planted(true))).toEqual([1_000, count]);
  });
});
