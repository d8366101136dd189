/** Payments that a status query settled without a receipt, and the lines that may be theirs. */
import { byHand } from '../../../tools/sandbox/transfer-by-hand';
import { randomUUID } from 'node:crypto';
import { openAccount } from '../../../src/ledger/accounts';
import { createMerchant } from '../../../src/merchants/merchants';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { reportOn } from '../../../src/reconciliation/report';
import { leaveSuspense } from '../../../src/reconciliation/suspense';
import { openDatabase, type Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, deposit, transitionTo, testContext, type NewPayment } from '../../support/verify/books-support';
import {
  file,
  hourMs,
  line,
  period,
  receiptsOnly as format,
  type Written,
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

let customers = 0;
/** The phone number of a new customer. */
const someone = () => `2547${String(++customers).padStart(8, '0')}`;
const receipt = () => randomUUID().slice(0, 10).toUpperCase();
const run = (...lines: Written[]) =>
  reconcile(service, format, period(), lines.length > 0 ? file(lines, `${randomUUID()}.json`) : undefined);
const asked = (phone: string | null, more: Partial<PaymentRow> = {}): NewPayment => ({
  merchantId,
  with: { phone_number: phone, provider_receipt: null, ...more },
});
/** Settled by a status query, which returns no receipt. */
const settled = (phone: string | null, more: Partial<PaymentRow> = {}) =>
  deposit(context, asked(phone, more), 'initiating', 'pending', 'succeeded');
const receiptOf = async (paymentId: string) =>
  (await test.db('payments').where({ payment_id: paymentId }).first())?.provider_receipt ?? null;
const unmatchedOf = ({ providerReference }: Written) =>
  test.db('unmatched_receipts').where({ provider_reference: providerReference }).first();
const outcomeOf = async ({ providerReference }: Written) => {
  const { items } = await reportOn(service, format, period());
  return (
    items.find((item) => item.line?.provider_reference === providerReference)?.result.outcome ?? 'agreed'
  );
};
const isMissing = async (paymentId: string) => {
  const rows = await test.db('reconciliation_results').where({ subject: `payment:${paymentId}` });
  return rows.length > 0;
};
/** The legs of all entries that were booked by `work`. */
async function bookedBy(work: () => Promise<unknown>): Promise<string[]> {
  const last = await test.db('ledger_entries').orderBy('entry_id', 'desc').first('entry_id');
  const before = last?.entry_id ?? '0';
  await work();
  return test.db('ledger_entries').where('entry_id', '>', before).orderBy('entry_id').pluck('leg');
}

describe('a line of a statement matches a settled payment without a receipt', () => {
  it('when phone, amount and time leave one: both are explained, and nothing is booked', async () => {
    const phone = someone();
    const paid = await settled(phone);
    const theirs = line(receipt(), { phone: `+${phone}` });
    expect(await bookedBy(() => run(theirs))).toEqual([]);
    expect([await receiptOf(paid), await outcomeOf(theirs), await isMissing(paid)]).toEqual([
      theirs.providerReference,
      'agreed',
      false,
    ]);
    expect(await unmatchedOf(theirs)).toBeUndefined();
    await run();
    await run(theirs, line(receipt(), { state: 'failed' }));
    expect([await receiptOf(paid), await outcomeOf(theirs)]).toEqual([
      theirs.providerReference,
      'seen_before',
    ]);
  });

  it('when the statement came first: its suspense booking is reversed', async () => {
    const phone = someone();
    const paymentId = await deposit(context, asked(phone), 'initiating', 'pending');
    const theirs = line(receipt(), { phone });
    expect(await bookedBy(() => run(theirs))).toEqual(['found:1']);
    expect([await outcomeOf(theirs), await receiptOf(paymentId)]).toEqual(['theirs_only', null]);
    await transitionTo(context, paymentId, 'succeeded');
    expect(await bookedBy(() => run())).toEqual(['explained:1']);
    expect(await unmatchedOf(theirs)).toMatchObject({ state: 'explained', payment_id: paymentId });
    expect([await outcomeOf(theirs), await isMissing(paymentId)]).toEqual(['agreed', false]);
    expect(await receiptOf(paymentId)).toBe(theirs.providerReference);
  });

  it('when the payment was listed as ours only before', async () => {
    const phone = someone();
    const paid = await settled(phone);
    await run(line(receipt(), { phone: someone() }));
    expect(await isMissing(paid)).toBe(true);
    const theirs = line(receipt(), { phone });
    await run(theirs);
    expect([await isMissing(paid), await outcomeOf(theirs)]).toEqual([false, 'agreed']);
  });

  it.each([
    ['whole', 'ORDER-1', 'ORDER-1'],
    ['cut by the provider', 'ORDER-2026-000001', 'ORDER-2026-0'],
    ['cut before an emoji', 'ORDER-20260🧾-1', 'ORDER-20260'],
    ['cut before a flag', 'ORDER-202🇰🇪🇹🇿', 'ORDER-202'],
    ['cut before a composed emoji', 'GIFT👨‍👩‍👧‍👦-1', 'GIFT'],
  ])('when the account reference is %s, and the line has no phone number', async (_how, ours, theirs) => {
    const paid = await settled(someone(), { account_reference: ours });
    const reported = line(receipt(), { ourReference: theirs });
    await run(reported);
    expect(await receiptOf(paid)).toBe(reported.providerReference);
  });

  it('when the phone is the same, and the reference differs in letter case only', async () => {
    const phone = someone();
    const paid = await settled(phone, { account_reference: 'ORDER-3' });
    const reported = line(receipt(), { phone, ourReference: ' order-3' });
    await run(reported);
    expect(await receiptOf(paid)).toBe(reported.providerReference);
  });

  it('when the phone number is in the national format', async () => {
    const paid = await settled('254799000111');
    const theirs = line(receipt(), { phone: '0799000111' });
    await run(theirs);
    expect(await receiptOf(paid)).toBe(theirs.providerReference);
  });

  it('when two payments have the phone, amount and time, and one of them the reference', async () => {
    const phone = someone();
    const [one, other] = [
      await settled(phone, { account_reference: 'SHOES' }),
      await settled(phone, { account_reference: 'BREAD' }),
    ];
    const theirs = [
      line(receipt(), { phone, ourReference: 'BREAD' }),
      line(receipt(), { phone, ourReference: 'SHOES' }),
    ];
    await run(...theirs);
    expect([await receiptOf(other), await receiptOf(one)]).toEqual(
      theirs.map(({ providerReference }) => providerReference),
    );
  });

  it('and a line of its refund then matches by that receipt', async () => {
    const phone = someone();
    const paid = await settled(phone);
    await transitionTo(context, paid, 'reversed', { changes: { returned_minor: '10000' } });
    const name = receipt();
    const back = line(receipt(), { kind: 'refund', originalReference: name });
    await run(line(name, { phone }), back);
    expect([await receiptOf(paid), await outcomeOf(back)]).toEqual([name, 'agreed']);
    expect(await unmatchedOf(back)).toBeUndefined();
  });
});

describe('a line of a statement does not match', () => {
  it('when two payments match it', async () => {
    const phone = someone();
    const both = [await settled(phone), await settled(phone)];
    const theirs = line(receipt(), { phone });
    await run(theirs, line(receipt(), { phone }));
    expect(await Promise.all(both.map(receiptOf))).toEqual([null, null]);
    expect(await outcomeOf(theirs)).toBe('theirs_only');
  });

  it('when another payment may still become paid, or its outcome is unknown', async () => {
    for (const changes of [undefined, { failure_code: 'OUTCOME_UNKNOWN' }]) {
      const phone = someone();
      const paid = await settled(phone);
      const open = await deposit(context, asked(phone), 'initiating', 'pending');
      if (changes) await transitionTo(context, open, 'timed_out', { changes });
      await run(line(receipt(), { phone }));
      expect(await receiptOf(paid)).toBeNull();
    }
  });

  it('but does when the other payment failed at the provider', async () => {
    const phone = someone();
    await deposit(context, asked(phone), 'initiating', 'pending', 'failed');
    const paid = await settled(phone);
    const theirs = line(receipt(), { phone });
    await run(theirs);
    expect(await receiptOf(paid)).toBe(theirs.providerReference);
  });

  const minutes = (n: number) => new Date(Date.now() + n * 60_000).toISOString();
  it.each<[string, Partial<Written>]>([
    ['with another amount', { amountMinor: '9900' }],
    ['with another currency', { currency: 'USD' }],
    ['of outgoing money', { kind: 'payout' }],
    ['at a later time', { at: minutes(20) }],
    ['at an earlier time', { at: minutes(-20) }],
    ['that failed', { state: 'failed' }],
    ['with a negative amount', { amountMinor: '-10000' }],
    ['with another reference', { ourReference: 'BREAD' }],
    ['with another phone and the same reference', { phone: '254700999999', ourReference: 'SHOES' }],
    ['with a masked phone', { phone: '2547*****111' }],
    [
      'with a masked phone of another customer and the same reference',
      { phone: '2547****999', ourReference: 'SHOES' },
    ],
  ])('%s', async (_what, more) => {
    const phone = someone();
    const paid = await settled(phone, { account_reference: 'SHOES' });
    await run(line(receipt(), { phone, ...more }));
    expect(await receiptOf(paid)).toBeNull();
  });

  it('without a phone number and a reference', async () => {
    const paid = await settled(someone());
    await run(line(receipt()));
    expect(await receiptOf(paid)).toBeNull();
  });

  it('when its payment uses another account', async () => {
    const phone = someone();
    const paid = await settled(phone);
    const elsewhere = { ...format, payments: [{ rail: 'quiet' }, { rail: 'loud', provider: 'shared' }] };
    await reconcile(service, elsewhere, period(), file([line(receipt(), { phone })]));
    expect(await receiptOf(paid)).toBeNull();
  });

  it('when an operator has assigned it', async () => {
    const phone = someone();
    const theirs = line(receipt(), { phone });
    await run(theirs);
    const mine = { provider_reference: theirs.providerReference };
    const unmatched = await unmatchedOf(theirs);
    // As `malipo unmatched assign --bank` leaves it.
    await test.db.transaction(async (trx) => {
      await trx('unmatched_receipts')
        .where(mine)
        .update({ state: 'assigned', closed_at: new Date(), assigned_by: 'amina' });
      const bank = await openAccount(trx, { class: 'bank', currency: 'KES' });
      if (unmatched) await byHand(trx, () => leaveSuspense(trx, [unmatched], 'assigned', bank));
    });
    const paid = await settled(phone);
    await run();
    expect([await receiptOf(paid), (await unmatchedOf(theirs))?.state]).toEqual([null, 'assigned']);
    // Verify reports it (R4) until the receipt is marked as additional to that payment.
    await test.db('unmatched_receipts').where(mine).update({ beside_payment_id: paid });
  });
});

describe('two lines that match one payment', () => {
  it('are told apart by time: the nearest one matches, the other is additional money', async () => {
    const phone = someone();
    const paid = await settled(phone);
    const early = line(receipt(), { phone, at: new Date(Date.now() - 4 * 60_000).toISOString() });
    const own = line(receipt(), { phone });
    await run(early, own);
    expect([await receiptOf(paid), await outcomeOf(early), await outcomeOf(own)]).toEqual([
      own.providerReference,
      'theirs_only',
      'agreed',
    ]);
    await run();
    expect((await unmatchedOf(early))?.state).toBe('open');
  });

  it('give the same result in any order, and only the first matches when they come in two files', async () => {
    const at = new Date().toISOString();
    for (const order of [(lines: Written[]) => lines, (lines: Written[]) => [...lines].reverse()]) {
      const phone = someone();
      const paid = await settled(phone, { account_reference: 'SHOES' });
      const lines = [line(receipt(), { phone, at }), line(receipt(), { phone, at, ourReference: 'SHOES' })];
      await run(...order(lines));
      expect(await receiptOf(paid)).toBe(lines[1]?.providerReference);
    }
    const phone = someone();
    const paid = await settled(phone);
    const [first, second] = [line(receipt(), { phone }), line(receipt(), { phone })];
    await run(first);
    await run(second);
    expect([await receiptOf(paid), await outcomeOf(second)]).toEqual([
      first.providerReference,
      'theirs_only',
    ]);
  });

  it('match once when several processes reconcile at the same time', async () => {
    const phone = someone();
    const paid = await settled(phone);
    const theirs = line(receipt(), { phone });
    await Promise.all(Array.from({ length: 4 }, () => run(theirs)));
    expect([await receiptOf(paid), await unmatchedOf(theirs)]).toEqual([theirs.providerReference, undefined]);
  });
});

describe('a settled payment without a receipt and without a line', () => {
  it('is ours only, with a note that no line can name it', async () => {
    const paid = await settled(someone(), { created_at: new Date(Date.now() - hourMs) });
    await run(line(receipt(), { phone: someone() }));
    const { items } = await reportOn(service, format, period());
    const found = items.find(({ result }) => result.payment_id === paid)?.result;
    expect([found?.outcome, found?.note]).toEqual(['ours_only', expect.stringContaining('has no receipt')]);
  });
});
