import type { Currency } from '../../../domain/money';
import type { Database } from '../../../store/database';
import type { BulkPayoutRow, PaymentRow } from '../../../store/tables';

/** How a rail tells of the payouts of one request. */
export interface BulkWords {
  /** The merchant's word for how a payout stands. */
  statusOf(payment: PaymentRow): string;
  /** What names a payout and tells of its end, beside its status and amount. */
  rowBody(payment: PaymentRow): Record<string, unknown>;
  amountOf(minor: bigint, currency: Currency): string | number;
}

interface Sum {
  count: number;
  minor: bigint;
}

/** The payouts in the order of the request. */
export async function paymentsOf(db: Database, { bulk_id: bulkId }: BulkPayoutRow): Promise<PaymentRow[]> {
  return db('payments as p')
    .join('bulk_rows as r', 'r.payment_id', 'p.payment_id')
    .where('r.bulk_id', bulkId)
    .orderBy('r.n')
    .select<PaymentRow[]>('p.*');
}

/** How the whole stands: totals for each currency, in all and by status, and every payout by its place in the request. */
export function bulkBody(
  bulk: BulkPayoutRow,
  payments: readonly PaymentRow[],
  words: BulkWords,
): Record<string, unknown> {
  const { statusOf, rowBody, amountOf } = words;
  const told = ({ count, minor }: Sum, currency: Currency) => ({ count, amount: amountOf(minor, currency) });
  const currencies = [...new Set(payments.map(({ currency }) => currency))];
  return {
    bulk_id: bulk.bulk_id,
    order_id: bulk.order_id,
    is_final: payments.every(({ is_final: isFinal }) => isFinal === 1),
    count: bulk.row_count,
    totals: currencies.map((currency) => {
      const own = payments.filter((payment) => payment.currency === currency);
      const statuses = [...new Set(own.map(statusOf))];
      const ofStatus = (status: string) =>
        told(sumOf(own.filter((payment) => statusOf(payment) === status)), currency);
      return {
        currency,
        ...told(sumOf(own), currency),
        by_status: Object.fromEntries(statuses.map((status) => [status, ofStatus(status)])),
      };
    }),
    payouts: payments.map((payment, index) => ({
      index,
      ...rowBody(payment),
      amount: amountOf(BigInt(payment.requested_minor), payment.currency),
      currency: payment.currency,
      status: statusOf(payment),
      is_final: payment.is_final === 1,
    })),
    created_at: bulk.created_at.toISOString(),
  };
}

function sumOf(payments: readonly PaymentRow[]): Sum {
  return {
    count: payments.length,
    minor: payments.reduce((sum, { requested_minor: minor }) => sum + BigInt(minor), 0n),
  };
}
