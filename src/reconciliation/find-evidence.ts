import { notOurRefund } from '../domain/payment';
import type { Database, Transaction } from '../store/database';
import type { UnmatchedReceiptRow, StatementLineRow } from '../store/tables';
import { openDayVolumes } from './day-volumes';
import { judge, type Evidence, type Judgement, type KnownPayment } from './judge';
import { matchedOutcomes, withoutWithdrawn, type Outcome } from './outcomes';
import {
  codeOf,
  isSameCode,
  isIncoming,
  isReturnOf,
  lineKindOf,
  magnitude,
  type StatementFormat,
} from './statement';
import { isNameless } from './without-receipt';

type Before = NonNullable<Evidence['before']>;
/** The columns of a line that name payments. */
type Naming = Pick<StatementLineRow, 'kind' | 'provider_reference' | 'our_reference' | 'original_reference'>;

/**
 * Looks up what many lines are compared with, each time by an index. Call `heard` with each result, because only one line may
 * match a payment: the first one.
 */
export async function findEvidence(
  db: Database,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
  volumes = openDayVolumes(format.provider),
): Promise<{ of(line: StatementLineRow): Evidence; heard(line: StatementLineRow, judged: Judgement): void }> {
  const alike = await linesWithIdsOf(db, format.provider, lines);
  const firsts = firstsOf(alike);
  const ofDays = await volumes.of(
    db,
    lines.filter((line) => line.kind === 'fee' || keptMinor(line) > 0n),
  );
  const decided = await assignedReceipts(db, lines);
  const returns = await returnedReceipts(db, format.provider, lines);
  const payments = await findPayments(db, format, lines);
  const owners = await ownersOf(db, [...decided.values()]);
  const tellers = await tellersOf(db, format.provider, [...payments.values(), ...owners.values()]);
  const wasReturned = await returnedBy(db, format, lines);
  const others = alike.filter(({ kind }) => kind === 'other');
  const agreed = others.length === 0 ? new Set<string>() : await agreedAmong(db, alike);

  return {
    of(line) {
      const first = firsts.get(identityOf(line));
      const unmatched = decided.get(line.line_id);
      const payment = owners.get(unmatched?.payment_id ?? '') ?? lookUp(payments, format, line);
      const other = payment ? undefined : ofOurReference(payments, format, line);
      // A deposit can be refunded in several parts.
      const mayRepeat = payment !== undefined && lineKindOf[payment.kind] !== line.kind;
      const teller = payment && tellers.get(`${payment.payment_id}:${line.kind}`);
      const gaveBack = returns.find((returned) => isReturnOfReceipt(returned, line));
      return {
        before: first && BigInt(first.line_id) < BigInt(line.line_id) ? first : undefined,
        payment,
        ...(other && { otherCode: codeOf(format, other) }),
        named: line.kind === 'other' && !payment ? namedBy(payments, format, line) : undefined,
        sameMoney: (line.kind === 'other' ? alike : others).find((one) => isSameMoney(one, line, agreed)),
        reportedBy: mayRepeat || teller === line.line_id ? undefined : teller,
        returnedMinor: wasReturned.get(line.original_reference ?? '') ?? 0n,
        decided: unmatched,
        gaveBack,
        datesChange: format.datesChange === true,
        ...(keptMinor(line) > 0n && { day: ofDays(line) }),
        ...(line.kind === 'fee' && { charged: { ...chargedBeside(alike, line), ...ofDays(line) } }),
      };
    },
    heard(line, { outcome, paymentId, gaveBack }) {
      if (gaveBack !== undefined) {
        const returned = returns.find(({ receipt_id: id }) => id === gaveBack);
        if (returned) returned.returned_line_id = line.line_id;
      }
      if (outcome === 'agreed') agreed.add(line.line_id);
      else agreed.delete(line.line_id);
      const key = `${paymentId ?? ''}:${line.kind}`;
      if (matchedOutcomes.includes(outcome)) {
        if (paymentId !== null && !tellers.has(key)) tellers.set(key, line.line_id);
      } else if (tellers.get(key) === line.line_id) tellers.delete(key);
    },
  };
}

