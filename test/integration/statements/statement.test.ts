import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { balanceOf } from '../../../src/ledger/balances';
import { writeDayDigests } from '../../../src/ledger/day-digests';
import { createMerchant } from '../../../src/merchants/merchants';
import {
  cursorOf,
  positionAt,
  beginningOf,
  openStatement,
  pageOf,
  type Movement,
  type Statement,
} from '../../../src/statements/statement';
import { csvOf } from '../../../src/statements/statement-csv';
import type { Database } from '../../../src/store/database';
import { daysAgo, emptyLedger, onDay } from '../ledger/digested-days';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, deposit, insertPayment, transitionTo, testContext } from '../../support/verify/books-support';
import { transferNames, playHistory, type LedgerHistory } from './ledger-history';

let test: TestDatabase;
let db: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  db = test.db;
});
afterAll(() => test.drop());
beforeEach(() => emptyLedger(db));

const opened = (merchantId: string, from: number, to = from) =>
  openStatement(db, { merchantId, currency: 'KES', from: daysAgo(from), to: daysAgo(to), zone: 'UTC' });

async function csv(merchantId: string, from: number, to = from): Promise<string> {
  let text = '';
  for await (const part of csvOf(db, await opened(merchantId, from, to))) text += part;
  return text;
}

async function movementsOf(statement: Statement, limit = 1_000): Promise<Movement[]> {
  const all: Movement[] = [];
  for (let position = beginningOf(statement); ;) {
    const { movements, next } = await pageOf(db, statement, position, limit);
    all.push(...movements);
    if (!next) return all;
    const cursor = cursorOf(statement, next, movements.at(-1));
    const again = await positionAt(db, statement, cursor);
    expect(again).toEqual(next);
    position = next;
  }
}

/** Checks that the balances follow from the amounts. @returns the closing balances by account. */
async function addsUp(statement: Statement): Promise<Record<string, bigint>> {
  const movements = await movementsOf(statement);
  for (const { name, openingMinor, closingMinor } of statement.accounts) {
    let balance = openingMinor;
    for (const { balanceMinor, amountMinor } of movements.filter(({ account }) => account === name)) {
      balance += amountMinor;
      expect(balanceMinor).toBe(balance);
    }
    expect(closingMinor).toBe(balance);
  }
  return Object.fromEntries(statement.accounts.map(({ name, closingMinor }) => [name, closingMinor]));
}

const openings = ({ accounts }: Statement) =>
  Object.fromEntries(accounts.map(({ name, openingMinor }) => [name, openingMinor]));

async function balancesOf({ keys }: LedgerHistory): Promise<Record<string, bigint>> {
  const [wallet, walletReserved, float, floatReserved] = await Promise.all(
    [keys.wallet, keys.walletReserved, keys.float, keys.floatReserved].map((key) => balanceOf(db, key)),
  );
  return {
    ...{ wallet, wallet_reserved: walletReserved },
    ...{ 'float:momo:KEN': float, 'float_reserved:momo:KEN': floatReserved },
  } as Record<string, bigint>;
}

