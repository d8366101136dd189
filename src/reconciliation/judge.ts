/** Compares a statement line with what we know. It reads and writes nothing. */
import type { Knex } from 'knex';
import { formatAmount } from '../domain/money';
import { isFinal, isSettled } from '../domain/payment';
import type { UnmatchedReceiptRow, PaymentRow, StatementLineRow } from '../store/tables';
import { reviewReasonOfFee, reviewReasonOfKept, type Charged, type DayVolume } from './fee-review';
import type { Outcome } from './outcomes';
import { isReturnOf, lineKindOf } from './statement';
import { namedFrom } from './without-receipt';

export type KnownPayment = Pick<
  PaymentRow,
  | 'payment_id'
  | 'rail'
  | 'kind'
  | 'state'
  | 'instructed_currency'
  | 'confirmed_minor'
  | 'returned_minor'
  | 'refunded_minor'
  | 'provider_reference'
  | 'provider_receipt'
  | 'callback_token'
  | 'details'
>;

/** The data that a line is compared with. */
export interface Evidence {
  /** An earlier completed line with the same provider, id and kind; for a fee also with the same amount. */
  before: StatementLineRow | undefined;
  payment: KnownPayment | undefined;
  /** The provider's code of the payment with this reference, if the line has another code. */
  otherCode?: string | undefined;
  /** For a line of an unknown type: the payment whose id or reference it has. */
  named?: KnownPayment | undefined;
  /** A line of another type with the same id, in the same direction: the same money. */
  sameMoney?: StatementLineRow | undefined;
  /** Another line that matches the same payment. */
  reportedBy: string | undefined;
  /** The sum of all refunds of the payment in statements, if the line is one of them. */
  returnedMinor: bigint;
  /** The line's receipt, if an operator has decided about it. */
  decided: UnmatchedReceiptRow | undefined;
  /** The unmatched receipt that this line returns. */
  gaveBack: UnmatchedReceiptRow | undefined;
  /** For a fee line: the amounts that it is compared with. */
  charged?: Charged;
  /** For a line with a fee: the amounts of its day. */
  day?: DayVolume;
  /** The provider's date of a line is that of its last change. */
  datesChange?: boolean;
}

export interface Judgement {
  outcome: Outcome;
  paymentId: string | null;
  oursMinor: bigint | null;
  note: string;
  /** The fee of the line, in minor units. */
  feeMinor: bigint;
  /** The rail of the payment. */
  rail: string | undefined;
  /** The id of the receipt that the line returns. */
  gaveBack?: string;
  /** An operator has decided about the receipt. */
  isDecided?: true;
  /** The rule that explains the line; null if none does. */
  rule: string | null;
}

type Verdict = Omit<Judgement, 'rule'>;

export function judge(line: StatementLineRow, evidence: Evidence): Judgement {
  const verdict = verdictOn(line, evidence);
  return { ...verdict, rule: ruleOf(line, evidence, verdict) };
}

