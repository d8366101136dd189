/** The facts for a decision about an unmatched receipt: its statement line, and payments that it may belong to. */
import { formatAmount } from '../domain/money';
import { isSettled } from '../domain/payment';
import type { Database } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { UnmatchedReceiptRow, StatementLineRow } from '../store/tables';
import { lineKindOf, type StatementFormat } from './statement';
import {
  isNameless,
  isPossiblyMoneyOf,
  TooManyAlike,
  digitsOf,
  likeColumns,
  likeness,
  reasonsOf,
  spellingsOf,
  withoutLine,
  type LikePayment,
} from './without-receipt';

/** A payment without a line, which the line's money may belong to. */
export interface PossiblePayment {
  payment_id: string;
  merchant_id: string;
  state: string;
  /** The similarities. */
  because: string[];
  /** The payment is settled, so its money is booked already. */
  is_paid: boolean;
  /** We do not have the provider's id of the payment. */
  is_without_receipt: boolean;
}

export interface UnmatchedDetails {
  line: StatementLineRow | null;
  likely_owners: LikelyOwner[];
  /** The most similar first; empty if the receipt is decided, or if too many payments are similar. */
  may_be_money_of: PossiblePayment[];
}

/** @param format undefined if no rail of this deployment reads the provider's statements: then no payment is compared. */
export async function unmatchedDetails(
  db: Database,
  format: StatementFormat | undefined,
  { line_id: lineId, state }: Pick<UnmatchedReceiptRow, 'line_id' | 'state'>,
): Promise<UnmatchedDetails> {
  const line = await db('statement_lines').where({ line_id: lineId }).first();
  if (!line || !format) return { line: line ?? null, likely_owners: [], may_be_money_of: [] };
  const owners = (await likelyOwners(db, format, [line])).get(lineId) ?? [];
  const possible = state === 'open' ? await possiblePayments(db, format, line) : [];
  return { line, likely_owners: owners, may_be_money_of: possible };
}

async function possiblePayments(
  db: Database,
  format: StatementFormat,
  line: StatementLineRow,
): Promise<PossiblePayment[]> {
  const found = await isPossiblyMoneyOf(db, format, line).catch((error: unknown) => {
    if (error instanceof TooManyAlike) return [];
    throw error;
  });
  return found.map(({ payment, because }) => ({
    payment_id: payment.payment_id,
    merchant_id: payment.merchant_id,
    state: payment.state,
    because,
    is_paid: isSettled(payment.state),
    is_without_receipt: isNameless(format, payment),
  }));
}

const dayMs = 86_400_000;
const ownersMax = 3;

export interface LikelyOwner {
  payment_id: string;
  merchant_id: string;
  state: string;
  amount: string;
  currency: string;
  /** The similarities. */
  because: string[];
  /** The payment is settled without a receipt: the line may be its money, which is booked already. */
  is_without_receipt: boolean;
}

/**
 * The payments that unmatched lines may belong to, the most similar first: by phone number, reference, amount and time. This is
 * only a suggestion for operators.
 * @returns by line id.
 */
export async function likelyOwners(
  db: Database,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<Map<string, LikelyOwner[]>> {
  const owners = new Map<string, LikelyOwner[]>();
  for (const some of inChunks(lines)) {
    const candidates = await findCandidates(db, format, some);
    const nameless = candidates.filter((payment) => isSettled(payment.state) && isNameless(format, payment));
    const lineless = new Set(await withoutLine(db, format, nameless));
    for (const line of some) owners.set(line.line_id, ranked(format, line, candidates, lineless));
  }
  return owners;
}

async function findCandidates(
  db: Database,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<LikePayment[]> {
  const times = lines.map(({ occurred_at: at }) => at.getTime());
  const [since, until] = [Math.min(...times) - dayMs, Math.max(...times) + 2 * dayMs].map(
    (ms) => new Date(ms),
  );
  const phones = lines.flatMap(({ phone }) => spellingsOf(format, digitsOf(phone)));
  const references = lines.flatMap(({ our_reference: reference }) => reference ?? []);
  const rails = format.payments.map(({ rail }) => rail);
  const near = () =>
    db('payments')
      .whereIn('rail', rails)
      .whereBetween('created_at', [since as Date, until as Date])
      .limit(1_000)
      .select(likeColumns);
  const found: LikePayment[] = [];
  if (references.length > 0)
    found.push(...((await near().whereIn('account_reference', references)) as LikePayment[]));
  if (phones.length > 0) found.push(...((await near().whereIn('phone_number', phones)) as LikePayment[]));
  return [...new Map(found.map((payment) => [payment.payment_id, payment])).values()];
}

function ranked(
  format: StatementFormat,
  line: StatementLineRow,
  candidates: readonly LikePayment[],
  lineless: ReadonlySet<LikePayment>,
): LikelyOwner[] {
  return candidates
    .filter(({ kind }) => lineKindOf[kind] === line.kind)
    .map((payment) => ({ payment, like: likeness(format, line, payment) }))
    .filter(({ like: { isSamePhone, isSameReference } }) => isSamePhone || isSameReference)
    .map(({ payment, like }) => ({
      payment,
      isWithout: lineless.has(payment) && like.isSameAmount,
      because: [
        ...reasonsOf(like),
        ...(isSettled(payment.state) ? [] : ['not paid yet']),
        ...(lineless.has(payment) ? ['no receipt'] : []),
      ],
    }))
    .sort(
      (a, b) =>
        Number(b.isWithout) - Number(a.isWithout) ||
        b.because.length - a.because.length ||
        distance(line, a.payment) - distance(line, b.payment) ||
        (a.payment.payment_id < b.payment.payment_id ? -1 : 1),
    )
    .slice(0, ownersMax)
    .map(({ payment, because, isWithout }) => ({
      payment_id: payment.payment_id,
      merchant_id: payment.merchant_id,
      state: payment.state,
      amount: formatAmount(BigInt(payment.instructed_minor), payment.instructed_currency),
      currency: payment.instructed_currency,
      because,
      is_without_receipt: isWithout,
    }));
}

const distance = (line: StatementLineRow, { created_at: created }: LikePayment): number =>
  Math.abs(line.occurred_at.getTime() - created.getTime());