describe('a statement', () => {
  it('matches the ledger to the cent, for any bookings in any order', async () => {
    const step = fc.record({
      name: fc.constantFrom(...transferNames),
      amount: fc.bigInt({ min: 1n, max: 5_000n }),
      later: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
        await emptyLedger(db);
        const history = await playHistory(db, randomUUID());
        const other = await playHistory(db, randomUUID());
        let ago = 6;
        for (const { name, amount, later } of steps) {
          if (later && ago > 3) ago -= 1;
          await onDay(ago, async () => {
            await history.transfers[name](amount);
            await other.transfers.collect(7n);
          });
        }
        const { merchantId } = history;
        const isUsed = ([, balance]: [string, bigint]) => balance !== 0n;
        const used = (balances: Record<string, bigint>) =>
          Object.fromEntries(Object.entries(balances).filter(isUsed));
        const atTheEnd = await addsUp(await opened(merchantId, 6, -1));
        expect(used(atTheEnd)).toEqual(used(await balancesOf(history)));
        await writeDayDigests(db);
        // Periods that follow each other.
        const [first, second] = [await opened(merchantId, 6, 5), await opened(merchantId, 4, 3)];
        const closing = await addsUp(first);
        expect(used(openings(first))).toEqual({});
        expect(used(openings(second))).toEqual(used(closing));
        expect(used(await addsUp(second))).toEqual(used(atTheEnd));
        expect([first.isFinal, second.isFinal]).toEqual([true, true]);
        // Later bookings do not change them.
        const files = [await csv(merchantId, 6, 5), await csv(merchantId, 4, 3)];
        for (const name of transferNames) await history.transfers[name](3n);
        expect([await csv(merchantId, 6, 5), await csv(merchantId, 4, 3)]).toEqual(files);
        expect(used(await addsUp(await opened(merchantId, 6, -1)))).toEqual(used(await balancesOf(history)));
      }),
      { numRuns: 8 },
    );
  });

  it('does not change when a payment in it is refunded, reversed or settled later', async () => {
    const context = testContext(db);
    const { merchant_id: merchantId } = await createMerchant(db, box, {
      name: 'Duka',
      environment: 'sandbox',
    });
    const given = { merchantId, kind: 'deposit' as const };
    const [paid, late] = await onDay(5, async () => [
      await deposit(context, given, 'initiating', 'pending', 'succeeded'),
      await deposit(context, given, 'initiating', 'pending'),
    ]);
    await onDay(4, () => transitionTo(context, late, 'succeeded'));
    await writeDayDigests(db);
    const before = [await csv(merchantId, 5), await csv(merchantId, 4), await csv(merchantId, 5, 4)];
    expect(before[0]).toContain(`,credit,${paid},loud,deposit,`);
    expect(before[0]).not.toContain(late);
    expect(before[1]).toContain(`,credit,${late},`);
    const giveBack = async () => {
      await transitionTo(context, paid, 'refunded', { changes: { returned_minor: '5000' } });
      await transitionTo(context, paid, 'reversed', { changes: { returned_minor: '10000' } });
    };
    // The first moment of today, which is past at any hour.
    await onDay(0, giveBack, '00:00:00.000');
    await db('payments').where({ payment_id: paid }).update({ provider_receipt: 'LATER', corrected: 1 });
    expect([await csv(merchantId, 5), await csv(merchantId, 4), await csv(merchantId, 5, 4)]).toEqual(before);
    expect(await csv(merchantId, 0)).toContain(`,reversed,${paid},`);
  });

  it('is not final until its days have digests, and then has the same amounts', async () => {
    const { merchantId, transfers: transitions } = await playHistory(db, randomUUID());
    await onDay(3, () => transitions.collect(100n));
    await onDay(2, () => transitions.collect(50n));
    const before = [await csv(merchantId, 3), await csv(merchantId, 2)];
    expect(before.map((text) => text.includes('balance_so_far'))).toEqual([true, true]);
    await writeDayDigests(db);
    const after = [await csv(merchantId, 3), await csv(merchantId, 2)];
    expect(after).toEqual(before.map((text) => text.replaceAll('balance_so_far', 'closing_balance')));
    expect(await opened(merchantId, 3, 0)).toMatchObject({ isFinal: false });
  });

  it('shows no account that was used only later, and no booking from before the first day', async () => {
    const { merchantId, transfers: transitions } = await playHistory(db, randomUUID());
    await onDay(4, () => transitions.collect(100n));
    await onDay(3, () => transitions.fund(40n));
    await writeDayDigests(db);
    expect((await opened(merchantId, 4)).accounts.map(({ name }) => name)).toEqual(['wallet']);
    expect((await opened(merchantId, 3)).accounts.map(({ name }) => name)).toEqual([
      'float:momo:KEN',
      'wallet',
    ]);
    expect(await opened(merchantId, 9, 7)).toMatchObject({ accounts: [], isFinal: true });
  });

  it('can be read in pages of any size, and adds up over them', async () => {
    const { merchantId, transfers: transitions } = await playHistory(db, randomUUID());
    await onDay(3, async () => {
      for (let n = 1n; n <= 9n; n += 1n) {
        await transitions.collect(10n);
        await transitions.fund(n);
        await transitions.payOut(1n);
      }
    });
    const statement = await opened(merchantId, 3);
    const all = await movementsOf(statement);
    expect(all).toHaveLength(9 + 2 * 9 + 3 * 9);
    for (const limit of [10, 17, 53]) expect(await movementsOf(statement, limit)).toEqual(all);
  });

  it('is read through an index, however large the rest of the ledger is', async () => {
    const { merchantId, transfers: transitions } = await playHistory(db, randomUUID());
    const others = await playHistory(db, randomUUID());
    await onDay(3, async () => {
      await transitions.collect(10n);
      for (let n = 0; n < 60; n += 1) await others.transfers.collect(1n);
    });
    await writeDayDigests(db);
    await db.raw('ANALYZE TABLE ledger_postings, ledger_entries, ledger_accounts, payments');
    const asked: { sql: string; bindings: unknown[] }[] = [];
    const note = (query: { sql: string; bindings?: unknown[] }) =>
      asked.push({ sql: query.sql, bindings: query.bindings ?? [] });
    db.on('query', note);
    const statement = await opened(merchantId, 3);
    await movementsOf(statement);
    db.removeListener('query', note);
    expect(asked.length).toBeGreaterThan(5);
    const wide: string[] = [];
    for (const { sql, bindings } of asked) {
      const [steps] = (await db.raw(
        `EXPLAIN FORMAT=TRADITIONAL ${sql}`,
        bindings as string[],
      )) as unknown as [{ table: string | null; rows: string | number | null }[]];
      wide.push(...steps.filter(({ rows }) => Number(rows) > 20).map(() => sql));
    }
    expect(wide).toEqual([]);
  });

  it('rejects a cursor of another merchant or of another period', async () => {
    const [one, other] = [await playHistory(db, randomUUID()), await playHistory(db, randomUUID())];
    await onDay(4, () => one.transfers.collect(10n));
    await onDay(4, () => other.transfers.collect(10n));
    await onDay(3, () => one.transfers.collect(10n));
    const statement = await opened(one.merchantId, 4);
    const [movement] = await movementsOf(statement);
    const cursor = cursorOf(statement, { ...beginningOf(statement), account: 0 }, movement);
    expect(await positionAt(db, statement, cursor)).toBeDefined();
    expect(await positionAt(db, await opened(other.merchantId, 4), cursor)).toBeUndefined();
    expect(await positionAt(db, await opened(one.merchantId, 3), cursor)).toBeUndefined();
    const made = ['["wallet",1]', '["wallet","dépôt","1","credit"]', '["wallet","deposit","＝1","credit"]'];
    const encoded = made.map((text) => Buffer.from(text).toString('base64url'));
    for (const bad of ['', 'x', 'bnVsbA', ...encoded, `${cursor}AA`])
      expect(await positionAt(db, statement, bad)).toBeUndefined();
  });
});

