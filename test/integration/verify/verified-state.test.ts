import { v7 as uuid } from 'uuid';
import { openAccount } from '../../../src/ledger/accounts';
import { postEntry } from '../../../src/ledger/post-entry';
import { byHand, transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { openDatabase, type Database } from '../../../src/store/database';
import { withSchema } from '../../../src/store/database-address';
import { bySql } from '../../../src/verify/check';
import {
  forgetChanges,
  fingerprintOf,
  storeVerifiedState,
  noMarks,
} from '../../../src/verify/verified-state';
import { verifyAll, verifyChanges } from '../../../src/verify/run-checks';
import { checks } from '../../../src/verify/verify';
import type { VerifiedStateRow } from '../../../src/store/tables';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { age, behindTheTrigger } from './aging';
import { writeBooks, type Books } from '../../support/verify/books';
import { deposit } from '../../support/verify/books-support';

let test: TestDatabase;
let books: Books;
/** With the database account of the service, so a missing privilege fails the test. */
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

const all = () => verifyAll(service, books.context.rails);
const checkChanges = () => verifyChanges(service, books.context.rails);
const brokenIn = ({ checks: found }: Awaited<ReturnType<typeof checkChanges>>) =>
  Object.fromEntries(
    found
      .filter(({ violations }) => violations.length > 0)
      .map(({ id, violations }) => [id, violations.map((violation) => violation.id)]),
  );

/** Verifies everything, with all rows old enough that the next run need not check them. */
async function proveAsOld(): Promise<void> {
  await age(test.db);
  expect(await checkChanges()).toMatchObject({ clean: true, kept: true });
  expect(await checkChanges()).toMatchObject({ clean: true, kept: true, changes: { checked_at: 0 } });
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

describe('a run over the changes', () => {
  it('checks everything while no state is stored, and stores its state', async () => {
    expect(await checkChanges()).toMatchObject({
      clean: true,
      kept: true,
      because: 'there was no clean run before',
    });
    const [sums] = (await test.db.raw(
      'SELECT SUM(postings) AS n FROM verify_sums WHERE account_id <> 0',
    )) as unknown as [{ n: string | number }[]];
    const [{ n }] = (await test.db('ledger_postings').count({ n: '*' })) as [{ n: string | number }];
    expect(String(sums[0]?.n)).toBe(String(n));
  });

  it('checks nothing when nothing changed, and reports since when', async () => {
    const before = await test.db('verified_state').first();
    const report = await checkChanges();
    expect(report).toMatchObject({
      clean: true,
      kept: true,
      changes: {
        checked_at: 0,
        changed_since: before?.changed_since.toISOString(),
        verified_at: before?.verified_at.toISOString(),
        full_at: before?.full_at.toISOString(),
      },
    });
    expect(report.because).toBeUndefined();
    expect(report.checks.map(({ id }) => id)).toEqual([...checks.map(({ id }) => id), 'L8']);
  });

  it('checks a payment of today in this run and in the next, because a transaction may still be open', async () => {
    await deposit(books.context, { merchantId: books.merchantId }, 'initiating', 'pending', 'succeeded');
    expect(await checkChanges()).toMatchObject({ clean: true, kept: true, changes: { checked_at: 1 } });
    expect(await checkChanges()).toMatchObject({ clean: true, kept: true, changes: { checked_at: 1 } });
    await age(test.db);
    expect(await checkChanges()).toMatchObject({ clean: true, kept: true, changes: { checked_at: 1 } });
    expect(await checkChanges()).toMatchObject({ clean: true, kept: true, changes: { checked_at: 0 } });
  });

  it('runs its queries one after the other when it has a single connection', async () => {
    const narrow = openDatabase(test.url, { poolMax: 1 });
    const report = await verifyChanges(narrow, books.context.rails);
    await narrow.destroy();
    expect(report).toMatchObject({ clean: true, kept: true, changes: { checked_at: 0 } });
  });

  it('checks what was changed by hand, in any time zone of the session', async () => {
    await test.db.transaction(async (trx) => {
      await trx.raw("SET SESSION time_zone = '-05:00'");
      await trx('payments').where({ payment_id: books.secondSucceeded }).increment('signals', 1);
      await trx.raw("SET SESSION time_zone = '+00:00'");
    });
    expect(await checkChanges()).toMatchObject({ clean: true, kept: true, changes: { checked_at: 1 } });
  });

  it('does not skip uncommitted rows when later rows are already committed', async () => {
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
        expect(await checkChanges()).toMatchObject({ clean: true, kept: true });
      });
    });
    expect(brokenIn(await checkChanges())).toEqual({});
  });

  it('finds two postings of an account with exchanged amounts', async () => {
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
    expect(Object.keys(brokenIn(await checkChanges()))).toEqual(['L8']);
    await exchange();
    await proveAsOld();
  });

  it('finds a change of an old payment, stores no state for it, and finds it again', async () => {
    const before = await test.db('verified_state').first();
    const change = (confirmed: string) =>
      test.db('payments').where({ payment_id: books.secondSucceeded }).update({ confirmed_minor: confirmed });
    await change('10001');
    for (let run = 0; run < 2; run += 1) {
      const report = await checkChanges();
      expect(report).toMatchObject({ clean: false, kept: false, changes: { checked_at: 1 } });
      expect(brokenIn(report)).toEqual({ P2: [books.secondSucceeded] });
    }
    expect(await test.db('verified_state').first()).toEqual(before);
    await change('10000');
    expect(await checkChanges()).toMatchObject({ clean: true, kept: true });
  });

  it('finds a rewrite of verified postings, and asks for a run over everything', async () => {
    const entry = await test.db('ledger_entries').where({ source_id: books.corrected }).first('entry_id');
    // The entry still balances and the balances match the verified sums. Only the postings differ.
    const rewrite = (by: number) =>
      behindTheTrigger(test.db, 'ledger_postings', () =>
        test.db.raw('UPDATE ledger_postings SET amount = amount + IF(amount > 0, ?, ?) WHERE entry_id = ?', [
          by,
          -by,
          entry?.entry_id ?? '',
        ]),
      );
    await rewrite(5);
    const report = await checkChanges();
    expect(report).toMatchObject({ clean: false, kept: false });
    expect(Object.keys(brokenIn(report))).toEqual(['L8']);
    expect(report.checks.at(-1)?.violations[0]?.detail).toMatch(/check everything, without --changes$/);
    expect(Object.keys(brokenIn(await all()))).toEqual(['L3', 'P2', 'P7']);
    await rewrite(-5);
  });

  it('stores no state after a full run with violations, until a full run is clean', async () => {
    expect(await checkChanges()).toMatchObject({
      clean: true,
      kept: true,
      because: 'the last run that checked everything found violations',
    });
    expect((await checkChanges()).because).toBeUndefined();
  });

  it.each([
    [
      'another database, or other checks',
      { fingerprint: Buffer.alloc(32, 1) },
      /restored, moved or migrated/,
    ],
    ['a time in the future', { verified_at: new Date(Date.now() + 86_400_000) }, /clock .* was set back/],
  ])('does not continue from a state with %s', async (_what, changes, because) => {
    await test.db('verified_state').update(changes);
    expect(await checkChanges()).toMatchObject({
      clean: true,
      kept: true,
      because: expect.stringMatching(because),
    });
  });

  it('leaves no list of changes, and deletes the list of a killed run', async () => {
    await test.db('verify_changes').insert([
      { run_id: books.pending, id: books.pending, noted_at: new Date(Date.now() - 90_000_000) },
      { run_id: books.failed, id: books.failed, noted_at: new Date() },
    ]);
    await checkChanges();
    expect(await test.db('verify_changes').pluck('run_id')).toEqual([books.failed]);
    await forgetChanges(test.db, books.failed);
  });
});

