/**
 * A restore from an old copy: the database does not know what was accepted, sent and paid after the copy. No payout
 * is sent before the providers' statements show what was paid. A payment that looks paid waits for an operator
 * (controls/payout-barrier.ts).
 */
import { restorerName, resumePayouts, pausePayoutsIn } from '../../controls/pauses';
import type { RecordLine } from '../../users/audit-log';
import { isReported } from '../../reconciliation/missing-lines';
import type { Database } from '../../store/database';
import { runningProcesses, type RunningProcesses } from '../../store/processes';
import type { UnmatchedReceiptRow, PayoutPauseRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { presumeSent } from '../submit/presume-sent';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Rail } from '../../rail-kit/rail';

export interface Restore {
  /** The pause of this restore. */
  stop: PayoutPauseRow;
  /** The time of the copy. */
  copiedAt: Date;
}

export type RestoreBegun =
  | { kind: 'begun'; stopId: string; presumed: number }
  | { kind: 'begun_before' }
  /** Processes use the database: they may have sent payouts since. */
  | { kind: 'in_use'; running: RunningProcesses[] };

/** Pauses all payouts before the first process runs, and marks each unsent payment as possibly sent. */
export function beginRestore(
  context: PaymentsContext,
  copiedAt: Date,
  { reason, record }: { reason: string; record: RecordLine },
): Promise<RestoreBegun> {
  return inTransaction(context.db, async (trx): Promise<RestoreBegun> => {
    const running = await runningProcesses(trx);
    if (running.length > 0) return { kind: 'in_use', running };
    await trx('payout_lock').where({ id: 1 }).forUpdate().first('id');
    if (await findStop(trx)) return { kind: 'begun_before' };
    const presumed = await presumeSent(trx, context, copiedAt);
    const stopId = await pausePayoutsIn(
      trx,
      {},
      {
        by: restorerName,
        reason,
        withRefunds: true,
        record: (inside, { subject, details }) =>
          record(inside, {
            subject,
            details: { ...details, restored_to: copiedAt.toISOString(), presumed_sent: presumed },
          }),
      },
    );
    return { kind: 'begun', stopId, presumed };
  });
}

const findStop = (db: Database): Promise<PayoutPauseRow | undefined> =>
  db('payout_pauses').where({ begun_by: restorerName }).whereNull('ended_at').first();

/** The restore that has begun and is not over. */
export async function findRestore(db: Database): Promise<Restore | undefined> {
  const stop = await findStop(db);
  const reported = stop && (await findRestores(db)).find(({ stopId }) => stopId === stop.pause_id);
  return reported && { stop, copiedAt: reported.restoredTo };
}

export interface RestoreStatus {
  stopId: string;
  restoredTo: Date;
  at: Date;
  by: string;
}

/** All restores, oldest first, from the audit log. */
export async function findRestores(db: Database): Promise<RestoreStatus[]> {
  const lines = await db('audit_log').where({ action: 'restore.begin' }).orderBy('seq');
  return lines.map(({ subject_id: stopId, details, at, acted_by: by }) => ({
    stopId,
    restoredTo: new Date((JSON.parse(details) as { restored_to: string }).restored_to),
    at,
    by,
  }));
}

export interface RailProgress {
  rail: string;
  provider: string;
  /** Whether the statements imported since cover all the lost time, and each line is compared. */
  isCovered: boolean;
}

export interface RestoreProgress {
  rails: RailProgress[];
  /** Money that was paid in that time and is not yet assigned to a payment. */
  unmatchedReceipts: UnmatchedReceiptRow[];
}

/** How far the provider's clock and ours may differ. */
const marginMs = 15 * 60_000;

export async function restoreProgress(
  { db, rails }: PaymentsContext,
  { stop, copiedAt }: Restore,
): Promise<RestoreProgress> {
  const lost = { from: new Date(copiedAt.getTime() - marginMs), to: stop.begun_at };
  const stands: RailProgress[] = [];
  for (const rail of rails.all.filter(paysOut)) {
    const provider = rail.statement?.provider;
    const covered =
      provider !== undefined && (await isReported(db, provider, lost, { since: stop.begun_at }));
    stands.push({ rail: rail.name, provider: provider ?? '', isCovered: covered });
  }
  const unmatchedReceipts = await db('unmatched_receipts')
    .where({ state: 'open' })
    .whereIn('kind', ['payout', 'refund'])
    .where('found_at', '>=', stop.begun_at)
    .orderBy('occurred_at');
  return { rails: stands, unmatchedReceipts };
}

const paysOut = ({ operations }: Rail) => operations.payout !== undefined || operations.refund !== undefined;

/** Resumes the payouts on hold, and keeps those on hold that look paid. */
export function endRestore(
  db: Database,
  { stopId, by, record }: { stopId: string; by: string; record: RecordLine },
): Promise<PayoutPauseRow[]> {
  return resumePayouts(db, {}, { by, record, ofRestore: stopId });
}
