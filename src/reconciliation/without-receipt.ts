/**
 * Payments that our books have settled and that no line can name: their provider's query said that they were paid, and did
 * not say what it calls that. The line of such a payment is found by who paid, how much, for what and when.
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
import { duplicateKeyOf } from '../store/transaction';
import type { PaymentRow, StatementLineRow } from '../store/tables';
import { told } from './outcomes';
import { lineKindOf, type NameColumn, type StatementFormat } from './statement';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The two clocks may be apart by so much; a statement may write no seconds. */
const slackMs = 5 * minuteMs;
/** What a customer was asked for is paid within this, or not at all. */
const paidWithinMs = dayMs;
/** Where so many payments are like some lines, which of them a line is cannot be said. */
const candidatesMax = 2_000;

export const likeColumns = [
  ...(['payment_id', 'merchant_id', 'rail', 'kind', 'state', 'is_final', 'failure_code'] as const),
  ...(['created_at', 'finished_at', 'instructed_currency', 'instructed_minor', 'confirmed_minor'] as const),
  ...(['given_back_minor', 'phone_number', 'account_reference', 'provider_reference'] as const),
  ...(['provider_receipt', 'callback_token', 'details'] as const),
];
export type LikePayment = Pick<PaymentRow, (typeof likeColumns)[number]>;

/** What a line and a payment have in common, and what they have not. */
export interface Likeness {
  isSameAmount: boolean;
  /** The money may have moved when the line says. */
  isInTime: boolean;
  isSamePhone: boolean;
  isSameReference: boolean;
  /** Both name a phone, or what it was for, and not the same one. */
  isAnother: boolean;
  /** How far the line is from the time in which the payment was under way. */
  awayMs: number;
}

export function likeness(format: StatementFormat, line: StatementLineRow, payment: LikePayment): Likeness {
  const minor = isSettled(payment.state) ? payment.confirmed_minor : payment.instructed_minor;
  const [from, to] = underWay(payment);
  const at = line.occurred_at.getTime();
  const awayMs = Math.max(0, from - at, at - to);
  const phones = [digitsOf(line.phone), digitsOf(payment.phone_number)] as const;
  const isSamePhone = isSameNumber(...phones);
  const ours = [format.oursIs ? payment[format.oursIs] : null, payment.account_reference].filter(Boolean);
  const isSameReference = ours.some((own) => isReferenceOf(format, line.our_reference, own));
  const isAnotherPhone = phones[0] !== undefined && phones[1] !== undefined && !isSamePhone;
  const isAnotherReference = Boolean(line.our_reference) && ours.length > 0 && !isSameReference;
  return {
    isSameAmount:
      lineKindOf[payment.kind] === line.kind &&
      minor === line.amount_minor &&
      payment.instructed_currency === line.currency,
    isInTime: awayMs <= slackMs,
    ...{ isSamePhone, isSameReference, isAnother: isAnotherPhone || isAnotherReference, awayMs },
  };
}

/** From when until when its money may have moved, by the payment's own clock. */
function underWay({ kind, created_at: created, finished_at: finished }: LikePayment): [number, number] {
  const begins = created.getTime();
  const ends = finished?.getTime() ?? begins + paidWithinMs;
  // What went out may wait for weeks until somebody claims it.
  return [begins, kind === 'deposit' ? Math.min(ends, begins + paidWithinMs) : ends];
}

/** As our payments have numbers: digits alone, with the country's. A masked number is nobody's. */
export function digitsOf(phone: string | null): string | undefined {
  const digits = phone?.replaceAll(/[\s+-]/g, '') ?? '';
  return /^\d{8,15}$/.test(digits) ? digits : undefined;
}

/** Of two, one may be written without the country's digits. */
function isSameNumber(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const local = short.replace(/^0/, '');
  return local.length >= 8 && short.length < 11 && long.endsWith(local);
}

/** What a person has typed differs in its case; what a provider repeats may be cut. */
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

/** A text is cut before a character that would be cut through: most are one or two units long, and a flag is four. */
const isCut = (text: string, max: number): boolean => text.length <= max && text.length > max - 4;

