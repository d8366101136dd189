import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { createMerchant } from '../../../src/merchants/merchants';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { reportOn } from '../../../src/reconciliation/report';
import { StatementError } from '../../../src/reconciliation/statement';
import { openDatabase, type Database } from '../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import {
  box,
  deposit,
  insertPayment,
  moveAlong,
  payOut,
  testContext,
} from '../../support/verify/books-support';
import {
  file,
  forgetStatements,
  format,
  hourMs,
  line,
  period,
  remembered,
} from '../../support/reconciliation/statement-support';

let test: TestDatabase;
let context: PaymentsContext;
/** As the command line has it: a privilege that is missing fails a test. */
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
  await transferByHand(test.db, {
    from: { class: 'bank', currency: 'KES' },
    to: { class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
    amountMinor: 1_000_000n,
    reason: 'funded by bank transfer',
    whenShort: 'FLOAT_INSUFFICIENT',
  });
});
beforeEach(async () => {
  await forgetStatements(test.db);
  await test.db('payments').update({ provider_receipt: null, rail: 'forgotten' });
});
afterAll(async () => {
  await service.destroy();
  await test.drop();
});

const paid = async (): Promise<string> =>
  deposit(context, { merchantId }, 'initiating', 'pending', 'succeeded');
const ref = (paymentId: string) => `ref-${paymentId}`;
const run = (lines?: Parameters<typeof file>[0], name?: string) =>
  reconcile(service, format, period(), lines && file(lines, name));
const report = () => reportOn(service, format, period());
/** What is told of each line, and of our payments, that are not agreed. */
const told = async () =>
  (await report()).items.map(({ result, line: of }) => [
    result.outcome,
    of?.provider_reference ?? result.payment_id,
    result.note,
  ]);
const everything = () => remembered(test.db);

