import { v7 as uuid } from 'uuid';
import { openAccount } from '../../../src/ledger/accounts';
import { postEntry } from '../../../src/ledger/post-entry';
import { byHand, transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { openDatabase, type Database } from '../../../src/store/database';
import { withSchema } from '../../../src/store/database-address';
import { bySql } from '../../../src/verify/check';
import { forgetNews, fingerprintOf, keepProof, noMarks } from '../../../src/verify/proof';
import { proveAll, proveNews } from '../../../src/verify/run-checks';
import { checks } from '../../../src/verify/verify';
import type { ProofRow } from '../../../src/store/tables';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { age, behindTheTrigger } from './aging';
import { writeBooks, type Books } from '../../support/verify/books';
import { deposit } from '../../support/verify/books-support';

let test: TestDatabase;
let books: Books;
/** Of the service's account: what a run writes, it must be allowed to. */
let service: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  books = await writeBooks(test.db);
  await age(test.db);
  service = openDatabase(test.url);
});
afterAll(async () => {
  await service.destroy();
  await test.drop();
});

const all = () => proveAll(service, books.context.rails);
const news = () => proveNews(service, books.context.rails);
const brokenIn = ({ checks: found }: Awaited<ReturnType<typeof news>>) =>
  Object.fromEntries(
    found
      .filter(({ violations }) => violations.length > 0)
      .map(({ id, violations }) => [id, violations.map((violation) => violation.id)]),
  );

/** Proves what there is, and that none of it is young any more. */
async function proveAsOld(): Promise<void> {
  await age(test.db);
  expect(await news()).toMatchObject({ clean: true, kept: true });
  expect(await news()).toMatchObject({ clean: true, kept: true, news: { looked_at: 0 } });
}

function fund(amountMinor: bigint): Promise<string> {
  const own = { merchantId: books.merchantId, rail: 'loud', country: 'KEN', currency: 'KES' } as const;
  return transferByHand(test.db, {
    from: { class: 'bank', currency: 'KES' },
    to: { class: 'float', ...own },
    amountMinor,
    reason: 'funded by bank transfer',
    whenShort: 'FLOAT_INSUFFICIENT',
  });
}

