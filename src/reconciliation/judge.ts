/** What a line is beside what we know. Reads nothing and writes nothing. */
import type { Knex } from 'knex';
import { formatAmount } from '../domain/money';
import { isSettled } from '../domain/payment';
import type { OrphanRow, PaymentRow, StatementLineRow } from '../store/tables';
import { doubtAboutFee, doubtAboutKept, type Charged, type DayVolume } from './fee-doubts';
import type { Outcome } from './outcomes';
import { lineKindOf } from './statement';
import { namedFrom } from './without-receipt';

export type KnownPayment = Pick<
  PaymentRow,
  | 'payment_id'
  | 'rail'
  | 'kind'
  | 'state'
  | 'instructed_currency'
  | 'confirmed_minor'
  | 'given_back_minor'
  | 'provider_reference'
  | 'provider_receipt'
  | 'callback_token'
  | 'details'
>;

/** What a line is judged by. */
export interface Evidence {
  /** The first completed line of the same provider, id and kind, where there is one before; of a fee, of the same amount, too. */
  before: StatementLineRow | undefined;
  payment: KnownPayment | undefined;
  /** What the provider calls the payment of the line's reference, where the line is called otherwise. */
  otherCode?: string | undefined;
  /** Another line that tells of the same payment. */
  toldBy: string | undefined;
  /** All that the statements tell as given back of the payment, where the line is such a part. */
  givenBackMinor: bigint;
  /** What a person has said about the line's money. */
  decided: OrphanRow | undefined;
  /** The money without an owner that went back with this line. */
  gaveBack: OrphanRow | undefined;
  /** Of a fee: what moved beside it. */
  charged?: Charged;
  /** Of a line of which a fee was kept: what moved on its day. */
  day?: DayVolume;
  /** The provider dates a line by when it was changed last. */
  datesChange?: boolean;
}

export interface Judgement {
  outcome: Outcome;
  paymentId: string | null;
  oursMinor: bigint | null;
  note: string;
  /** Minor units that the provider kept, as the line says. */
  feeMinor: bigint;
  /** The rail of the payment that it is about. */
  rail: string | undefined;
  /** The number of the orphan that went back with it. */
  gaveBack?: string;
  /** A person has said whose it is. */
  isDecided?: true;
  /** By what it is explained; null where it is not. */
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
    toldBy,
    givenBackMinor,
    decided,
    gaveBack,
    charged,
    day,
    datesChange,
  }: Evidence,
): Verdict {
  const amountMinor = BigInt(line.amount_minor);
  const keptDoubt = doubtAboutKept(line, day);
  const keptMinor = (outcome: Outcome): bigint => {
    if (line.kind === 'fee') return outcome === 'fee' ? amountMinor : 0n;
    return keptDoubt === undefined ? BigInt(line.fee_minor ?? 0) : 0n;
  };
  const judged = (outcome: Outcome, note = '', oursMinor: bigint | null = null): Verdict => ({
    outcome,
    paymentId: payment?.payment_id ?? null,
    oursMinor,
    note,
    // Once per line: what stood in a statement before was kept then.
    feeMinor: line.state === 'completed' && !before ? keptMinor(outcome) : 0n,
    rail: payment?.rail,
  });
  if (line.state !== 'completed') return judged('not_moved', `the provider says ${line.state}`);
  if (before) {
    const difference = differenceBetween(before, line, datesChange);
    if (difference === undefined) return judged('seen_before', `as line ${before.line_id}`);
    return {
      ...judged('amount_differs', `line ${before.line_id} of before says ${difference}`),
      paymentId: null,
    };
  }
  if (line.kind === 'fee' && !decided && !gaveBack) {
    const doubt = doubtAboutFee(line, payment, charged);
    return doubt === undefined ? judged('fee') : judged('theirs_only', doubt);
  }
  if (decided?.payment_id === null)
    return {
      ...judged('theirs_only', `orphan ${decided.orphan_id} was ${decided.state}`),
      paymentId: null,
      isDecided: true,
    };
  if (gaveBack) {
    const note = `orphan ${gaveBack.orphan_id} went back with it`;
    return { ...judged('agreed', note, amountMinor), paymentId: null, gaveBack: gaveBack.orphan_id };
  }
  if (!payment && otherCode !== undefined)
    return judged('theirs_only', `the provider has called the payment of this reference ${otherCode}`);
  if (!payment) return judged('theirs_only', 'no payment has this id');
  if (toldBy !== undefined) return judged('theirs_only', `line ${toldBy} tells of this payment already`);
  const { oursMinor, theirsMinor } = compared(line, payment, { amountMinor, givenBackMinor });
  if (oursMinor === undefined) return judged('theirs_only', `our payment is ${payment.state}`);
  const ours = { currency: payment.instructed_currency, amount_minor: String(oursMinor) };
  if (line.currency !== ours.currency || theirsMinor !== oursMinor)
    return judged('amount_differs', `our books say ${shown(ours)}`, oursMinor);
  if (keptDoubt !== undefined) return judged('amount_differs', keptDoubt, oursMinor);
  return judged('agreed', payment.details[namedFrom] ?? '', oursMinor);
}