describe('a line of a statement', () => {
  it('is agreed where our books have the same amount, whichever way the money went', async () => {
    const collected = await paid();
    const out = await payOut(context, { merchantId, kind: 'payout' }, 'succeeded');
    const given = { merchantId, kind: 'refund' as const, with: { parent_id: collected } };
    const refund = await payOut(context, given, 'succeeded');
    await run([
      line(ref(collected)),
      line(ref(out), { kind: 'payout' }),
      line(ref(refund), { kind: 'refund' }),
    ]);
    expect(await report()).toMatchObject({
      isExplained: true,
      items: [],
      sums: [{ outcome: 'agreed', currency: 'KES', count: 3, amountMinor: 30_000n }],
    });
  });

  it('is found by its receipt, and by our own reference where the payment has none', async () => {
    const [byReceipt, byOurs] = [await paid(), await paid()];
    await test.db('payments').where({ payment_id: byReceipt }).update({ provider_receipt: 'R1' });
    await run([line('R1'), line('R2', { ourReference: byOurs })]);
    expect(await told()).toEqual([]);
  });

  it('is theirs alone where a second one names a payment that another told of: paid twice', async () => {
    const once = await paid();
    await run([line('R1', { ourReference: once }), line('R2', { ourReference: once })]);
    expect(await told()).toEqual([['theirs_only', 'R2', expect.stringMatching(/^line \d+ tells of this/)]]);
    const before = await everything();
    await run();
    expect(await everything()).toEqual(before);
  });

  it('differs where the amount or the currency does', async () => {
    const [less, other] = [await paid(), await paid()];
    await run([line(ref(less), { amountMinor: '9900' }), line(ref(other), { currency: 'USD' })]);
    expect(await told()).toEqual([
      ['amount_differs', ref(less), 'our books say 100.00 KES'],
      ['amount_differs', ref(other), 'our books say 100.00 KES'],
    ]);
    expect((await report()).isExplained).toBe(false);
  });

  it('is theirs alone where we know no such payment, or have booked nothing for it', async () => {
    const failed = await deposit(context, { merchantId }, 'initiating', 'pending', 'failed');
    await run([line('stranger'), line(ref(failed)), line('bank', { kind: 'other', amountMinor: '-500' })]);
    expect(await told()).toEqual([
      ['theirs_only', 'stranger', 'no payment has this id'],
      ['theirs_only', ref(failed), 'our payment is failed'],
      ['theirs_only', 'bank', 'no payment has this id'],
    ]);
    expect(await test.db('orphans').pluck('state')).toEqual(['open', 'open', 'open']);
  });

  it('finds its payment by itself once our books have it, and is an orphan no more', async () => {
    const late = await deposit(context, { merchantId }, 'initiating', 'pending', 'timed_out');
    await run([line(ref(late))]);
    expect(await told()).toEqual([['theirs_only', ref(late), 'our payment is timed_out']]);
    await moveAlong(context, late, 'succeeded');
    await run();
    expect(await told()).toEqual([]);
    expect(await test.db('orphans').first()).toMatchObject({ state: 'explained', payment_id: late });
  });

  it('of a payment of another rail counts only where that goes through the same account', async () => {
    const shared = { merchantId, rail: 'quiet', with: { provider: 'shared' } };
    const ours = await deposit(context, shared, 'initiating', 'pending', 'succeeded');
    const others = await deposit(context, { ...shared, with: {} }, 'initiating', 'pending', 'succeeded');
    await run([line(ref(ours)), line(ref(others))]);
    expect(await told()).toEqual([['theirs_only', ref(others), 'no payment has this id']]);
  });

  it('is a fee, or moved nothing, where it says so', async () => {
    const collected = await paid();
    await run([
      line(ref(collected)),
      line(ref(collected), { kind: 'fee', amountMinor: '150' }),
      line('declined', { state: 'failed' }),
    ]);
    expect(await told()).toEqual([
      ['fee', ref(collected), ''],
      ['not_moved', 'declined', 'the provider says failed'],
    ]);
    expect((await report()).isExplained).toBe(true);
  });

  it('is one of several fees of a receipt, and the same one when it comes again', async () => {
    const collected = await paid();
    const fee = (amountMinor: string) => line(ref(collected), { kind: 'fee', amountMinor });
    await run([line(ref(collected)), fee('150'), fee('30')]);
    expect((await told()).map(([outcome]) => outcome)).toEqual(['fee', 'fee']);
    await run([fee('150'), fee('30')], 'next.json');
    expect((await told()).map(([outcome]) => outcome)).toEqual(['fee', 'fee', 'seen_before', 'seen_before']);
  });

  it('is seen before when it stands twice, and differs when the second says something else', async () => {
    const [twice, otherwise] = [await paid(), await paid()];
    await run([line(ref(twice)), line(ref(twice)), line(ref(otherwise))]);
    await run([line(ref(twice)), line(ref(otherwise), { amountMinor: '1' })], 'next.json');
    expect((await told()).map(([outcome, of]) => [outcome, of])).toEqual([
      ['seen_before', ref(twice)],
      ['seen_before', ref(twice)],
      ['amount_differs', ref(otherwise)],
    ]);
  });

  it('is one part of what went back of a deposit', async () => {
    const back = await paid();
    await moveAlong(context, back, 'refunded', { changes: { given_back_minor: '3000' } });
    await moveAlong(context, back, 'refunded', { changes: { given_back_minor: '5000' } });
    const part = (id: string, amountMinor: string) =>
      line(id, { kind: 'refund', originalReference: ref(back), amountMinor });
    await run([line(ref(back)), part('B1', '3000'), part('B2', '2000')]);
    expect(await told()).toEqual([]);
    await run([part('B3', '100')], 'next.json');
    await run();
    expect((await told()).map(([outcome, of]) => [outcome, of])).toEqual([
      ['amount_differs', 'B1'],
      ['amount_differs', 'B2'],
      ['amount_differs', 'B3'],
    ]);
  });

  it('is not what came back of a payout a second time', async () => {
    const out = await payOut(context, { merchantId, kind: 'payout' }, 'succeeded');
    await moveAlong(context, out, 'returned');
    const back = (id: string) =>
      line(id, { kind: 'refund', originalReference: ref(out), amountMinor: '-10000' });
    await run([line(ref(out), { kind: 'payout' }), back('B1')]);
    expect(await told()).toEqual([]);
    await run([back('B2')], 'next.json');
    await run();
    expect((await told()).map(([outcome, of]) => [outcome, of])).toEqual([
      ['amount_differs', 'B1'],
      ['amount_differs', 'B2'],
    ]);
  });
});

