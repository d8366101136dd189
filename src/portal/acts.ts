/** What the pages do beside writing to the database: by the functions of the API, and of the command line. */
import type { Cancellation } from '../domain/commands';
import { PaymentError } from '../domain/errors';
import type { NextStep } from '../domain/next-steps';
import { acceptPayment } from '../payments/create/accept-payment';
import { acceptBulk } from '../payments/create/bulk/accept-bulk';
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

export interface AskedRefund {
  merchant: MerchantRow;
  deposit: PaymentRow;
  /** Decimal text in the currency that was paid. */
  amountText: string;
  /** What the page showed as left, in minor units: a form that is sent twice gives back once. */
  leftMinor: string;
  requestId: string;
}

export interface Refundable {
  /** `by_hand`: the rail's provider takes no refunds from us. */
  how: 'here' | 'by_hand' | 'no';
  /** What is left, in minor units of the currency that was paid. */
  leftMinor: bigint;
}

export interface Acts {
  /** Has a payment looked at now; where that fails, it is within a minute. */
  wake(paymentId: string): Promise<void>;
  /** What to do next about a payment, as the API says it. */
  nextStep(payment: PaymentRow): NextStep;
  refundable(payment: PaymentRow): Promise<Refundable>;
  /**
   * @param alongside writes the line of who asks, with the refund.
   * @returns the refund, accepted and not done; `changed` where something else is left by now than the page showed;
   * `other` where this was paid twice, and the other of both is being given back.
   * @throws PaymentError where it is not taken, such as BALANCE_INSUFFICIENT.
   */
  refund(
    asked: AskedRefund,
    alongside: (trx: Transaction, refundId: string) => Promise<void>,
  ): Promise<PaymentRow | 'changed' | 'other'>;
  /** Rails that take many payouts at once. */
  payoutRails: readonly string[];
  /** What is wrong with payouts, row by row. Writes nothing. @throws PaymentError for a merchant who may not pay out. */
  checkPayouts(asked: Omit<AskedPayouts, 'orderId'>): Promise<PayoutFault[]>;
  /**
   * Takes all of them or none, once for their `orderId`, however often they are asked for.
   * @param alongside writes who decided, with the payouts.
   * @throws PaymentError where they are not taken, such as FLOAT_INSUFFICIENT for their sum.
   */
  payOut(asked: AskedPayouts, alongside: NonNullable<ManyPayouts['alongside']>): Promise<BulkPayoutRow>;
  /** Does all that `payOut` does, and takes it back. @throws PaymentError as that does. */
  tryPayOut(asked: AskedPayouts): Promise<void>;
  mayCancel(payment: PaymentRow): boolean;
  cancel(payment: PaymentRow): Promise<Cancellation>;
}

export interface AskedPayouts extends Pick<ManyPayouts, 'orderId' | 'rows'> {
  merchant: MerchantRow;
  rail: string;
  requestId: string;
}

/** Thrown in the transaction of payouts that were only tried. */
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
    if (!paying) throw new Error(`${name} pays nothing out`);
    return paying;
  };
  /** A rail that this deployment does not serve does nothing here. */
  const railOf = ({ rail }: PaymentRow) => rails.all.find(({ name }) => name === rail);
  const payOut: Acts['payOut'] = ({ merchant, rail, requestId, ...many }, alongside) =>
    payingOutOf(rail).accept(
      { db, acceptBulk: (call, bulk) => acceptBulk(context, engine, call, bulk) },
      { merchant, requestId },
      { ...many, alongside },
    );
  return {
    async wake(paymentId) {
      const payment = await getPaymentOrThrow(db, paymentId);
      await engine.wake(payment).catch((error: unknown) => {
        log.warn('a payment could not be woken; what it has to do is done in a minute', { error });
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
          // First: it locks the deposit.
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
        acceptPayment(context, engine, call, async () =>
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

/** Of what was paid twice one is given back: two who give back one each would leave the merchant with nothing. */
async function expectOneOfTwo(trx: Transaction, depositId: string, refundId: string): Promise<void> {
  for (const { first, second } of await duplicatesOf(trx, depositId)) {
    await lockReferenceOf(trx, second.payment_id);
    const going = await refundsUnderWay(trx, [first.payment_id, second.payment_id], refundId);
    if (going.some(({ parent_id: id }) => id !== depositId)) throw new NotNow('other');
  }
}
