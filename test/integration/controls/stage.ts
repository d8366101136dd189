/** A merchant with payouts on a real database, and a provider whose answers a test chooses. */
import { v7 as uuid } from 'uuid';
import { setLimit, type NewLimit } from '../../../src/controls/limits';
import type { PaymentState } from '../../../src/domain/payment';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { writeBulk } from '../../../src/payments/create/bulk/create-bulk';
import { writePayment } from '../../../src/payments/create/write-payment';
import { holdKeysOf } from '../../../src/payments/transition/money-effects';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import type { PaymentDraft } from '../../../src/rail-kit/draft';
import type { Call } from '../../../src/rail-kit/endpoint';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { callOf } from '../../support/payments/fakes';
import { insertMerchant } from '../../support/store/rows';
import { transitionTo, testContext } from '../../support/verify/books-support';

export interface Payer {
  merchantId: string;
  context: PaymentsContext;
  call: Call;
  draft(amountMinor: bigint, changes?: Partial<PaymentDraft>): PaymentDraft;
  pay(amountMinor: bigint, changes?: Partial<PaymentDraft>): Promise<PaymentRow>;
  payMany(drafts: PaymentDraft[]): Promise<PaymentRow[]>;
  /** For this merchant, unless given otherwise. */
  limit(limit: Partial<NewLimit> & Pick<NewLimit, 'kind'>): Promise<string>;
  end(payment: PaymentRow, state: PaymentState): Promise<void>;
  /** The amount that counts against limits, in minor units. */
  counted(): Promise<bigint>;
}

export async function createPayer(
  db: Database,
  { aheadMs = () => 0, ...changes }: Partial<PaymentsContext> & { aheadMs?: () => number } = {},
): Promise<Payer> {
  const merchantId = await insertMerchant(db);
  const call = await callOf(db, merchantId);
  // Equal payouts are no duplicates here.
  call.merchant.duplicate_window_s = 0;
  const context: PaymentsContext = {
    ...testContext(db),
    sandboxAheadMs: () => Promise.resolve(aheadMs()),
    ...changes,
  };
  const keys = (rail: string) =>
    holdKeysOf('payout', { merchant_id: merchantId, rail, currency: 'KES', country: 'KEN' });
  for (const rail of ['loud', 'quiet']) {
    await transferByHand(db, {
      from: { class: 'bank', currency: 'KES' },
      to: keys(rail).from,
      amountMinor: 1_000_000_000n,
      reason: 'the float of a test',
      whenShort: 'FLOAT_INSUFFICIENT',
    });
  }
  const draft: Payer['draft'] = (amountMinor, { rail = 'loud', ...others } = {}) => ({
    rail,
    kind: 'payout',
    provider: 'test',
    currency: 'KES',
    requestedMinor: amountMinor,
    recipient: '+254700000001',
    ...(others.details?.['recipient_email'] === undefined && {
      phoneNumber: others.recipient ?? '+254700000001',
    }),
    details: { country: 'KEN' },
    hold: { ...keys(rail), whenShort: 'FLOAT_INSUFFICIENT' },
    ...others,
  });
  return {
    merchantId,
    context,
    call,
    draft,
    pay: (amountMinor, others) => writePayment(context, call, draft(amountMinor, others)),
    async payMany(drafts) {
      const names = { order_hash: Buffer.from(uuid().slice(0, 32)), body_hash: Buffer.alloc(32) };
      const request = { rail: drafts[0]?.rail ?? 'loud', order_id: uuid(), ...names };
      return (await writeBulk(context, call, request, drafts)).payments;
    },
    async limit(limit) {
      const given = { merchant_id: merchantId, currency: 'KES', reason: 'a test', ...limit } as const;
      return (await setLimit(db, given, { by: 'nobody', aheadMs: aheadMs() })).limit_id;
    },
    async end(payment, state) {
      if (state !== 'failed') await transitionTo(context, payment.payment_id, 'initiating');
      await transitionTo(context, payment.payment_id, state);
    },
    async counted() {
      const rows = await db('outflows').where({ merchant_id: merchantId, released_at: null });
      return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    },
  };
}

/** The results of concurrent requests: the number of accepted ones, and the errors. */
export async function settled(work: Promise<unknown>[]): Promise<{ taken: number; refused: unknown[] }> {
  const results = await Promise.allSettled(work);
  return {
    taken: results.filter(({ status }) => status === 'fulfilled').length,
    refused: results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])),
  };
}
