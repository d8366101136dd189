/**
 * Lists a merchant's payments, newest first, page by page. A filter also reads rows that do not match, up to a limit.
 */
import type { Knex } from 'knex';
import { parseAmount, type Currency } from '../../domain/money';
import { isFinal, paymentStates, type PaymentKind, type PaymentState } from '../../domain/payment';
import type { Database } from '../../store/database';
import { beforeCursor, type ListCursor } from '../../store/list-cursor';
import type { PaymentRow } from '../../store/tables';

export interface WantedPayments {
  rail?: string | undefined;
  kind?: PaymentKind | undefined;
  states?: readonly PaymentState[] | undefined;
  createdFrom?: Date | undefined;
  createdBefore?: Date | undefined;
  currency?: Currency | undefined;
  /** The requested amount, in minor units. */
  amountMinor?: bigint | undefined;
  /** The same as decimal text, in the currency of each payment's request. */
  amountText?: string | undefined;
  /** The merchant's order_id or account_reference, complete. */
  reference?: string | undefined;
  /** The last digits of the customer's number. */
  phoneEnds?: string | undefined;
  /** The customer's complete number in each form that may be stored. An empty list matches no payment. */
  phones?: readonly string[] | undefined;
}

export interface PageOfPayments {
  payments: PaymentRow[];
  /** The cursor of the next page; undefined on the last one. */
  next: ListCursor | undefined;
  /** The time that the search reached, where it stopped before the page was full and older rows remain. */
  scannedTo: Date | undefined;
}

/** Rows per scan where a filter is set. */
const scannedMax = 2_000;
const openStates = paymentStates.filter((state) => !isFinal(state));

/** @param looks how many scans one page may take. */
export async function listPayments(
  db: Database,
  merchantId: string,
  wanted: WantedPayments,
  { before, limit, checks = 1 }: { before: ListCursor | undefined; limit: number; checks?: number },
): Promise<PageOfPayments> {
  const { states } = wanted;
  const areOpen = states?.every((state) => !isFinal(state)) ?? false;
  const areAllOpen = areOpen && openStates.every((state) => states?.includes(state));
  const filters = filtersOf({ ...wanted, states: areAllOpen ? undefined : states });
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
  const size = isFiltered ? scannedMax : limit + 1;
  const chosen: ScannedPayment[] = [];
  for (let [n, from] = [1, before]; ; n += 1) {
    const found = await scan(db, merchantId, wanted, { from, size, areOpen });
    const some = found.filter((payment) => isWanted(payment, filters)).slice(0, limit - chosen.length);
    chosen.push(...some);
    const isFull = chosen.length === limit;
    const last = (isFull ? some : found).at(-1);
    const isMore = found.length === size || (isFull && last !== found.at(-1));
    const next = isMore && last ? { at: last.created_at, id: last.payment_id } : undefined;
    if (!next || isFull || n === checks)
      return { payments: await wholeOf(db, chosen), next, scannedTo: isFull ? undefined : next?.at };
    from = next;
  }
}

/** The filters that no index answers: each row is checked. */
const filtersOf = ({
  reference: _,
  phones: _phones,
  createdFrom: _from,
  createdBefore: _before,
  ...filters
}: WantedPayments) => filters;

interface Scan {
  from: ListCursor | undefined;
  /** The number of rows to read, at most. */
  size: number;
  /** Open payments have an index of their own, however old they are. */
  areOpen: boolean;
}

/** One scan backwards from a cursor, by an index: it finds the newest first. */
async function scan(
  db: Database,
  merchantId: string,
  { reference, phones, createdFrom, createdBefore }: WantedPayments,
  { from, size, areOpen }: Scan,
): Promise<ScannedPayment[]> {
  const within = (query: Knex.QueryBuilder): Promise<ScannedPayment[]> => {
    if (areOpen) void query.where({ is_final: 0 });
    if (createdFrom) void query.where('created_at', '>=', createdFrom);
    if (createdBefore) void query.where('created_at', '<', createdBefore);
    if (from) beforeCursor(query, 'payment_id', from);
    void query.orderBy('created_at', 'desc').orderBy('payment_id', 'desc').limit(size);
    return query.select(...scannedColumns);
  };
  if (reference !== undefined) {
    const found = [
      await within(db('payments').where({ merchant_id: merchantId, order_id: reference })),
      await within(db('payments').where({ merchant_id: merchantId, account_reference: reference })),
    ];
    return newestFirst(found.flat()).slice(0, size);
  }
  if (phones !== undefined) {
    if (phones.length === 0) return [];
    return within(
      db('payments')
        .where({ merchant_id: merchantId })
        .whereIn('phone_number', [...phones]),
    );
  }
  const index = areOpen ? 'waiting_of_merchant' : 'by_merchant';
  const query = db.from(db.raw(`payments FORCE INDEX (${index})`));
  // For a merchant with most of all payments, a server would use the merchant's index alone and read every row before
  // the cursor again. With two merchant ids, one of them empty, the server starts at the cursor.
  if (from) void query.whereIn('merchant_id', [merchantId, '']).orderBy('merchant_id', 'desc');
  else void query.where({ merchant_id: merchantId });
  return within(query);
}

const scannedColumns = [
  'payment_id',
  'created_at',
  'rail',
  'kind',
  'state',
  'currency',
  'requested_minor',
  'phone_number',
] as const;
type ScannedPayment = Pick<PaymentRow, (typeof scannedColumns)[number]>;

function isWanted(payment: ScannedPayment, wanted: ReturnType<typeof filtersOf>): boolean {
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

/** Removes the double of a payment that was found by both of its names. */
function newestFirst(found: readonly ScannedPayment[]): ScannedPayment[] {
  const unique = new Map(found.map((payment) => [payment.payment_id, payment]));
  return [...unique.values()].sort(
    (a, b) => b.created_at.getTime() - a.created_at.getTime() || (a.payment_id < b.payment_id ? 1 : -1),
  );
}

async function wholeOf(db: Database, checked: readonly ScannedPayment[]): Promise<PaymentRow[]> {
  if (checked.length === 0) return [];
  const ids = checked.map(({ payment_id: id }) => id);
  return db('payments')
    .whereIn('payment_id', ids)
    .orderBy('created_at', 'desc')
    .orderBy('payment_id', 'desc');
}
