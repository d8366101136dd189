/** The one transaction that creates a payment: its row, its reserve, and the guards against a second creation. */
import { v7 as uuid } from 'uuid';
import {
  countOutflows,
  hashOfRecipient,
  lockMerchant,
  type Outflow,
  type OutflowScope,
} from '../../controls/outflow';
import type { NewHolds } from '../../controls/new-recipients';
import { convertMinor } from '../../fx/convert';
import { recordQuote } from '../../fx/rates';
import { openAccount } from '../../ledger/accounts';
import { placeHold, type HoldRequest } from '../../ledger/holds';
import type { Database, Transaction } from '../../store/database';
import { CommitUnknown, duplicateKeyOf, inTransaction } from '../../store/transaction';
import type { PaymentRow } from '../../store/tables';
import { about } from '../../telemetry/tracing/scope';
import {
  disputedByRefund,
  reserveDisputed,
  lockAccounts,
  lockDisputed,
  takeFromHold,
} from '../transition/disputed-funds';
import { fixFees, heldFeeOf } from '../transition/fees';
import type { PaymentsContext } from '../../rail-kit/context';
import type { PaymentDraft } from '../../rail-kit/draft';
import { guardOf, insertGuarded, type Guard } from './duplicate-guard';
import type { Call } from '../../rail-kit/endpoint';
import { tieClaim } from './idempotency-claims';
import { onHoldDetails } from '../read/on-hold';
import { ofHold } from '../submit/stopped-accounts';
import { startAfterMs } from '../../domain/poll-schedule';
import { writeCreatedWebhook } from '../transition/write-webhook';
import { traceTransition } from '../transition/transition';
import { operationOf } from '../../rail-kit/rail';
import { creationUnknown } from '../read/creation-errors';

/** How long we ask the database for the result of a COMMIT whose answer was lost, before we report it as unknown. */
export const commitPatienceMs = 3_000;

/** An earlier try of this very transaction was committed, and its answer was lost. */
export class WrittenBefore extends Error {}

/**
 * @throws PaymentError DUPLICATE_PAYMENT, OUTFLOW_LIMIT_REACHED, the draft's own refusals, or ACCEPTANCE_UNKNOWN;
 *   ClaimLost when another request has taken over this one's key. A plain database error means that nothing was
 *   written.
 */
export async function writePayment(
  context: PaymentsContext,
  call: Call,
  draft: PaymentDraft,
): Promise<PaymentRow> {
  const payment = newPayment(context, call, draft);
  const { payment_id: paymentId, details: asked } = payment;
  const guard = guardOf(context, call, draft);
  const hold = await holdOf(context.db, draft, paymentId);
  const outflow = await outflowOf(context.db, draft, payment);
  const scope = outflow && (await outflowScopeOf(context, payment));
  const disputedFunds = await disputedByRefund(context.db, draft.parentId);
  let isRepeated = false;
  const write = async (trx: Transaction): Promise<void> => {
    if (disputedFunds) await lockDisputed(trx, disputedFunds);
    // Rows of an earlier try would change the results of the checks below.
    if (isRepeated) await expectUnwritten(trx, paymentId);
    isRepeated = true;
    await call.expectKey?.(trx);
    await draft.check?.(trx, paymentId);
    payment.details = asked;
    await fixFees(trx, [payment]);
    await insert(trx, payment, guard);
    await writeCreatedWebhook(trx, context, [payment]);
    await keepQuote(trx, draft, payment);
    if (call.idempotency) await tieClaim(trx, call.merchant.merchant_id, call.idempotency, paymentId);
    if (outflow && scope) await noteHolds(trx, [payment], await countOutflows(trx, scope, [outflow]));
    // Last, so that others wait for the float or the wallet as briefly as possible.
    if (disputedFunds) await lockAccounts(trx, disputedFunds);
    if (hold && disputedFunds) await takeFromHold(trx, disputedFunds, hold.amountMinor);
    if (hold) await placeHold(trx, { ...hold, feeMinor: heldFeeOf(payment) });
    if (disputedFunds) await reserveDisputed(trx, disputedFunds);
    await draft.alongside?.(trx, paymentId);
    traceTransition(payment, { cause: 'request' });
  };
  about(paymentId);
  await writeOnce(context.db, write, { payment_id: paymentId });
  return payment;
}

/**
 * Runs a creating transaction. The transaction must throw WrittenBefore where an earlier try of it was committed.
 * @throws PaymentError ACCEPTANCE_UNKNOWN, naming the possible payment, where the database cannot tell in time.
 */
export async function writeOnce(
  db: Database,
  write: (trx: Transaction) => Promise<void>,
  named: Record<string, string>,
): Promise<void> {
  try {
    await inTransaction(db, write, { patienceMs: commitPatienceMs });
  } catch (error) {
    if (error instanceof CommitUnknown) throw creationUnknown(named, error);
    if (!(error instanceof WrittenBefore)) throw error;
  }
}

