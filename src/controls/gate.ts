/** May this be sent now? Asked once for each attempt, in the transaction that writes it. */
import type { Transaction } from '../store/database';
import type { PayoutHoldRow, PayoutStopRow, PaymentRow } from '../store/tables';
import { isAsWritten, holdRows, rowChanged } from '../users/audit-log';
import { holdsBack, restorerName, type Going } from './stops';

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

// What may have gone out already, although our books do not know it. A database that was restored to the past has lost
// payouts that were sent, and with them the keys by which their merchants would get them again: these ask anew. So, for
// as long as a key is kept, whatever looks like a payout that a statement tells of and our books do not waits for a
// person. A provider that tells no number of who was paid is believed to have paid anybody.

/** After a restore that began at a moment within this. As long as a merchant's key is kept. */
const doubtedForDays = 30;

/** What a rate may have moved between two requests for the same, in parts of a hundred. */
const rateMovesPercent = 5;

type MaybePaid = Going &
  Pick<
    PaymentRow,
    'payment_id' | 'state' | 'phone_number' | 'currency' | 'instructed_currency' | 'instructed_minor'
  >;

interface Unknown {
  orphan_id: string;
  provider_reference: string;
  our_reference: string | null;
  phone: string | null;
}

/** Only a person releases it. */
const waitsForPerson = {
  reason: 'looks_paid',
  until_at: null,
  released_by: null,
  released_at: null,
  note: null,
} as const;

/**
 * Holds back what looks like one of them, unless somebody has released it from this before. Only what was never sent:
 * what may have been is asked for under its own name.
 * @param since when the restore began: what was found before is in the books that were restored.
 */
async function holdIfPaidBefore(trx: Transaction, payment: MaybePaid, since: Date): Promise<boolean> {
  if (payment.state !== 'received') return false;
  const { payment_id: paymentId } = payment;
  const before = await trx('payout_holds').where({ payment_id: paymentId }).forUpdate().first();
  if (before?.reason === 'looks_paid') return before.released_at === null;
  if (!(await looksPaid(trx, payment, since))) return false;
  if (before) {
    // It was released from another hold, or its time was over, and waits again. Of which limit stays.
    await holdRows(trx, 'payout_holds', paymentId);
    await trx('payout_holds').where({ payment_id: paymentId }).update(waitsForPerson);
    await rowChanged(trx, 'payout_holds', paymentId);
    return true;
  }
  await trx('payout_holds').insert({
    payment_id: paymentId,
    limit_id: null,
    held_at: trx.raw('UTC_TIMESTAMP(3)') as never,
    ...waitsForPerson,
  });
  return true;
}

async function looksPaid(trx: Transaction, payment: MaybePaid, since: Date): Promise<boolean> {
  const { payment_id: id, kind, instructed_currency: currency, instructed_minor: minor } = payment;
  const isConverted = payment.currency !== currency;
  const slackMinor = isConverted ? (BigInt(minor) * BigInt(rateMovesPercent)) / 100n : 0n;
  const [least, most] = [BigInt(minor) - slackMinor, BigInt(minor) + slackMinor].map(String);
  const unknown = await trx('orphans as o')
    .join('statement_lines as l', 'l.line_id', 'o.line_id')
    .where({ 'o.kind': kind, 'o.currency': currency })
    // What our books had by a later look was paid under its own name.
    .whereIn('o.state', ['open', 'claimed', 'returned'])
    .where('o.found_at', '>=', since)
    .whereBetween('o.amount_minor', [least as string, most as string])
    .select<Unknown[]>('o.orphan_id', 'o.provider_reference', 'l.our_reference', 'l.phone');
  return unknown.some(({ provider_reference: theirs, our_reference: ours, phone }) => {
    if (theirs === id || ours === id) return true;
    const told = digitsOf(phone);
    const known = digitsOf(payment.phone_number);
    return told === undefined || known === undefined || told === known;
  });
}

/** Digits alone, with the country's. A number that is masked may be anybody's. */
function digitsOf(phone: string | null): string | undefined {
  const digits = phone?.replaceAll(/[\s+-]/g, '') ?? '';
  return /^\d{9,15}$/.test(digits) ? digits : undefined;
}