describe('a CSV', () => {
  it('contains the references of the merchant, and no internal values', async () => {
    const context = testContext(db);
    const { merchant_id: merchantId } = await createMerchant(db, box, {
      name: 'Duka',
      environment: 'sandbox',
    });
    const { payment_id: paymentId } = await insertPayment(db, {
      ...{ merchantId, kind: 'deposit' },
      with: { order_id: '=1+1', account_reference: 'Mango, "ripe"' },
    });
    const history = await playHistory(db, merchantId);
    await onDay(3, async () => {
      for (const state of ['initiating', 'pending', 'succeeded'] as const)
        await transitionTo(context, paymentId, state);
      await history.transfers.fund(40n);
    });
    await writeDayDigests(db);
    const text = await csv(merchantId, 3);
    const day = daysAgo(3);
    const at = `${day}T12:00:00.000Z`;
    const [transferId = ''] = /[0-9a-f-]{36}(?=,-0\.40)/.exec(text) ?? [];
    expect(text.split('\r\n')).toEqual([
      'account,time,type,payment_id,rail,kind,order_id,reference,source_id,amount,balance,currency',
      `float:momo:KEN,${day}T00:00:00.000Z,opening_balance,,,,,,,,0.00,KES`,
      `float:momo:KEN,${at},transfer,,,,,,${transferId},0.40,0.40,KES`,
      `float:momo:KEN,${daysAgo(2)}T00:00:00.000Z,closing_balance,,,,,,,,0.40,KES`,
      `wallet,${day}T00:00:00.000Z,opening_balance,,,,,,,,0.00,KES`,
      `wallet,${at},credit,${paymentId},loud,deposit,'=1+1,"Mango, ""ripe""",,100.00,100.00,KES`,
      `wallet,${at},transfer,,,,,,${transferId},-0.40,99.60,KES`,
      `wallet,${daysAgo(2)}T00:00:00.000Z,closing_balance,,,,,,,,99.60,KES`,
      '',
    ]);
  });
});
