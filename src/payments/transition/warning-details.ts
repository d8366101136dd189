import type { Dispute, Finding, Warning } from '../../domain/outcome';
import type { PaymentRow } from '../../store/tables';

/** The detail that keeps when a payment was warned of last, by its own clock: looks are counted from it. */
export const warnedAtDetail = 'warned_at';

/** Present once what had been given back was booked as paid once more: that happens once. */
export const paidAgainDetail = 'paid_again_minor';

/** `no` while nothing but unsigned words, which the sandbox takes, have warned of it. */
export const vouchedDetail = 'warning_vouched';

/** Minor units of the provider's currency that a warning is about, or `all` of it. */
export const minorDetails = { disputed: 'disputed_minor', reversal_told: 'reversal_told_minor' } as const;

export const all = 'all';

/** What had gone back, in minor units of the provider's currency, when a reversal was told of that is not shown yet. */
export const reversalFromDetail = 'reversal_told_from';

/** What was signed last of a dispute; `dispute_over` is `yes` once it was won, or a person has closed its case. */
export const disputeDetails = {
  id: 'dispute_told_id',
  toldAt: 'dispute_told_at',
  isWon: 'dispute_over',
} as const;

/** `yes` once a second dispute was told of before the first was over: which of them is open is then a person's to say. */
export const severalDetail = 'disputes_several';

/** A warning is at least known by when it was the last. */
const warningDetails = [
  warnedAtDetail,
  vouchedDetail,
  severalDetail,
  ...Object.values(minorDetails),
  ...Object.values(disputeDetails),
];

/** What the details of a payment tell of the warnings before. */
export interface WarnedBefore {
  at?: string;
  dispute?: Dispute;
  hasSeveral?: boolean;
  /** As kept: of a reversal that is not shown yet, how much it is about. */
  reversal?: string;
}

export function warnedBefore({ details }: PaymentRow): WarnedBefore {
  const { [warnedAtDetail]: at, [minorDetails.reversal_told]: reversal } = details;
  const { [disputeDetails.id]: id, [disputeDetails.toldAt]: toldAt } = details;
  const isWon = details[disputeDetails.isWon] === 'yes';
  return {
    ...(at === undefined ? {} : { at }),
    ...(reversal === undefined ? {} : { reversal }),
    hasSeveral: details[severalDetail] === 'yes',
    ...(id === undefined || toldAt === undefined ? {} : { dispute: { id, toldAt, isWon } }),
  };
}

export function isWarned({ details }: Pick<PaymentRow, 'details'>): boolean {
  return details[warnedAtDetail] !== undefined;
}

/** Whether as much was known of its warnings: who was overtaken has decided upon what was known before. */
export function isWarnedAlike(one: PaymentRow, other: PaymentRow): boolean {
  return warningDetails.every((name) => one.details[name] === other.details[name]);
}

/** Whether money is held for what was warned of. Nothing is known of how older warnings came: in live all were signed. */
export function isVouchedFor({ details }: PaymentRow): boolean {
  return details[vouchedDetail] !== 'no';
}

/** Minor units of the provider's currency that a warning named; undefined where it may be all of the payment. */
export function toldMinorOf({ details }: PaymentRow, warning: Warning): bigint | undefined {
  const told = details[minorDetails[warning]];
  return told === undefined || told === all ? undefined : BigInt(told);
}

/**
 * Whether what is booked now is the reversal that was told of: an answer that lags behind does not show it yet, and less
 * than what was named is another refund. Where no amount was named only all that is left is that.
 */
export function showsReversal(
  payment: PaymentRow,
  { givenBackMinor, finding }: { givenBackMinor: bigint; finding: Finding },
): boolean {
  if ('behind' in finding) return false;
  const before = BigInt(payment.given_back_minor);
  const left = BigInt(payment.confirmed_minor ?? 0) - before - BigInt(payment.refunded_minor);
  const told = toldMinorOf(payment, 'reversal_told') ?? left;
  return givenBackMinor - before >= (told < left ? told : left);
}

/** What went back before a reversal was told of is no part of it. Minor units of the provider's currency. */
export function goneBeforeReversal({ details }: PaymentRow): bigint {
  return BigInt(details[reversalFromDetail] ?? 0);
}

/** What was shown, and is booked, is no reversal that is only told of any more. */
export function withoutReversal(details: PaymentRow['details']): PaymentRow['details'] {
  const shown: string[] = [minorDetails.reversal_told, reversalFromDetail];
  return Object.fromEntries(Object.entries(details).filter(([name]) => !shown.includes(name)));
}

/** A person has closed the case of its disputes: what is told of another one is that one's alone. */
export function withDisputesOver(details: PaymentRow['details']): PaymentRow['details'] {
  if (details[disputeDetails.id] === undefined) return details;
  const kept = Object.entries(details).filter(([name]) => name !== severalDetail);
  return { ...Object.fromEntries(kept), [disputeDetails.isWon]: 'yes' };
}

/** The dispute that was held for when the hold began, and what had gone by then, in the wallet's minor units. */
const heldDetails = { dispute: 'held_for_dispute', from: 'held_from_gone' } as const;

/** Whether it has been held for any dispute that has a name. */
export function wasHeld({ details }: PaymentRow): boolean {
  return details[heldDetails.dispute] !== undefined;
}

/** What had gone when it was first held for the dispute that was told of last; undefined for another dispute. */
export function heldFrom({ details }: PaymentRow): bigint | undefined {
  const from = details[heldDetails.from];
  const isSame = details[heldDetails.dispute] === details[disputeDetails.id];
  return isSame && from !== undefined ? BigInt(from) : undefined;
}

export function heldFromDetails({ details }: PaymentRow, goneBefore: bigint): Record<string, string> {
  const id = details[disputeDetails.id];
  return id === undefined ? {} : { [heldDetails.dispute]: id, [heldDetails.from]: goneBefore.toString() };
}
