/** Orders, payouts and refunds in other currencies, in any order, never cost our fx accounts more than the quotes say. */
import fc from 'fast-check';
import type { Currency } from '../../../src/domain/money';
import { creditColumns, creditFor, recordCredit } from '../../../src/payments/transition/credit';
import type { PaymentDraft } from '../../../src/rail-kit/draft';
import { writePayment } from '../../../src/payments/create/write-payment';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { getMerchantOrThrow } from '../../../src/merchants/merchants';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { orderDraft, payoutDraft, refundDraft } from '../../../src/rails/walletpay/drafts';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { callOf } from '../../support/payments/fakes';
import { insertMerchant } from '../../support/store/rows';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { transitionTo, testContext } from '../../support/verify/books-support';

const runs = Number(process.env['MALIPO_TEST_RUNS'] ?? 15);
const wallets = ['USD', 'KES', 'TZS', 'UGX'] as const satisfies Currency[];
type Wallet = (typeof wallets)[number];

/** The worth of one US cent in the smallest unit of each currency, as a fraction of integers. */
type Worth = Record<Wallet, { minor: bigint; cents: bigint }>;

type HoldOfDraft = NonNullable<PaymentDraft['hold']>;

type Step =
  | {
      do: 'order';
      currency: 'USD' | 'KES';
      amount: bigint;
      wallet: Wallet;
      paid: 'as asked' | 'more' | 'less';
    }
  | { do: 'payout'; amount: bigint; ends: 'succeeded' | 'failed' | 'returned' }
  | { do: 'refund'; perCent: bigint };

/** Mostly small amounts, so that rounding matters. */
const amount = fc.oneof(fc.bigInt(1n, 400n), fc.bigInt(1n, 40_000n));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('order' as const),
    currency: fc.constantFrom('USD' as const, 'KES' as const),
    amount: fc.oneof(fc.bigInt(100n, 400n), fc.bigInt(12_900n, 14_000n), fc.bigInt(12_900n, 400_000n)),
    wallet: fc.constantFrom(...wallets),
    paid: fc.constantFrom('as asked' as const, 'as asked' as const, 'more' as const, 'less' as const),
  }),
  fc.record({
    do: fc.constant('payout' as const),
    amount,
    ends: fc.constantFrom('succeeded' as const, 'succeeded' as const, 'failed' as const, 'returned' as const),
  }),
  fc.record({ do: fc.constant('refund' as const), perCent: fc.bigInt(1n, 100n) }),
);

/** Rates of one US dollar, in units of 0.0001. */
const observed = fc.record({
  KES: fc.integer({ min: 1_000_000, max: 2_000_000 }),
  TZS: fc.integer({ min: 20_000_000, max: 30_000_000 }),
  UGX: fc.integer({ min: 30_000_000, max: 40_000_000 }),
});
const inTenThousandths = 10_000n;

