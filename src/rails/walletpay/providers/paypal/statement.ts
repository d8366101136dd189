/**
 * PayPal's Transaction Search: what `GET /v1/reporting/transactions?fields=transaction_info` answers, one page or a list
 * of pages. Fields: https://developer.paypal.com/docs/api/transaction-search/v1/, event codes:
 * https://developer.paypal.com/reports/reference/t-codes. Amounts are signed as the account sees them, fees are negative.
 * A transaction with a code, a status or a currency that nobody knows is a person's question; one without an id or a moment
 * cannot be kept.
 */
import { mapSliced, type Sliced } from '../../../../domain/in-slices';
import { isCurrency, type Currency } from '../../../../domain/money';
import { meaningOf } from '../../../../rail-kit/provider-words';
import { feeGivenBack } from '../../../../reconciliation/fee-doubts';
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

/** By event code, then by its group: T00 payments, T01 fees, T11 reversals and refunds, T12 adjustments such as chargebacks. */
const kindOfCode: Record<string, Kind> = {
  T0001: 'payout',
  T1114: 'refund',
  T1115: 'refund',
};
const kindOfGroup: Record<string, Kind> = { T00: 'collection', T01: 'fee', T11: 'refund', T12: 'refund' };
/** Authorisations, orders and holds: nothing leaves the account, or it comes back by itself. */
const groupsWithoutMoney = ['T13', 'T14', 'T15'];
const codesWithoutMoney = ['T1105'];

const stateOfStatus: Record<string, StatementLine['state']> = {
  S: 'completed',
  P: 'pending',
  D: 'failed',
  // A success that was reversed since: the reversal is a transaction of its own.
  V: 'completed',
};

export const paypalStatement: StatementFormat = {
  provider: 'paypal',
  payments: [{ rail: 'walletpay' }],
  knownBy: ['provider_receipt', 'provider_reference'],
  // A refund is a transaction of its own; an order and a batch are none.
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
  const told = pages.reduce((most, page) => Math.max(most, totalIn(page)), 1);
  if (pages.some((page) => !Array.isArray(page['transaction_details'])))
    throw new StatementError('this is no answer of Transaction Search: "transaction_details" is missing');
  if (pages.length < told)
    throw new StatementError(
      `only ${pages.length} of ${told} pages are there: put all of them into one list, [page, page, …]`,
    );
  return pages.flatMap((page) => listOf(page['transaction_details']));
}

/** @param n counts the transactions, from 1: a file of JSON has no lines that a person would count. */
function lineOf(
  { transaction_info: told, payer_info: payer }: Record<string, unknown>,
  n: number,
): StatementLine {
  const info = recordOf(told);
  const code = textOf(info['transaction_event_code']);
  const status = textOf(info['transaction_status']);
  const state = meaningOf(stateOfStatus, status);
  const money = moneyIn(info['transaction_amount'], n);
  const isKnown = /^T\d{4}$/.test(code) && state !== undefined && money !== undefined;
  const kind = isKnown ? (kindOfCode[code] ?? kindOfGroup[code.slice(0, 3)] ?? 'other') : 'other';
  const isWithoutMoney =
    isKnown && (groupsWithoutMoney.includes(code.slice(0, 3)) || codesWithoutMoney.includes(code));
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
    ...(kind === 'refund' && reference !== '' ? { originalReference: reference } : {}),
    kind,
    amountMinor: asMoved(kind, signedMinor),
    currency,
    ...(fee?.currency === currency ? { feeMinor: -fee.signedMinor } : {}),
    at: momentIn(textOf(info['transaction_initiation_date']), n),
    state: isWithoutMoney ? 'pending' : (state ?? 'completed'),
    ...(phone === '' ? {} : { phone }),
    description: isKnown ? `${code} ${textOf(info['transaction_subject'])}`.trim() : oddWords(info),
    ...(kind === 'fee' || isWithoutMoney ? { rule: code } : {}),
    ...(kind === 'refund' && fee && fee.signedMinor > 0n ? { rule: feeGivenBack } : {}),
  };
}

/** What the account sees as less, a payout, a refund or a fee counts as so much; what comes back of a payout as less than zero. */
function asMoved(kind: Kind, signedMinor: bigint): bigint {
  const comesIn = kind === 'collection' || kind === 'other';
  return comesIn ? signedMinor : -signedMinor;
}

interface Money {
  signedMinor: bigint;
  currency: Currency;
}

/** Of what nobody can say how much it is. */
const nothing: Money = { signedMinor: 0n, currency: 'USD' };

/** @returns undefined where there is none, or the currency is none. @throws StatementError for an amount that is none in it. */
function moneyIn(value: unknown, n: number): Money | undefined {
  const { currency_code: code, value: decimal } = recordOf(value);
  const currency = textOf(code).trim().toUpperCase();
  return isCurrency(currency)
    ? { currency, signedMinor: readStatementAmount(textOf(decimal), currency, n) }
    : undefined;
}

/** What the provider says of it, for a person. */
function oddWords(info: Record<string, unknown>): string {
  const { currency_code: currency, value } = recordOf(info['transaction_amount']);
  const words = [info['transaction_event_code'], info['transaction_status'], value, currency];
  return words.map(textOf).filter(Boolean).join(' ');
}

function momentIn(text: string, n: number): Date {
  // `+0000` is what is documented; only `+00:00` is ISO 8601 as a Date reads it.
  const at = new Date(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  if (!/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})$/.test(text) || Number.isNaN(at.getTime()))
    throw new StatementError(`"${text}" is no moment with its zone`, n);
  return at;
}
