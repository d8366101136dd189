/**
 * Our own refunds, which merchants request, seen from their deposit. The provider shows them together with the
 * refunds that it made by itself. Only the provider's own refunds are booked with the deposit: ours were taken from
 * their reserves.
 */
import type { NewCase } from '../../controls/cases';
import type { ProviderResult, ListedRefund } from '../../domain/outcome';
import { notGone, notOurRefund } from '../../domain/payment';
import { isReturned, type ReturnedByProvider } from '../../rail-kit/provider-events';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { nothingBefore, reportedBefore } from './reported-amounts';
import type { Transition } from './transition';

export type OwnRefund = Pick<PaymentRow, 'payment_id' | 'provider_reference' | 'state' | 'requested_minor'>;

/**
 * The amount that the provider gave back by itself. Our own refunds are read after its answer: each refund of ours
 * that it shows was written before it was sent. A refund that we marked as failed does not count as ours: if the
 * provider paid it all the same, it is booked.
 */
export async function withoutOwnRefunds(
  db: Database,
  { payment_id: depositId }: Pick<PaymentRow, 'payment_id'>,
  answer: ProviderResult | undefined,
): Promise<ProviderResult | undefined> {
  if (!isReturned(answer)) return answer;
  const own = await db('payments')
    .where({ parent_id: depositId, kind: 'refund' })
    .whereNotIn('state', notOurRefund)
    .select('payment_id', 'provider_reference', 'state', 'requested_minor');
  return own.length === 0 ? answer : subtract(answer, own);
}

/** Pure. */
export function subtract(providerResult: ReturnedByProvider, own: readonly OwnRefund[]): ReturnedByProvider {
  const listed = providerResult.refunds ?? [];
  const left = new Set(own);
  const others = listed.filter((refund) => !take(left, (ours) => isNamed(ours, refund)));
  // A refund without our id may be ours, with its answer still pending.
  const unauthenticated = others.filter(
    ({ amountMinor }) =>
      !take(left, (ours) => mayBeUnderWay(ours) && BigInt(ours.requested_minor) === amountMinor),
  );
  // The provider may know more refunds than it lists. Of the unlisted amount, as much as may be ours counts as ours.
  const unlisted = providerResult.returnedMinor - sumOf(listed);
  const possible = [...left]
    .filter(({ state }) => state !== 'returned')
    .reduce((sum, { requested_minor: minor }) => sum + BigInt(minor), 0n);
  const returnedMinor = sumOf(unauthenticated) + (unlisted > possible ? unlisted - possible : 0n);
  const isGuess = unauthenticated.length < others.length || (unlisted > 0n && possible > 0n);
  const { refund_id: _, ...details } = providerResult.details ?? {};
  const latest = unauthenticated.at(-1)?.id;
  return {
    ...providerResult,
    // No money was taken back.
    ...(returnedMinor === 0n && { kind: 'refunded' as const }),
    ...(isGuess && { behind: true as const }),
    returnedMinor,
    details: { ...details, ...(latest === undefined ? {} : { refund_id: latest }) },
  };
}

/** Removes the first match, if there is one. */
function take(from: Set<OwnRefund>, fits: (own: OwnRefund) => boolean): boolean {
  const found = [...from].find(fits);
  return found !== undefined && from.delete(found);
}

const isNamed = ({ payment_id, provider_reference }: OwnRefund, { id, names }: ListedRefund) =>
  provider_reference === id || names.includes(payment_id);

const mayBeUnderWay = ({ provider_reference, state }: OwnRefund) =>
  provider_reference === null && (state === 'initiating' || state === 'pending');

const sumOf = (refunds: readonly ListedRefund[]) =>
  refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** The transition of a deposit after our own refund of it has ended; undefined where the refund changes nothing. */
export function transitionOfDeposit(deposit: PaymentRow, refund: PaymentRow): Transition | undefined {
  const isBack = refund.state === 'returned';
  if (!isBack && refund.state !== 'succeeded') return undefined;
  const sign = isBack ? -1n : 1n;
  const gave = BigInt(refund.credited_minor ?? refund.requested_minor);
  const refunded = BigInt(deposit.refunded_minor) + sign * BigInt(refund.requested_minor);
  const isGone = refunded + BigInt(deposit.returned_minor) > 0n;
  const { provider_reference: refundId } = refund;
  return {
    to: !isGone ? 'succeeded' : deposit.state === 'reversed' ? 'reversed' : 'refunded',
    cause: 'refund',
    evidence: `refund ${refund.payment_id} is ${refund.state}`,
    changes: {
      refunded_minor: refunded.toString(),
      refund_debited_minor: (BigInt(deposit.refund_debited_minor) + sign * gave).toString(),
      details: {
        ...deposit.details,
        ...(isBack ? nothingBefore : reportedBefore(deposit)),
        ...(refundId === null || isBack ? {} : { refund_id: refundId }),
      },
      ...(isBack ? { corrected: 1 } : {}),
    },
  };
}

/** A case where our refund succeeded after the provider had given the same money back by itself. */
export function excessOf(deposit: PaymentRow, { changes }: Transition): NewCase | undefined {
  const { confirmed_minor: confirmed, returned_minor: given, instructed_currency: currency } = deposit;
  const refunded = changes?.refunded_minor ?? '0';
  if (BigInt(refunded) + BigInt(given) <= BigInt(confirmed ?? 0)) return undefined;
  const detail = `booked ${confirmed ?? '0'} ${currency}, ${given} refunded beside our refunds of ${refunded} (minor units)`;
  return { reason: 'refund_differs', detail };
}

/**
 * The total of the refunds that are under way or done, and the wallet's debit for them in its own currency. Minor
 * units.
 */
export async function refundsOf(
  db: Database | Transaction,
  depositId: string,
  exceptId = '',
): Promise<{ minor: bigint; debitedMinor: bigint }> {
  const [row] = await db('payments')
    .where({ parent_id: depositId, kind: 'refund' })
    .whereNot({ payment_id: exceptId })
    .whereNotIn('state', notGone)
    .select<{ minor: string; debited: string }[]>(
      db.raw('COALESCE(SUM(requested_minor), 0) AS minor'),
      db.raw('COALESCE(SUM(COALESCE(credited_minor, requested_minor)), 0) AS debited'),
    );
  return { minor: BigInt(row?.minor ?? 0), debitedMinor: BigInt(row?.debited ?? 0) };
}