/** Which two amounts must be the same; ours is undefined where nothing of the kind is booked. */
function compared(
  line: StatementLineRow,
  payment: KnownPayment,
  { amountMinor, givenBackMinor }: { amountMinor: bigint; givenBackMinor: bigint },
): { oursMinor: bigint | undefined; theirsMinor: bigint } {
  const confirmedMinor = BigInt(payment.confirmed_minor ?? 0);
  if (lineKindOf[payment.kind] === line.kind)
    return { oursMinor: isSettled(payment.state) ? confirmedMinor : undefined, theirsMinor: amountMinor };
  // What comes back of a payout comes in, whole, and once: as a refund it is of less than zero.
  if (payment.kind !== 'deposit')
    return {
      oursMinor: payment.state === 'returned' ? confirmedMinor : undefined,
      theirsMinor: givenBackMinor < 0n ? -givenBackMinor : givenBackMinor,
    };
  const oursMinor = BigInt(payment.given_back_minor);
  return { oursMinor: oursMinor === 0n ? undefined : oursMinor, theirsMinor: givenBackMinor };
}

function shown({
  currency,
  amount_minor: minor,
}: Pick<StatementLineRow, 'currency' | 'amount_minor'>): string {
  return `${formatAmount(BigInt(minor), currency)} ${currency}`;
}

// Whether a line is the very one that stood in a statement before: by its moment, amount and references, and in one file by
// its kind and description, not by its id alone.

const minuteMs = 60_000;

/**
 * @param datesChange whether the provider dates a line by when it was changed last.
 * @returns what the earlier line says otherwise, for people; undefined where both are the same.
 */
function differenceBetween(
  before: StatementLineRow,
  line: StatementLineRow,
  datesChange = false,
): string | undefined {
  if (before.amount_minor !== line.amount_minor || before.currency !== line.currency)
    return `${formatAmount(BigInt(before.amount_minor), before.currency)} ${before.currency}`;
  if (!datesChange && !isSameMoment(before.occurred_at, line.occurred_at))
    return `another moment, ${before.occurred_at.toISOString()}`;
  if (isOther(before.our_reference, line.our_reference))
    return `another reference, ${before.our_reference ?? ''}`;
  if (isOther(before.original_reference, line.original_reference))
    return `another transaction, ${before.original_reference ?? ''}`;
  if (isOther(before.fee_minor, line.fee_minor))
    return `another fee, ${formatAmount(BigInt(before.fee_minor ?? 0), before.currency)} ${before.currency}`;
  // Two files may have other words for the same; one file has not.
  const isSameFile = before.statement_id === line.statement_id;
  if (isSameFile && (before.kind !== line.kind || isOther(before.description, line.description)))
    return `another transaction, ${before.description ?? before.kind}`;
  return undefined;
}

/** Some exports have a column that others of the same provider lack. */
const isOther = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && one !== other;

/** Spreadsheets leave the seconds out, and some exports have the moment at which it began. */
const isSameMoment = (one: Date, other: Date): boolean =>
  Math.abs(one.getTime() - other.getTime()) < minuteMs;

// By what a line is explained: `<outcome>:<rule>`. The sum of each is listed by day (rule-sums.ts). Those that conclude are
// watched: a line is no payment's, or is a payment's by its likeness alone. Those that prove are not: by an id of the payment
// and its amount, a person's word, what neither side has moved, and what another file has word by word of a line that is
// judged already.

const notMovedAsOurs = 'not_moved:nor_in_our_books';
/** In one file; what an overlapping file has again, word by word, is no news. */
const seenTwice = 'seen_before:twice_in_one_file';

/** By amount, time and phone or reference; see without-receipt.ts. */
const alike = 'agreed:without_receipt';

/** Which of them are watched: a fee, money that did not move, a line that a file has twice, and one that is like a payment. */
const watchedBy = {
  prefixes: ['fee:', 'not_moved:'],
  rules: [seenTwice, alike],
  but: [notMovedAsOurs],
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
      if (gaveBack !== undefined) return 'agreed:went_back';
      if (decided) return 'agreed:said_by_a_person';
      if (payment?.details[namedFrom] !== undefined) return alike;
      if (payment?.provider_receipt === line.provider_reference) return 'agreed:receipt';
      if (payment?.provider_reference === line.provider_reference) return 'agreed:reference';
      return line.kind === 'refund' ? 'agreed:what_went_back' : 'agreed:our_reference';
    case 'seen_before':
      return before?.statement_id === line.statement_id ? seenTwice : 'seen_before:another_file';
    case 'not_moved':
      if (payment && !isSettled(payment.state)) return notMovedAsOurs;
      return `not_moved:${read ?? line.state}`;
    case 'fee':
      return `fee:${read ?? 'kind_of_line'}`;
    default:
      return null;
  }
}
