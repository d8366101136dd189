/**
 * PayPal's Transaction Search: the answer of `GET /v1/reporting/transactions?fields=transaction_info`, one page or a
 * list of pages. Fields: https://developer.paypal.com/docs/api/transaction-search/v1/, event codes:
 * https://developer.paypal.com/reports/reference/t-codes. Amounts have the account's sign; fees are negative. An
 * operator reviews a transaction with an unknown code, status or currency. One without an id or a time cannot be
 * stored.
 */
import { mapSliced, type Sliced } from '../../../../domain/in-slices';
import { isCurrency, type Currency } from '../../../../domain/money';
import { meaningOf } from '../../../../rail-kit/provider-words';
import { feeReturned } from '../../../../reconciliation/fee-review';
import { readStatementAmount } from '../../../../reconciliation/reading/amounts';
import { assertDigits, spelled, typed } from '../../../../reconciliation/reading/identifiers';
import { readJson } from '../../../../reconciliation/reading/json-text';
import {
  StatementError,
  type StatementFormat,
  type StatementLine,
} from '../../../../reconciliation/statement';
import { listOf, recordOf, textOf } from './wire';

type Kind = StatementLine['kind'];

/**
 * By event code, then by its group: T00 payments, T01 fees, T11 reversals and refunds, T12 adjustments such as
 * chargebacks.
 */
const kindOfCode: Record<string, Kind> = {
  T0001: 'payout',
  T1114: 'refund',
  T1115: 'refund',
  // "Fee reversal" and "Fee refund": a credit returns a fee, not a payment.
  T1108: 'fee',
  T1109: 'fee',
};
const codesOfReturnedFees = ['T1108', 'T1109'];
const kindOfGroup: Record<string, Kind> = { T00: 'collection', T01: 'fee', T11: 'refund', T12: 'refund' };
/** Authorisations, orders and holds: no money leaves the account, or it returns automatically. */
const groupsWithoutMoney = ['T13', 'T14', 'T15'];
/**
 * T1105 is "Reversal of general account hold". T1110 is "Hold for dispute investigation (T15nn)" and T1111 its
 * "Cancellation": the money is still ours, and the dispute has its own reserve. A lost dispute is T1106 or T1201.
 */
const codesWithoutMoney = ['T1105', 'T1110', 'T1111'];

const stateOfStatus: Record<string, StatementLine['state']> = {
  S: 'completed',
  P: 'pending',
  D: 'failed',
  // A success that was reversed later: the reversal is a transaction of its own.
  V: 'completed',
};

export const paypalStatement: StatementFormat = {
  provider: 'paypal',
  payments: [{ rail: 'walletpay' }],
  knownBy: ['provider_receipt', 'provider_reference'],
  // A refund is a transaction of its own; an order and a batch are not.
  namedBy: { refund: 'provider_reference' },
  oursIs: 'payment_id',
  *read(file) {
    const transactions = yield* transactionsIn(file);
    return yield* mapSliced(transactions, (one, index) => lineOf(recordOf(one), index + 1));
  },
};

function* transactionsIn(file: Buffer): Sliced<Record<string, unknown>[]> {
  const text = file.toString('utf8').replace(/^\ufeff/, '');
  const json = yield* readJson(text, (piece) => JSON.parse(piece) as unknown);
  const pages = Array.isArray(json) ? json.map(recordOf) : [recordOf(json)];
  const totalIn = ({ total_pages: total }: Record<string, unknown>) =>
    typeof total === 'number' ? total : 1;
  const reported = pages.reduce((most, page) => Math.max(most, totalIn(page)), 1);
  if (pages.some((page) => !Array.isArray(page['transaction_details'])))
    throw new StatementError('this is not an answer of Transaction Search: "transaction_details" is missing');
  if (pages.length < reported)
    throw new StatementError(
      `only ${pages.length} of ${reported} pages are there: put all of them into one list, [page, page, …]`,
    );
  return pages.flatMap((page) => listOf(page['transaction_details']));
}

