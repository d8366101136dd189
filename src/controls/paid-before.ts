/**
 * What may have gone out already, although our books do not know it. A database that was restored to the past has lost
 * payouts that were sent, and with them the keys by which their merchants would get them again: these ask anew. So, for
 * as long as a key is kept, whatever looks like a payout that a statement tells of and our books do not waits for a
 * person. A provider that tells no number of who was paid is believed to have paid anybody.
 */
import { holdRows, rowChanged } from '../users/audit-log';
import type { Transaction } from '../store/database';
import type { PaymentRow } from '../store/tables';
import type { Going } from './stops';

/** After a restore that began at a moment within this. As long as a merchant's key is kept. */
export const doubtedForDays = 30;

/** What a rate may have moved between two requests for the same, in parts of a hundred. */
const rateMovesPercent = 5;

export type MaybePaid = Going &
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
export async function holdIfPaidBefore(trx: Transaction, payment: MaybePaid, since: Date): Promise<boolean> {
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