describe('a look at the news', () => {
  it('is one at everything while nothing is proved, and keeps the proof', async () => {
    expect(await news()).toMatchObject({
      clean: true,
      kept: true,
      because: 'nothing was proved before',
    });
    const [sums] = (await test.db.raw(
      'SELECT SUM(postings) AS n FROM proof_sums WHERE account_id <> 0',
    )) as unknown as [{ n: string | number }[]];
    const [{ n }] = (await test.db('ledger_postings').count({ n: '*' })) as [{ n: string | number }];
    expect(String(sums[0]?.n)).toBe(String(n));
  });

  it('looks at nothing where nothing happened, and says since when', async () => {
    const before = await test.db('proofs').first();
    const report = await news();
    expect(report).toMatchObject({
      clean: true,
      kept: true,
      news: {
        looked_at: 0,
        changed_since: before?.changed_since.toISOString(),
        proved_at: before?.proved_at.toISOString(),
        full_at: before?.full_at.toISOString(),
      },
    });
    expect(report.because).toBeUndefined();
    expect(report.checks.map(({ id }) => id)).toEqual([...checks.map(({ id }) => id), 'L8']);
  });

  it('looks at a payment of today in this run and in the next: it is not sure yet to have seen all of it', async () => {
    await deposit(books.context, { merchantId: books.merchantId }, 'initiating', 'pending', 'succeeded');
    expect(await news()).toMatchObject({ clean: true, kept: true, news: { looked_at: 1 } });
    expect(await news()).toMatchObject({ clean: true, kept: true, news: { looked_at: 1 } });
    await age(test.db);
    expect(await news()).toMatchObject({ clean: true, kept: true, news: { looked_at: 1 } });
    expect(await news()).toMatchObject({ clean: true, kept: true, news: { looked_at: 0 } });
  });

  it('looks at one thing after the other where it has a single connection', async () => {
    const narrow = openDatabase(test.url, { poolMax: 1 });
    const report = await proveNews(narrow, books.context.rails);
    await narrow.destroy();
    expect(report).toMatchObject({ clean: true, kept: true, news: { looked_at: 0 } });
  });

  it('looks at what was changed by hand, whatever the time zone of the session', async () => {
    await test.db.transaction(async (trx) => {
      await trx.raw("SET SESSION time_zone = '-05:00'");
      await trx('payments').where({ payment_id: books.secondSucceeded }).increment('wakes', 1);
      await trx.raw("SET SESSION time_zone = '+00:00'");
    });
    expect(await news()).toMatchObject({ clean: true, kept: true, news: { looked_at: 1 } });
  });

  it('does not take for seen what is written and not committed, though what came after it is', async () => {
    const account = (kind: 'bank' | 'fees') => openAccount(test.db, { class: kind, currency: 'KES' });
    const [bank, fees] = [await account('bank'), await account('fees')];
    await proveAsOld();
    await test.db.transaction(async (trx) => {
      await byHand(trx, async () => {
        await postEntry(trx, {
          source: { type: 'transfer', id: uuid(), leg: 'move' },
          lines: [
            { account: bank, amountMinor: -700n },
            { account: fees, amountMinor: 700n },
          ],
        });
        await fund(11_000n);
        expect(await news()).toMatchObject({ clean: true, kept: true });
      });
    });
    expect(brokenIn(await news())).toEqual({});
  });

  it('sees that two postings of an account have exchanged their amounts', async () => {
    const ids = [await fund(22_000n), await fund(33_000n)];
    await proveAsOld();
    const exchange = () =>
      behindTheTrigger(test.db, 'ledger_postings', () =>
        test.db.raw(
          `UPDATE ledger_postings l JOIN ledger_entries e ON e.entry_id = l.entry_id
           SET l.amount = SIGN(l.amount) * (55000 - ABS(l.amount)) WHERE e.source_id IN (?, ?)`,
          ids,
        ),
      );
    await exchange();
    expect(Object.keys(brokenIn(await news()))).toEqual(['L8']);
    await exchange();
    await proveAsOld();
  });

  it('sees what becomes wrong with an old payment, keeps no proof of that, and sees it again', async () => {
    const before = await test.db('proofs').first();
    const change = (confirmed: string) =>
      test.db('payments').where({ payment_id: books.secondSucceeded }).update({ confirmed_minor: confirmed });
    await change('10001');
    for (let run = 0; run < 2; run += 1) {
      const report = await news();
      expect(report).toMatchObject({ clean: false, kept: false, news: { looked_at: 1 } });
      expect(brokenIn(report)).toEqual({ P2: [books.secondSucceeded] });
    }
    expect(await test.db('proofs').first()).toEqual(before);
    await change('10000');
    expect(await news()).toMatchObject({ clean: true, kept: true });
  });

  it('sees that what was booked and proved is not what is there, and sends for a look at everything', async () => {
    const entry = await test.db('ledger_entries').where({ source_id: books.corrected }).first('entry_id');
    // It balances still, and the balances are the sums of what was proved: only what is there tells.
    const rewrite = (by: number) =>
      behindTheTrigger(test.db, 'ledger_postings', () =>
        test.db.raw('UPDATE ledger_postings SET amount = amount + IF(amount > 0, ?, ?) WHERE entry_id = ?', [
          by,
          -by,
          entry?.entry_id ?? '',
        ]),
      );
    await rewrite(5);
    const report = await news();
    expect(report).toMatchObject({ clean: false, kept: false });
    expect(Object.keys(brokenIn(report))).toEqual(['L8']);
    expect(report.checks.at(-1)?.violations[0]?.detail).toMatch(/check everything, without --news$/);
    expect(Object.keys(brokenIn(await all()))).toEqual(['L3', 'P2', 'P7']);
    await rewrite(-5);
  });

  it('proves nothing after a look at everything that found something, until one finds nothing', async () => {
    expect(await news()).toMatchObject({
      clean: true,
      kept: true,
      because: 'the last run that checked everything found violations',
    });
    expect((await news()).because).toBeUndefined();
  });

  it.each([
    [
      'another database, or other checks',
      { fingerprint: Buffer.alloc(32, 1) },
      /restored, moved or migrated/,
    ],
    [
      'a moment that has not come yet',
      { proved_at: new Date(Date.now() + 86_400_000) },
      /clock .* was set back/,
    ],
  ])('does not go on from a proof of %s', async (_what, changes, because) => {
    await test.db('proofs').update(changes);
    expect(await news()).toMatchObject({ clean: true, kept: true, because: expect.stringMatching(because) });
  });

  it('leaves no list behind, and takes one away that a killed run left', async () => {
    await test.db('proof_news').insert([
      { run_id: books.pending, id: books.pending, noted_at: new Date(Date.now() - 90_000_000) },
      { run_id: books.failed, id: books.failed, noted_at: new Date() },
    ]);
    await news();
    expect(await test.db('proof_news').pluck('run_id')).toEqual([books.failed]);
    await forgetNews(test.db, books.failed);
  });
});