/** The operator's decisions about the lines' receipts, by line id. */
async function assignedReceipts(
  db: Database,
  lines: readonly StatementLineRow[],
): Promise<Map<string, UnmatchedReceiptRow>> {
  const found = await db('unmatched_receipts')
    .whereIn(
      'line_id',
      lines.map(({ line_id: id }) => id),
    )
    .whereIn('state', ['assigned', 'returned']);
  return new Map(found.map((unmatched) => [unmatched.line_id, unmatched]));
}

/** Unmatched receipts that were returned with the provider's id of one of the lines. */
function returnedReceipts(
  db: Database,
  provider: string,
  lines: readonly StatementLineRow[],
): Promise<UnmatchedReceiptRow[]> {
  const references = lines.map(({ provider_reference: reference }) => reference);
  return db('unmatched_receipts').where({ provider }).whereIn('returned_reference', references);
}

function isReturnOfReceipt(unmatched: UnmatchedReceiptRow, line: StatementLineRow): boolean {
  return (
    unmatched.returned_reference === line.provider_reference &&
    unmatched.currency === line.currency &&
    isIncoming(unmatched) === -isIncoming(line) &&
    (unmatched.returned_line_id === null || unmatched.returned_line_id === line.line_id)
  );
}

/** The payments that unmatched receipts were assigned to, by payment id. */
async function ownersOf(
  db: Database,
  unmatchedReceipts: readonly UnmatchedReceiptRow[],
): Promise<Map<string, KnownPayment>> {
  const ids = unmatchedReceipts.flatMap(({ payment_id: id }) => id ?? []);
  const found = ids.length === 0 ? [] : await db('payments').whereIn('payment_id', ids).select(columns);
  return new Map(found.map((payment) => [payment.payment_id, payment]));
}

/** Identifies a line in several statements. One id can have several fees, so a fee also has its amount. */
function identityOf(line: StatementLineRow): string {
  const { provider_reference: reference, kind, amount_minor: amountMinor, currency } = line;
  const amount = kind === 'fee' ? [amountMinor, currency] : [];
  return [kind, ...amount, reference].join(':');
}

/** All completed lines with the same provider ids, except those of withdrawn statements, in the order of their ids. */
function linesWithIdsOf(
  db: Database,
  provider: string,
  lines: readonly StatementLineRow[],
): Promise<StatementLineRow[]> {
  const references = lines.map(({ provider_reference: reference }) => reference);
  return withoutWithdrawn(
    db('statement_lines')
      .where({ provider, state: 'completed' })
      .whereIn('provider_reference', references)
      .orderBy('line_id'),
  );
}

function firstsOf(alike: readonly StatementLineRow[]): Map<string, Before> {
  const firsts = new Map<string, Before>();
  for (const line of alike) if (!firsts.has(identityOf(line))) firsts.set(identityOf(line), line);
  return firsts;
}

/** The ids of the lines that agree. */
async function agreedAmong(db: Database, lines: readonly StatementLineRow[]): Promise<Set<string>> {
  const ids = lines.map(({ line_id: id }) => id);
  const found = await db('reconciliation_results').whereIn('line_id', ids).where({ outcome: 'agreed' });
  return new Set(found.flatMap(({ line_id: id }) => id ?? []));
}

/**
 * Whether both lines have the same money, one of them with an unknown type: the other one agrees, or it is in an earlier file,
 * with the same amount.
 */
function isSameMoney(one: StatementLineRow, line: StatementLineRow, agreed: ReadonlySet<string>): boolean {
  const [theirs, ours] = [isIncoming(one), isIncoming(line)];
  const isAlike =
    one.provider_reference === line.provider_reference &&
    one.currency === line.currency &&
    (one.kind === 'other') !== (line.kind === 'other') &&
    theirs > 0n === ours > 0n;
  if (!isAlike) return false;
  const isEarlier =
    one.statement_id !== line.statement_id && BigInt(one.line_id) < BigInt(line.line_id) && theirs === ours;
  return isEarlier || (line.kind === 'other' && agreed.has(one.line_id));
}

