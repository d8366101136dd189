/** Checks whether a payment can be sent now, once for each attempt, in the transaction that writes the attempt. */
import type { Transaction } from '../store/database';
import type { PayoutHoldRow, PayoutPauseRow, PaymentRow } from '../store/tables';
import { isAsWritten, holdRows, rowChanged } from '../users/audit-log';
import { holdsBack, restorerName, type Going } from './pauses';

/** Why a payment cannot be sent now. */
export type PayoutBarrier =
  | { kind: 'stop'; stop: PayoutPauseRow }
  | { kind: 'hold'; reason: PayoutHoldRow['reason']; untilAt: Date | null };

/** A pause together with the hold of the payment. Without a pause there is one row with NULL for its columns. */
interface Seen extends Omit<PayoutPauseRow, 'pause_id'> {
  pause_id: string | null;
  hold_reason: PayoutHoldRow['reason'] | null;
  hold_until: Date | null;
  hold_released: Date | null;
  /** Whether the time of the hold is over. */
  is_over: number | string | null;
}

/**
 * Call it first in the transaction: it takes a shared lock, and pausing or resuming payouts waits for it until the commit. It
 * needs one statement (none for deposits), and a few more in the 30 days after a restore to the past, whose pause is read along
 * with those in force.
 */
export async function barrierNow(trx: Transaction, payment: MaybePaid): Promise<PayoutBarrier | undefined> {
  if (payment.kind === 'deposit') return undefined;
  const rows = await trx('payout_lock as gate')
    .leftJoin('payout_pauses as stop', (on) => {
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
    .orderBy('stop.pause_id')
    .forShare()
    .select<Seen[]>('stop.*', trx.raw('hold.until_at <= UTC_TIMESTAMP(3) AS is_over'), {
      hold_reason: 'hold.reason',
      hold_until: 'hold.until_at',
      hold_released: 'hold.released_at',
    });
  const stops = rows.filter((row): row is Seen & PayoutPauseRow => row.pause_id !== null);
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

/** Only a cooldown ends by itself. A release counts only if the row matches the audit log. */
async function hasEnded(
  trx: Transaction,
  { payment_id: id }: MaybePaid,
  { hold_reason: reason, hold_released: releasedAt, is_over: isOver }: Seen,
): Promise<boolean> {
  if (releasedAt !== null && (await isAsWritten(trx, 'payout_holds', id))) return true;
  return endsByItself(reason) && Number(isOver ?? 0) === 1;
}

const endsByItself = (reason: Seen['hold_reason']) => reason === 'first_payment_cooldown';

// Payouts that may already be paid, although our books do not have them. A database that was restored to the past has lost sent
// payouts and their idempotency keys, so merchants request them again. For as long as a key is stored, a payout that looks like
// an unmatched receipt of a statement stays on hold for an operator. If the provider names no phone number, any number matches.

/** Applies for this many days after the start of a restore: as long as an idempotency key is stored. */
const doubtedForDays = 30;

/** How much an exchange rate may change between two requests of the same payout, in percent. */
const rateChangePercent = 5;

type MaybePaid = Going &
  Pick<
    PaymentRow,
    'payment_id' | 'state' | 'phone_number' | 'currency' | 'instructed_currency' | 'instructed_minor'
  >;

interface Unknown {
  receipt_id: string;
  provider_reference: string;
  our_reference: string | null;
  phone: string | null;
}

/** The columns of a hold that only an operator can release. */
const waitsForPerson = {
  reason: 'looks_paid',
  until_at: null,
  released_by: null,
  released_at: null,
  note: null,
} as const;

/**
 * Puts a payout on hold if it looks paid, unless an operator has released it from such a hold before. Only for payouts that were
 * never sent: the provider is queried for those that may have been.
 * @param since the start of the restore: earlier receipts are in the restored books.
 */
async function holdIfPaidBefore(trx: Transaction, payment: MaybePaid, since: Date): Promise<boolean> {
  if (payment.state !== 'received') return false;
  const { payment_id: paymentId } = payment;
  const before = await trx('payout_holds').where({ payment_id: paymentId }).forUpdate().first();
  if (before?.reason === 'looks_paid') return before.released_at === null;
  if (!(await isProbablyPaid(trx, payment, since))) return false;
  if (before) {
    // An earlier hold was released or its time was over. It becomes a new hold and keeps its limit.
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

async function isProbablyPaid(trx: Transaction, payment: MaybePaid, since: Date): Promise<boolean> {
  const { payment_id: id, kind, instructed_currency: currency, instructed_minor: minor } = payment;
  const isConverted = payment.currency !== currency;
  const slackMinor = isConverted ? (BigInt(minor) * BigInt(rateChangePercent)) / 100n : 0n;
  const [least, most] = [BigInt(minor) - slackMinor, BigInt(minor) + slackMinor].map(String);
  const unknown = await trx('unmatched_receipts as o')
    .join('statement_lines as l', 'l.line_id', 'o.line_id')
    .where({ 'o.kind': kind, 'o.currency': currency })
    // Not `explained`: those receipts belong to a known payment.
    .whereIn('o.state', ['open', 'assigned', 'returned'])
    .where('o.found_at', '>=', since)
    .whereBetween('o.amount_minor', [least as string, most as string])
    .select<Unknown[]>('o.receipt_id', 'o.provider_reference', 'l.our_reference', 'l.phone');
  return unknown.some(({ provider_reference: theirs, our_reference: ours, phone }) => {
    if (theirs === id || ours === id) return true;
    const reported = digitsOf(phone);
    const known = digitsOf(payment.phone_number);
    return reported === undefined || known === undefined || reported === known;
  });
}

/** The digits with the country code. Undefined for a masked number, which matches any number. */
function digitsOf(phone: string | null): string | undefined {
  const digits = phone?.replaceAll(/[\s+-]/g, '') ?? '';
  return /^\d{9,15}$/.test(digits) ? digits : undefined;
}
