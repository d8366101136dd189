/** Payments that a query settled without a receipt, and the lines that are about them. */
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
import { box, deposit, moveAlong, testContext, type NewPayment } from '../../support/verify/books-support';
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
/** A customer nobody has seen before. */
const someone = () => `2547${String(++customers).padStart(8, '0')}`;
const receipt = () => randomUUID().slice(0, 10).toUpperCase();
const run = (...lines: Written[]) =>
  reconcile(service, format, period(), lines.length > 0 ? file(lines, `${randomUUID()}.json`) : undefined);
const asked = (phone: string | null, more: Partial<PaymentRow> = {}): NewPayment => ({
  merchantId,
  with: { phone_number: phone, provider_receipt: null, ...more },
});
/** Settled by a query, which names no receipt. */
const settled = (phone: string | null, more: Partial<PaymentRow> = {}) =>
  deposit(context, asked(phone, more), 'initiating', 'pending', 'succeeded');
const receiptOf = async (paymentId: string) =>
  (await test.db('payments').where({ payment_id: paymentId }).first())?.provider_receipt ?? null;
const orphanOf = ({ providerReference }: Written) =>
  test.db('orphans').where({ provider_reference: providerReference }).first();
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
/** Every entry that was booked since, by what it is about. */
async function bookedBy(work: () => Promise<unknown>): Promise<string[]> {
  const last = await test.db('ledger_entries').orderBy('entry_id', 'desc').first('entry_id');
  const before = last?.entry_id ?? '0';
  await work();
  return test.db('ledger_entries').where('entry_id', '>', before).orderBy('entry_id').pluck('leg');
}

