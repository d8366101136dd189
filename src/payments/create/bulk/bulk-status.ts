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
    count: count('How many payouts', 2),
    amount: amount('What they come to'),
  };
  return {
    bulk_id: uuid('The whole; ask for its status by it'),
    order_id: text('Your name for it', 'PAYROLL-2026-01'),
    is_final: flag('Every payout has ended', { example: false }),
    count: count('How many payouts there are', 2),
    totals: listOf(
      body({
        currency: currencyCode('Of these payouts', 'KES'),
        ...sum,
        by_status: tableOf(body(sum), `The same by status: ${statuses.join(', ')}`),
      }),
      'One for each currency',
    ),
    payouts: listOf(
      body({
        index: count('Its place in the request, from 0', 0),
        ...row,
        amount: amount('What you asked for'),
        currency: currencyCode('Of the amount', 'KES'),
        status: word(statuses, 'How it stands'),
        is_final: flag('It has ended', { example: false }),
      }),
      'Every payout, in the order of the request',
      rowsMax,
    ),
    created_at: moment('When it was taken'),
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
