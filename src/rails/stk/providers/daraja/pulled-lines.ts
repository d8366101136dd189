/**
 * The lines in the answers of Pull Transactions. A transaction is a customer's payment to the shortcode: `{
 * transactionId, trxDate, msisdn, sender, transactiontype, billreference, amount, organizationname }`, with keys in
 * lower case (https://developer.safaricom.co.ke/apis/PullTransaction). `trxDate` is documented with its zone; without a
 * zone it is Nairobi time, as in all other answers of this provider.
 */
import { isLosslessNumber, parse } from 'lossless-json';
import { mapSliced, type Sliced } from '../../../../domain/in-slices';
import { readStatementAmount } from '../../../../reconciliation/reading/amounts';
import { dateReader } from '../../../../reconciliation/reading/dates';
import { assertDigits, maskedPhoneIn, spelled, typed } from '../../../../reconciliation/reading/identifiers';
import { readJson } from '../../../../reconciliation/reading/json-text';
import { StatementError, type StatementLine } from '../../../../reconciliation/statement';
import { recordOf } from './wire';

/** @throws StatementError if any transaction cannot be read. They are counted from 1. */
export function* readPulled(json: string): Sliced<StatementLine[]> {
  const rows = yield* transactionsIn(json);
  const dateOf = dateReader([], 'Africa/Nairobi');
  return yield* mapSliced(rows, (row, index) => lineOf(row, index + 1, dateOf));
}

function* transactionsIn(json: string): Sliced<unknown[]> {
  const { transactions } = recordOf(yield* readJson(json, parse));
  if (!Array.isArray(transactions)) throw new StatementError('it has no transactions');
  return transactions as unknown[];
}

/** Customers' payments, to a bill or a till. A transaction without a type counts as one. An operator reviews others. */
const payments = new Set(['', 'c2b-pay-bill-debit', 'c2b-buy-goods-debit']);

function lineOf(row: unknown, n: number, dateOf: ReturnType<typeof dateReader>): StatementLine {
  const fields = recordOf(row);
  const cell = (name: string): string => {
    const value = fields[name];
    return isLosslessNumber(value) ? value.toString() : typeof value === 'string' ? value.trim() : '';
  };
  const receipt = spelled({ n, text: cell('transactionId') }, 'id');
  if (receipt === '') throw new StatementError('it has no transactionId', n);
  assertDigits({ n, text: receipt }, 'id');
  assertDigits({ n, text: cell('msisdn') }, 'phone');
  const type = cell('transactiontype');
  const amountMinor = readStatementAmount(cell('amount'), 'KES', n);
  const isPayment = payments.has(type.toLowerCase()) && amountMinor > 0n;
  const leaves = /revers|^b2/i.test(type) && amountMinor > 0n;
  const [, local] = /^(?:\+?254|0)?([17]\d{8})$/.exec(cell('msisdn')) ?? [];
  const phone = local === undefined ? maskedPhoneIn(typed(cell('msisdn'))) : `254${local}`;
  const account = typed(cell('billreference'));
  return {
    n,
    providerReference: receipt,
    ...(account === '' ? {} : { ourReference: account }),
    kind: isPayment ? 'collection' : 'other',
    amountMinor: leaves ? -amountMinor : amountMinor,
    currency: 'KES',
    at: dateOf(cell('trxDate'), n),
    // The list contains only completed transactions.
    state: 'completed',
    ...(phone === undefined ? {} : { phone }),
    ...(type === '' ? {} : { description: type }),
  };
}
