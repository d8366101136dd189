/**
 * Refunds that merchants ask for through us, seen from their deposit. The provider shows them with it beside those that
 * it has made by itself, and only these are booked with the deposit: ours were taken out of their holds.
 */
import type { NewCase } from '../../controls/cases';
import type { Finding, ToldRefund } from '../../domain/outcome';
import { notGone } from '../../domain/payment';
import { isGivenBack, type GivenBack } from '../../rail-kit/provider-events';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { nothingBefore, toldBefore } from './reported-amounts';
import type { Move } from './transition';

export type OwnRefund = Pick<PaymentRow, 'payment_id' | 'provider_reference' | 'state' | 'requested_minor'>;

/**
 * What the provider gave back by itself. Our own refunds are read after its answer: whatever it shows of them was written
 * down before it was sent. One that we have called failed is none of them: what it gave back all the same is booked.
 */
export async function withoutOwnRefunds(
  db: Database,
  { payment_id: depositId }: Pick<PaymentRow, 'payment_id'>,
  answer: Finding | undefined,
): Promise<Finding | undefined> {
  if (!isGivenBack(answer)) return answer;
  const own = await db('payments')
    .where({ parent_id: depositId, kind: 'refund' })
    .whereNotIn('state', ['received', 'failed', 'cancelled'])
    .select('payment_id', 'provider_reference', 'state', 'requested_minor');
  return own.length === 0 ? answer : subtract(answer, own);
}

/** Pure. */
export function subtract(finding: GivenBack, own: readonly OwnRefund[]): GivenBack {
  const listed = finding.refunds ?? [];
  const left = new Set(own);
  const others = listed.filter((refund) => !take(left, (ours) => isNamed(ours, refund)));
  // One that bears no name of ours may be the one whose answer we wait for.
  const strangers = others.filter(
    ({ amountMinor }) =>
      !take(left, (ours) => mayBeUnderWay(ours) && BigInt(ours.requested_minor) === amountMinor),
  );
  // The provider may know of more than it lists; so much of that as may be ours counts as ours.
  const unlisted = finding.givenBackMinor - sumOf(listed);
  const possible = [...left]
    .filter(({ state }) => state !== 'returned')
    .reduce((sum, { requested_minor: minor }) => sum + BigInt(minor), 0n);
  const givenBackMinor = sumOf(strangers) + (unlisted > possible ? unlisted - possible : 0n);
  const isGuess = strangers.length < others.length || (unlisted > 0n && possible > 0n);
  const { refund_id: _, ...details } = finding.details ?? {};
  const latest = strangers.at(-1)?.id;
  return {
    ...finding,
    // Nothing was taken back.
    ...(givenBackMinor === 0n && { kind: 'refunded' as const }),
    ...(isGuess && { behind: true as const }),
    givenBackMinor,
    details: { ...details, ...(latest === undefined ? {} : { refund_id: latest }) },
  };
}

/** Takes the first that fits, if one does. */
function take(from: Set<OwnRefund>, fits: (own: OwnRefund) => boolean): boolean {
  const found = [...from].find(fits);
  return found !== undefined && from.delete(found);
}

const isNamed = ({ payment_id, provider_reference }: OwnRefund, { id, names }: ToldRefund) =>
  provider_reference === id || names.includes(payment_id);

const mayBeUnderWay = ({ provider_reference, state }: OwnRefund) =>
  provider_reference === null && (state === 'initiating' || state === 'pending');

const sumOf = (refunds: readonly ToldRefund[]) =>
  refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** How a deposit goes on with a refund of ours that has ended; undefined where that tells nothing of it. */
export function moveOfDeposit(deposit: PaymentRow, refund: PaymentRow): Move | undefined {
  const isBack = refund.state === 'returned';
  if (!isBack && refund.state !== 'succeeded') return undefined;
  const sign = isBack ? -1n : 1n;
  const gave = BigInt(refund.credited_minor ?? refund.requested_minor);
  const refunded = BigInt(deposit.refunded_minor) + sign * BigInt(refund.requested_minor);
  const isGone = refunded + BigInt(deposit.given_back_minor) > 0n;
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
        ...(isBack ? nothingBefore : toldBefore(deposit)),
        ...(refundId === null || isBack ? {} : { refund_id: refundId }),
      },
      ...(isBack ? { corrected: 1 } : {}),
    },
  };
}

/** A person is told where ours is done after the provider has given back by itself what ours gives back, too. */
export function excessOf(deposit: PaymentRow, { changes }: Move): NewCase | undefined {
  const { confirmed_minor: confirmed, given_back_minor: given, instructed_currency: currency } = deposit;
  const refunded = changes?.refunded_minor ?? '0';
  if (BigInt(refunded) + BigInt(given) <= BigInt(confirmed ?? 0)) return undefined;
  const detail = `booked ${confirmed ?? '0'} ${currency}, ${given} given back beside ${refunded} that we refunded (minor units)`;
  return { reason: 'given_back_differs', detail };
}

/** What refunds give back, or have given, and what the wallet gives for them, in its own currency. Minor units. */
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
