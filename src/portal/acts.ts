/** The payment operations of the pages. They call the same functions as the API and the command line. */
import type { Cancellation } from '../domain/commands';
import { PaymentError } from '../domain/errors';
import type { NextStep } from '../domain/next-steps';
import { createPayment } from '../payments/create/create-payment';
import { createBulk } from '../payments/create/bulk/create-bulk';
import { isCancellable } from '../payments/submit/put-on-hold';
import { lockReferenceOf } from '../payments/transition/duplicate-payments';
import { leftToRefund } from '../payments/create/refund-request';
import type { PaymentsContext } from '../rail-kit/context';
import type { PaymentDraft } from '../rail-kit/draft';
import type { Engine } from '../rail-kit/engine';
import { operationOf, type ManyPayouts, type PayoutFault } from '../rail-kit/rail';
import { duplicatesOf, refundsUnderWay } from '../payments/read/duplicates';
import { nextStepAmong } from '../payments/read/next-step';
import { getPaymentOrThrow } from '../payments/read/payments';
import { cancelPayment } from '../payments/resolve/cancel';
import type { Database, Transaction } from '../store/database';
import type { BulkPayoutRow, MerchantRow, PaymentRow } from '../store/tables';

export interface RefundRequest {
  merchant: MerchantRow;
  deposit: PaymentRow;
  /** Decimal text in the currency of the deposit. */
  amountText: string;
  /** The remaining amount that the page showed, in minor units. So a form that is sent twice refunds once. */
  leftMinor: string;
  requestId: string;
}

export interface Refundable {
  /** `by_hand`: the rail's provider accepts no refunds from us. */
  how: 'here' | 'by_hand' | 'no';
  /** The remaining refundable amount, in minor units of the deposit's currency. */
  leftMinor: bigint;
}

export interface Acts {
  /** Signals the payment's workflow to continue now. If that fails, the sweeper does it within a minute. */
  signalOrStart(paymentId: string): Promise<void>;
  /** The payment's next step, as the API reports it. */
  nextStep(payment: PaymentRow): NextStep;
  refundable(payment: PaymentRow): Promise<Refundable>;
  /**
   * @param alongside writes the audit line of the requester in the refund's transaction.
   * @returns the created refund; `changed` if the remaining amount differs from what the page showed; `other` if the
   * deposit is one of two duplicate payments and the other one is being refunded.
   * @throws PaymentError if the refund is refused, such as BALANCE_INSUFFICIENT.
   */
  refund(
    asked: RefundRequest,
    alongside: (trx: Transaction, refundId: string) => Promise<void>,
  ): Promise<PaymentRow | 'changed' | 'other'>;
  /** Rails with bulk payouts. */
  payoutRails: readonly string[];
  /**
   * The faults of payouts, row by row. It writes nothing.
   * @throws PaymentError for a merchant without payout permission.
   */
  checkPayouts(asked: Omit<PayoutsRequest, 'orderId'>): Promise<PayoutFault[]>;
  /**
   * Creates all payouts or none, once for each `orderId`, however often it is called.
   * @param alongside writes the approver in the transaction of the payouts.
   * @throws PaymentError if they are refused, such as FLOAT_INSUFFICIENT for their sum.
   */
  payOut(asked: PayoutsRequest, alongside: NonNullable<ManyPayouts['alongside']>): Promise<BulkPayoutRow>;
  /**
   * Does the same as `payOut`, and rolls it back.
   * @throws PaymentError as `payOut` does.
   */
  tryPayOut(asked: PayoutsRequest): Promise<void>;
  mayCancel(payment: PaymentRow): boolean;
  cancel(payment: PaymentRow): Promise<Cancellation>;
}

export interface PayoutsRequest extends Pick<ManyPayouts, 'orderId' | 'rows'> {
  merchant: MerchantRow;
  rail: string;
  requestId: string;
}

/** Thrown in the transaction of a dry run, so that nothing is written. */
class OnlyTried extends Error {}

/** Thrown in the refund's transaction, so that nothing is written. */
class NotNow extends Error {
  constructor(readonly why: 'changed' | 'other') {
    super(why);
  }
}