function verdictOn(
  line: StatementLineRow,
  {
    before,
    payment,
    otherCode,
    named,
    sameMoney,
    reportedBy,
    returnedMinor,
    decided,
    gaveBack,
    charged,
    day,
    datesChange,
  }: Evidence,
): Verdict {
  const amountMinor = BigInt(line.amount_minor);
  const keptReviewReason = reviewReasonOfKept(line, day);
  const keptMinor = (outcome: Outcome): bigint => {
    if (line.kind === 'fee') return outcome === 'fee' ? amountMinor : 0n;
    return keptReviewReason === undefined ? BigInt(line.fee_minor ?? 0) : 0n;
  };
  const judged = (outcome: Outcome, note = '', oursMinor: bigint | null = null): Verdict => ({
    outcome,
    paymentId: payment?.payment_id ?? null,
    oursMinor,
    note,
    // Once: a line that was in an earlier statement was booked then.
    feeMinor: line.state === 'completed' && !before ? keptMinor(outcome) : 0n,
    rail: payment?.rail,
  });
  if (line.state === 'failed' && before)
    return {
      ...judged('amount_differs', `line ${before.line_id} was completed; this one failed`),
      paymentId: null,
    };
  if (line.state !== 'completed') return judged('not_moved', `the provider says ${line.state}`);
  if (before) {
    const difference = differenceBetween(before, line, datesChange);
    if (difference === undefined) return judged('seen_before', `as line ${before.line_id}`);
    return {
      ...judged('amount_differs', `the earlier line ${before.line_id} has ${difference}`),
      paymentId: null,
    };
  }
  const isOpen = !decided && !gaveBack;
  const bookedAlready = (what: string, paymentId: string | null): Verdict => ({
    ...judged('amount_differs', `${what}; the line is read as ${line.kind}, ${shown(line)}`),
    ...{ paymentId, feeMinor: 0n },
  });
  if (isOpen && named && mayBeBooked(line, named))
    return bookedAlready(`payment ${named.payment_id} has this id or reference`, named.payment_id);
  if (isOpen && sameMoney && (!payment || line.kind === 'fee'))
    return bookedAlready(`line ${sameMoney.line_id} has this id`, null);
  if (line.kind === 'fee' && isOpen) {
    const reviewReason = reviewReasonOfFee(line, payment, charged);
    return reviewReason === undefined ? judged('fee') : judged('theirs_only', reviewReason);
  }
  if (decided?.payment_id === null)
    return {
      ...judged('theirs_only', `receipt ${decided.receipt_id} is ${decided.state}`),
      paymentId: null,
      isDecided: true,
    };
  if (gaveBack) {
    const note = `this returns receipt ${gaveBack.receipt_id}`;
    return { ...judged('agreed', note, amountMinor), paymentId: null, gaveBack: gaveBack.receipt_id };
  }
  if (named)
    return { ...judged('theirs_only', `our payment is ${named.state}`), paymentId: named.payment_id };
  if (!payment && otherCode !== undefined)
    return judged('theirs_only', `the provider's code of the payment with this reference is ${otherCode}`);
  if (!payment) return judged('theirs_only', 'no payment has this id');
  if (reportedBy !== undefined)
    return judged('theirs_only', `line ${reportedBy} already matches this payment`);
  const { oursMinor, theirsMinor } = compared(line, payment, { amountMinor, returnedMinor });
  if (oursMinor === undefined) return judged('theirs_only', `our payment is ${payment.state}`);
  const ours = { currency: payment.instructed_currency, amount_minor: String(oursMinor) };
  if (line.currency !== ours.currency || theirsMinor !== oursMinor)
    return judged('amount_differs', `our books say ${shown(ours)}`, oursMinor);
  if (keptReviewReason !== undefined) return judged('amount_differs', keptReviewReason, oursMinor);
  return judged('agreed', payment.details[namedFrom] ?? '', oursMinor);
}

/**
 * Whether our books have money of this payment in the direction of the line, or may get it. A line of an unknown type would book
 * it twice. If they do not, an operator assigns it.
 */
function mayBeBooked(
  line: StatementLineRow,
  { kind, state, returned_minor: returned, refunded_minor: refunded }: KnownPayment,
): boolean {
  if (isReturnOf(line, kind)) return state === 'returned' || BigInt(returned) + BigInt(refunded) > 0n;
  return isSettled(state) || !isFinal(state) || state === 'timed_out';
}

/** The two amounts that must be equal; ours is undefined if nothing of this kind is booked. */
function compared(
  line: StatementLineRow,
  payment: KnownPayment,
  { amountMinor, returnedMinor }: { amountMinor: bigint; returnedMinor: bigint },
): { oursMinor: bigint | undefined; theirsMinor: bigint } {
  const confirmedMinor = BigInt(payment.confirmed_minor ?? 0);
  if (lineKindOf[payment.kind] === line.kind)
    return { oursMinor: isSettled(payment.state) ? confirmedMinor : undefined, theirsMinor: amountMinor };
  // A payout is returned once and in full. The line is a refund with a negative amount.
  if (payment.kind !== 'deposit')
    return {
      oursMinor: payment.state === 'returned' ? confirmedMinor : undefined,
      theirsMinor: returnedMinor < 0n ? -returnedMinor : returnedMinor,
    };
  const oursMinor = BigInt(payment.returned_minor);
  return { oursMinor: oursMinor === 0n ? undefined : oursMinor, theirsMinor: returnedMinor };
}

