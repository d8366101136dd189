import { createHash } from 'node:crypto';
import { openAccount, type AccountKey } from '../../../src/ledger/accounts';
import { checkChain } from '../../../src/ledger/check-chain';
import { lastLink } from '../../../src/ledger/chain';
import { postEntries, postEntry } from '../../../src/ledger/post-entry';
import { writeDayDigests } from '../../../src/ledger/day-digests';
import { utcDay } from '../../../src/ledger/utc-days';
import { startDailyDigest } from '../../../src/worker/daily-digest';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { openDatabase, type Database } from '../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { bank, fundedWallet, linesOf, post } from './books';
import { daysAgo, emptyLedger, onDay, withoutTrigger } from './digested-days';

let test: TestDatabase;
/** With the database account of the service, as a worker has it. */
let service: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  service = openDatabase(test.url, { poolMax: 6 });
});
afterAll(async () => {
  await service.destroy();
  await test.drop();
});
beforeEach(() => emptyLedger(test.db));

const clearing: AccountKey = { class: 'clearing', rail: 'loud', currency: 'KES' };
const fund = () => fundedWallet(test.db, 1_000n);
const faults = async () => (await checkChain(test.db)).map(({ day, detail }) => `${day} ${detail}`);
const links = () => test.db('day_digests').orderBy('n');

