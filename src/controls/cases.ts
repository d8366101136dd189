import { cutText } from '../domain/cut-text';
import { PaymentError } from '../domain/errors';
import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { CaseRow } from '../store/tables';
import { inTransaction, type Alongside } from '../store/transaction';

/** Why an operator must review a payment or an account. Each sentence says what happened and what to do. */
export const caseReasons = {
  amount_differs: 'The provider confirmed another amount than we requested.',
  currency_differs: 'The provider confirmed another currency than we requested. Nothing was credited.',
  contradictory_outcome: 'A failure was reported for a payment that succeeded. The payment stays succeeded.',
  success_not_confirmed:
    'A success was reported, but the status query shows another state. Nothing was credited.',
  success_unconfirmed: 'A success was reported, but the provider did not answer the status query in time.',
  no_outcome: 'The provider reported no outcome until the last scheduled check. The money stays where it is.',
  unknown_to_provider:
    'The provider no longer knows a payment that it reported before: our token or its environment may be wrong. The ' +
    'money stays where it is, and no payment is started through this account until all such cases are closed.',
  submission_unknown:
    'The provider never answered the submission, and has not reported the payment since. It may still have moved the ' +
    'money: search for the payment there.',
  late_success: 'A payout or refund succeeded after we reported a failure. Its reserve was released before.',
  refund_differs:
    'The provider refunded or reversed more than the deposit, or another currency. Nothing was debited for the last change; ' +
    'refunds that the merchant requested are still booked.',
  reversed:
    'The provider reversed a booked deposit. The wallet was debited, below zero if it did not have the amount.',
  refund_unclear:
    'The provider shows another amount than we booked: it seems to have refunded a part, but does not report how much. ' +
    'Nothing was debited: search for the refund there, and take its amount from the wallet (malipo wallet adjust).',
  refund_decreased:
    'The provider shows a smaller refund than we booked, and no known dispute explains it. Nothing was credited.',
  disputed:
    'The customer disputes the payment at the provider: answer there in time. A reversal, or a second payment after it, is ' +
    'booked when the provider shows it. The amount is reserved in the wallet, as far as the wallet has it, until the case is closed.',
  reversal_reported:
    'The provider reported a reversal, but its status query does not show it yet. Nothing was debited. The amount is reserved ' +
    'in the wallet, as far as the wallet has it, and the payment is checked for ten days.',
  returned_differs: 'A payout or refund was returned with another amount or currency. Nothing was booked.',
  rate_missing:
    'The money arrived, but there is no fresh exchange rate for the credit. The payment waits for a rate.',
  receipt_reused: 'The receipt number belongs to another payment. Nothing was credited.',
  receipt_differs:
    'A success was reported with another receipt than ours. Nothing was changed: one of the two belongs to another customer, ' +
    'or the customer paid twice.',
  reference_reused: 'The provider answered with a reference that belongs to another payment.',
  unmatched_notification: 'A provider reported a payment that we do not know. Nothing was booked.',
  refund_waits:
    'This refund has waited over an hour: another refund of its deposit is in progress, or no worker could start it.',
  duplicate_payment:
    'The reference was paid before: the customer may have paid twice. Refund one of the two (malipo duplicate refund), or ' +
    'record that both are right (malipo duplicate dismiss). The case closes by itself when one of them is refunded.',
  stands_still:
    'The sweeper signalled the workflow many times for hours, but it never ran. Check that workers poll the task queue.',
  check_unanswered:
    'For a week, the provider has not answered status queries about these booked payments, so a reversal or return may be ' +
    'missing. The queries continue while checks are scheduled: search for the payments at the provider.',
  rule_explains_much:
    'A reconciliation rule that proves nothing explained more money than on other days. Compare its lines with the ' +
    'provider’s dashboard. If they were read wrongly, withdraw their statement (malipo provider-statement withdraw); ' +
    'otherwise close the case with what you found.',
  float_short:
    'A wallet at a provider has less than our books say, even without the payments in progress. Its payouts, if any, are ' +
    'paused. Find the cause; then run malipo float-check adjust and malipo payouts resume.',
  float_over:
    'A wallet at a provider has more than our books say, even with the payments in progress: a customer paid without a ' +
    'payment, or somebody added money. Nothing is paused.',
  account_refused:
    'The provider rejects our account. No payment on this rail can succeed until this is corrected.',
} as const;

export type CaseReason = keyof typeof caseReasons;

export interface NewCase {
  reason: CaseReason;
  detail: string;
  /** The provider account that is stopped while the case is open. */
  stops?: string;
}

/**
 * Opens a case once: there is only one open case for a payment (or for none) and a reason. An open case gets `stops`, too,
 * because an older version may have opened it without.
 */
export async function openCase(
  db: Database | Transaction,
  paymentId: string | null,
  { reason, detail, stops }: NewCase,
): Promise<void> {
  const opening = db('cases')
    .insert({
      payment_id: paymentId,
      reason,
      detail: cutText(detail, 1000),
      opened_at: new Date(),
      closed_at: null,
      closed_by: null,
      resolution: null,
      open_key: `${paymentId ?? 'none'}:${reason}`,
      stops: stops ?? null,
    })
    .onConflict();
  if (stops === undefined) await opening.ignore();
  else await opening.merge({ stops: db.raw<string>('COALESCE(stops, ?)', [stops]) } as never);
}

