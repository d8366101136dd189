import type Joi from 'joi';
import type { Currency } from '../../../domain/money';
import type { Database } from '../../../store/database';
import type { BulkPayoutRow, PaymentRow } from '../../../store/tables';
import {
  body,
  count,
  currencyCode,
  flag,
  listOf,
  moment,
  tableOf,
  text,
  uuid,
  word,
} from '../../../rail-kit/answer-fields';

/** How a rail reports the payouts of one request. */
export interface BulkWords {
  /** The merchant's status word of a payout. */
  statusOf(payment: PaymentRow): string;
  /** The fields that name a payout and report its end, in addition to its status and amount. */
  rowBody(payment: PaymentRow): Record<string, unknown>;
  amountOf(minor: bigint, currency: Currency): string | number;
}

type Amount = (about: string) => Joi.AnySchema;

/** The fields of a bulk's status; `row` has the rail's own fields of each payout. */
/** Payouts of one request. */
export const rowsMax = 1_000;

export function bulkFields(
  row: Record<string, Joi.AnySchema>,
  { amount, statuses }: { amount: Amount; statuses: readonly [string, ...string[]] },
) {
  const sum = {
    count: count('The number of payouts', 2),
    amount: amount('The sum of their amounts'),
  };
  return {
    bulk_id: uuid('The bulk. Query its status by this id'),
    order_id: text('Your order_id of the bulk', 'PAYROLL-2026-01'),
    is_final: flag('Whether every payout has ended', { example: false }),
    count: count('The number of payouts', 2),
    totals: listOf(
      body({
        currency: currencyCode('The currency of these payouts', 'KES'),
        ...sum,
        by_status: tableOf(body(sum), `The number and sum by status: ${statuses.join(', ')}`),
      }),
      'One entry per currency',
    ),
    payouts: listOf(
      body({
        index: count("The payout's index in the request, from 0", 0),
        ...row,
        amount: amount('The requested amount'),
        currency: currencyCode('The currency of the amount', 'KES'),
        status: word(statuses, 'The state of the payout'),
        is_final: flag('Whether the payout has ended', { example: false }),
      }),
      'Every payout, in the order of the request',
      rowsMax,
    ),
    created_at: moment('When the bulk was created'),
  };
}

interface Sum {
  count: number;
  minor: bigint;
}

/** The payouts, in the order of the request. */
export async function paymentsOf(db: Database, { bulk_id: bulkId }: BulkPayoutRow): Promise<PaymentRow[]> {
  return db('payments as p')
    .join('bulk_rows as r', 'r.payment_id', 'p.payment_id')
    .where('r.bulk_id', bulkId)
    .orderBy('r.n')
    .select<PaymentRow[]>('p.*');
}

/**
 * The status of the bulk: totals per currency, overall and by status, and every payout by its position in the
 * request.
 */
export function bulkBody(
  bulk: BulkPayoutRow,
  payments: readonly PaymentRow[],
  words: BulkWords,
): Record<string, unknown> {
  const { statusOf, rowBody, amountOf } = words;
  const reported = ({ count, minor }: Sum, currency: Currency) => ({
    count,
    amount: amountOf(minor, currency),
  });
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
        reported(sumOf(own.filter((payment) => statusOf(payment) === status)), currency);
      return {
        currency,
        ...reported(sumOf(own), currency),
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
