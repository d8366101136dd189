/** A merchant's payments, newest first, a page at a time: what is not wanted is looked at, too, and only so much of it. */
import { parseAmount, type Currency } from '../../domain/money';
import type { PaymentKind, PaymentState } from '../../domain/payment';
import type { Database } from '../../store/database';
import { placeBefore, type ListPlace } from '../../store/list-place';
import type { PaymentRow } from '../../store/tables';

export interface WantedPayments {
  rail?: string | undefined;
  kind?: PaymentKind | undefined;
  states?: readonly PaymentState[] | undefined;
  createdFrom?: Date | undefined;
  createdBefore?: Date | undefined;
  currency?: Currency | undefined;
  /** What was asked for, in minor units. */
  amountMinor?: bigint | undefined;
  /** The same as decimal text, in whichever currency a payment was asked for. */
  amountText?: string | undefined;
  /** The merchant's order_id or account_reference, whole. */
  reference?: string | undefined;
  /** The last digits of the customer's number. */
  phoneEnds?: string | undefined;
}

export interface PageOfPayments {
  payments: PaymentRow[];
  /** Where the next page begins; undefined on the last one. */
  next: ListPlace | undefined;
}

/** Payments that one page looks at where only some are wanted. */
const lookedAtMax = 2_000;

export async function listPayments(
  db: Database,
  merchantId: string,
  wanted: WantedPayments,
  { before, limit }: { before: ListPlace | undefined; limit: number },
): Promise<PageOfPayments> {
  const { reference, createdFrom, createdBefore, ...filters } = wanted;
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
  const size = isFiltered ? lookedAtMax : limit + 1;
  const look = (column?: 'order_id' | 'account_reference') => {
    const query = db('payments')
      .where({ merchant_id: merchantId })
      .orderBy('created_at', 'desc')
      .orderBy('payment_id', 'desc')
      .limit(size);
    if (column && reference !== undefined) void query.where(column, reference);
    if (createdFrom) void query.where('created_at', '>=', createdFrom);
    if (createdBefore) void query.where('created_at', '<', createdBefore);
    if (before) placeBefore(query, 'payment_id', before);
    return query.select(...lookedAt);
  };
  const found =
    reference === undefined
      ? await look()
      : newestFirst([...(await look('order_id')), ...(await look('account_reference'))]).slice(0, size);
  const chosen = found.filter((payment) => isWanted(payment, filters)).slice(0, limit);
  const isFull = chosen.length === limit;
  const last = (isFull ? chosen : found).at(-1);
  const isMore = isFull ? last !== found.at(-1) || found.length === size : found.length === size;
  return {
    payments: await wholeOf(db, chosen),
    next: isMore && last ? { at: last.created_at, id: last.payment_id } : undefined,
  };
}

const lookedAt = [
  'payment_id',
  'created_at',
  'rail',
  'kind',
  'state',
  'currency',
  'requested_minor',
  'phone_number',
] as const;
type Looked = Pick<PaymentRow, (typeof lookedAt)[number]>;

function isWanted(payment: Looked, wanted: Omit<WantedPayments, 'reference' | 'createdFrom'>): boolean {
  const { rail, kind, states, currency, amountMinor, amountText, phoneEnds } = wanted;
  return (
    (rail === undefined || payment.rail === rail) &&
    (kind === undefined || payment.kind === kind) &&
    (states === undefined || states.includes(payment.state)) &&
    (currency === undefined || payment.currency === currency) &&
    (amountMinor === undefined || BigInt(payment.requested_minor) === amountMinor) &&
    (amountText === undefined ||
      BigInt(payment.requested_minor) === parseAmount(amountText, payment.currency)) &&
    (phoneEnds === undefined || payment.phone_number?.endsWith(phoneEnds) === true)
  );
}

/** One that is found by both of its names is one. */
function newestFirst(found: readonly Looked[]): Looked[] {
  const unique = new Map(found.map((payment) => [payment.payment_id, payment]));
  return [...unique.values()].sort(
    (a, b) => b.created_at.getTime() - a.created_at.getTime() || (a.payment_id < b.payment_id ? 1 : -1),
  );
}

async function wholeOf(db: Database, looked: readonly Looked[]): Promise<PaymentRow[]> {
  if (looked.length === 0) return [];
  const ids = looked.map(({ payment_id: id }) => id);
  return db('payments')
    .whereIn('payment_id', ids)
    .orderBy('created_at', 'desc')
    .orderBy('payment_id', 'desc');
}
