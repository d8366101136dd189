import type { Dispute, ProviderResult, Warning } from '../../domain/outcome';
import type { PaymentRow } from '../../store/tables';

/** The detail with the time of the last warning, by the payment's own clock: checks are counted from it. */
export const warnedAtDetail = 'warned_at';

/** Present once a returned amount was booked as paid again: that happens only once. */
export const paidAgainDetail = 'paid_again_minor';

/** `no` while only unsigned warnings, which the sandbox accepts, exist. */
export const vouchedDetail = 'warning_vouched';

/** Minor units of the provider's currency that a warning is about, or `all` of it. */
export const minorDetails = { disputed: 'disputed_minor', reversal_reported: 'reversal_told_minor' } as const;

export const all = 'all';

/**
 * What had gone back, in minor units of the provider's currency, when a reversal was reported that the provider does
 * not show yet.
 */
export const reversalFromDetail = 'reversal_told_from';

/** The last signed data of a dispute; `dispute_over` is `yes` once it was won, or an operator has closed its case. */
export const disputeDetails = {
  id: 'dispute_told_id',
  reportedAt: 'dispute_told_at',
  isWon: 'dispute_over',
} as const;

/**
 * `yes` once a second dispute was reported before the first was over: an operator must then decide which one is open.
 */
export const severalDetail = 'disputes_several';

/** Every warning changes at least the time of the last one. */
const warningDetails = [
  warnedAtDetail,
  vouchedDetail,
  severalDetail,
  ...Object.values(minorDetails),
  ...Object.values(disputeDetails),
];

/** What the details of a payment say about earlier warnings. */
export interface WarnedBefore {
  at?: string;
  dispute?: Dispute;
  hasSeveral?: boolean;
  /** As stored: the amount of a reversal that the provider does not show yet. */
  reversal?: string;
}

export function warnedBefore({ details }: PaymentRow): WarnedBefore {
  const { [warnedAtDetail]: at, [minorDetails.reversal_reported]: reversal } = details;
  const { [disputeDetails.id]: id, [disputeDetails.reportedAt]: reportedAt } = details;
  const isWon = details[disputeDetails.isWon] === 'yes';
  return {
    ...(at === undefined ? {} : { at }),
    ...(reversal === undefined ? {} : { reversal }),
    hasSeveral: details[severalDetail] === 'yes',
    ...(id === undefined || reportedAt === undefined ? {} : { dispute: { id, reportedAt, isWon } }),
  };
}

export function isWarned({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[warnedAtDetail] !== undefined;
}

/** Whether both rows have the same warnings: a review that was overtaken has decided on older ones. */
export function isWarnedAlike(one: PaymentRow, other: PaymentRow): boolean {
  return warningDetails.every((name) => one.details[name] === other.details[name]);
}

/** Whether the warning reserves money. Older warnings did not record their source: in live all were signed. */
export function isVouchedFor({ details }: PaymentRow): boolean {
  return details[vouchedDetail] !== 'no';
}

/** Minor units of the provider's currency that a warning named; undefined where it may be all of the payment. */
export function reportedMinorOf({ details }: PaymentRow, warning: Warning): bigint | undefined {
  const reported = details[minorDetails[warning]];
  return reported === undefined || reported === all ? undefined : BigInt(reported);
}

/**
 * Whether the returned amount that is booked now is the reported reversal. A stale answer does not show the reversal
 * yet. Less than the reported amount is another refund. Where no amount was reported, only all that is left is the
 * reversal.
 */
export function showsReversal(
  payment: PaymentRow,
  { returnedMinor, providerResult }: { returnedMinor: bigint; providerResult: ProviderResult },
): boolean {
  if ('behind' in providerResult) return false;
  const before = BigInt(payment.returned_minor);
  const left = BigInt(payment.confirmed_minor ?? 0) - before - BigInt(payment.refunded_minor);
  const reported = reportedMinorOf(payment, 'reversal_reported') ?? left;
  return returnedMinor - before >= (reported < left ? reported : left);
}

/** What went back before a reversal was reported does not belong to it. Minor units of the provider's currency. */
export function debitedBeforeReversal({ details }: PaymentRow): bigint {
  return BigInt(details[reversalFromDetail] ?? 0);
}

/** Removes a reported reversal that the provider has shown and that is booked. */
export function withoutReversal(details: PaymentRow['details']): PaymentRow['details'] {
  const shown: string[] = [minorDetails.reversal_reported, reversalFromDetail];
  return Object.fromEntries(Object.entries(details).filter(([name]) => !shown.includes(name)));
}

/** An operator has closed the case of its disputes: the next report concerns another dispute only. */
export function withDisputesOver(details: PaymentRow['details']): PaymentRow['details'] {
  if (details[disputeDetails.id] === undefined) return details;
  const kept = Object.entries(details).filter(([name]) => name !== severalDetail);
  return { ...Object.fromEntries(kept), [disputeDetails.isWon]: 'yes' };
}

/** The dispute that had the reserve first, and what had gone back by then, in the wallet's minor units. */
const heldDetails = { dispute: 'held_for_dispute', from: 'held_from_gone' } as const;

/** Whether it had a reserve for any dispute with an id. */
export function wasHeld({ details }: PaymentRow): boolean {
  return details[heldDetails.dispute] !== undefined;
}

/** What had gone back when the latest reported dispute first got its reserve; undefined for another dispute. */
export function heldFrom({ details }: PaymentRow): bigint | undefined {
  const from = details[heldDetails.from];
  const isSame = details[heldDetails.dispute] === details[disputeDetails.id];
  return isSame && from !== undefined ? BigInt(from) : undefined;
}

export function heldFromDetails({ details }: PaymentRow, goneBefore: bigint): Record<string, string> {
  const id = details[disputeDetails.id];
  return id === undefined ? {} : { [heldDetails.dispute]: id, [heldDetails.from]: goneBefore.toString() };
}
