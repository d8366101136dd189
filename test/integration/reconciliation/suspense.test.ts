import { randomUUID } from 'node:crypto';
import { createMerchant } from '../../../src/merchants/merchants';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { inTurn } from '../../../src/reconciliation/turn';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { sumUnexplained } from '../../../src/reconciliation/fetch-log';
import { openDatabase, type Database } from '../../../src/store/database';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, deposit, moveAlong, testContext } from '../../support/verify/books-support';
import { file, format, line, period } from '../../support/reconciliation/statement-support';

let test: TestDatabase;
let context: PaymentsContext;
let service: Database;
let merchantId: string;
beforeAll(async () => {
  test = await createTestDatabase();
  context = testContext(test.db);
  service = openDatabase(test.url, { poolMax: 8 });
  ({ merchant_id: merchantId } = await createMerchant(test.db, box, {
    name: 'Duka',
    environment: 'sandbox',
  }));
});
afterEach(async () => {
  await expectClean({ db: test.db });
});
afterAll(async () => {
  await service.destroy();
  await test.drop();
});

const run = (lines?: Parameters<typeof file>[0]) =>
  reconcile(service, format, period(), lines && file(lines, `${randomUUID()}.json`));

/** What an account has moved by since it was asked for the last time, in minor units. */
const seen = new Map<string, bigint>();
async function moved(code: string): Promise<bigint> {
  const [row] = await test
    .db('ledger_postings as p')
    .join('ledger_accounts as a', 'a.account_id', 'p.account_id')
    .where('a.code', code)
    .sum<{ sum: string | null }[]>({ sum: 'p.amount' });
  const now = BigInt(row?.sum ?? 0);
  const before = seen.get(code) ?? 0n;
  seen.set(code, now);
  return now - before;
}
const suspense = () => moved('suspense:loudpay:KES');
const clearing = () => moved('clearing:loud:KES');
async function waitingForTurns(): Promise<number> {
  const [rows] = (await test.db.raw(
    "SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE '%reconciliation\\_turns%for update%' AND ID <> CONNECTION_ID()",
  )) as unknown as [{ n: string }[]];
  return Number(rows[0]?.n ?? 0);
}
const name = () => `T${randomUUID()}`;
beforeEach(async () => {
  for (const code of ['suspense:loudpay:KES', 'clearing:loud:KES', 'provider_fees:loudpay:KES'])
    await moved(code);
});