/** The digest as docs/money-safety.md describes it, computed from that description only. */
async function computed(day: string): Promise<string> {
  const link = await test.db('day_digests').where({ day }).first();
  if (!link) throw new Error(`${day} is not sealed`);
  const before = await test.db('day_digests').where('n', '<', link.n).orderBy('n', 'desc').first();
  const rows = await test
    .db('ledger_postings as p')
    .join('ledger_entries as e', 'e.entry_id', 'p.entry_id')
    .join('ledger_accounts as a', 'a.account_id', 'p.account_id')
    .where('p.seq', '>', link.after_seq)
    .where('p.seq', '<=', link.last_seq)
    .orderBy('p.seq')
    .select<Record<string, unknown>[]>('p.*', 'e.*', 'a.code');
  const lines = [
    ['malipo-ledger-2', link.n, day, before?.head.toString('hex') ?? '0'.repeat(64), link.after_seq],
    ...rows.map((row) => [
      ...[row['seq'], row['entry_id'], (row['at'] as Date).toISOString(), row['source_type']],
      ...[row['source_id'], row['leg'], row['payment_id'], row['reason'], row['action_id']],
      ...[row['code'], row['currency'], row['amount']],
    ]),
    ['end', String(rows.length), link.last_seq],
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return createHash('sha256').update(text).digest('hex');
}

describe('the day digests', () => {
  it('exist once for each past day, each over its postings and the previous one', async () => {
    await onDay(4, fund);
    await onDay(3, fund);
    await onDay(1, fund);
    await fund();
    const digests = await writeDayDigests(service);
    expect(digests.map(({ day }) => day).slice(0, 3)).toEqual([daysAgo(4), daysAgo(3), daysAgo(2)]);
    const written = await links();
    expect(written.map(({ n }) => n)).toEqual(digests.map((_, i) => String(i + 1)));
    expect(written.map(({ postings }) => postings).slice(0, 3)).toEqual(['2', '2', '0']);
    for (const { day, head } of written) expect(head.toString('hex')).toBe(await computed(day));
    expect(await faults()).toEqual([]);
    expect(await writeDayDigests(service)).toEqual([]);
  });

  it('cover all postings of a day that are read in several batches', async () => {
    const [from, into] = [await openAccount(test.db, bank), await openAccount(test.db, clearing)];
    const entries = Array.from({ length: 1_001 }, (_, n) => ({
      source: { type: 'test', id: `of many ${String(n)}`, leg: 'move' },
      lines: linesOf(from, into, 1n),
    }));
    await onDay(3, () => test.db.transaction((trx) => postEntries(trx, entries)));
    const [link] = await writeDayDigests(service);
    expect(link).toMatchObject({ postings: '2002', last_seq: '2002' });
    expect(link?.head.toString('hex')).toBe(await computed(daysAgo(3)));
  });

  it('begin with the day of the first posting, even if an entry has an earlier time', async () => {
    const begun = { source_type: 'test', source_id: 'slow', leg: 'move' };
    await onDay(5, () => test.db('ledger_entries').insert({ ...begun, at: new Date() }));
    await onDay(4, fund);
    expect((await writeDayDigests(service))[0]?.day).toBe(daysAgo(4));
  });

  it('do not exist for a ledger without postings, nor for today', async () => {
    expect(await writeDayDigests(service)).toEqual([]);
    await fund();
    expect(await writeDayDigests(service)).toEqual([]);
  });

  it('are written once, by the first process', async () => {
    await onDay(5, fund);
    const all = await Promise.all([
      writeDayDigests(service),
      writeDayDigests(service),
      writeDayDigests(service),
    ]);
    const days = all.flat().map(({ day }) => day);
    expect(new Set(days).size).toBe(days.length);
    expect(days).toContain(daysAgo(5));
    expect(await faults()).toEqual([]);
  });

  it('end before uncommitted postings, which get a digest later', async () => {
    await onDay(4, fund);
    const [from, into] = [await openAccount(test.db, bank), await openAccount(test.db, clearing)];
    await onDay(
      0,
      () =>
        test.db.transaction(async (trx) => {
          await postEntry(trx, {
            source: { type: 'test', id: 'held', leg: 'move' },
            lines: linesOf(from, into, 3n),
          });
          await post(test.db, 'young', linesOf(from, into, 5n));
          await writeDayDigests(service);
        }),
      '00:00:00.000',
    );
    expect(await lastLink(test.db)).toMatchObject({ last_seq: '2' });
    expect(await faults()).toEqual([]);
  });

  it('assign a posting around midnight to one day, and never to two', async () => {
    // Three entries in the order of posting: the second one began before midnight and waited.
    await onDay(4, fund);
    await onDay(3, fund, '00:00:00.100');
    await onDay(4, fund, '23:59:59.900');
    await onDay(3, fund);
    await writeDayDigests(service);
    expect((await links()).slice(0, 2).map(({ postings }) => postings)).toEqual(['2', '6']);
    expect(await faults()).toEqual([]);
  });

  it('continue when the time of one entry is wrong by years', async () => {
    await onDay(4, fund);
    await onDay(-4_000, fund);
    await onDay(4, fund);
    await onDay(3, fund);
    await writeDayDigests(service);
    expect((await links()).slice(0, 2).map(({ postings }) => postings)).toEqual(['6', '2']);
    expect(await faults()).toEqual([]);
  });

  it('are cut and dated with the same moment, however long the computation takes', async () => {
    await onDay(4, fund);
    const soon = new Date(Date.now() + 3_000);
    await onDay(0, fund, soon.toISOString().slice(11, 23));
    await onDay(4, fund);
    const slowly = ({ sql }: { sql: string }) => {
      // The first head is computed after that moment has passed.
      while (sql.includes('a.code') && Date.now() < soon.getTime() + 100);
    };
    service.on('query', slowly);
    await writeDayDigests(service);
    service.removeListener('query', slowly);
    expect(await faults()).toEqual([]);
  });

  it('cannot be changed or deleted by the account of the service, nor by the owner of the schema', async () => {
    await onDay(3, fund);
    await writeDayDigests(service);
    await expect(service('day_digests').delete()).rejects.toThrow(/denied/);
    await expect(service('day_digests').update({ postings: '9' })).rejects.toThrow(/denied/);
    await expect(test.db('day_digests').delete()).rejects.toThrow('day_digests is append-only');
    await expect(test.db('day_digests').update({ postings: '9' })).rejects.toThrow('append-only');
  });

  it('are written by a worker soon after its start, and logged', async () => {
    await onDay(3, fund);
    const reported: unknown[] = [];
    const silent = () => undefined;
    const info = (_: string, fields?: object) => void reported.push(fields);
    const daily = startDailyDigest(service, {
      log: { debug: silent, warn: silent, error: silent, info },
      firstMs: 20,
    });
    const digests = async () => (reported.length >= 2 ? await lastLink(test.db) : undefined);
    await waitFor(digests, { what: 'a worker to write a digest', timeoutMs: 60_000 });
    await daily.stop();
    const [first] = await links();
    const head = `${daysAgo(3)}:${first?.head.toString('hex') ?? ''}`;
    expect(reported[0]).toEqual({ day: daysAgo(3), postings: '2', head });
  });
});

describe('the check of the chain', () => {
  beforeEach(async () => {
    for (const ago of [5, 4, 3]) await onDay(ago, fund);
    await writeDayDigests(service);
  });

  it('names the day of a changed amount, even if the balances were changed with it', async () => {
    const [first] = await test.db('ledger_postings').orderBy('seq');
    await withoutTrigger(test.db, 'ledger_postings', 'update', async () => {
      await test.db.raw('UPDATE ledger_postings SET amount = amount * 2 WHERE entry_id = ?', [
        first?.entry_id ?? '',
      ]);
      await test.db.raw('UPDATE ledger_accounts SET balance = balance * 2 WHERE balance IS NOT NULL LIMIT 1');
    });
    expect(await faults()).toEqual([expect.stringContaining(`${daysAgo(5)} has the digest`)]);
  });

  it('names the day of a changed entry', async () => {
    await withoutTrigger(test.db, 'ledger_entries', 'update', () =>
      test.db.raw("UPDATE ledger_entries SET reason = 'another' ORDER BY entry_id DESC LIMIT 1"),
    );
    expect(await faults()).toEqual([expect.stringContaining(`${daysAgo(3)} has the digest`)]);
  });

  it('names the gap of a deleted digest', async () => {
    await withoutTrigger(test.db, 'day_digests', 'delete', () =>
      test.db('day_digests').where({ n: '2' }).delete(),
    );
    expect((await faults()).map((fault) => fault.slice(0, 16))).toEqual([
      ...Array.from({ length: 4 }, () => expect.stringContaining(daysAgo(3)) as string),
    ]);
  });

  it('names an added digest', async () => {
    const last = await lastLink(test.db);
    const next = utcDay(new Date(Date.parse(last?.day ?? '') + 86_400_000));
    await test.db('day_digests').insert({
      ...{ n: String(Number(last?.n) + 1), day: next, after_seq: last?.last_seq ?? '', postings: '0' },
      ...{
        last_seq: last?.last_seq ?? '',
        previous: last?.head ?? Buffer.alloc(32),
        head: Buffer.alloc(32, 7),
      },
      digested_at: new Date(Date.now() - 1_000),
    });
    const found = await faults();
    expect(found).toContainEqual(expect.stringContaining(`${next} has the digest 0707`));
    expect(found.every((fault) => fault.startsWith(next))).toBe(true);
  });
});
