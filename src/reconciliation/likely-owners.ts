import { formatAmount } from '../domain/money';
import { isSettled } from '../domain/payment';
import type { Database } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { StatementLineRow } from '../store/tables';
import { lineKindOf, type StatementFormat } from './statement';
import {
  digitsOf,
  isNameless,
  likeColumns,
  likeness,
  reasonsOf,
  spellingsOf,
  withoutLine,
  type LikePayment,
} from './without-receipt';

const dayMs = 86_400_000;
const ownersMax = 3;

export interface LikelyOwner {
  payment_id: string;
  merchant_id: string;
  state: string;
  amount: string;
  currency: string;
  /** What speaks for it. */
  because: string[];
  /** It was paid, and no line names it: the line may be its money, which is booked already. */
  is_without_receipt: boolean;
}

/**
 * The payments of ours that lines without an owner may belong to, the likeliest first: by phone number, reference, amount
 * and time. A guess for people; nothing is decided by it.
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