describe('money of a statement without an owner', () => {
  it('is in suspense, once, however often it is seen', async () => {
    const stranger = line(name());
    await run([stranger, stranger]);
    expect([await suspense(), await clearing()]).toEqual([10_000n, -10_000n]);
    await run([stranger, line(name(), { state: 'failed' })]);
    await run();
    expect([await suspense(), await clearing()]).toEqual([0n, 0n]);
  });

  it('stands against it where it went out without us, or came in with a minus', async () => {
    await run([line(name(), { kind: 'payout' })]);
    expect([await suspense(), await clearing()]).toEqual([-10_000n, 10_000n]);
    await run([line(name(), { kind: 'refund', amountMinor: '700' })]);
    expect(await suspense()).toBe(-700n);
    await run([line(name(), { amountMinor: '-300' }), line(name(), { kind: 'other', amountMinor: '50' })]);
    expect(await suspense()).toBe(-250n);
    await run([line(name(), { amountMinor: '0' })]);
    expect(await suspense()).toBe(0n);
  });

  it('leaves it when our books have its payment, comes back when they have it no more, and so on', async () => {
    const late = await deposit(context, { merchantId }, 'initiating', 'pending', 'timed_out');
    const theirs = line(`ref-${late}`);
    await run([theirs]);
    expect(await suspense()).toBe(10_000n);
    await moveAlong(context, late, 'succeeded');
    await run();
    expect([await suspense(), await clearing()]).toEqual([-10_000n, -10_000n]);
    const orphan = () => test.db('orphans').where({ provider_reference: theirs.providerReference }).first();
    expect(await orphan()).toMatchObject({ state: 'explained', payment_id: late, bookings: 1 });
    await test.db('payments').where({ payment_id: late }).update({ provider_reference: 'another' });
    await run();
    expect(await suspense()).toBe(10_000n);
    expect(await orphan()).toMatchObject({ state: 'open', payment_id: null, closed_at: null, bookings: 2 });
    await test
      .db('payments')
      .where({ payment_id: late })
      .update({ provider_reference: theirs.providerReference });
    await run();
    expect(await suspense()).toBe(-10_000n);
  });

  it('is left to be explained where its payment was settled with another amount', async () => {
    const late = await deposit(context, { merchantId }, 'initiating', 'pending', 'timed_out');
    await run([line(`ref-${late}`)]);
    const left = async () => (await sumUnexplained(test.db)).reduce((sum, { count }) => sum + count, 0);
    const before = await left();
    await moveAlong(context, late, 'succeeded', { changes: { confirmed_minor: '9000' } });
    await run();
    const mine = { provider_reference: `ref-${late}` };
    expect(await test.db('orphans').where(mine).pluck('state')).toEqual(['explained']);
    expect(await left()).toBe(before);
  });

  it('is booked once by many who look at the same time', async () => {
    const lines = Array.from({ length: 30 }, () => line(name(), { amountMinor: '100', feeMinor: '3' }));
    const content = file(lines);
    await Promise.all(Array.from({ length: 4 }, () => reconcile(service, format, period(), content)));
    expect([await suspense(), await clearing()]).toEqual([3_000n, -2_910n]);
    expect(await moved('provider_fees:loudpay:KES')).toBe(-90n);
  });

  it('is judged by what another has left who had the turn before', async () => {
    const late = await deposit(context, { merchantId }, 'initiating', 'pending', 'timed_out');
    await run([line(name(), { state: 'failed' })]);
    const content = file([line(`ref-${late}`)]);
    let running: Promise<unknown> = Promise.resolve();
    let isDone = false;
    await inTurn(test.db, 'loudpay', async () => {
      running = reconcile(service, format, period(), content).finally(() => (isDone = true));
      await waitFor(async () => isDone || (await waitingForTurns()) > 0, {
        what: 'a run',
        timeoutMs: 30_000,
      });
      await moveAlong(context, late, 'succeeded');
    });
    await running;
    expect(await test.db('orphans').where({ provider_reference: `ref-${late}` })).toEqual([]);
    expect(await suspense()).toBe(0n);
  });

  it('is booked by the next look where it was open before there was suspense', async () => {
    const old = line(name(), { at: new Date(Date.now() - 40 * 86_400_000).toISOString() });
    await run([old]);
    const mine = { provider_reference: old.providerReference };
    const { entry_id: entry } = (await test.db('orphans').where(mine).first()) ?? {};
    expect(await suspense()).toBe(10_000n);
    // As the code of before has left it: its line is of no period that is looked at.
    await test.db('ledger_entries').insert({
      ...{ source_type: 'orphan', source_id: `undo ${String(entry)}`, leg: 'explained:1', at: new Date() },
    });
    const undo = await test
      .db('ledger_entries')
      .where({ source_id: `undo ${String(entry)}` })
      .first();
    const postings = await test.db('ledger_postings').where({ entry_id: String(entry) });
    await test.db('ledger_postings').insert(
      postings.map(({ account_id, currency, amount }) => ({
        ...{ entry_id: undo?.entry_id ?? '', account_id, currency, amount: String(-BigInt(amount)) },
      })),
    );
    await test.db('orphans').where(mine).update({ entry_id: null });
    await test
      .db('orphans')
      .where(mine)
      .update({ orphan_id: 900_000_000 as never, bookings: null });
    await expectClean({ db: test.db });
    expect(await suspense()).toBe(-10_000n);
    await run();
    await run();
    expect(await suspense()).toBe(10_000n);
  });
});

describe('what a provider kept', () => {
  const fees = () => moved('provider_fees:loudpay:KES');

  it('is booked once for each line that says so, with the payment where it is known', async () => {
    const paid = await deposit(context, { merchantId }, 'initiating', 'pending', 'succeeded');
    await clearing();
    const own = line(`ref-${paid}`);
    const fee = line(`ref-${paid}`, { kind: 'fee', amountMinor: '150' });
    await run([own, fee, fee]);
    expect([await fees(), await clearing()]).toEqual([-150n, 150n]);
    await run([fee, line(`ref-${paid}`, { kind: 'fee', amountMinor: '30' })]);
    await run();
    expect(await fees()).toBe(-30n);
    expect(
      await test.db('ledger_entries').where({ source_type: 'provider_fee', payment_id: paid }).pluck('leg'),
    ).toEqual(['fee', 'fee']);
  });
});