/** The amounts and fees with the id of a fee; each line counts once. */
function chargedBeside(
  alike: readonly StatementLineRow[],
  fee: StatementLineRow,
): { paidMinor: bigint; feesMinor: bigint } {
  const own = alike.filter(
    (line) =>
      line.provider_reference === fee.provider_reference &&
      line.currency === fee.currency &&
      // Another file has this fee with an unknown type.
      !(line.kind === 'other' && isIncoming(line) === isIncoming(fee)),
  );
  const amounts = new Map(own.map((line) => [identityOf(line), line]));
  let [paidMinor, feesMinor] = [0n, 0n];
  for (const line of amounts.values()) {
    const minor = magnitude(BigInt(line.amount_minor));
    if (line.kind === 'fee') feesMinor += minor;
    else {
      feesMinor += keptMinor(line);
      if (minor > paidMinor) paidMinor = minor;
    }
  }
  return { paidMinor, feesMinor };
}

function keptMinor({ kind, fee_minor: fee }: StatementLineRow): bigint {
  const minor = kind === 'fee' ? 0n : BigInt(fee ?? 0);
  return minor > 0n ? minor : 0n;
}

const columns = [
  ...(['payment_id', 'rail', 'kind', 'state', 'instructed_currency', 'confirmed_minor'] as const),
  ...(['returned_minor', 'refunded_minor', 'provider_reference', 'provider_receipt'] as const),
  ...(['callback_token', 'details'] as const),
];

/** Id columns are ASCII; the database does not compare them with other characters. */
const idText = /^[\x21-\x7e]{1,64}$/;

/** The payments that the lines name, by column and value. */
async function findPayments(
  db: Database,
  { payments, knownBy, oursIs }: StatementFormat,
  lines: readonly Naming[],
): Promise<Map<string, KnownPayment>> {
  const theirs = lines.flatMap(({ provider_reference: own, original_reference: original }) => [
    own,
    ...(original === null ? [] : [original]),
  ]);
  const ours = lines.flatMap(({ our_reference: own }) => (own !== null && idText.test(own) ? [own] : []));
  const questions = [
    ...knownBy.map((column) => ({ column, values: theirs })),
    ...(oursIs === undefined ? [] : [{ column: oursIs, values: ours }]),
  ];
  const found = new Map<string, KnownPayment>();
  for (const { rail, provider } of payments) {
    for (const { column, values } of questions) {
      if (values.length === 0) continue;
      const query = db('payments').where({ rail }).whereIn(column, values).select(columns);
      if (provider !== undefined) void query.where({ provider });
      for (const payment of (await query) as KnownPayment[]) {
        const value = payment[column];
        if (value !== null) found.set(`${column}:${value}`, payment);
      }
    }
  }
  return found;
}

function lookUp(
  payments: ReadonlyMap<string, KnownPayment>,
  format: StatementFormat,
  line: Naming,
): KnownPayment | undefined {
  const byTheirs = (reference: string | null) => byTheirId(payments, format, reference);
  const own = byTheirs(line.provider_reference);
  if (line.kind === 'refund' && own?.kind === 'refund' && notOurRefund.some((state) => state === own.state)) {
    // If the provider made it all the same, our books may have it as a refund by the provider.
    const deposit = byTheirs(line.original_reference);
    if (deposit && BigInt(deposit.returned_minor) > 0n) return deposit;
  }
  if (own && lineKindOf[own.kind] === line.kind) return own;
  if (line.kind === 'fee') return own ?? byTheirs(line.original_reference);
  const ours = ofOurReference(payments, format, line);
  if (ours && isSameCode(format, line, ours) !== false) return ours;
  return line.kind === 'refund' ? byTheirs(line.original_reference) : undefined;
}

