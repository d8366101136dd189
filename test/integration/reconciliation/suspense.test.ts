import { randomUUID } from 'node:crypto';
import { createMerchant } from '../../../src/merchants/merchants';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { withProviderLock } from '../../../src/reconciliation/provider-lock';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { sumUnexplained } from '../../../src/reconciliation/fetch-log';
import { openDatabase, type Database } from '../../../src/store/database';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, deposit, transitionTo, testContext } from '../../support/verify/books-support';
import {
  bookedOn,
  file,
  format,
  line,
  period,
  waitingForProviderLock,
} from '../../support/reconciliation/statement-support';

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

/** The change of an account since the last call, in minor units. */
const seen = new Map<string, bigint>();
async function moved(code: string): Promise<bigint> {
  const now = await bookedOn(test.db, code);
  const before = seen.get(code) ?? 0n;
  seen.set(code, now);
  return now - before;
}
const suspense = () => moved('suspense:loudpay:KES');
const clearing = () => moved('clearing:loud:KES');
const name = () => `T${randomUUID()}`;
beforeEach(async () => {
  for (const code of ['suspense:loudpay:KES', 'clearing:loud:KES', 'provider_fees:loudpay:KES'])
    await moved(code);
});

describe('the money of an unexplained line', () => {
  it('is booked to suspense once, however often the line appears', async () => {
    const unknownLine = line(name());
    await run([unknownLine, unknownLine]);
    expect([await suspense(), await clearing()]).toEqual([10_000n, -10_000n]);
    await run([unknownLine, line(name(), { state: 'failed' })]);
    await run();
    expect([await suspense(), await clearing()]).toEqual([0n, 0n]);
  });

  it('debits suspense when it was sent without us, or is negative', async () => {
    await run([line(name(), { kind: 'payout' })]);
    expect([await suspense(), await clearing()]).toEqual([-10_000n, 10_000n]);
    await run([line(name(), { kind: 'refund', amountMinor: '700' })]);
    expect(await suspense()).toBe(-700n);
    await run([line(name(), { amountMinor: '-300' }), line(name(), { kind: 'other', amountMinor: '50' })]);
    expect(await suspense()).toBe(-250n);
    await run([line(name(), { amountMinor: '0' })]);
    expect(await suspense()).toBe(0n);
  });

  it('leaves suspense when our books have its payment, and returns when they no longer do', async () => {
    const late = await deposit(context, { merchantId }, 'initiating', 'pending', 'timed_out');
    const theirs = line(`ref-${late}`);
    await run([theirs]);
    expect(await suspense()).toBe(10_000n);
    await transitionTo(context, late, 'succeeded');
    await run();
    expect([await suspense(), await clearing()]).toEqual([-10_000n, -10_000n]);
    const unmatched = () =>
      test.db('unmatched_receipts').where({ provider_reference: theirs.providerReference }).first();
    expect(await unmatched()).toMatchObject({ state: 'explained', payment_id: late, bookings: 1 });
    await test.db('payments').where({ payment_id: late }).update({ provider_reference: 'another' });
    await run();
    expect(await suspense()).toBe(10_000n);
    expect(await unmatched()).toMatchObject({
      state: 'open',
      payment_id: null,
      closed_at: null,
      bookings: 2,
    });
    await test
      .db('payments')
      .where({ payment_id: late })
      .update({ provider_reference: theirs.providerReference });
    await run();
    expect(await suspense()).toBe(-10_000n);
  });

  it('stays unexplained by its amount when the payment was settled with another amount', async () => {
    const late = await deposit(context, { merchantId }, 'initiating', 'pending', 'timed_out');
    await run([line(`ref-${late}`)]);
    const left = async () => (await sumUnexplained(test.db)).reduce((sum, { count }) => sum + count, 0);
    const before = await left();
    await transitionTo(context, late, 'succeeded', { changes: { confirmed_minor: '9000' } });
    await run();
    const mine = { provider_reference: `ref-${late}` };
    expect(await test.db('unmatched_receipts').where(mine).pluck('state')).toEqual(['explained']);
    expect(await left()).toBe(before);
  });

  it('is booked once when several processes reconcile at the same time', async () => {
    const lines = Array.from({ length: 30 }, () => line(name(), { amountMinor: '100', feeMinor: '3' }));
    const content = file(lines);
    await Promise.all(Array.from({ length: 4 }, () => reconcile(service, format, period(), content)));
    expect([await suspense(), await clearing()]).toEqual([3_000n, -2_910n]);
    expect(await moved('provider_fees:loudpay:KES')).toBe(-90n);
  });

  it('is compared with the books as they are once the lock is free', async () => {
    const late = await deposit(context, { merchantId }, 'initiating', 'pending', 'timed_out');
    await run([line(name(), { state: 'failed' })]);
    const content = file([line(`ref-${late}`)]);
    let running: Promise<unknown> = Promise.resolve();
    let isDone = false;
    await withProviderLock(test.db, 'loudpay', async () => {
      running = reconcile(service, format, period(), content).finally(() => (isDone = true));
      await waitFor(async () => isDone || (await waitingForProviderLock(test.db)) > 0, {
        what: 'a run',
        timeoutMs: 30_000,
      });
      await transitionTo(context, late, 'succeeded');
    });
    await running;
    expect(await test.db('unmatched_receipts').where({ provider_reference: `ref-${late}` })).toEqual([]);
    expect(await suspense()).toBe(0n);
  });

  it('is booked by the next run when it was open before suspense existed', async () => {
    const old = line(name(), { at: new Date(Date.now() - 40 * 86_400_000).toISOString() });
    await run([old]);
    const mine = { provider_reference: old.providerReference };
    const { entry_id: entry } = (await test.db('unmatched_receipts').where(mine).first()) ?? {};
    expect(await suspense()).toBe(10_000n);
    // As earlier code left it: its line is in no period that is compared.
    await test.db('ledger_entries').insert({
      ...{ source_type: 'unmatched', source_id: `undo ${String(entry)}`, leg: 'explained:1', at: new Date() },
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
    await test.db('unmatched_receipts').where(mine).update({ entry_id: null });
    await test
      .db('unmatched_receipts')
      .where(mine)
      .update({ receipt_id: 900_000_000 as never, bookings: null });
    await expectClean({ db: test.db });
    expect(await suspense()).toBe(-10_000n);
    await run();
    await run();
    expect(await suspense()).toBe(10_000n);
  });
});

describe('a fee that the provider kept', () => {
  const fees = () => moved('provider_fees:loudpay:KES');

  it('is booked once for each of its lines, with the payment if it is known', async () => {
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
