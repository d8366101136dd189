/**
 * What a provider warns of before its own answer shows anything: a dispute, or money that it took back. Nothing is
 * debited for that. A person is told, what was named is kept to be shown, and the payment is looked at for a while. What
 * the provider's own signed words name is held meanwhile (contested.ts). Pure.
 */
import type { Dispute, Finding, Warning } from '../../domain/outcome';
import type { PaymentRow } from '../../store/tables';
import type { NewCase } from '../../controls/cases';
import type { Decision, Facts } from './decide';
import type { Notice } from '../rail/notices';

/** The detail that keeps when a payment was warned of last, by its own clock: looks are counted from it. */
export const warnedAtDetail = 'warned_at';
/** Present once what had been given back was booked as paid once more: that happens once. */
export const paidAgainDetail = 'paid_again_minor';

/** `no` while nothing but unsigned words, which the sandbox takes, have warned of it. */
export const vouchedDetail = 'warning_vouched';
/** Minor units of the provider's currency that a warning is about, or `all` of it. */
const minorDetails = { disputed: 'disputed_minor', reversal_told: 'reversal_told_minor' } as const;
const all = 'all';
/** What had gone back, in minor units of the provider's currency, when a reversal was told of that is not shown yet. */
const reversalFromDetail = 'reversal_told_from';
/** What was signed last of a dispute; `dispute_over` is `yes` once it was won, or a person has closed its case. */
const disputeDetails = { id: 'dispute_told_id', toldAt: 'dispute_told_at', isWon: 'dispute_over' } as const;
/** `yes` once a second dispute was told of before the first was over: which of them is open is then a person's to say. */
const severalDetail = 'disputes_several';
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

type Warns = Extract<Finding, { kind: 'hint' }> & { warns: Warning };
type Warned = Notice & { finding: Warns };

function isWarning(notice: Notice): notice is Warned {
  return notice.finding.kind === 'hint' && notice.finding.warns !== undefined;
}

/** The decision with a case for what was warned of; of a reversal only while the provider does not show it. */
export function aboutWarnings(facts: Facts, decision: Decision): Decision {
  const news = newsAmong(facts.notices.filter(isWarning), facts.warnedBefore.dispute);
  if (news.length === 0) return decision;
  const isShown = facts.answer?.kind === 'reversed' && facts.answer.behind !== true;
  const won = news.findLast(({ finding }) => finding.warns === 'disputed');
  const noted = notesOf(facts, news);
  const isAlone = noted[severalDetail] !== 'yes';
  const isOver = isAlone && won?.isProven === true && won.finding.dispute?.isWon === true;
  const cases = news
    .filter(({ finding: { warns } }) => (warns === 'disputed' ? !isOver : !isShown))
    .map(({ finding: { warns, text, notes = {} } }): NewCase => ({
      reason: warns,
      detail: wordsOf(text, notes),
    }));
  const settles: NewCase[] = isOver
    ? [{ reason: 'disputed', detail: wordsOf(won.finding.text, won.finding.notes ?? {}) }]
    : [];
  return { ...decision, cases: [...decision.cases, ...cases], settles, noted };
}

/** Those of a dispute in the order in which they were told, without what is older than what is known of it. */
function newsAmong(warnings: Warned[], known: Dispute | undefined): Warned[] {
  const toldAt = ({ finding }: Warned) => finding.dispute?.toldAt ?? '';
  const inOrder = [...warnings].sort((a, b) => (toldAt(a) < toldAt(b) ? -1 : toldAt(a) > toldAt(b) ? 1 : 0));
  let last = known;
  return inOrder.filter(({ finding: { dispute }, isProven }) => {
    if (dispute === undefined) return true;
    const isOld = last?.id === dispute.id && isBefore(dispute, last);
    if (!isOld && isProven) last = dispute;
    return !isOld;
  });
}

function isBefore(one: Dispute, other: Dispute): boolean {
  if (one.toldAt !== other.toldAt) return one.toldAt < other.toldAt;
  return other.isWon && !one.isWon;
}

function notesOf(facts: Facts, news: Warned[]): Record<string, string> {
  const noted: Record<string, string> = {};
  let { reversal, dispute: last, hasSeveral = false } = facts.warnedBefore;
  for (const { finding, isProven = false } of news) {
    const { warns, notes, dispute } = finding;
    Object.assign(noted, notes);
    // What nobody has signed is shown, and says nothing of what is signed.
    if (!isProven) continue;
    noted[vouchedDetail] = 'yes';
    if (dispute) {
      hasSeveral ||= last !== undefined && last.id !== dispute.id && !last.isWon;
      last = dispute;
      const { id, toldAt, isWon } = dispute;
      noted[disputeDetails.id] = id;
      noted[disputeDetails.toldAt] = toldAt;
      noted[disputeDetails.isWon] = isWon ? 'yes' : 'no';
      if (hasSeveral) noted[severalDetail] = 'yes';
    }
    const told = hasSeveral ? all : toldOf(facts, finding);
    if (warns === 'disputed') noted[minorDetails.disputed] = told;
    else {
      if (reversal === undefined) noted[reversalFromDetail] = facts.givenBackMinor.toString();
      noted[minorDetails.reversal_told] = reversal = moreOf(reversal, told);
    }
  }
  if (noted[vouchedDetail] === undefined && facts.warnedBefore.at === undefined) noted[vouchedDetail] = 'no';
  return noted;
}

/** What is named in another currency than the payment's may be all of it. */
function toldOf({ instructedCurrency }: Facts, { mayTake }: Warns): string {
  return mayTake?.currency === instructedCurrency ? mayTake.amountMinor.toString() : all;
}

/** Two parts that are told of and not shown yet may be one part told of twice. */
function moreOf(one: string | undefined, other: string): string {
  if (one === undefined) return other;
  if (one === all || other === all) return all;
  return BigInt(one) > BigInt(other) ? one : other;
}

function wordsOf(text: string, notes: Record<string, string>): string {
  return [text, ...Object.entries(notes).map(([name, value]) => `${name} ${value}`)].join(', ');
}