/** Further items are not in the text, but they are counted. */
const detailLengthMax = 1_000;

/**
 * Opens a case without a payment, or adds to the open one of the same rail and reason. Thousands of notifications thus make one
 * case, which names the first ones and counts all.
 * @param item what to name, such as the number of a row in the inbox
 */
export async function openRailCase(
  trx: Transaction,
  rail: string,
  reason: CaseReason,
  item: string,
): Promise<void> {
  await trx('cases')
    .insert({
      payment_id: null,
      reason,
      detail: cutText(`of rail ${rail}: ${item}`, detailLengthMax),
      opened_at: new Date(),
      closed_at: null,
      closed_by: null,
      resolution: null,
      open_key: `none:${reason}:${rail}`,
      times: 1,
      stops: null,
    })
    .onConflict()
    .merge({
      times: trx.raw<number>('times + 1'),
      detail: trx.raw<string>('IF(CHAR_LENGTH(detail) + CHAR_LENGTH(?) <= ?, CONCAT(detail, ?), detail)', [
        `, ${item}`,
        detailLengthMax,
        `, ${item}`,
      ]),
    } as never);
}

/** Adds a note to an open case, once. */
export async function noteOnCase(
  trx: Transaction,
  paymentId: string,
  reason: CaseReason,
  note: string,
): Promise<void> {
  await trx('cases')
    .where({ open_key: `${paymentId}:${reason}` })
    .whereRaw('LOCATE(?, detail) = 0', [note])
    .update({ detail: trx.raw<string>('LEFT(CONCAT(?, detail), 1000)', [`${note}: `]) });
}

/** Closes the open case, if any, because the provider's answer has settled it. */
export async function settleCase(
  trx: Transaction,
  paymentId: string,
  reason: CaseReason,
  resolution: string,
): Promise<void> {
  await trx('cases')
    .where({ open_key: `${paymentId}:${reason}` })
    .update({ closed_at: new Date(), closed_by: 'malipo', resolution, open_key: null });
}

export interface CaseFilter {
  open: boolean;
  /** Only cases with a higher id. */
  after?: number | undefined;
  limit: number;
}

/** Cases, oldest first. */
export function listCases(db: Database, { open, after = 0, limit }: CaseFilter): Promise<CaseRow[]> {
  const cases = db('cases').where('case_id', '>', after).orderBy('case_id').limit(limit);
  return open ? cases.whereNull('closed_at') : cases;
}

/** Reasons about an account, not a single payment: one decision can close all of their cases. */
export const accountReasons = [
  'unknown_to_provider',
  'account_refused',
] as const satisfies readonly CaseReason[];

/**
 * Closes every open case of the reason about the rail's payments, or that stops the rail's account.
 * @returns the number of closed cases.
 */
export function closeAllOf(
  db: Database,
  { reason, rail }: { reason: (typeof accountReasons)[number]; rail: string },
  by: string,
  resolution: string,
  alongside?: Alongside,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const open = await trx('cases')
      .leftJoin('payments', 'payments.payment_id', 'cases.payment_id')
      .whereNull('cases.closed_at')
      .where('cases.reason', reason)
      .where((own) => void own.where('cases.stops', rail).orWhere('payments.rail', rail))
      .select<Pick<CaseRow, 'case_id' | 'payment_id'>[]>('cases.case_id', 'cases.payment_id');
    let closed = 0;
    for (const some of inChunks(open)) {
      const ids = some.map(({ case_id: id }) => id);
      const ending = { closed_at: new Date(), closed_by: by, resolution, open_key: null };
      closed += await trx('cases').whereIn('case_id', ids).whereNull('closed_at').update(ending);
      await scheduleChecks(
        trx,
        some.flatMap(({ payment_id: id }) => id ?? []),
      );
    }
    if (closed > 0) await alongside?.(trx);
    return closed;
  });
}

/** Schedules a check for open payments, which had none while their case was open. */
async function scheduleChecks(db: Database | Transaction, paymentIds: string[]): Promise<void> {
  await db('payments')
    .whereIn('payment_id', paymentIds)
    .where({ is_final: 0 })
    .whereNull('next_check_at')
    .update({ next_check_at: new Date() });
}

/** @throws PaymentError NOT_FOUND when no such case is open. */
export async function closeCase(
  db: Database | Transaction,
  caseId: string,
  by: string,
  resolution: string,
): Promise<void> {
  const closed = await db('cases')
    .where({ case_id: caseId })
    .whereNull('closed_at')
    .update({ closed_at: new Date(), closed_by: by, resolution, open_key: null });
  if (closed !== 1) throw new PaymentError('NOT_FOUND', { message: `No open case ${caseId}` });
  const about = await db('cases').where({ case_id: caseId }).first('payment_id');
  if (about?.payment_id) await scheduleChecks(db, [about.payment_id]);
}