export function createActs({ context, engine }: { context: PaymentsContext; engine: Engine }): Acts {
  const { db, rails, log } = context;
  const payingOutOf = (name: string) => {
    const { payOut: paying } = rails.get(name);
    if (!paying) throw new Error(`rail ${name} has no bulk payouts`);
    return paying;
  };
  /** Undefined for a rail that this deployment does not serve. */
  const railOf = ({ rail }: PaymentRow) => rails.all.find(({ name }) => name === rail);
  const payOut: Acts['payOut'] = ({ merchant, rail, requestId, ...many }, alongside) =>
    payingOutOf(rail).accept(
      { db, acceptBulk: (call, bulk) => createBulk(context, engine, call, bulk) },
      { merchant, requestId },
      { ...many, alongside },
    );
  return {
    async signalOrStart(paymentId) {
      const payment = await getPaymentOrThrow(db, paymentId);
      await engine.signalOrStart(payment, 'merchant').catch((error: unknown) => {
        log.warn('could not signal a payment; the sweeper continues it within a minute', { error });
      });
    },

    nextStep: (payment) => nextStepAmong(rails.all, payment).next_step.code,

    async refundable(payment) {
      const refund = railOf(payment)?.refund;
      const leftMinor = payment.kind === 'deposit' ? await leftToRefund(db, payment) : 0n;
      if (leftMinor <= 0n) return { how: 'no', leftMinor };
      return { how: typeof refund === 'function' ? 'here' : 'by_hand', leftMinor };
    },

    async refund({ merchant, deposit, amountText, leftMinor, requestId }, alongside) {
      const refund = railOf(deposit)?.refund;
      if (typeof refund !== 'function') throw new PaymentError('DEPOSIT_NOT_COMPLETED');
      const own = (draft: PaymentDraft): PaymentDraft => ({
        ...draft,
        async check(trx, refundId) {
          // This comes first because it locks the deposit.
          await draft.check?.(trx, refundId);
          await expectUnchanged(trx, deposit.payment_id, { leftMinor, refundId });
          await expectOneOfTwo(trx, deposit.payment_id, refundId);
        },
        async alongside(trx, refundId) {
          await draft.alongside?.(trx, refundId);
          await alongside(trx, refundId);
        },
      });
      const accept: Parameters<typeof refund>[0]['accept'] = (call, draft) =>
        createPayment(context, engine, call, async () =>
          own(typeof draft === 'function' ? await draft() : draft),
        );
      try {
        return await refund({ db, accept }, { merchant, input: {}, requestId }, deposit, amountText);
      } catch (error) {
        if (error instanceof NotNow) return error.why;
        throw error;
      }
    },

    payoutRails: rails.all.flatMap(({ name, payOut: paying }) => (paying ? [name] : [])),
    checkPayouts: async ({ merchant, rail, requestId, rows }) =>
      payingOutOf(rail).check({ db }, { merchant, requestId }, rows),
    payOut,

    async tryPayOut(asked) {
      try {
        await payOut(asked, () => Promise.reject(new OnlyTried()));
      } catch (error) {
        if (!(error instanceof OnlyTried)) throw error;
      }
    },

    mayCancel(payment) {
      const rail = railOf(payment);
      const canBeDropped = rail && operationOf(rail, payment).cancel !== undefined;
      return payment.kind === 'payout' && canBeDropped === true && isCancellable(payment);
    },

    cancel: (payment) => cancelPayment(context, engine, payment),
  };
}

async function expectUnchanged(
  trx: Transaction | Database,
  depositId: string,
  { leftMinor, refundId }: { leftMinor: string; refundId: string },
): Promise<void> {
  const deposit = await trx('payments').where({ payment_id: depositId }).first();
  const left = deposit && (await leftToRefund(trx, deposit, refundId));
  if (left?.toString() !== leftMinor) throw new NotNow('changed');
}

/** Only one of two duplicate payments is refunded. If two users refunded one each, the merchant would keep nothing. */
async function expectOneOfTwo(trx: Transaction, depositId: string, refundId: string): Promise<void> {
  for (const { first, second } of await duplicatesOf(trx, depositId)) {
    await lockReferenceOf(trx, second.payment_id);
    const going = await refundsUnderWay(trx, [first.payment_id, second.payment_id], refundId);
    if (going.some(({ parent_id: id }) => id !== depositId)) throw new NotNow('other');
  }
}