describe('a run that another one overtakes', () => {
  it('begins once more, from what the other has left', async () => {
    await news();
    const { run_id: runId } = (await test.db('proofs').first()) as ProofRow;
    await test.db('payments').where({ payment_id: books.secondSucceeded }).increment('wakes', 1);
    // As soon as this one has listed what is new, and once.
    await test.db.raw(
      `CREATE TRIGGER meanwhile AFTER INSERT ON proof_news FOR EACH ROW
       UPDATE proofs SET run_id = '${uuid()}' WHERE run_id = '${runId}'`,
    );
    expect(await news()).toMatchObject({ clean: true, kept: true, news: { looked_at: 1 } });
    await test.db.raw('DROP TRIGGER meanwhile');
    expect(await test.db('proof_news').pluck('id')).toEqual([]);
  });
});

describe('an account that may only read', () => {
  it('is told what was found, and that nothing could be kept or taken away', async () => {
    const url = new URL(test.url);
    const [schema, user] = [url.pathname.slice(1), `${url.pathname.slice(1)}_r`];
    await test.db.raw("CREATE USER ?@'%' IDENTIFIED BY ?", [user, url.password]);
    await test.db.raw("GRANT SELECT, EXECUTE ON ??.* TO ?@'%'", [schema, user]);
    url.username = user;
    const reader = openDatabase(url.href);
    const change = (confirmed: string) =>
      test.db('payments').where({ payment_id: books.secondSucceeded }).update({ confirmed_minor: confirmed });
    try {
      await change('10001');
      const denied = expect.stringContaining('denied') as string;
      for (const prove of [proveAll, proveNews]) {
        const report = await prove(reader, books.context.rails);
        expect(brokenIn(report)).toEqual({ P2: [books.secondSucceeded] });
        expect(report).toMatchObject({ kept: false, not_dropped_because: denied });
      }
      await change('10000');
      expect(await proveNews(reader, books.context.rails)).toMatchObject({
        ...{ clean: true, kept: false, not_kept_because: denied },
        because: expect.stringMatching(/^what is new could not be listed/),
      });
    } finally {
      await reader.destroy();
      await test.db.raw("DROP USER ?@'%'", [user]);
    }
  });
});

describe('a proof', () => {
  it('is of one database and of these checks', async () => {
    const here = await fingerprintOf(test.db, checks);
    expect(await fingerprintOf(service, checks)).toEqual(here);
    expect(await fingerprintOf(service, checks.slice(1))).not.toEqual(here);
    const elsewhere = openDatabase(withSchema(test.adminUrl, 'information_schema'), { poolMax: 1 });
    expect(await fingerprintOf(elsewhere, checks)).not.toEqual(here);
    await elsewhere.destroy();
  });

  it('is of what the news are asked, too, and of the tables as they were made', async () => {
    const here = await fingerprintOf(test.db, checks);
    const asking = (forNews: string) => [
      { id: 'X', promise: 'x', find: bySql((scope) => scope.pick('SELECT 1', forNews)) },
    ];
    const [one, other] = [asking('SELECT 2'), asking('SELECT 3')];
    expect(await fingerprintOf(test.db, one)).not.toEqual(await fingerprintOf(test.db, other));
    await test.db.raw('ALTER TABLE cases ENGINE=InnoDB');
    expect(await fingerprintOf(test.db, checks)).not.toEqual(here);
  });

  it('does not replace what another run has found meanwhile', async () => {
    const before = await test.db('proofs').first();
    const proof = { runId: books.pending, marks: noMarks, provedAt: new Date(), fullAt: new Date() };
    const kept = { fingerprint: Buffer.alloc(32, 1), sums: [], after: books.failed };
    expect(await keepProof(service, proof, kept)).toMatch(/^another run has ended/);
    expect(await test.db('proofs').first()).toEqual(before);
  });
});