/** Where a line's id of a payment stands, in a payment. */
export const nameColumnOf = ({ knownBy, namedBy }: StatementFormat, kind: LikePayment['kind']): NameColumn =>
  namedBy?.[kind] ?? knownBy[0];

/** No line can name it. */
export const isNameless = (
  format: StatementFormat,
  payment: Pick<LikePayment, 'kind' | 'provider_reference' | 'provider_receipt'>,
): boolean => payment[nameColumnOf(format, payment.kind)] === null;

/** It may turn out that it was paid; a failure that its provider has told is believed. */
const isOpenStill = ({ is_final: isFinal, failure_code: code }: LikePayment): boolean =>
  isFinal === 0 || code === OUTCOME_UNKNOWN;

const undecidedStates: readonly PaymentState[] = [
  'initiating',
  'pending',
  'queued',
  'processing',
  'timed_out',
];

/**
 * Nameless payments, settled or undecided, of a line's amount, that no line tells of, and that have the phone or the
 * reference of one of the lines, around their times.
 * @returns nothing where there are too many to tell them apart.
 */
async function findLike(
  db: Database | Transaction,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<LikePayment[]> {
  if (lines.length === 0) return [];
  const times = lines.map(({ occurred_at: at }) => at.getTime());
  const since = new Date(Math.min(...times) - paidWithinMs - dayMs);
  const until = new Date(Math.max(...times) + dayMs);
  const amounts = [...new Set(lines.map(({ amount_minor: minor }) => minor))];
  const phones = [...new Set(lines.flatMap(({ phone }) => spellingsOf(format, digitsOf(phone))))];
  const references = [...new Set(lines.flatMap(({ our_reference: reference }) => reference ?? []))];
  const names = [
    ...new Set(Object.keys(lineKindOf).map((kind) => nameColumnOf(format, kind as PaymentKind))),
  ];
  const found = new Map<string, LikePayment>();
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
    for (const query of asked) {
      const rows = (await query) as LikePayment[];
      if (rows.length === candidatesMax) return [];
      for (const payment of rows) found.set(payment.payment_id, payment);
    }
  }
  const nameless = [...found.values()].filter((payment) => isNameless(format, payment));
  return withoutLine(db, format, nameless);
}

/** As our payments may have a number. */
export function spellingsOf({ dialCode }: StatementFormat, digits: string | undefined): string[] {
  if (digits === undefined) return [];
  const local = /^0?(\d{8,9})$/.exec(digits)?.[1];
  const whole = dialCode !== undefined && local !== undefined ? [`${dialCode}${local}`] : [];
  return [digits, ...whole].flatMap((number) => [number, `+${number}`]);
}

/** Not by LIKE, for which one of the servers ends its range before the emojis. */
const beginningWith = (text: string) => [text, `${text}\u{10ffff}`] as const;

function isFor(query: Knex.QueryBuilder, { referenceMax }: StatementFormat, references: string[]): void {
  void query.whereIn('account_reference', references);
  if (referenceMax === undefined) return;
  const isShorter = (text: string) => text !== '' && text.length <= referenceMax - 4;
  for (const cut of references.filter((text) => isCut(text, referenceMax)))
    void query.orWhereBetween('account_reference', beginningWith(cut));
  // An emoji of several is longer still; what is written in plain letters is never cut as short as that.
  for (const cut of references.filter(isShorter))
    void query.orWhere(function longer(this: Knex.QueryBuilder) {
      void this.whereBetween('account_reference', beginningWith(cut)).whereRaw(
        'LENGTH(account_reference) >= CHAR_LENGTH(account_reference) + 4',
      );
    });
}

/** Those that no line tells of yet. */
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
    .whereIn('outcome', told)
    .whereNotNull('line_id')
    .select('payment_id', 'kind');
  const toldOf = new Set(results.map(({ payment_id: id, kind }) => `${id ?? ''}:${kind}`));
  return payments.filter(({ payment_id: id, kind }) => !toldOf.has(`${id}:${lineKindOf[kind]}`));
}

interface Pair {
  line: StatementLineRow;
  payment: LikePayment;
  like: Likeness;
}

