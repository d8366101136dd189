/**
 * Finds the line of a payment that is settled without a receipt: the provider's query reported the success, but not the receipt.
 * The line is found by payer, amount, reference and time.
 */
import { cutText } from '../domain/cut-text';
import {
  isSettled,
  OUTCOME_UNKNOWN,
  settledStates,
  type PaymentKind,
  type PaymentState,
} from '../domain/payment';
import type { Knex } from 'knex';
import type { Database, Transaction } from '../store/database';
import { duplicateKeyOf, nextChange } from '../store/transaction';
import type { PaymentRow, StatementLineRow } from '../store/tables';
import { matchedOutcomes } from './outcomes';
import { isSameCode, lineKindOf, type NameColumn, type StatementFormat } from './statement';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The tolerance between two clocks; a statement may also lack seconds. */
const slackMs = 5 * minuteMs;
/** A customer pays within this time, or not at all. */
const paidWithinMs = dayMs;
/** Where so many payments are like some lines, which of them a line is cannot be said. */
const candidatesMax = 2_000;
/** How many lines one query covers. */
const linesAtOnce = 500;

export const likeColumns = [
  ...(['payment_id', 'merchant_id', 'rail', 'kind', 'state', 'is_final', 'failure_code'] as const),
  ...(['created_at', 'finished_at', 'instructed_currency', 'instructed_minor', 'confirmed_minor'] as const),
  ...(['returned_minor', 'phone_number', 'account_reference', 'provider_reference'] as const),
  ...(['provider_receipt', 'callback_token', 'details'] as const),
];
export type LikePayment = Pick<PaymentRow, (typeof likeColumns)[number]>;

/** The similarities and differences of a line and a payment. */
export interface Likeness {
  isSameAmount: boolean;
  /** The line's time is within the time of the payment. */
  isInTime: boolean;
  isSamePhone: boolean;
  /** The line has a masked number whose visible digits match. */
  isPhoneAlike: boolean;
  /** Both have a phone, and they differ; visible digits of a masked number count. */
  isAnotherPhone: boolean;
  isSameReference: boolean;
  /** Both have the same code; see `isSameCode`. */
  hasSameCode: boolean;
  /** Phone, reference or code differ. */
  isAnother: boolean;
  /** The distance of the line from the time of the payment, in milliseconds; 0 within it. */
  awayMs: number;
}

export function likeness(format: StatementFormat, line: StatementLineRow, payment: LikePayment): Likeness {
  const minor = isSettled(payment.state) ? payment.confirmed_minor : payment.instructed_minor;
  const [from, to] = underWay(payment);
  const at = line.occurred_at.getTime();
  const awayMs = Math.max(0, from - at, at - to);
  const phones = [digitsOf(line.phone), digitsOf(payment.phone_number)] as const;
  const isSamePhone = isSameNumber(...phones);
  const shown = isShownIn(format, line.phone, phones[1]);
  const ours = [format.oursIs ? payment[format.oursIs] : null, payment.account_reference].filter(Boolean);
  const isSameReference = ours.some((own) => isReferenceOf(format, line.our_reference, own));
  const isAnotherPhone =
    shown === false || (phones[0] !== undefined && phones[1] !== undefined && !isSamePhone);
  const sameCode = isSameCode(format, line, payment);
  const isAnotherReference = Boolean(line.our_reference) && ours.length > 0 && !isSameReference;
  return {
    isSameAmount:
      lineKindOf[payment.kind] === line.kind &&
      minor === line.amount_minor &&
      payment.instructed_currency === line.currency,
    isInTime: awayMs <= slackMs,
    ...{ isSamePhone, isPhoneAlike: shown === true, isAnotherPhone, isSameReference, awayMs },
    hasSameCode: sameCode === true,
    isAnother: isAnotherPhone || isAnotherReference || sameCode === false,
  };
}

/** The time in which the money of the payment may have moved. */
function underWay({ kind, created_at: created, finished_at: finished }: LikePayment): [number, number] {
  const begins = created.getTime();
  const ends = finished?.getTime() ?? begins + paidWithinMs;
  // A payout may be claimed weeks later.
  return [begins, kind === 'deposit' ? Math.min(ends, begins + paidWithinMs) : ends];
}

