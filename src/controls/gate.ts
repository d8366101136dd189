/** May this be sent now? Asked once for each attempt, in the transaction that writes it. */
import { isAsWritten } from '../users/audit-log';
import type { Transaction } from '../store/database';
import type { PayoutHoldRow, PayoutStopRow } from '../store/tables';
import { doubtedForDays, holdIfPaidBefore, type MaybePaid } from './paid-before';
import { holdsBack, restorerName } from './stops';

/** What keeps a payment from being sent. */
export type Barrier =
  | { kind: 'stop'; stop: PayoutStopRow }
  | { kind: 'hold'; reason: PayoutHoldRow['reason']; untilAt: Date | null };

/** A stop, and what is said of the payment beside each; without any, one row whose stop has only NULL. */
interface Seen extends Omit<PayoutStopRow, 'stop_id'> {
  stop_id: string | null;
  hold_reason: PayoutHoldRow['reason'] | null;
  hold_until: Date | null;
  hold_released: Date | null;
  /** Whether its time is over. */
  is_over: number | string | null;
}

/**
 * First of all in its transaction, because whoever stops waits for those that have asked; until it commits, nobody stops
 * or starts anything. One statement, by which deposits are not kept up; a few more in the month after a restore to the
 * past, whose stop is read with those in force.
 */
export async function barrierNow(trx: Transaction, payment: MaybePaid): Promise<Barrier | undefined> {
  if (payment.kind === 'deposit') return undefined;
  const rows = await trx('payout_gate as gate')
    .leftJoin('payout_stops as stop', (on) => {
      on.onNull('stop.ended_at').orOn(
        trx.raw('(stop.begun_by = ? AND stop.begun_at > UTC_TIMESTAMP(3) - INTERVAL ? DAY)', [
          restorerName,
          doubtedForDays,
        ]),
      );
    })
    .leftJoin('payout_holds as hold', (on) => {
      on.onVal('hold.payment_id', payment.payment_id);
    })
    .where('gate.id', 1)
    .orderBy('stop.stop_id')
    .forShare()
    .select<Seen[]>('stop.*', trx.raw('hold.until_at <= UTC_TIMESTAMP(3) AS is_over'), {
      hold_reason: 'hold.reason',
      hold_until: 'hold.until_at',
      hold_released: 'hold.released_at',
    });
  const stops = rows.filter((row): row is Seen & PayoutStopRow => row.stop_id !== null);
  const stop = stops.find((row) => row.ended_at === null && holdsBack(row, payment));
  if (stop) return { kind: 'stop', stop };
  const [row] = rows;
  if (row?.hold_reason && !(await hasEnded(trx, payment, row))) {
    const { hold_reason: reason, hold_until: until } = row;
    return { kind: 'hold', reason, untilAt: endsByItself(reason) ? until : null };
  }
  const restored = stops.find(({ begun_by: by }) => by === restorerName);
  if (restored && (await holdIfPaidBefore(trx, payment, restored.begun_at)))
    return { kind: 'hold', reason: 'looks_paid', untilAt: null };
  return undefined;
}

/** Only a cool-down ends by itself, and a release counts where the audit log has it as it stands. */
async function hasEnded(
  trx: Transaction,
  { payment_id: id }: MaybePaid,
  { hold_reason: reason, hold_released: releasedAt, is_over: isOver }: Seen,
): Promise<boolean> {
  if (releasedAt !== null && (await isAsWritten(trx, 'payout_holds', id))) return true;
  return endsByItself(reason) && Number(isOver ?? 0) === 1;
}

const endsByItself = (reason: Seen['hold_reason']) => reason === 'first_payment_cooldown';