describe('a merchant that converts money again and again', () => {
  let test: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    test = await createTestDatabase();
    db = test.db;
  });
  afterAll(async () => {
    await expectClean({ db });
    await test.drop();
  });

  let minutes = 0;
  async function newRates(rates: Record<'KES' | 'TZS' | 'UGX', number>): Promise<Worth> {
    minutes += 1;
    const observedAt = new Date(Date.now() - 3_600_000 + minutes * 10_000);
    const rows = Object.entries(rates).map(([quote, rate]) => ({
      base: 'USD',
      quote,
      rate: `${String(Math.floor(rate / 10_000))}.${String(rate % 10_000).padStart(4, '0')}`,
      source: 'test',
      observed_at: observedAt,
    }));
    await db('fx_rates').insert(rows as never);
    const worth = (rate: number, minorOfOne: bigint) => ({
      minor: BigInt(rate) * minorOfOne,
      cents: 100n * inTenThousandths,
    });
    return {
      USD: { minor: 1n, cents: 1n },
      KES: worth(rates.KES, 100n),
      TZS: worth(rates.TZS, 100n),
      UGX: worth(rates.UGX, 1n),
    };
  }

  /** The balance of the fx accounts for a merchant's payments at these rates. A positive one is a gain. */
  async function gained(merchantId: string, worth: Worth): Promise<{ numerator: bigint; parts: string[] }> {
    const rows = await db('ledger_postings as l')
      .join('ledger_entries as e', 'e.entry_id', 'l.entry_id')
      .join('ledger_accounts as a', 'a.account_id', 'l.account_id')
      .join('payments as p', 'p.payment_id', 'e.payment_id')
      .where({ 'p.merchant_id': merchantId, 'a.class': 'fx' })
      .groupBy('l.currency')
      .select<{ currency: Wallet; total: string }[]>('l.currency', db.raw('SUM(l.amount) AS total'));
    const all = wallets.reduce((product, currency) => product * worth[currency].minor, 1n);
    return {
      numerator: rows.reduce(
        (sum, { currency, total }) =>
          sum + (BigInt(total) * worth[currency].cents * all) / worth[currency].minor,
        0n,
      ),
      parts: rows.map(({ currency, total }) => `${total} ${currency}`),
    };
  }

  const onRail = ({ from, reserved }: Pick<HoldOfDraft, 'from' | 'reserved'>) => ({
    from: 'rail' in from ? { ...from, rail: 'loud' } : from,
    reserved: 'rail' in reserved ? { ...reserved, rail: 'loud' } : reserved,
  });

  const written = async (merchantId: string, draft: PaymentDraft): Promise<string> => {
    const context = testContext(db);
    const { payment_id: id } = await writePayment(context, await callOf(db, merchantId), {
      ...draft,
      ...(draft.hold ? { hold: { ...draft.hold, ...onRail(draft.hold) } } : {}),
      rail: 'loud',
    });
    for (const state of ['initiating', 'pending'] as const) await transitionTo(context, id, state);
    return id;
  };

  async function take(merchantId: string, given: Step, paidOrders: string[]): Promise<void> {
    const context = testContext(db);
    const merchant = await getMerchantOrThrow(db, merchantId);
    if (given.do === 'order') {
      const metadata = JSON.stringify({ preferred_currency: given.wallet });
      const asked = { amount: given.amount, currency: given.currency, order_id: 'x', metadata };
      const id = await written(merchantId, await orderDraft(db, merchant, asked, 'http://127.0.0.1/done'));
      const payment = await getPaymentOrThrow(db, id);
      const instructed = BigInt(payment.instructed_minor);
      const confirmed = { 'as asked': instructed, more: instructed + 1n, less: instructed - 1n }[given.paid];
      const credit = await creditFor(db, payment, confirmed);
      if (credit === 'no_rate') throw new Error('there is no rate');
      const changes: Partial<PaymentRow> = {
        confirmed_minor: confirmed.toString(),
        ...(credit === 'same_currency' ? {} : creditColumns(credit)),
      };
      if (credit !== 'same_currency') await db.transaction((trx) => recordCredit(trx, id, credit));
      await transitionTo(context, id, 'succeeded', { changes });
      await db('payments').where({ payment_id: id }).update({ provider_receipt: id });
      paidOrders.push(id);
    } else if (given.do === 'payout') {
      const asked = {
        ...{ amount: given.amount, currency: 'KES' as const, order_id: 'x' },
        recipient_email: 'a@example.org',
      };
      const draft = await payoutDraft(db, merchant, asked);
      const id = await written(merchantId, draft);
      await transitionTo(context, id, given.ends === 'failed' ? 'failed' : 'succeeded');
      if (given.ends === 'returned') await transitionTo(context, id, 'returned');
    } else {
      const id = paidOrders.at(-1);
      if (id === undefined) return;
      const order = await getPaymentOrThrow(db, id);
      const minor = (BigInt(order.confirmed_minor ?? 0) * given.perCent) / 100n;
      const text = `${String(minor / 100n)}.${String(minor % 100n).padStart(2, '0')}`;
      const draft = await refundDraft(db, merchant, order, given.perCent > 90n ? undefined : text, 1);
      await transitionTo(context, await written(merchantId, draft), 'succeeded');
    }
  }

  const floatOf = async (merchantId: string) => {
    const row = await db('ledger_accounts')
      .where({ class: 'float', merchant_id: merchantId, rail: 'loud', currency: 'KES' })
      .first('balance');
    return BigInt(row?.balance ?? 0);
  };

  it('costs our fx accounts no more than the quotes say, after each step, and leaves the floats exact', async () => {
    await fc.assert(
      fc.asyncProperty(observed, fc.array(step, { minLength: 4, maxLength: 12 }), async (rates, steps) => {
        const worth = await newRates(rates);
        const merchantId = await insertMerchant(db);
        await transferByHand(db, {
          from: { class: 'bank', currency: 'KES' },
          to: { class: 'float', merchantId, rail: 'loud', country: null, currency: 'KES' },
          amountMinor: 100_000_000n,
          reason: 'funded by bank transfer',
          whenShort: 'FLOAT_INSUFFICIENT',
        });
        const paidOrders: string[] = [];
        let float = await floatOf(merchantId);
        for (const each of steps) {
          // Too little to send, nothing left to refund, or the same refund again: rejected, and nothing is booked.
          const isDone = await take(merchantId, each, paidOrders).then(
            () => true,
            (error: unknown) => {
              expect(error).toMatchObject({
                code: expect.stringMatching(
                  /AMOUNT_OUT_OF_RANGE|INVALID_AMOUNT|REFUND_EXCEEDS_REMAINDER|BALANCE_INSUFFICIENT|DUPLICATE_PAYMENT/,
                ),
              });
              return false;
            },
          );
          if (isDone && each.do === 'payout' && each.ends === 'succeeded') float -= each.amount;
          expect(await floatOf(merchantId)).toBe(float);
          const { numerator, parts } = await gained(merchantId, worth);
          expect(numerator >= 0n ? 'no worse' : parts).toBe('no worse');
        }
      }),
      { numRuns: runs },
    );
  });
});