/** A phone number as digits only, as our payments have it. Undefined for a masked number. */
export function digitsOf(phone: string | null): string | undefined {
  const digits = plainPhone(phone);
  return /^\d{8,15}$/.test(digits) ? digits : undefined;
}

const plainPhone = (phone: string | null): string => phone?.replaceAll(/[\s+-]/g, '') ?? '';

/** A masked number: digits, any number of mask characters, digits. */
const maskedNumber = /^(\d{0,10})[*xX•#]+(\d{0,10})$/;

/**
 * Whether a complete number matches the visible digits of a masked one.
 * @returns undefined if the line's number is not masked, or if the payment has none.
 */
function isShownIn(
  { dialCode }: StatementFormat,
  masked: string | null,
  whole: string | undefined,
): boolean | undefined {
  const [, begins = '', ends = ''] = maskedNumber.exec(plainPhone(masked)) ?? [];
  if (whole === undefined || begins.length + ends.length === 0) return undefined;
  const local = begins.replace(/^0/, '');
  const heads = [begins, local, `${dialCode ?? ''}${local}`];
  return heads.some((head) => whole.startsWith(head)) && whole.endsWith(ends);
}

/** Whether two numbers are the same; one of them may lack the country code. */
function isSameNumber(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const local = short.replace(/^0/, '');
  return local.length >= 8 && short.length < 11 && long.endsWith(local);
}

/** Compares references without regard to case. The provider may have cut its text. */
function isReferenceOf(
  { referenceMax }: StatementFormat,
  theirs: string | null,
  ours: string | null,
): boolean {
  const [line, payment] = [plain(theirs), plain(ours)];
  if (line === '' || payment === '') return false;
  if (line === payment) return true;
  return referenceMax !== undefined && line === plain(cutText(ours ?? '', referenceMax));
}

const plain = (text: string | null): string => text?.trim().toLowerCase() ?? '';

/** A text may be cut up to 4 units before the maximum, so that no character is split: a flag has four units. */
const isCut = (text: string, max: number): boolean => text.length <= max && text.length > max - 4;

/** The column of a payment that has the id of its line. */
export const nameColumnOf = ({ knownBy, namedBy }: StatementFormat, kind: LikePayment['kind']): NameColumn =>
  namedBy?.[kind] ?? knownBy[0];

/** The payment has no receipt, so no line can name it. */
export const isNameless = (
  format: StatementFormat,
  payment: Pick<LikePayment, 'kind' | 'provider_reference' | 'provider_receipt'>,
): boolean => payment[nameColumnOf(format, payment.kind)] === null;

/** The payment may still become paid. A failure that the provider reported is definite. */
const isOpenStill = ({ is_final: isFinal, failure_code: code }: LikePayment): boolean =>
  isFinal === 0 || code === OUTCOME_UNKNOWN;

const undecidedStates: readonly PaymentState[] = [
  'initiating',
  'pending',
  'queued',
  'processing',
  'timed_out',
];

/** Payments that lines may belong to, and the lines with too many such payments. */
interface Like {
  found: Map<string, LikePayment>;
  unclear: Set<string>;
}

/**
 * Settled or undecided payments without a receipt and without a line, which have the amount and the phone or reference of one of
 * the lines, around its time.
 */
async function findLike(
  db: Database | Transaction,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<{ candidates: LikePayment[]; unclear: ReadonlySet<string> }> {
  const like: Like = { found: new Map(), unclear: new Set() };
  for (let n = 0; n < lines.length; n += linesAtOnce)
    await collectLike(db, format, lines.slice(n, n + linesAtOnce), like);
  const nameless = [...like.found.values()].filter((payment) => isNameless(format, payment));
  return { candidates: await withoutLine(db, format, nameless), unclear: like.unclear };
}

/** If a query returns too many payments, it is repeated for each half of the lines. */
async function collectLike(
  db: Database | Transaction,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
  like: Like,
): Promise<void> {
  const [begins, ends] = spanOf(lines);
  const since = new Date(begins - paidWithinMs - dayMs);
  const until = new Date(ends + dayMs);
  const amounts = [...new Set(lines.map(({ amount_minor: minor }) => minor))];
  const phones = [...new Set(lines.flatMap(({ phone }) => spellingsOf(format, digitsOf(phone))))];
  const references = [...new Set(lines.flatMap(({ our_reference: reference }) => reference ?? []))];
  const names = [
    ...new Set(Object.keys(lineKindOf).map((kind) => nameColumnOf(format, kind as PaymentKind))),
  ];
  for (const { rail, provider } of format.payments) {
    const near = () =>
      db('payments')
        .where({ rail, ...(provider !== undefined && { provider }) })
        .whereIn('state', [...settledStates, ...undecidedStates])
        .where(
          (money) => void money.whereIn('confirmed_minor', amounts).orWhereIn('instructed_minor', amounts),
        )
        .whereBetween('created_at', [since, until])
        .where((nameless) => names.forEach((column) => void nameless.orWhereNull(column)))
        .limit(candidatesMax)
        .select(likeColumns);
    const asked = [
      ...(phones.length > 0 ? [near().whereIn('phone_number', phones)] : []),
      ...(references.length > 0 ? [near().where((query) => isFor(query, format, references))] : []),
    ];
    for (const [n, query] of asked.entries()) {
      const rows = (await query) as LikePayment[];
      if (rows.length === candidatesMax) {
        // The first query already found all payments of the line's phone number; the others belong to other customers.
        if (n > 0 && lines.length === 1 && phones.length > 0) break;
        const half = Math.ceil(lines.length / 2);
        for (const line of lines.length === 1 ? lines : []) like.unclear.add(line.line_id);
        if (lines.length === 1) break;
        await collectLike(db, format, lines.slice(0, half), like);
        await collectLike(db, format, lines.slice(half), like);
        return;
      }
      for (const payment of rows) like.found.set(payment.payment_id, payment);
    }
  }
}

function spanOf(lines: readonly StatementLineRow[]): [number, number] {
  const times = lines.map(({ occurred_at: at }) => at.getTime()).sort((a, b) => a - b);
  return [times[0] ?? 0, times.at(-1) ?? 0];
}

/** The spellings of a number in our payments. */
export function spellingsOf({ dialCode }: StatementFormat, digits: string | undefined): string[] {
  if (digits === undefined) return [];
  const local = /^0?(\d{8,9})$/.exec(digits)?.[1];
  const whole = dialCode !== undefined && local !== undefined ? [`${dialCode}${local}`] : [];
  return [digits, ...whole].flatMap((number) => [number, `+${number}`]);
}

/** Not LIKE: on one of the two servers its range ends before emojis. */
const beginningWith = (text: string) => [text, `${text}\u{10ffff}`] as const;

function isFor(query: Knex.QueryBuilder, { referenceMax }: StatementFormat, references: string[]): void {
  void query.whereIn('account_reference', references);
  if (referenceMax === undefined) return;
  const isShorter = (text: string) => text !== '' && text.length <= referenceMax - 4;
  for (const cut of references.filter((text) => isCut(text, referenceMax)))
    void query.orWhereBetween('account_reference', beginningWith(cut));
  // A joined emoji has even more units. A text in plain letters is never cut that short.
  for (const cut of references.filter(isShorter))
    void query.orWhere(function longer(this: Knex.QueryBuilder) {
      void this.whereBetween('account_reference', beginningWith(cut)).whereRaw(
        'LENGTH(account_reference) >= CHAR_LENGTH(account_reference) + 4',
      );
    });
}

/** The payments without a line. */
export async function withoutLine(
  db: Database | Transaction,
  { provider }: StatementFormat,
  payments: readonly LikePayment[],
): Promise<LikePayment[]> {
  if (payments.length === 0) return [];
  const results = await db('reconciliation_results')
    .where({ provider })
    .whereIn(
      'payment_id',
      payments.map(({ payment_id: id }) => id),
    )
    .whereIn('outcome', matchedOutcomes)
    .whereNotNull('line_id')
    .select('payment_id', 'kind');
  const reportedOf = new Set(results.map(({ payment_id: id, kind }) => `${id ?? ''}:${kind}`));
  return payments.filter(({ payment_id: id, kind }) => !reportedOf.has(`${id}:${lineKindOf[kind]}`));
}

interface Pair {
  line: StatementLineRow;
  payment: LikePayment;
  like: Likeness;
}

/**
 * Gives payments without a receipt the receipts of their lines, if amount, time and phone or reference leave exactly one payment.
 * If several lines match a payment, the most similar one is used. The caller holds the lock, and compares the lines afterwards.
 * @param lines completed lines without a payment.
 * @returns payment ids by line id.
 */
export async function nameByLines(
  trx: Transaction,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<Map<string, string>> {
  const able = lines.filter(({ amount_minor: minor }) => BigInt(minor) > 0n);
  const { candidates, unclear } = await findLike(trx, format, able);
  const pairs = able
    .filter(({ line_id: id }) => !unclear.has(id))
    .flatMap((line) => onlyOne(format, line, candidates) ?? [])
    .sort((a, b) => strength(b.like) - strength(a.like) || a.like.awayMs - b.like.awayMs || earlier(a, b));
  const named = new Map<string, string>();
  const taken = new Set<string>();
  for (const { line, payment, like } of pairs) {
    if (taken.has(payment.payment_id)) continue;
    taken.add(payment.payment_id);
    if (await giveName(trx, format, payment, line, `statement, by ${reasonsOf(like).join(', ')}`))
      named.set(line.line_id, payment.payment_id);
  }
  return named;
}

function earlier({ line: a }: Pair, { line: b }: Pair): number {
  return (
    a.occurred_at.getTime() - b.occurred_at.getTime() || (BigInt(a.line_id) < BigInt(b.line_id) ? -1 : 1)
  );
}

const strength = ({ isSamePhone, isSameReference, hasSameCode }: Likeness): number =>
  (hasSameCode ? 4 : 0) + (isSameReference ? 2 : 0) + (isSamePhone ? 1 : 0);

/** The only similar payment. A payment that may still become paid also counts, and makes the match ambiguous. */
function onlyOne(
  format: StatementFormat,
  line: StatementLineRow,
  candidates: readonly LikePayment[],
): Pair | undefined {
  const like = candidates
    .filter((payment) => isSettled(payment.state) || isOpenStill(payment))
    .map((payment) => ({ line, payment, like: likeness(format, line, payment) }))
    .filter(
      ({ like: of }) =>
        of.isSameAmount && (of.isInTime || of.hasSameCode) && !of.isAnother && strength(of) > 0,
    );
  const sure = [
    like.filter(({ like: { hasSameCode } }) => hasSameCode),
    like.filter(({ like: { isSameReference } }) => isSameReference),
  ];
  const [first, second] = sure.find((some) => some.length > 0) ?? like;
  return first && !second && isSettled(first.payment.state) ? first : undefined;
}

export function reasonsOf({
  isSamePhone,
  isPhoneAlike,
  isSameReference,
  isSameAmount,
  isInTime,
  hasSameCode,
}: Likeness): string[] {
  return [
    ...(hasSameCode ? ["the provider's code"] : []),
    ...(isSamePhone ? ['phone'] : []),
    ...(isPhoneAlike ? ['the digits shown of the phone'] : []),
    ...(isSameReference ? ['reference'] : []),
    ...(isSameAmount ? ['amount'] : []),
    ...(isInTime ? ['time'] : []),
  ];
}

/**
 * Writes down what the provider calls a payment, and who says so.
 * @returns false where it has a name by now, is not as it was seen, or another payment has this name.
 */
export async function giveName(
  trx: Transaction,
  format: StatementFormat,
  { payment_id: id, kind, state, confirmed_minor: minor, details }: LikePayment,
  { provider_reference: name }: Pick<StatementLineRow, 'provider_reference'>,
  from: string,
): Promise<boolean> {
  const column = nameColumnOf(format, kind);
  if (!nameText.test(name)) return false;
  try {
    const changed = await trx('payments')
      .where({ payment_id: id, state, confirmed_minor: minor })
      .whereNull(column)
      .update({
        [column]: name,
        details: JSON.stringify({ ...details, [namedFrom]: from }) as never,
        ...nextChange(trx),
      });
    return changed === 1;
  } catch (error) {
    const key = duplicateKeyOf(error);
    if (key !== 'one_receipt' && key !== 'one_provider_reference') throw error;
    return false;
  }
}

/** The detail of a payment that says where its receipt comes from, if the provider did not report it. */
export const namedFrom = 'named_from';

/** The texts that fit these columns. */
const nameText = /^[\x21-\x7e]{1,64}$/;

/** A payment whose money the receipt may be. */
export interface MistakenFor {
  payment: LikePayment;
  because: string[];
}

/** Too many payments are similar to a line. */
export class TooManyAlike extends Error {}

/**
 * The payments that a line may belong to: with the same amount and without a line. These count:
 * - a settled payment without a receipt, with the same phone (or its visible digits) or reference, within a day;
 * - any other settled payment without a receipt, at the line's time, if nothing contradicts;
 * - a settled payment with a receipt, of the same customer, at the line's time: the line's receipt may be damaged;
 * - an undecided payment with the same phone or reference, at the line's time.
 * @throws TooManyAlike
 */
export async function isPossiblyMoneyOf(
  db: Database | Transaction,
  format: StatementFormat,
  line: StatementLineRow,
): Promise<MistakenFor[]> {
  const { candidates, unclear } = await findLike(db, format, [line]);
  const settled = await findSettled(db, format, line);
  if (unclear.size > 0 || settled === undefined) throw new TooManyAlike();
  const all = new Map([...candidates, ...settled].map((payment) => [payment.payment_id, payment]));
  return [...all.values()]
    .map((payment) => ({ payment, like: likeness(format, line, payment) }))
    .filter(({ payment, like }) => {
      if (!like.isSameAmount || (like.isAnotherPhone && !like.isSameReference)) return false;
      const isLike = strength(like) > 0 || like.isPhoneAlike;
      if (!isSettled(payment.state)) return strength(like) > 0 && like.isInTime && !like.isAnother;
      if (isNameless(format, payment)) return isLike ? like.awayMs <= dayMs : like.isInTime;
      return isLike && like.isInTime;
    })
    .sort(
      (a, b) =>
        Number(isSettled(b.payment.state)) - Number(isSettled(a.payment.state)) ||
        strength(b.like) - strength(a.like) ||
        a.like.awayMs - b.like.awayMs ||
        (a.payment.payment_id < b.payment.payment_id ? -1 : 1),
    )
    .map(({ payment, like }) => ({ payment, because: reasonsOf(like) }));
}

/**
 * Settled payments with a line's amount, around its time, and without a line: without a receipt, or of the line's customer.
 * @returns undefined if there are too many.
 */
async function findSettled(
  db: Database | Transaction,
  format: StatementFormat,
  line: StatementLineRow,
): Promise<LikePayment[] | undefined> {
  const at = line.occurred_at.getTime();
  const { phone, our_reference: reference } = line;
  const spellings = spellingsOf(format, digitsOf(phone));
  const ending = maskedNumber.exec(plainPhone(phone))?.[2];
  const found: LikePayment[] = [];
  for (const { rail, provider } of format.payments) {
    const near = () =>
      db('payments')
        .where({ rail, ...(provider !== undefined && { provider }) })
        .whereIn('state', settledStates)
        .where({ confirmed_minor: line.amount_minor, instructed_currency: line.currency })
        .whereBetween('created_at', [new Date(at - paidWithinMs - dayMs), new Date(at + dayMs)])
        .limit(candidatesMax)
        .select(likeColumns);
    const rows = [
      (await near().whereNull(nameColumnOf(format, 'deposit'))) as LikePayment[],
      (await near().where((customer) => {
        void customer.whereIn('phone_number', spellings);
        if (ending) void customer.orWhere('phone_number', 'like', `%${ending}`);
        if (reference !== null) void customer.orWhere('account_reference', reference);
      })) as LikePayment[],
    ];
    if (rows.some((some) => some.length === candidatesMax)) return undefined;
    found.push(...rows.flat());
  }
  const ofKind = found.filter(({ kind }) => lineKindOf[kind] === line.kind);
  return withoutLine(db, format, ofKind);
}