describe('a run during which another run ends', () => {
  it('starts again from the state of the other run', async () => {
    await checkChanges();
    const { run_id: runId } = (await test.db('verified_state').first()) as VerifiedStateRow;
    await test.db('payments').where({ payment_id: books.secondSucceeded }).increment('signals', 1);
    // Once, as soon as this run has listed its changes.
    await test.db.raw(
      `CREATE TRIGGER meanwhile AFTER INSERT ON verify_changes FOR EACH ROW
       UPDATE verified_state SET run_id = '${uuid()}' WHERE run_id = '${runId}'`,
    );
    expect(await checkChanges()).toMatchObject({ clean: true, kept: true, changes: { checked_at: 1 } });
    await test.db.raw('DROP TRIGGER meanwhile');
    expect(await test.db('verify_changes').pluck('id')).toEqual([]);
  });
});

describe('an account with read access only', () => {
  it('gets the violations, and learns that no state could be stored or dropped', async () => {
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
      for (const prove of [verifyAll, verifyChanges]) {
        const report = await prove(reader, books.context.rails);
        expect(brokenIn(report)).toEqual({ P2: [books.secondSucceeded] });
        expect(report).toMatchObject({ kept: false, not_dropped_because: denied });
      }
      await change('10000');
      expect(await verifyChanges(reader, books.context.rails)).toMatchObject({
        ...{ clean: true, kept: false, not_kept_because: denied },
        because: expect.stringMatching(/^the changes could not be listed/),
      });
    } finally {
      await reader.destroy();
      await test.db.raw("DROP USER ?@'%'", [user]);
    }
  });
});

