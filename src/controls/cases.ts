import { cutText } from '../domain/cut-text';
import { PaymentError } from '../domain/errors';
import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { CaseRow } from '../store/tables';
import { inTransaction, type Alongside } from '../store/transaction';

/** Why a person must look at a payment. Each says what was seen; the money stays where it is until it is closed. */
export const caseReasons = {
  amount_differs: 'The provider confirmed another amount than we asked for.',
  currency_differs: 'The provider confirmed another currency than we asked for. Nothing was credited.',
  contradictory_outcome: 'A failure was reported for a payment that succeeded. The success stands.',
  success_not_confirmed:
    'A success was reported, but the provider says otherwise when asked. Nothing was credited.',
  success_unconfirmed: 'A success was reported, and the provider has not answered our question in time.',
  no_outcome: 'The provider reported no outcome for as long as we watched. The money stays where it is.',
  provider_disowns:
    'The provider says that it does not know what it has told of before: our token, or its environment, may be mixed ' +
    'up. The money stays where it is, and nothing is started through this account until all such cases are closed.',
  instruction_unknown:
    'The instruction was never answered, and nobody has told of it since. The provider may have taken the money all the ' +
    'same: look for it there.',
  late_success: 'A disbursement succeeded after we published that it had not. What it held was given back.',
  given_back_differs:
    'More, or another currency, went back than the payment had brought. Nothing was debited for what the provider shows ' +
    'last; a refund that a merchant asked for is booked all the same.',
  reversed: 'The provider took a booked deposit back. The wallet was debited, below zero where it was short.',
  given_back_unclear:
    'The provider shows another amount than was booked: a part seems to have gone back, and it does not say how much. ' +
    'Nothing was debited: look for the refund there, and take it from the wallet by hand.',
  given_back_less:
    'The provider shows less given back than is booked, and no dispute that we know of explains it. Nothing was credited.',
  disputed:
    'The customer disputes the payment at the provider: answer there in time. What is taken back, or paid once more, is ' +
    'booked as soon as the provider shows it; what the wallet has of it is held until the case is closed.',
  reversal_told:
    'The provider has told that it took the payment back, and does not show it yet. Nothing was debited; what the ' +
    'wallet has of it is held, and it is looked at again for ten days.',
  returned_differs:
    'What had gone out came back with another amount, or in another currency. Nothing was booked.',
  rate_missing: 'The money arrived, and there is no fresh exchange rate to credit it at. It waits for one.',
  receipt_reused: 'The receipt number belongs to another payment. Nothing was credited.',
  receipt_differs:
    'A success was reported with another receipt than the one we have. Nothing was changed: one of both is the money of ' +
    'somebody else, or the customer paid twice.',
  reference_reused: 'The provider answered with a reference that belongs to another payment.',
  unmatched_notification:
    'A provider told of a payment that we do not know. It was looked for, and nothing was booked.',
  refund_waits:
    'This refund has waited over an hour: another refund of its deposit is not finished, or no worker could start it.',
  paid_twice:
    'The reference was paid before: a customer may have paid twice. Give one of both back (malipo duplicate refund), or ' +
    'say that both are right (malipo duplicate dismiss); it closes by itself once one of both is back.',
  stands_still:
    'The sweeper woke it again and again for hours, and its workflow never ran. Check that workers poll the task queue.',
  look_unanswered:
    'The provider has left unanswered, for a week, whether these payments were taken back, or came back, since they ' +
    'were booked. They are asked about again when their next look is planned, if one is: look for them there.',
  rule_explains_much:
    'A rule of reconciliation explained more money than it does on other days, and concludes that without a proof. Compare ' +
    'these lines with the provider’s own page. Where they were read wrongly, withdraw their statement (malipo ' +
    'provider-statement withdraw); else close this with what you found.',
  float_short:
    'A wallet at a provider holds less than our books say, by more than what is under way. Payouts out of it are stopped ' +
    'where there are any: find out what took the money; then malipo float-proof baseline, and malipo start payouts.',
  float_over:
    'A wallet at a provider holds more than our books say, by more than what is under way: somebody paid in what no ' +
    'payment explains, or put money there. Nothing is stopped.',
  account_refused:
    'The provider refuses our own account. No payment on this rail can succeed until it is mended.',
} as const;

export type CaseReason = keyof typeof caseReasons;

export interface NewCase {
  reason: CaseReason;
  detail: string;
  /** The provider account that nothing is started through while it is open. */
  stops?: string;
}

/**
 * Opens a case once: while one is open for this payment (or for none) and reason, a second is not. The one that is open
 * stops the account from then on, too: a process of a version that stopped none may have opened it.
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

/** What was seen is shown up to here; how many there are is counted all the same. */
const detailLengthMax = 1_000;

/**
 * Opens a case that is about no payment, or adds to the one that is open for the same rail and reason: a provider, or a
 * stranger, who tells of thousands makes one case of them, which names the first and says how many there are.
 * @param item what was seen, such as the number of a row in the inbox
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

/** Adds, once, what was seen since to a case that is open. */
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

/** Closes what the provider itself has answered meanwhile, if it was open. */
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
  /** Only those with a higher number. */
  after?: number | undefined;
  limit: number;
}

/** Cases, oldest first. */
export function listCases(db: Database, { open, after = 0, limit }: CaseFilter): Promise<CaseRow[]> {
  const cases = db('cases').where('case_id', '>', after).orderBy('case_id').limit(limit);
  return open ? cases.whereNull('closed_at') : cases;
}

/** Reasons that are the account's, and no single payment's: one finding of a person answers all of their cases. */
export const accountReasons = [
  'provider_disowns',
  'account_refused',
] as const satisfies readonly CaseReason[];

/**
 * Closes every open case of such a reason that is about the rail's payments, or that stops the account it has.
 * @returns how many there were.
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
      await lookAgain(
        trx,
        some.flatMap(({ payment_id: id }) => id ?? []),
      );
    }
    if (closed > 0) await alongside?.(trx);
    return closed;
  });
}

/** What is still open, and was a person's question until now, is looked at again. */
async function lookAgain(db: Database | Transaction, paymentIds: string[]): Promise<void> {
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
  if (about?.payment_id) await lookAgain(db, [about.payment_id]);
}
