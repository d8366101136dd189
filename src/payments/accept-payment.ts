import { v7 as uuid } from 'uuid';
import type { AcceptanceAnswer } from '../domain/commands';
import { PaymentError, errorResponses, type ErrorCode } from '../domain/errors';
import type { Currency } from '../domain/money';
import { NOT_STARTED, type PaymentKind } from '../domain/payment';
import { recordQuote } from '../fx/quotes';
import type { Quote } from '../fx/rates';
import { openAccount, type AccountKey } from '../ledger/accounts';
import { placeHold } from '../ledger/holds';
import type { Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';
import type { PaymentRow } from '../store/tables';
import type { PaymentsContext } from './context';
import { refuseDuplicate, type Sameness } from './duplicate-guard';
import type { Call } from './endpoint';
import type { Engine } from './engine';
import { tieClaim } from './idempotency';
import { movePayment } from './move-payment';
import { findPayment, getPaymentOrThrow } from './payments';
import { operationOf } from './rail';

/** What a rail's handler knows of a new payment. Amounts are minor units. */
export interface PaymentDraft {
  rail: string;
  kind: PaymentKind;
  provider: string;
  currency: Currency;
  requestedMinor: bigint;
  /** What the provider is told to move, where that differs from what was asked. */
  instructedMinor?: bigint;
  /** The provider's currency, where it is another; then `quote` is the rate `instructedMinor` was found with. */
  instructedCurrency?: Currency;
  quote?: Quote;
  /** The currency the merchant is credited in, where that is not the provider's. */
  creditedCurrency?: Currency;
  accountReference?: string;
  orderId?: string;
  phoneNumber?: string;
  callbackToken?: string;
  /** The name the provider will know the payment by, where that is ours to choose. */
  providerReference?: string;
  /** The merchant's object as JSON text. */
  metadata?: string;
  details?: Record<string, string>;
  sameAs?: Sameness;
  /** An id of the rail's own form, where the provider takes our id for its idempotency key. */
  paymentId?: string;
  /** The deposit that a refund gives back. */
  parentId?: string;
  /** Money set aside in the same transaction that writes the row. */
  hold?: { from: AccountKey; reserved: AccountKey; whenShort: ErrorCode };
  /** Runs first in that transaction: locks and limits that other rows are part of. */
  check?(trx: Transaction, paymentId: string): Promise<void>;
  /** 'written': the answer does not wait for the provider. */
  answerWhen?: 'accepted' | 'written';
}

/**
 * A draft, or how to come by it. What a request is checked against belongs into the function: a request that is taken
 * up again under its key has a payment already, which must not be refused for what has changed since.
 */
export type Draft = PaymentDraft | (() => Promise<PaymentDraft>);

export interface AcceptedPayment {
  payment: PaymentRow;
  /** 'late': not known in time; the payment goes on, and its outcome follows. */
  answer: Exclude<AcceptanceAnswer, { kind: 'refused' }> | 'late';
}

/**
 * Takes a merchant's request: one transaction writes the row, then the payment's own workflow is started and its
 * acceptance awaited. Once a provider may have acted the answer is never an error, save for a definite refusal.
 * @throws PaymentError DUPLICATE_PAYMENT, SERVICE_UNAVAILABLE when nothing was started, or the provider's refusal.
 */
export async function acceptPayment(
  context: PaymentsContext,
  engine: Engine,
  call: Call,
  draft: Draft,
): Promise<AcceptedPayment> {
  const resumed = call.resumePaymentId;
  if (resumed !== undefined)
    return begin(context, engine, await getPaymentOrThrow(context.db, resumed), 'accepted');
  const drafted = typeof draft === 'function' ? await draft() : draft;
  const payment = await writePayment(context, call, drafted);
  return begin(context, engine, payment, drafted.answerWhen ?? 'accepted');
}

/**
 * Answers a request that was made before, as it was answered then: whoever comes while the provider is still being
 * asked waits with the first, and a refusal is given again.
 */
export async function answerAgain(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
): Promise<AcceptedPayment> {
  const undecided = payment.state === 'received' || payment.state === 'initiating';
  const accepted: AcceptedPayment = undecided
    ? await begin(context, engine, payment, 'accepted')
    : { payment, answer: 'late' };
  const { state, accepted_at: acceptedAt, failure_code: code } = accepted.payment;
  if (state !== 'failed' || acceptedAt !== null) return accepted;
  throw refusal(accepted.payment, isErrorCode(code) ? code : 'SERVICE_UNAVAILABLE');
}

/** True for a payment that ended before anything was started, so that its request may be made again. */
export function invitesRepetition({
  state,
  accepted_at: acceptedAt,
  failure_code: code,
}: PaymentRow): boolean {
  if (state !== 'failed' || acceptedAt !== null) return false;
  return !isErrorCode(code) || errorResponses[code].status >= 500;
}

function isErrorCode(code: string | null): code is ErrorCode {
  return code !== null && Object.hasOwn(errorResponses, code);
}

function refusal({ payment_id }: PaymentRow, code: ErrorCode): PaymentError {
  const retryable = errorResponses[code].status === 503;
  return new PaymentError(code, { extra: { payment_id }, ...(retryable ? { retryAfterSeconds: 5 } : {}) });
}

async function begin(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
  answerWhen: 'accepted' | 'written',
): Promise<AcceptedPayment> {
  const answer = await startOrWithdraw(context, engine, payment, answerWhen);
  if (answer !== 'late' && answer.kind === 'refused') throw refusal(payment, answer.publicCode);
  // The provider may have acted, so a database that is lost just now makes no error of it: what we knew is answered.
  return { payment: await getPaymentOrThrow(context.db, payment.payment_id).catch(() => payment), answer };
}

async function writePayment(context: PaymentsContext, call: Call, draft: PaymentDraft): Promise<PaymentRow> {
  const payment = rowOf(context, call, draft);
  const hold = draft.hold && {
    paymentId: payment.payment_id,
    from: await openAccount(context.db, draft.hold.from),
    reserved: await openAccount(context.db, draft.hold.reserved),
    amountMinor: draft.requestedMinor,
    whenShort: draft.hold.whenShort,
  };
  try {
    await inTransaction(context.db, async (trx) => {
      await draft.check?.(trx, payment.payment_id);
      if (draft.sameAs) await refuseDuplicate(trx, payment.payment_id, draft.sameAs);
      await trx('payments').insert({ ...payment, details: JSON.stringify(payment.details) as never });
      if (draft.quote) {
        const [fromMinor, toMinor] = [BigInt(payment.requested_minor), BigInt(payment.instructed_minor)];
        const { payment_id: paymentId } = payment;
        await recordQuote(trx, { paymentId, purpose: 'instruct', quote: draft.quote, fromMinor, toMinor });
      }
      if (hold) await placeHold(trx, hold);
      if (call.idempotency)
        await tieClaim(trx, call.merchant.merchant_id, call.idempotency, payment.payment_id);
    });
  } catch (error) {
    // A connection lost inside COMMIT: the next try ran into what the first one had written.
    if (!(await findPayment(context.db, payment.payment_id))) throw error;
  }
  return payment;
}

function rowOf(context: PaymentsContext, call: Call, draft: PaymentDraft): PaymentRow {
  const paymentId = draft.paymentId ?? uuid();
  const now = new Date();
  const { workflowType } = operationOf(context.rails.get(draft.rail), draft.kind);
  return {
    payment_id: paymentId,
    merchant_id: call.merchant.merchant_id,
    rail: draft.rail,
    kind: draft.kind,
    workflow_id: `${kebab(workflowType)}/${paymentId}`,
    state: 'received',
    is_final: 0,
    currency: draft.currency,
    requested_minor: draft.requestedMinor.toString(),
    instructed_currency: draft.instructedCurrency ?? draft.currency,
    instructed_minor: (draft.instructedMinor ?? draft.requestedMinor).toString(),
    confirmed_minor: null,
    credited_currency: draft.creditedCurrency ?? null,
    credited_minor: null,
    given_back_minor: '0',
    account_reference: draft.accountReference ?? null,
    order_id: draft.orderId ?? null,
    phone_number: draft.phoneNumber ?? null,
    provider: draft.provider,
    provider_reference: draft.providerReference ?? null,
    provider_receipt: null,
    callback_token: draft.callbackToken ?? null,
    parent_id: draft.parentId ?? null,
    result_code: null,
    result_text: null,
    failure_code: null,
    corrected: 0,
    request_id: call.requestId,
    metadata: draft.metadata ?? null,
    details: draft.details ?? {},
    created_at: now,
    accepted_at: null,
    finished_at: null,
    updated_at: now,
  };
}

/** `stkPush` → `stk-push`: workflow ids read as words. */
function kebab(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * When the engine cannot be reached the row is withdrawn, unless its workflow has begun all the same: the
 * conditional update decides between the two, so "nothing was started" is only said when it is true.
 */
async function startOrWithdraw(
  context: PaymentsContext,
  engine: Engine,
  payment: PaymentRow,
  answerWhen: 'accepted' | 'written',
): Promise<AcceptanceAnswer | 'late'> {
  try {
    if (answerWhen === 'accepted') return await engine.start(payment);
    await engine.wake(payment);
    return 'late';
  } catch (error) {
    context.log.warn('the engine could not start a payment', { payment_id: payment.payment_id, error });
    const withdrawn = await withdraw(context, payment, 'withdrawn', false);
    if (!withdrawn) return 'late';
    throw new PaymentError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 5, cause: error });
  }
}

/** Ends a payment no provider has heard of. @returns false when its workflow was faster. */
export async function withdraw(
  context: PaymentsContext,
  payment: PaymentRow,
  cause: 'withdrawn' | 'never_started',
  announced: boolean,
): Promise<boolean> {
  if (payment.state !== 'received') return false;
  const moved = await inTransaction(context.db, (trx) =>
    movePayment(trx, context, payment, {
      to: 'failed',
      cause,
      announced,
      changes: { failure_code: NOT_STARTED, result_text: 'The payment could not be started' },
    }),
  );
  return moved !== undefined;
}