/** The reserve of a draft, with its accounts opened; undefined for a payment that brings money in. */
export async function holdOf(
  db: Database,
  { hold, requestedMinor, debitedMinor = requestedMinor }: PaymentDraft,
  paymentId: string,
): Promise<HoldRequest | undefined> {
  if (!hold) return undefined;
  const [from, reserved] = [await openAccount(db, hold.from), await openAccount(db, hold.reserved)];
  return { paymentId, from, reserved, amountMinor: debitedMinor, whenShort: hold.whenShort };
}

/** A payout as limits count it, with its queue position opened; undefined for any other payment. */
export async function outflowOf(
  db: Database,
  { kind, recipient = '' }: PaymentDraft,
  { payment_id: paymentId, merchant_id: merchantId, rail, currency, requested_minor: minor }: PaymentRow,
): Promise<Outflow | undefined> {
  if (kind !== 'payout') return undefined;
  await lockMerchant(db, merchantId, currency);
  return { paymentId, rail, currency, amountMinor: BigInt(minor), recipientHash: hashOfRecipient(recipient) };
}

export async function outflowScopeOf(
  { outflowDefaults = false, sandboxAheadMs }: PaymentsContext,
  { merchant_id: merchantId }: Pick<PaymentRow, 'merchant_id'>,
): Promise<OutflowScope> {
  return { merchantId, withDefaults: outflowDefaults, aheadMs: (await sandboxAheadMs?.()) ?? 0 };
}

/** Stores the reason of the hold with payments that are being written. */
export async function noteHolds(
  trx: Transaction,
  payments: readonly PaymentRow[],
  holds: NewHolds,
): Promise<void> {
  for (const payment of payments) {
    const hold = holds.get(payment.payment_id);
    if (!hold) continue;
    const obstacle = ofHold({ reason: hold.reason, untilAt: hold.until_at });
    payment.details = { ...payment.details, ...onHoldDetails(obstacle) };
    await trx('payments')
      .where({ payment_id: payment.payment_id })
      .update({ details: JSON.stringify(payment.details) as never });
  }
}

/** Stores the rate that gave the provider's amount, where there is one. */
export async function keepQuote(
  trx: Transaction,
  { quote }: PaymentDraft,
  payment: PaymentRow,
): Promise<void> {
  if (!quote) return;
  const [fromMinor, toMinor] = [BigInt(payment.requested_minor), BigInt(payment.instructed_minor)];
  await recordQuote(trx, {
    paymentId: payment.payment_id,
    purpose: 'instruct',
    quote,
    fromMinor,
    toMinor,
    roundingMinor: toMinor - convertMinor(fromMinor, quote),
  });
}

/** The row as the driver takes it: `details` is kept as JSON text. */
export function columnsOf(payment: PaymentRow): PaymentRow {
  return { ...payment, details: JSON.stringify(payment.details) as never };
}

/** @throws WrittenBefore */
async function expectUnwritten(trx: Transaction, paymentId: string): Promise<void> {
  const written = await trx('payments').where({ payment_id: paymentId }).first('payment_id');
  if (written) throw new WrittenBefore();
}

/** @throws WrittenBefore, or PaymentError DUPLICATE_PAYMENT. */
async function insert(trx: Transaction, payment: PaymentRow, guard: Guard | undefined): Promise<void> {
  try {
    if (guard) await insertGuarded(trx, columnsOf(payment), guard);
    else await trx('payments').insert(columnsOf(payment));
  } catch (error) {
    // Only a try of this very payment writes this id.
    throw duplicateKeyOf(error) === 'PRIMARY' ? new WrittenBefore() : error;
  }
}

/** The first row of a payment. */
export function newPayment(
  context: Pick<PaymentsContext, 'rails'>,
  call: Pick<Call, 'merchant' | 'requestId' | 'idempotency'>,
  draft: PaymentDraft,
): PaymentRow {
  const paymentId = draft.paymentId ?? uuid();
  const now = new Date();
  const { workflowType } = operationOf(context.rails.get(draft.rail), draft);
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
    credited_minor: draft.debitedMinor?.toString() ?? null,
    returned_minor: '0',
    refunded_minor: '0',
    refund_debited_minor: '0',
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
    answered_at: null,
    finished_at: null,
    asked_at: null,
    updated_at: now,
    next_check_at: new Date(Date.now() + startAfterMs),
    signalled_at: null,
    signals: 0,
    clock_ahead_ms: '0',
    accepted_ahead_ms: '0',
    finished_ahead_ms: '0',
    key_hash: call.idempotency?.keyHash ?? null,
    guard_hash: null,
    guarded_from: null,
    guarded_until: null,
    fee_id: null,
    fee_minor: null,
    sequence: 1,
  };
}

/** `stkPush` → `stk-push`: workflow ids are readable words. */
function kebab(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