describe('a verified state', () => {
  it('belongs to one database and to these checks', async () => {
    const here = await fingerprintOf(test.db, checks);
    expect(await fingerprintOf(service, checks)).toEqual(here);
    expect(await fingerprintOf(service, checks.slice(1))).not.toEqual(here);
    const elsewhere = openDatabase(withSchema(test.adminUrl, 'information_schema'), { poolMax: 1 });
    expect(await fingerprintOf(elsewhere, checks)).not.toEqual(here);
    await elsewhere.destroy();
  });

  it('also belongs to the queries over changes and to the table definitions', async () => {
    const here = await fingerprintOf(test.db, checks);
    const asking = (forChanges: string) => [
      { id: 'X', promise: 'x', find: bySql((scope) => scope.pick('SELECT 1', forChanges)) },
    ];
    const [one, other] = [asking('SELECT 2'), asking('SELECT 3')];
    expect(await fingerprintOf(test.db, one)).not.toEqual(await fingerprintOf(test.db, other));
    await test.db.raw('ALTER TABLE cases ENGINE=InnoDB');
    expect(await fingerprintOf(test.db, checks)).not.toEqual(here);
  });

  it('does not replace the state that another run stored meanwhile', async () => {
    const before = await test.db('verified_state').first();
    const proof = { runId: books.pending, marks: noMarks, provedAt: new Date(), fullAt: new Date() };
    const kept = { fingerprint: Buffer.alloc(32, 1), sums: [], after: books.failed };
    expect(await storeVerifiedState(service, proof, kept)).toMatch(/^another run has ended/);
    expect(await test.db('verified_state').first()).toEqual(before);
  });
});

describe('a run over everything', () => {
  it('shares its checks between two snapshots, and has one when connections are scarce', async () => {
    for (const [poolMax, snapshots] of [
      [4, 2],
      [3, 1],
    ] as const) {
      const db = openDatabase(test.url, { poolMax });
      const begun: string[] = [];
      db.on('query', ({ sql, __knexTxId }: { sql: string; __knexTxId: string }) => {
        if (sql.startsWith('START TRANSACTION WITH CONSISTENT SNAPSHOT')) begun.push(__knexTxId);
      });
      const report = await verifyAll(db, books.context.rails);
      await db.destroy();
      expect(new Set(begun).size).toBe(snapshots);
      expect(report.checks.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
      expect(report).toMatchObject({ clean: true, kept: true });
    }
  });

  it('finds each planted violation once, whichever snapshot runs the check', async () => {
    const paid = await test.db('payments').where({ state: 'succeeded', kind: 'deposit' });
    const { payment_id, confirmed_minor: confirmed } = paid[0] ?? {};
    const change = (confirmed_minor: string) =>
      test
        .db('payments')
        .where('payment_id', payment_id ?? '')
        .update({ confirmed_minor });
    await change(String(BigInt(confirmed ?? 0) + 1n));
    const alone = openDatabase(test.url, { poolMax: 3 });
    const found = { two: brokenIn(await all()), one: brokenIn(await verifyAll(alone, books.context.rails)) };
    await alone.destroy();
    await change(confirmed ?? '');
    expect(found.two).toHaveProperty('P2');
    expect(found.two).toEqual(found.one);
  });
});
