/**
 * The kill switch: an operator pauses and resumes payouts, of a merchant, a rail, a country or all. The transaction that writes
 * an attempt reads the pauses under a shared lock; pausing takes the lock exclusively. So after a pause is committed, no process
 * writes another attempt of a paused payout.
 */
import { cutText } from '../domain/cut-text';
import type { PaymentKind } from '../domain/payment';
import { recordAction, type RecordLine, holdRows, rowChanged } from '../users/audit-log';
import type { Database, Transaction } from '../store/database';
import { remembered } from '../store/remembered';
import type { PayoutPauseRow } from '../store/tables';
import { inTransaction } from '../store/transaction';

/** Which payouts; undefined matches any. If several fields are set, a payout must match all of them. */
export interface PauseScope {
  merchantId?: string | undefined;
  rail?: string | undefined;
  /** ISO 3166 alpha-3. */
  country?: string | undefined;
}

/** The fields of a payment that a pause is compared with. */
export interface Going {
  kind: PaymentKind;
  merchant_id: string;
  rail: string;
  details: Record<string, string>;
}

interface Acted {
  /** The operator, stored in the row. */
  by: string;
  record?: RecordLine | undefined;
}

/** The name that pauses payouts in a restore to the past, in the list of pauses. */
export const restorerName = 'restore to the past';

/** The size of the subject in the audit log. */
const subjectLengthMax = 160;

/** The pauses in force, oldest first. */
export function findPayoutPauses(db: Database): Promise<PayoutPauseRow[]> {
  return db('payout_pauses').whereNull('ended_at').orderBy('pause_id');
}

/** Also ended pauses, newest first. @param before only pauses with a lower id. */
export function listPayoutPauses(db: Database, limit: number, before = ''): Promise<PayoutPauseRow[]> {
  const query = db('payout_pauses').orderBy('pause_id', 'desc').limit(limit);
  return before === '' ? query : query.where('pause_id', '<', before);
}

/** The pauses in force, at most a second old: good enough to show, but not to decide whether to send. */
export const knownPayoutPauses = remembered(findPayoutPauses, {
  forMs: 1_000,
  what: 'which payouts are paused',
});

export function holdsBack(
  stop: Omit<PayoutPauseRow, 'pause_id'>,
  { kind, merchant_id, rail, details }: Going,
): boolean {
  if (kind === 'deposit' || (kind === 'refund' && stop.with_refunds === 0)) return false;
  return (
    (stop.merchant_id ?? merchant_id) === merchant_id &&
    (stop.rail ?? rail) === rail &&
    (stop.country === null || stop.country === details['country'])
  );
}

interface Stopping extends Acted {
  reason: string;
  withRefunds: boolean;
}

/** @returns the id of the pause, which is in force from now on. Attempts that took the lock earlier were written before. */
export function pausePayouts(db: Database, scope: PauseScope, stopping: Stopping): Promise<string> {
  return inTransaction(db, (trx) => pausePayoutsIn(trx, scope, stopping));
}

/** Call it last in a transaction: the pause is in force after the commit. */
export async function pausePayoutsIn(
  trx: Transaction,
  scope: PauseScope,
  { by, reason, withRefunds, record }: Stopping,
): Promise<string> {
  const { now, logId } = await lockPauses(trx);
  const names = namesOf(scope);
  const [stopId] = await trx('payout_pauses').insert({
    ...names,
    with_refunds: withRefunds ? 1 : 0,
    reason,
    begun_by: by,
    begun_at: now,
    begun_log_id: logId,
  });
  await rowChanged(trx, 'payout_pauses', String(stopId));
  const details = { ...names, with_refunds: withRefunds, reason };
  const subject = { kind: 'payout_stop', id: String(stopId) };
  await (record
    ? record(trx, { subject, details })
    : recordAction(trx, { by, action: 'payouts.stop', subject, details }));
  return String(stopId);
}

/** Whether `by` has a pause of exactly this scope in force. */
export async function isPausedBy(trx: Transaction, scope: PauseScope, by: string): Promise<boolean> {
  const stop = await trx('payout_pauses')
    .where({ ...namesOf(scope), begun_by: by })
    .whereNull('ended_at')
    .first('pause_id');
  return stop !== undefined;
}

/**
 * Ends every pause of exactly this scope, except that of a restore to the past.
 * @param ofRestore the id of a restore's pause, to end only that one.
 * @returns the ended pauses.
 */
export async function resumePayouts(
  db: Database,
  { merchantId, rail, country }: PauseScope,
  { by, record, ofRestore }: Acted & { ofRestore?: string },
): Promise<PayoutPauseRow[]> {
  return inTransaction(db, async (trx) => {
    const { now, logId } = await lockPauses(trx);
    const scope = namesOf({ merchantId, rail, country });
    const stopped = trx('payout_pauses').where(scope).whereNull('ended_at').orderBy('pause_id');
    const ended = await (ofRestore === undefined
      ? stopped.whereNot({ begun_by: restorerName })
      : stopped.where({ begun_by: restorerName, pause_id: ofRestore }));
    const ids = ended.map(({ pause_id: id }) => id);
    await holdRows(trx, 'payout_pauses', ...ids);
    await trx('payout_pauses')
      .whereIn('pause_id', ids)
      .update({ ended_by: by, ended_at: now, ended_log_id: logId });
    await rowChanged(trx, 'payout_pauses', ...ids);
    if (ended.length > 0) {
      const subject = { kind: 'payout_stop', id: cutText(ids.join(' '), subjectLengthMax) };
      const details = { ...scope, stops: ids.length };
      await (record
        ? record(trx, { subject, details })
        : recordAction(trx, { by, action: 'payouts.start', subject, details }));
    }
    return ended;
  });
}

/** The scope as columns. */
function namesOf({ merchantId, rail, country }: PauseScope) {
  return { merchant_id: merchantId ?? null, rail: rail ?? null, country: country ?? null };
}

/** Takes the exclusive lock: waits for attempts that are being written, and blocks new ones until the commit. */
async function lockPauses(trx: Transaction): Promise<{ now: Date; logId: string }> {
  await trx('payout_lock').where({ id: 1 }).forUpdate().first('id');
  const [[row]] = (await trx.raw(
    'SELECT UTC_TIMESTAMP(3) AS now, COALESCE(MAX(log_id), 0) AS log_id FROM payment_log',
  )) as unknown as [[{ now: Date; log_id: string | number }]];
  return { now: row.now, logId: String(row.log_id) };
}