function byTheirId(
  payments: ReadonlyMap<string, KnownPayment>,
  { knownBy }: StatementFormat,
  reference: string | null,
): KnownPayment | undefined {
  return knownBy.map((column) => payments.get(`${column}:${reference ?? ''}`)).find(Boolean);
}

/**
 * The payment whose money a line of an unknown type may be, or whose return. A return has an id of its own. Money with another id
 * than that of the payment is further money.
 */
function namedBy(
  payments: ReadonlyMap<string, KnownPayment>,
  format: StatementFormat,
  line: StatementLineRow,
): KnownPayment | undefined {
  const own = byTheirId(payments, format, line.provider_reference);
  if (own) return own;
  const original = byTheirId(payments, format, line.original_reference);
  if (original && isReturnOf(line, original.kind)) return original;
  const ours = format.oursIs && payments.get(`${format.oursIs}:${line.our_reference ?? ''}`);
  if (!ours || isReturnOf(line, ours.kind)) return ours;
  const code = codeOf(format, ours)?.toLowerCase();
  const isFurther = !isNameless(format, ours) || (code ?? reference(line)) !== reference(line);
  return isFurther ? undefined : ours;
}

const reference = ({ provider_reference: theirs }: StatementLineRow): string => theirs.toLowerCase();

/** The payment with our reference, unless it already has another receipt. */
function ofOurReference(
  payments: ReadonlyMap<string, KnownPayment>,
  { oursIs }: StatementFormat,
  line: Naming,
): KnownPayment | undefined {
  const ours = oursIs && payments.get(`${oursIs}:${line.our_reference ?? ''}`);
  return ours && lineKindOf[ours.kind] === line.kind && ours.provider_receipt === null ? ours : undefined;
}

/** The line that matches each payment; the first one if there are several. */
async function tellersOf(
  db: Database,
  provider: string,
  payments: readonly KnownPayment[],
): Promise<Map<string, string>> {
  const ids = payments.map(({ payment_id: id }) => id);
  const found = await db('reconciliation_results')
    .where({ provider })
    .whereIn('payment_id', ids)
    .whereIn('outcome', matchedOutcomes)
    .whereNotNull('line_id')
    .orderBy('line_id', 'desc');
  return new Map(found.map((result) => [`${result.payment_id ?? ''}:${result.kind}`, result.line_id ?? '']));
}

interface Part extends Naming {
  original_reference: string;
  minor: string;
}

/**
 * The sums that the provider returned in all statements, by the id of the original transaction; each line counts once. Our own
 * refunds are compared with their own payments.
 */
async function returnedBy(
  db: Database,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<Map<string, bigint>> {
  const originals = lines.flatMap(({ original_reference: original }) => original ?? []);
  if (originals.length === 0) return new Map();
  const parts = (await withoutWithdrawn(db('statement_lines'))
    .where({ provider: format.provider, kind: 'refund', state: 'completed' })
    .whereIn('original_reference', originals)
    .groupBy('kind', 'original_reference', 'provider_reference')
    .select(
      ...['kind', 'original_reference', 'provider_reference'],
      db.raw('MAX(our_reference) AS our_reference'),
      db.raw('MAX(amount_minor) AS minor'),
    )) as unknown as Part[];
  const payments = await findPayments(db, format, parts);
  const sums = new Map<string, bigint>();
  for (const part of parts) {
    if (lookUp(payments, format, part)?.kind === 'refund') continue;
    const { original_reference: original, minor } = part;
    sums.set(original, (sums.get(original) ?? 0n) + BigInt(minor));
  }
  return sums;
}

/** Compares a line with our books now. It writes nothing; the caller holds the lock of the provider. */
export async function judgeLine(
  trx: Transaction,
  format: StatementFormat,
  lineId: string,
): Promise<{ outcome: Outcome; payment: KnownPayment | undefined }> {
  const line = await trx('statement_lines').where({ line_id: lineId }).first();
  if (!line) throw new Error(`there is no line ${lineId}`);
  const evidence = (await findEvidence(trx, format, [line])).of(line);
  return { outcome: judge(line, evidence).outcome, payment: evidence.payment ?? evidence.named };
}
