import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { createMerchant } from '../../../src/merchants/merchants';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { reportOn } from '../../../src/reconciliation/report';
import { bringStatement } from '../../../src/reconciliation/statement-source';
import { StatementError } from '../../../src/reconciliation/statement';
import { openDatabase, type Database } from '../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import {
  box,
  deposit,
  insertPayment,
  transitionTo,
  payOut,
  testContext,
} from '../../support/verify/books-support';
import {
  file,
  forgetStatements,
  format,
  hourMs,
  line,
  patiently,
  period,
  remembered,
} from '../../support/reconciliation/statement-support';

let test: TestDatabase;
let context: PaymentsContext;
/** With the database account of the service, so a missing privilege fails a test. */
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
/** The outcome of each line and payment that does not agree. */
const reported = async () =>
  (await report()).items.map(({ result, line: of }) => [
    result.outcome,
    of?.provider_reference ?? result.payment_id,
    result.note,
  ]);
const everything = () => remembered(test.db);

describe('a line of a statement', () => {
  it('agrees when our books have the same amount, for incoming and outgoing money', async () => {
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

  it('matches by the receipt, and by our own reference when the payment has no receipt', async () => {
    const [byReceipt, byOurs] = [await paid(), await paid()];
    await test.db('payments').where({ payment_id: byReceipt }).update({ provider_receipt: 'R1' });
    await run([line('R1'), line('R2', { ourReference: byOurs })]);
    expect(await reported()).toEqual([]);
  });

  it('is theirs only when another line already matches the payment: a duplicate payment', async () => {
    const once = await paid();
    await run([line('R1', { ourReference: once }), line('R2', { ourReference: once })]);
    expect(await reported()).toEqual([
      ['theirs_only', 'R2', expect.stringMatching(/^line \d+ already matches this/)],
    ]);
    const before = await everything();
    await run();
    expect(await everything()).toEqual(before);
  });

  it('differs in the amount or the currency', async () => {
    const [less, other] = [await paid(), await paid()];
    await run([line(ref(less), { amountMinor: '9900' }), line(ref(other), { currency: 'USD' })]);
    expect(await reported()).toEqual([
      ['amount_differs', ref(less), 'our books say 100.00 KES'],
      ['amount_differs', ref(other), 'our books say 100.00 KES'],
    ]);
    expect((await report()).isExplained).toBe(false);
  });

  it('is theirs only when we have no such payment, or booked nothing for it', async () => {
    const failed = await deposit(context, { merchantId }, 'initiating', 'pending', 'failed');
    await run([line('stranger'), line(ref(failed)), line('bank', { kind: 'other', amountMinor: '-500' })]);
    expect(await reported()).toEqual([
      ['theirs_only', 'stranger', 'no payment has this id'],
      ['theirs_only', ref(failed), 'our payment is failed'],
      ['theirs_only', 'bank', 'no payment has this id'],
    ]);
    expect(await test.db('unmatched_receipts').pluck('state')).toEqual(['open', 'open', 'open']);
  });

  it('matches once our books have its payment, and its receipt is explained', async () => {
    const late = await deposit(context, { merchantId }, 'initiating', 'pending', 'timed_out');
    await run([line(ref(late))]);
    expect(await reported()).toEqual([['theirs_only', ref(late), 'our payment is timed_out']]);
    await transitionTo(context, late, 'succeeded');
    await run();
    expect(await reported()).toEqual([]);
    expect(await test.db('unmatched_receipts').first()).toMatchObject({
      state: 'explained',
      payment_id: late,
    });
  });

  it('of a payment of another rail matches only when that uses the same account', async () => {
    const shared = { merchantId, rail: 'quiet', with: { provider: 'shared' } };
    const ours = await deposit(context, shared, 'initiating', 'pending', 'succeeded');
    const others = await deposit(context, { ...shared, with: {} }, 'initiating', 'pending', 'succeeded');
    await run([line(ref(ours)), line(ref(others))]);
    expect(await reported()).toEqual([['theirs_only', ref(others), 'no payment has this id']]);
  });

  it('is a fee, or moved no money, as the statement says', async () => {
    const collected = await paid();
    await run([
      line(ref(collected)),
      line(ref(collected), { kind: 'fee', amountMinor: '150' }),
      line('declined', { state: 'failed' }),
    ]);
    expect(await reported()).toEqual([
      ['fee', ref(collected), ''],
      ['not_moved', 'declined', 'the provider says failed'],
    ]);
    expect((await report()).isExplained).toBe(true);
  });

  it('is one of several fees of a receipt, and a repetition when it comes again', async () => {
    const collected = await paid();
    const fee = (amountMinor: string) => line(ref(collected), { kind: 'fee', amountMinor });
    await run([line(ref(collected)), fee('150'), fee('30')]);
    expect((await reported()).map(([outcome]) => outcome)).toEqual(['fee', 'fee']);
    await run([fee('150'), fee('30')], 'next.json');
    expect((await reported()).map(([outcome]) => outcome)).toEqual([
      'fee',
      'fee',
      'seen_before',
      'seen_before',
    ]);
  });

  it('was seen before when it appears twice, and differs when the second one has another amount', async () => {
    const [twice, otherwise] = [await paid(), await paid()];
    await run([line(ref(twice)), line(ref(twice)), line(ref(otherwise))]);
    await run([line(ref(twice)), line(ref(otherwise), { amountMinor: '1' })], 'next.json');
    expect((await reported()).map(([outcome, of]) => [outcome, of])).toEqual([
      ['seen_before', ref(twice)],
      ['seen_before', ref(twice)],
      ['amount_differs', ref(otherwise)],
    ]);
  });

  it('is one part of the refunds of a deposit', async () => {
    const back = await paid();
    await transitionTo(context, back, 'refunded', { changes: { returned_minor: '3000' } });
    await transitionTo(context, back, 'refunded', { changes: { returned_minor: '5000' } });
    const part = (id: string, amountMinor: string) =>
      line(id, { kind: 'refund', originalReference: ref(back), amountMinor });
    await run([line(ref(back)), part('B1', '3000'), part('B2', '2000')]);
    expect(await reported()).toEqual([]);
    await run([part('B3', '100')], 'next.json');
    await run();
    expect((await reported()).map(([outcome, of]) => [outcome, of])).toEqual([
      ['amount_differs', 'B1'],
      ['amount_differs', 'B2'],
      ['amount_differs', 'B3'],
    ]);
  });

  it('is what the provider took back, beside a refund of ours', async () => {
    const back = await paid();
    const given = { merchantId, kind: 'refund' as const, amountMinor: 3_000n, with: { parent_id: back } };
    const refund = await payOut(context, given, 'succeeded');
    await transitionTo(context, back, 'reversed', {
      changes: { refunded_minor: '3000', returned_minor: '7000' },
    });
    const part = (id: string, amountMinor: string) =>
      line(id, { kind: 'refund', originalReference: ref(back), amountMinor });
    await run([line(ref(back)), part(ref(refund), '3000'), part('CHARGEBACK', '7000')]);
    expect(await reported()).toEqual([]);
    expect((await report()).sums).toEqual([expect.objectContaining({ outcome: 'agreed', count: 3 })]);
  });

  it('is a refund of ours that only our reference names, beside what the provider took back', async () => {
    const back = await paid();
    const given = { merchantId, kind: 'refund' as const, amountMinor: 3_000n, with: { parent_id: back } };
    const refund = await payOut(context, given, 'succeeded');
    await test.db('payments').where({ payment_id: refund }).update({ provider_reference: null });
    await transitionTo(context, back, 'reversed', {
      changes: { refunded_minor: '3000', returned_minor: '7000' },
    });
    const part = (id: string, amountMinor: string, ourReference?: string) =>
      line(id, {
        kind: 'refund',
        originalReference: ref(back),
        amountMinor,
        ...(ourReference && { ourReference }),
      });
    await run([line(ref(back)), part('RF-1', '3000', refund), part('CHARGEBACK', '7000')]);
    expect(await reported()).toEqual([]);
  });

  it('is a refund that we gave up and the provider made all the same', async () => {
    const back = await paid();
    const given = { merchantId, kind: 'refund' as const, amountMinor: 3_000n, with: { parent_id: back } };
    const refund = await payOut(context, given, 'failed');
    await transitionTo(context, back, 'refunded', { changes: { returned_minor: '3000' } });
    await run([
      line(ref(back)),
      line(ref(refund), { kind: 'refund', originalReference: ref(back), amountMinor: '3000' }),
    ]);
    expect(await reported()).toEqual([]);
  });

  it('of an unknown type that gives a payout back is booked only if our books do not have it', async () => {
    const [gone, back] = [
      await payOut(context, { merchantId, kind: 'payout' }, 'succeeded'),
      await payOut(context, { merchantId, kind: 'payout' }, 'succeeded'),
    ];
    await transitionTo(context, back, 'returned');
    await run(
      [gone, back].flatMap((id) => [line(ref(id), { kind: 'payout' }), line(ref(id), { kind: 'other' })]),
    );
    expect((await reported()).map(([outcome, of]) => [outcome, of])).toEqual([
      ['theirs_only', ref(gone)],
      ['amount_differs', ref(back)],
    ]);
  });

  it('does not match the return of a payout a second time', async () => {
    const out = await payOut(context, { merchantId, kind: 'payout' }, 'succeeded');
    await transitionTo(context, out, 'returned');
    const back = (id: string) =>
      line(id, { kind: 'refund', originalReference: ref(out), amountMinor: '-10000' });
    await run([line(ref(out), { kind: 'payout' }), back('B1')]);
    expect(await reported()).toEqual([]);
    await run([back('B2')], 'next.json');
    await run();
    expect((await reported()).map(([outcome, of]) => [outcome, of])).toEqual([
      ['amount_differs', 'B1'],
      ['amount_differs', 'B2'],
    ]);
  });
});

describe('a payment of ours', () => {
  it('is ours only when no statement of its time has it, until a later statement does', async () => {
    const lost = await paid();
    await run([line('stranger', { state: 'failed' })]);
    expect((await reported())[0]).toEqual(['ours_only', lost, 'no statement of that time has it']);
    expect((await report()).isExplained).toBe(false);
    await run([line(ref(lost))], 'late.json');
    expect((await reported()).map(([outcome]) => outcome)).toEqual(['not_moved']);
  });

  it('is not missing while its line may be in a statement that is not stored yet', async () => {
    await paid();
    const to = new Date(Date.now() + 60_000);
    await reconcile(service, format, { from: period().from, to }, file([]));
    expect(await reported()).toEqual([]);
    // The next statement covers the rest of its time.
    await reconcile(service, format, { from: to, to: new Date(to.getTime() + hourMs) }, file([line('x')]));
    expect((await reported()).map(([outcome]) => outcome)).toEqual(['ours_only', 'theirs_only']);
  });

  it('is not missing when no statement was stored, or when it is not settled', async () => {
    await deposit(context, { merchantId }, 'initiating', 'pending', 'failed');
    await run();
    await paid();
    await run();
    expect(await reported()).toEqual([]);
  });
});

describe('a payment of ours, where a file has only one wallet of the account,', () => {
  const ofWallets = { ...format, fileIsOneWallet: true } as const;
  const inDollars = { currency: 'USD', instructed_currency: 'USD' } as const;
  const missing = async () =>
    (await reported()).flatMap(([outcome, of]) => (outcome === 'ours_only' ? [of] : [])).sort();
  const upload = (...lines: Parameters<typeof file>[0]) =>
    reconcile(service, ofWallets, period(), file(lines));
  const failed = (currency: 'KES' | 'USD') => line(`stranger-${currency}`, { currency, state: 'failed' });
  let shillings: string;
  let dollars: string;
  beforeEach(async () => {
    shillings = await paid();
    dollars = await deposit(context, { merchantId, with: inDollars }, 'initiating', 'pending', 'succeeded');
  });

  it('is not missing from the file of another wallet', async () => {
    await upload(failed('KES'));
    expect(await missing()).toEqual([shillings]);
    await upload(failed('USD'));
    expect(await missing()).toEqual([shillings, dollars].sort());
  });

  it('is not missing from a file without transactions, which does not show its wallet', async () => {
    await upload();
    expect(await missing()).toEqual([]);
  });

  it('is missing from a fetched statement, which has all wallets', async () => {
    const covers = period();
    const fetched = { kind: 'fetched', ...file([]), covers } as const;
    await bringStatement(service, ofWallets, { fetch: () => Promise.resolve(fetched) }, covers, patiently);
    await reconcile(service, ofWallets, covers);
    expect(await missing()).toEqual([shillings, dollars].sort());
  });
});

describe('a statement', () => {
  it('changes nothing when it is stored or compared again', async () => {
    const [agreed, missing] = [await paid(), await paid()];
    const lines = [line(ref(agreed)), line('stranger'), line('stranger')];
    expect(await run(lines)).toMatchObject({ lines: 3, isKnown: false });
    const before = await everything();
    expect(before.results.map(({ subject }) => subject)).toContain(`payment:${missing}`);
    expect(await run(lines, 'renamed.json')).toMatchObject({ lines: 3, isKnown: true });
    await run();
    expect(await everything()).toEqual(before);
  });

  it('is stored once when several processes store it at the same time', async () => {
    const lines = [line(ref(await paid())), line('stranger')];
    await Promise.all(Array.from({ length: 5 }, () => run(lines)));
    const { statements, lines: kept, results, unmatchedReceipts } = await everything();
    expect([statements.length, kept.length, results.length, unmatchedReceipts.length]).toEqual([1, 2, 2, 1]);
  });

  it('with one unreadable line stores nothing', async () => {
    const lines = [line('first'), line('second', { amountMinor: 'KES' })];
    await expect(run(lines)).rejects.toThrow(new StatementError('"KES" is no amount', 2));
    await expect(run([line('')])).rejects.toThrow('line 1: the transaction has no id');
    await expect(run([line('a', { at: '1970-01-01' })])).rejects.toThrow(
      'line 1: the year of the date is not plausible',
    );
    expect(await everything()).toEqual({ statements: [], lines: [], results: [], unmatchedReceipts: [] });
  });

  it('has no id with a control character, and stores no card number', async () => {
    await expect(run([line('a\u001b[2J')])).rejects.toThrow(
      'line 1: the id of the transaction has control characters',
    );
    await run([
      line('a', { description: 'card 4111 1111 1111 1111' }),
      line('b', { description: 'Pay Bill' }),
    ]);
    expect((await everything()).lines.map(({ description }) => description)).toEqual([null, 'Pay Bill']);
  });

  it('has a result for every line', async () => {
    const lines = Array.from({ length: 450 }, (_, n) =>
      line(`L${n % 430}`, { amountMinor: String(1 + (n % 3)) }),
    );
    await run(lines);
    const { results } = await everything();
    expect(results.length).toBe(450);
    expect((await report()).sums.reduce((sum, { count }) => sum + count, 0)).toBe(450);
  });
});

describe('an unmatched receipt', () => {
  it('lists the payments that it may belong to, the likeliest first', async () => {
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