describe('a line of a statement is a settled payment without a receipt', () => {
  it('where phone, amount and time leave one: both are explained, and nothing is booked', async () => {
    const phone = someone();
    const paid = await settled(phone);
    const theirs = line(receipt(), { phone: `+${phone}` });
    expect(await bookedBy(() => run(theirs))).toEqual([]);
    expect([await receiptOf(paid), await outcomeOf(theirs), await isMissing(paid)]).toEqual([
      theirs.providerReference,
      'agreed',
      false,
    ]);
    expect(await orphanOf(theirs)).toBeUndefined();
    await run();
    await run(theirs, line(receipt(), { state: 'failed' }));
    expect([await receiptOf(paid), await outcomeOf(theirs)]).toEqual([
      theirs.providerReference,
      'seen_before',
    ]);
  });

  it('where the statement came first: what was in suspense is booked back with it', async () => {
    const phone = someone();
    const paymentId = await deposit(context, asked(phone), 'initiating', 'pending');
    const theirs = line(receipt(), { phone });
    expect(await bookedBy(() => run(theirs))).toEqual(['found:1']);
    expect([await outcomeOf(theirs), await receiptOf(paymentId)]).toEqual(['theirs_only', null]);
    await moveAlong(context, paymentId, 'succeeded');
    expect(await bookedBy(() => run())).toEqual(['explained:1']);
    expect(await orphanOf(theirs)).toMatchObject({ state: 'explained', payment_id: paymentId });
    expect([await outcomeOf(theirs), await isMissing(paymentId)]).toEqual(['agreed', false]);
    expect(await receiptOf(paymentId)).toBe(theirs.providerReference);
  });

  it('where it was noted as ours alone before', async () => {
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
    ['cut before an emoji of several', 'GIFT👨‍👩‍👧‍👦-1', 'GIFT'],
  ])('where the account reference is %s, and the line names no phone', async (_how, ours, theirs) => {
    const paid = await settled(someone(), { account_reference: ours });
    const told = line(receipt(), { ourReference: theirs });
    await run(told);
    expect(await receiptOf(paid)).toBe(told.providerReference);
  });

  it('where the phone is the same, and the reference but for its letters', async () => {
    const phone = someone();
    const paid = await settled(phone, { account_reference: 'ORDER-3' });
    const told = line(receipt(), { phone, ourReference: ' order-3' });
    await run(told);
    expect(await receiptOf(paid)).toBe(told.providerReference);
  });

  it('where the phone is written as people of the country write it', async () => {
    const paid = await settled('254799000111');
    const theirs = line(receipt(), { phone: '0799000111' });
    await run(theirs);
    expect(await receiptOf(paid)).toBe(theirs.providerReference);
  });

  it('where two have the phone, the amount and the time, and one of them the reference', async () => {
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

  it('and what went back of it is known by the receipt that it has now', async () => {
    const phone = someone();
    const paid = await settled(phone);
    await moveAlong(context, paid, 'reversed', { changes: { given_back_minor: '10000' } });
    const name = receipt();
    const back = line(receipt(), { kind: 'refund', originalReference: name });
    await run(line(name, { phone }), back);
    expect([await receiptOf(paid), await outcomeOf(back)]).toEqual([name, 'agreed']);
    expect(await orphanOf(back)).toBeUndefined();
  });
});

describe('a line of a statement is none', () => {
  it('where two payments are like it', async () => {
    const phone = someone();
    const both = [await settled(phone), await settled(phone)];
    const theirs = line(receipt(), { phone });
    await run(theirs, line(receipt(), { phone }));
    expect(await Promise.all(both.map(receiptOf))).toEqual([null, null]);
    expect(await outcomeOf(theirs)).toBe('theirs_only');
  });

  it('where another one may still become paid, or nobody knows whether it was', async () => {
    for (const changes of [undefined, { failure_code: 'OUTCOME_UNKNOWN' }]) {
      const phone = someone();
      const paid = await settled(phone);
      const open = await deposit(context, asked(phone), 'initiating', 'pending');
      if (changes) await moveAlong(context, open, 'timed_out', { changes });
      await run(line(receipt(), { phone }));
      expect(await receiptOf(paid)).toBeNull();
    }
  });

  it('but is it where the other one failed: its provider said so', async () => {
    const phone = someone();
    await deposit(context, asked(phone), 'initiating', 'pending', 'failed');
    const paid = await settled(phone);
    const theirs = line(receipt(), { phone });
    await run(theirs);
    expect(await receiptOf(paid)).toBe(theirs.providerReference);
  });

  const minutes = (n: number) => new Date(Date.now() + n * 60_000).toISOString();
  it.each<[string, Partial<Written>]>([
    ['of another amount', { amountMinor: '9900' }],
    ['of another currency', { currency: 'USD' }],
    ['that went out', { kind: 'payout' }],
    ['of another time, after it', { at: minutes(20) }],
    ['of another time, before it', { at: minutes(-20) }],
    ['that failed', { state: 'failed' }],
    ['with a minus', { amountMinor: '-10000' }],
    ['of another reference', { ourReference: 'BREAD' }],
    ['of another phone and the same reference', { phone: '254700999999', ourReference: 'SHOES' }],
    ['of a masked phone', { phone: '2547*****111' }],
    [
      'of a masked phone of somebody else and the same reference',
      { phone: '2547****999', ourReference: 'SHOES' },
    ],
  ])('%s', async (_what, more) => {
    const phone = someone();
    const paid = await settled(phone, { account_reference: 'SHOES' });
    await run(line(receipt(), { phone, ...more }));
    expect(await receiptOf(paid)).toBeNull();
  });

  it('that names neither a phone nor a reference', async () => {
    const paid = await settled(someone());
    await run(line(receipt()));
    expect(await receiptOf(paid)).toBeNull();
  });

  it('where its payment goes through another account', async () => {
    const phone = someone();
    const paid = await settled(phone);
    const elsewhere = { ...format, payments: [{ rail: 'quiet' }, { rail: 'loud', provider: 'shared' }] };
    await reconcile(service, elsewhere, period(), file([line(receipt(), { phone })]));
    expect(await receiptOf(paid)).toBeNull();
  });

  it('where a person has said whose it is', async () => {
    const phone = someone();
    const theirs = line(receipt(), { phone });
    await run(theirs);
    const mine = { provider_reference: theirs.providerReference };
    const orphan = await orphanOf(theirs);
    // As `malipo orphan claim --bank` leaves it.
    await test.db.transaction(async (trx) => {
      await trx('orphans')
        .where(mine)
        .update({ state: 'claimed', closed_at: new Date(), claimed_by: 'amina' });
      const bank = await openAccount(trx, { class: 'bank', currency: 'KES' });
      if (orphan) await byHand(trx, () => leaveSuspense(trx, [orphan], 'claimed', bank));
    });
    const paid = await settled(phone);
    await run();
    expect([await receiptOf(paid), (await orphanOf(theirs))?.state]).toEqual([null, 'claimed']);
    // The verifier asks about it (R4) until it is said that it came beside that payment.
    await test.db('orphans').where(mine).update({ beside_payment_id: paid });
  });
});

describe('two lines that are like one payment', () => {
  it('are told apart: the one nearest to it is it, the other is money beside it', async () => {
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
    expect((await orphanOf(early))?.state).toBe('open');
  });

  it('give the same whichever is read first, and only one where they come one after the other', async () => {
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

  it('are each given to one by many who look at the same time', async () => {
    const phone = someone();
    const paid = await settled(phone);
    const theirs = line(receipt(), { phone });
    await Promise.all(Array.from({ length: 4 }, () => run(theirs)));
    expect([await receiptOf(paid), await orphanOf(theirs)]).toEqual([theirs.providerReference, undefined]);
  });
});

describe('a settled payment without a receipt and without a line', () => {
  it('is ours alone, and it is said that no line can name it', async () => {
    const paid = await settled(someone(), { created_at: new Date(Date.now() - hourMs) });
    await run(line(receipt(), { phone: someone() }));
    const { items } = await reportOn(service, format, period());
    const found = items.find(({ result }) => result.payment_id === paid)?.result;
    expect([found?.outcome, found?.note]).toEqual(['ours_only', expect.stringContaining('has no receipt')]);
  });
});