/**
 * Gives nameless payments the names of the lines that are about them, where the amount, the time and the phone or the
 * reference leave exactly one; of several lines one, the likeliest. The caller has the turn, and judges the lines after.
 * @param lines completed, and of money that nobody owns.
 * @returns the payments by the ids of their lines.
 */
export async function nameByLines(
  trx: Transaction,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<Map<string, string>> {
  const able = lines.filter(({ amount_minor: minor }) => BigInt(minor) > 0n);
  const candidates = await findLike(trx, format, able);
  const pairs = able
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

const strength = ({ isSamePhone, isSameReference }: Likeness): number =>
  (isSameReference ? 2 : 0) + (isSamePhone ? 1 : 0);

/** A payment that may still become paid is a candidate, too: with it beside, none is the only one. */
function onlyOne(
  format: StatementFormat,
  line: StatementLineRow,
  candidates: readonly LikePayment[],
): Pair | undefined {
  const like = candidates
    .filter((payment) => isSettled(payment.state) || isOpenStill(payment))
    .map((payment) => ({ line, payment, like: likeness(format, line, payment) }))
    .filter(({ like: of }) => of.isSameAmount && of.isInTime && !of.isAnother && strength(of) > 0);
  const sameReference = like.filter(({ like: { isSameReference } }) => isSameReference);
  const [first, second] = sameReference.length > 0 ? sameReference : like;
  return first && !second && isSettled(first.payment.state) ? first : undefined;
}

export function reasonsOf({ isSamePhone, isSameReference, isSameAmount, isInTime }: Likeness): string[] {
  return [
    ...(isSamePhone ? ['phone'] : []),
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
      .update({ [column]: name, details: JSON.stringify({ ...details, [namedFrom]: from }) as never });
    return changed === 1;
  } catch (error) {
    const key = duplicateKeyOf(error);
    if (key !== 'one_receipt' && key !== 'one_provider_reference') throw error;
    return false;
  }
}

/** In the details of a payment: who has said what its provider calls it, where that was not the provider itself. */
export const namedFrom = 'named_from';

/** What these columns hold. */
const nameText = /^[\x21-\x7e]{1,64}$/;

/** A payment that money which somebody wants to give away may be the money of. */
export interface MistakenFor {
  payment: LikePayment;
  because: string[];
}

/**
 * The payments whose money a line may be, though nobody has said so: nameless, of its amount, and of the same phone or
 * reference within a day, settled or still to be decided; and where the line names neither, those of its very time.
 */
export async function mayBeMoneyOf(
  db: Database | Transaction,
  format: StatementFormat,
  line: StatementLineRow,
): Promise<MistakenFor[]> {
  const isNamed = digitsOf(line.phone) !== undefined || line.our_reference !== null;
  const candidates = isNamed ? await findLike(db, format, [line]) : await findOfTime(db, format, line);
  return candidates
    .map((payment) => ({ payment, like: likeness(format, line, payment) }))
    .filter(({ payment, like }) => {
      if (!like.isSameAmount) return false;
      if (!isNamed) return like.isInTime && isSettled(payment.state);
      if (strength(like) === 0) return false;
      return isSettled(payment.state) ? like.awayMs <= dayMs : like.isInTime && !like.isAnother;
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

async function findOfTime(
  db: Database | Transaction,
  format: StatementFormat,
  line: StatementLineRow,
): Promise<LikePayment[]> {
  const at = line.occurred_at.getTime();
  const found: LikePayment[] = [];
  for (const { rail, provider } of format.payments)
    found.push(
      ...(await db('payments')
        .where({ rail, ...(provider !== undefined && { provider }) })
        .whereIn('state', settledStates)
        .where({ confirmed_minor: line.amount_minor })
        .whereBetween('created_at', [new Date(at - paidWithinMs - slackMs), new Date(at + slackMs)])
        .limit(candidatesMax)
        .select<LikePayment[]>(likeColumns)),
    );
  return withoutLine(
    db,
    format,
    found.filter((payment) => isNameless(format, payment)),
  );
}