describe('a payment of ours', () => {
  it('is ours alone where a statement of its time does not have it, until a later one does', async () => {
    const lost = await paid();
    await run([line('stranger', { state: 'failed' })]);
    expect((await told())[0]).toEqual(['ours_only', lost, 'no statement of that time has it']);
    expect((await report()).isExplained).toBe(false);
    await run([line(ref(lost))], 'late.json');
    expect((await told()).map(([outcome]) => outcome)).toEqual(['not_moved']);
  });

  it('is not missed where its line may stand in a statement that nobody has brought', async () => {
    await paid();
    const to = new Date(Date.now() + 60_000);
    await reconcile(service, format, { from: period().from, to }, file([]));
    expect(await told()).toEqual([]);
    // The next one covers the rest of its time.
    await reconcile(service, format, { from: to, to: new Date(to.getTime() + hourMs) }, file([line('x')]));
    expect((await told()).map(([outcome]) => outcome)).toEqual(['ours_only', 'theirs_only']);
  });

  it('is not missed where nothing was brought, or nothing was settled', async () => {
    await deposit(context, { merchantId }, 'initiating', 'pending', 'failed');
    await run();
    await paid();
    await run();
    expect(await told()).toEqual([]);
  });
});

describe('a statement', () => {
  it('changes nothing when it comes again, and neither does looking again', async () => {
    const [agreed, missing] = [await paid(), await paid()];
    const lines = [line(ref(agreed)), line('stranger'), line('stranger')];
    expect(await run(lines)).toMatchObject({ lines: 3, isKnown: false });
    const before = await everything();
    expect(before.results.map(({ subject }) => subject)).toContain(`payment:${missing}`);
    expect(await run(lines, 'renamed.json')).toMatchObject({ lines: 3, isKnown: true });
    await run();
    expect(await everything()).toEqual(before);
  });

  it('is kept once by many who bring it at the same time', async () => {
    const lines = [line(ref(await paid())), line('stranger')];
    await Promise.all(Array.from({ length: 5 }, () => run(lines)));
    const { statements, lines: kept, results, orphans } = await everything();
    expect([statements.length, kept.length, results.length, orphans.length]).toEqual([1, 2, 2, 1]);
  });

  it('that cannot be read as a whole leaves nothing behind', async () => {
    const lines = [line('first'), line('second', { amountMinor: 'KES' })];
    await expect(run(lines)).rejects.toThrow(new StatementError('"KES" is no amount', 2));
    await expect(run([line('')])).rejects.toThrow('line 1: the transaction has no id');
    await expect(run([line('a', { at: '1970-01-01' })])).rejects.toThrow('line 1: the date cannot be right');
    expect(await everything()).toEqual({ statements: [], lines: [], results: [], orphans: [] });
  });

  it('has no id with a control character, and keeps no number of a card', async () => {
    await expect(run([line('a\u001b[2J')])).rejects.toThrow(
      'line 1: the id of the transaction has characters',
    );
    await run([
      line('a', { description: 'card 4111 1111 1111 1111' }),
      line('b', { description: 'Pay Bill' }),
    ]);
    expect((await everything()).lines.map(({ description }) => description)).toEqual([null, 'Pay Bill']);
  });

  it('leaves no line uncounted', async () => {
    const lines = Array.from({ length: 450 }, (_, n) =>
      line(`L${n % 430}`, { amountMinor: String(1 + (n % 3)) }),
    );
    await run(lines);
    const { results } = await everything();
    expect(results.length).toBe(450);
    expect((await report()).sums.reduce((sum, { count }) => sum + count, 0)).toBe(450);
  });
});

describe('money without an owner', () => {
  it('is offered with the payments it may belong to, the likeliest first', async () => {
    const asked = { merchantId, with: { phone_number: '254712345678', account_reference: 'INV-7' } };
    const unpaid = await insertPayment(test.db, asked);
    await insertPayment(test.db, { merchantId, with: { phone_number: '254700000001' } });
    const other = await insertPayment(test.db, {
      ...asked,
      amountMinor: 500n,
      with: { phone_number: '254712345678' },
    });
    await run([line('stranger', { phone: '+254 712 345678', ourReference: 'INV-7' })]);
    const { items } = await report();
    expect(items[0]?.owners).toEqual([
      expect.objectContaining({
        payment_id: unpaid.payment_id,
        because: ['phone', 'reference', 'amount', 'time', 'not paid yet'],
      }),
      expect.objectContaining({ payment_id: other.payment_id, because: ['phone', 'time', 'not paid yet'] }),
    ]);
  });
});