/** @param n counts the transactions from 1: line numbers of a JSON file would not help an operator. */
function lineOf(
  { transaction_info: reported, payer_info: payer }: Record<string, unknown>,
  n: number,
): StatementLine {
  const info = recordOf(reported);
  const code = textOf(info['transaction_event_code']);
  const status = textOf(info['transaction_status']);
  const state = meaningOf(stateOfStatus, status);
  const money = moneyIn(info['transaction_amount'], n);
  const isKnown = /^T\d{4}$/.test(code) && state !== undefined && money !== undefined;
  const kind = isKnown ? (kindOfCode[code] ?? kindOfGroup[code.slice(0, 3)] ?? 'other') : 'other';
  const isWithoutMoney =
    isKnown && (groupsWithoutMoney.includes(code.slice(0, 3)) || codesWithoutMoney.includes(code));
  const isReturnedFee = isKnown && codesOfReturnedFees.includes(code);
  const { signedMinor, currency } = money ?? nothing;
  const fee = isKnown ? moneyIn(info['fee_amount'], n) : undefined;
  const id = spelled({ n, text: textOf(info['transaction_id']) }, 'id');
  const reference = spelled({ n, text: textOf(info['paypal_reference_id']) }, 'id');
  const ours = typed(textOf(info['invoice_id']) || textOf(info['custom_field']));
  const phone = textOf(recordOf(recordOf(payer)['phone_number'])['national_number']);
  assertDigits({ n, text: id }, 'id');
  assertDigits({ n, text: reference }, 'id');
  assertDigits({ n, text: ours }, 'reference');
  assertDigits({ n, text: phone }, 'phone');
  return {
    n,
    providerReference: id,
    ...(ours === '' ? {} : { ourReference: ours }),
    ...((kind === 'refund' || isReturnedFee) && reference !== '' ? { originalReference: reference } : {}),
    kind,
    amountMinor: signedAmount(kind, signedMinor),
    currency,
    ...(fee?.currency === currency ? { feeMinor: -fee.signedMinor } : {}),
    at: momentIn(textOf(info['transaction_initiation_date']), n),
    state: isWithoutMoney ? 'pending' : (state ?? 'completed'),
    ...(phone === '' ? {} : { phone }),
    description: isKnown ? `${code} ${textOf(info['transaction_subject'])}`.trim() : oddWords(info),
    ...(kind === 'fee' || isWithoutMoney ? { rule: code } : {}),
    ...((kind === 'refund' && fee && fee.signedMinor > 0n) || (isReturnedFee && signedMinor > 0n)
      ? { rule: feeReturned }
      : {}),
  };
}

/**
 * A debit of the account for a payout, refund or fee becomes a positive amount; a returned payout becomes a negative
 * one.
 */
function signedAmount(kind: Kind, signedMinor: bigint): bigint {
  const comesIn = kind === 'collection' || kind === 'other';
  return comesIn ? signedMinor : -signedMinor;
}

interface Money {
  signedMinor: bigint;
  currency: Currency;
}

/** For an amount that cannot be read. */
const nothing: Money = { signedMinor: 0n, currency: 'USD' };

/**
 * @returns undefined without an amount, or with an unknown currency. @throws StatementError for an amount that is not
 * valid in its currency.
 */
function moneyIn(value: unknown, n: number): Money | undefined {
  const { currency_code: code, value: decimal } = recordOf(value);
  const currency = textOf(code).trim().toUpperCase();
  return isCurrency(currency)
    ? { currency, signedMinor: readStatementAmount(textOf(decimal), currency, n) }
    : undefined;
}

/** The provider's text about it, for an operator. */
function oddWords(info: Record<string, unknown>): string {
  const { currency_code: currency, value } = recordOf(info['transaction_amount']);
  const words = [info['transaction_event_code'], info['transaction_status'], value, currency];
  return words.map(textOf).filter(Boolean).join(' ');
}

function momentIn(text: string, n: number): Date {
  // `+0000` is documented, but a Date reads only `+00:00`.
  const at = new Date(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  if (!/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})$/.test(text) || Number.isNaN(at.getTime()))
    throw new StatementError(`"${text}" is not a time with its zone`, n);
  return at;
}
