/**
 * The kill switch: an operator stops payouts, of one merchant, rail or country or of all, and starts them again. What is
 * stopped is read in the very transaction that writes an attempt, beside a lock that whoever stops takes alone: once a
 * stop is committed, no process writes another attempt of what it holds back.
 */
import { cutText } from '../domain/cut-text';
import type { PaymentKind } from '../domain/payment';
import { recordAction, type RecordLine, holdRows, rowChanged } from '../users/audit-log';
import type { Database, Transaction } from '../store/database';
import { remembered } from '../store/remembered';
import type { PayoutStopRow } from '../store/tables';
import { inTransaction } from '../store/transaction';

/** What of all payouts; undefined is any. Where several are named, all of them are meant at once. */
export interface StopScope {
  merchantId?: string | undefined;
  rail?: string | undefined;
  /** ISO 3166 alpha-3. */
  country?: string | undefined;
}

/** What is to be sent, or asked for, as stops tell it apart. */
export interface Going {
  kind: PaymentKind;
  merchant_id: string;
  rail: string;
  details: Record<string, string>;
}

interface Acted {
  /** Kept with the stop. */
  by: string;
  record?: RecordLine | undefined;
}

/** Whose stop it is that a restore to the past begins with, in the list of stops. */
export const restorerName = 'restore to the past';

/** As much as the audit log takes. */
const subjectLengthMax = 160;

/** What is in force, oldest first. */
export function findPayoutStops(db: Database): Promise<PayoutStopRow[]> {
  return db('payout_stops').whereNull('ended_at').orderBy('stop_id');
}

/** Those of before as well, newest first. @param before the number that comes before the first, if any. */
export function listPayoutStops(db: Database, limit: number, before = ''): Promise<PayoutStopRow[]> {
  const query = db('payout_stops').orderBy('stop_id', 'desc').limit(limit);
  return before === '' ? query : query.where('stop_id', '<', before);
}

/** What is in force, as of a second ago at the most: enough to say what waits, and not to send anything. */
export const knownPayoutStops = remembered(findPayoutStops, {
  forMs: 1_000,
  what: 'which payouts are stopped',
});

export function holdsBack(
  stop: Omit<PayoutStopRow, 'stop_id'>,
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

/** @returns its number. It is in force once this is done: what has asked before was written before. */
export function stopPayouts(db: Database, scope: StopScope, stopping: Stopping): Promise<string> {
  return inTransaction(db, (trx) => stopPayoutsIn(trx, scope, stopping));
}

/** As the last thing of a transaction, with which it comes into force. */
export async function stopPayoutsIn(
  trx: Transaction,
  scope: StopScope,
  { by, reason, withRefunds, record }: Stopping,
): Promise<string> {
  const { now, logId } = await closeGate(trx);
  const names = namesOf(scope);
  const [stopId] = await trx('payout_stops').insert({
    ...names,
    with_refunds: withRefunds ? 1 : 0,
    reason,
    begun_by: by,
    begun_at: now,
    begun_log_id: logId,
  });
  await rowChanged(trx, 'payout_stops', String(stopId));
  const details = { ...names, with_refunds: withRefunds, reason };
  const subject = { kind: 'payout_stop', id: String(stopId) };
  await (record
    ? record(trx, { subject, details })
    : recordAction(trx, { by, action: 'payouts.stop', subject, details }));
  return String(stopId);
}

/** Whether somebody has stopped exactly this, and nobody has started it again. */
export async function isStoppedBy(trx: Transaction, scope: StopScope, by: string): Promise<boolean> {
  const stop = await trx('payout_stops')
    .where({ ...namesOf(scope), begun_by: by })
    .whereNull('ended_at')
    .first('stop_id');
  return stop !== undefined;
}

/**
 * Ends every stop of exactly this scope, but that of a restore to the past, which ends by itself alone.
 * @param ofRestore the number of that one.
 * @returns those that it has ended.
 */
export async function startPayouts(
  db: Database,
  { merchantId, rail, country }: StopScope,
  { by, record, ofRestore }: Acted & { ofRestore?: string },
): Promise<PayoutStopRow[]> {
  return inTransaction(db, async (trx) => {
    const { now, logId } = await closeGate(trx);
    const scope = namesOf({ merchantId, rail, country });
    const stopped = trx('payout_stops').where(scope).whereNull('ended_at').orderBy('stop_id');
    const ended = await (ofRestore === undefined
      ? stopped.whereNot({ begun_by: restorerName })
      : stopped.where({ begun_by: restorerName, stop_id: ofRestore }));
    const ids = ended.map(({ stop_id: id }) => id);
    await holdRows(trx, 'payout_stops', ...ids);
    await trx('payout_stops')
      .whereIn('stop_id', ids)
      .update({ ended_by: by, ended_at: now, ended_log_id: logId });
    await rowChanged(trx, 'payout_stops', ...ids);
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

/** As its columns have it. */
function namesOf({ merchantId, rail, country }: StopScope) {
  return { merchant_id: merchantId ?? null, rail: rail ?? null, country: country ?? null };
}

/** Waits for every attempt that is being written, and has the next ones wait until this commits. */
async function closeGate(trx: Transaction): Promise<{ now: Date; logId: string }> {
  await trx('payout_gate').where({ id: 1 }).forUpdate().first('id');
  const [[row]] = (await trx.raw(
    'SELECT UTC_TIMESTAMP(3) AS now, COALESCE(MAX(log_id), 0) AS log_id FROM payment_log',
  )) as unknown as [[{ now: Date; log_id: string | number }]];
  return { now: row.now, logId: String(row.log_id) };
}
