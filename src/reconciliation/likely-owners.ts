import { formatAmount } from '../domain/money';
import { isSettled } from '../domain/payment';
import type { Database } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { PaymentRow, StatementLineRow } from '../store/tables';
import { lineKindOf, type StatementFormat } from './statement';

const dayMs = 86_400_000;
const ownersMax = 3;

type Candidate = Pick<
  PaymentRow,
  | 'payment_id'
  | 'merchant_id'
  | 'kind'
  | 'state'
  | 'created_at'
  | 'instructed_currency'
  | 'instructed_minor'
  | 'phone_number'
  | 'account_reference'
>;

export interface LikelyOwner {
  payment_id: string;
  merchant_id: string;
  state: string;
  amount: string;
  currency: string;
  /** What speaks for it. */
  because: string[];
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
    for (const line of some) owners.set(line.line_id, ranked(line, candidates));
  }
  return owners;
}

async function findCandidates(
  db: Database,
  { payments }: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<Candidate[]> {
  const times = lines.map(({ occurred_at: at }) => at.getTime());
  const [since, until] = [Math.min(...times) - dayMs, Math.max(...times) + 2 * dayMs].map(
    (ms) => new Date(ms),
  );
  const phones = lines.flatMap(({ phone }) => digitsOf(phone) ?? []);
  const references = lines.flatMap(({ our_reference: reference }) => reference ?? []);
  const rails = payments.map(({ rail }) => rail);
  const near = () =>
    db('payments')
      .whereIn('rail', rails)
      .whereBetween('created_at', [since as Date, until as Date])
      .limit(1_000);
  const found: Candidate[] = [];
  if (references.length > 0) found.push(...(await near().whereIn('account_reference', references)));
  if (phones.length > 0)
    found.push(
      ...(await near()
        .whereIn('is_final', [0, 1])
        .where('updated_at', '>=', since as Date)
        .whereIn('phone_number', phones)),
    );
  return [...new Map(found.map((payment) => [payment.payment_id, payment])).values()];
}

function ranked(line: StatementLineRow, candidates: readonly Candidate[]): LikelyOwner[] {
  return candidates
    .map((payment) => ({ payment, because: reasonsFor(line, payment) }))
    .filter(({ because }) => because.some((reason) => reason === 'phone' || reason === 'reference'))
    .sort(
      (a, b) =>
        b.because.length - a.because.length ||
        distance(line, a.payment) - distance(line, b.payment) ||
        (a.payment.payment_id < b.payment.payment_id ? -1 : 1),
    )
    .slice(0, ownersMax)
    .map(({ payment, because }) => ({
      payment_id: payment.payment_id,
      merchant_id: payment.merchant_id,
      state: payment.state,
      amount: formatAmount(BigInt(payment.instructed_minor), payment.instructed_currency),
      currency: payment.instructed_currency,
      because,
    }));
}

const distance = (line: StatementLineRow, { created_at: created }: Candidate): number =>
  Math.abs(line.occurred_at.getTime() - created.getTime());

function reasonsFor(line: StatementLineRow, payment: Candidate): string[] {
  if (lineKindOf[payment.kind] !== line.kind) return [];
  const isSameAmount =
    payment.instructed_minor === line.amount_minor && payment.instructed_currency === line.currency;
  return [
    ...(digitsOf(line.phone) !== undefined && digitsOf(line.phone) === payment.phone_number ? ['phone'] : []),
    ...(line.our_reference !== null && line.our_reference === payment.account_reference ? ['reference'] : []),
    ...(isSameAmount ? ['amount'] : []),
    ...(distance(line, payment) <= 10 * 60_000 ? ['time'] : []),
    ...(isSettled(payment.state) ? [] : ['not paid yet']),
  ];
}

/** As our payments have numbers: digits alone, with the country's. A masked number is nobody's. */
function digitsOf(phone: string | null): string | undefined {
  const digits = phone?.replaceAll(/[\s+-]/g, '') ?? '';
  return /^\d{9,15}$/.test(digits) ? digits : undefined;
}