function shown({
  currency,
  amount_minor: minor,
}: Pick<StatementLineRow, 'currency' | 'amount_minor'>): string {
  return `${formatAmount(BigInt(minor), currency)} ${currency}`;
}

// Whether a line is the same as an earlier one: not by its id alone, but also by time, amount and references, and within one
// file by kind and description.

const minuteMs = 60_000;

/**
 * @param datesChange whether the provider's date of a line is that of its last change.
 * @returns the difference as a text; undefined if both lines are the same.
 */
function differenceBetween(
  before: StatementLineRow,
  line: StatementLineRow,
  datesChange = false,
): string | undefined {
  if (before.amount_minor !== line.amount_minor || before.currency !== line.currency)
    return `${formatAmount(BigInt(before.amount_minor), before.currency)} ${before.currency}`;
  if (!datesChange && !isSameMoment(before.occurred_at, line.occurred_at))
    return `another time, ${before.occurred_at.toISOString()}`;
  if (isOther(before.our_reference, line.our_reference))
    return `another reference, ${before.our_reference ?? ''}`;
  if (isOther(before.original_reference, line.original_reference))
    return `another transaction, ${before.original_reference ?? ''}`;
  if (isOther(before.fee_minor, line.fee_minor))
    return `another fee, ${formatAmount(BigInt(before.fee_minor ?? 0), before.currency)} ${before.currency}`;
  // Two files may describe the same line differently; one file does not.
  const isSameFile = before.statement_id === line.statement_id;
  if (isSameFile && (before.kind !== line.kind || isOther(before.description, line.description)))
    return `another transaction, ${before.description ?? before.kind}`;
  return undefined;
}

/** Different only if both have a value: some exports of a provider lack columns. */
const isOther = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && one !== other;

/** The same minute: spreadsheets drop seconds, and some exports have the start time. */
const isSameMoment = (one: Date, other: Date): boolean =>
  Math.abs(one.getTime() - other.getTime()) < minuteMs;

// The rule that explains a line: `<outcome>:<rule>`. rule-sums.ts lists the sum of each rule by day. We watch rules that draw a
// conclusion: a line belongs to no payment, or to a similar one. We do not watch rules that prove a match: by the id and amount
// of a payment, by an operator's decision, if neither side moved money, and if another file has the same line.

const notTransferredAsOurs = 'not_moved:nor_in_our_books';
/** Twice in one file. The same line in two overlapping files is normal. */
const seenTwice = 'seen_before:twice_in_one_file';

/** Matched by amount, time and phone or reference; see without-receipt.ts. */
const alike = 'agreed:without_receipt';

/** The watched rules: fees, lines where no money moved, lines that are twice in a file, and lines similar to a payment. */
const watchedBy = {
  prefixes: ['fee:', 'not_moved:'],
  rules: [seenTwice, alike],
  but: [notTransferredAsOurs],
} as const;

export function watchedRules(query: Knex.QueryBuilder, column: string): void {
  void query.whereNot(column, watchedBy.but[0]).where((either) => {
    for (const prefix of watchedBy.prefixes) void either.orWhere(column, 'like', `${prefix}%`);
    for (const rule of watchedBy.rules) void either.orWhere(column, rule);
  });
}

function ruleOf(
  line: StatementLineRow,
  { before, payment, decided }: Evidence,
  { outcome, gaveBack }: Omit<Judgement, 'rule'>,
): string | null {
  const read = line.rule ?? undefined;
  switch (outcome) {
    case 'agreed':
      if (gaveBack !== undefined) return 'agreed:payout_returned';
      if (decided) return 'agreed:operator';
      if (payment?.details[namedFrom] !== undefined) return alike;
      if (payment?.provider_receipt === line.provider_reference) return 'agreed:receipt';
      if (payment?.provider_reference === line.provider_reference) return 'agreed:reference';
      return line.kind === 'refund' ? 'agreed:refund' : 'agreed:our_reference';
    case 'seen_before':
      return before?.statement_id === line.statement_id ? seenTwice : 'seen_before:another_file';
    case 'not_moved':
      if (payment && !isSettled(payment.state)) return notTransferredAsOurs;
      return `not_moved:${read ?? line.state}`;
    case 'fee':
      return `fee:${read ?? 'kind_of_line'}`;
    default:
      return null;
  }
}
