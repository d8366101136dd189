/**
 * The merchant statement of Pesapal's dashboard: "export to excel", saved as CSV. Columns:
 * https://www.pesapal.com/support/business-account/generating-your-merchant-statement-report. Times are Nairobi's. It
 * names an order by the reference that we gave it; the confirmation code is the provider's id of what was paid.
 */
import { mapSliced } from '../../../../domain/in-slices';
import { readStatementAmount, readStatementCurrency } from '../../../../reconciliation/reading/amounts';
import { readTable, type Row } from '../../../../reconciliation/reading/csv-table';
import { dateReader } from '../../../../reconciliation/reading/dates';
import type { StatementFormat, StatementLine } from '../../../../reconciliation/statement';

const columns = {
  date: ['Date'],
  method: ['Payment Method'],
  code: ['Confirmation Code'],
  currency: ['Currency'],
  amount: ['Amount'],
  commission: ['Commission'],
  reference: ['Reference', 'Merchant Reference'],
  status: ['Status', 'Payment Status'],
} as const;

/** What customers pay with, each whole, without spaces and signs; another method is a person's question. */
const methods = new Set([
  ...['visa', 'mastercard', 'amex', 'americanexpress', 'card'],
  ...[
    'mpesa',
    'mpesake',
    'mpesatz',
    'airtel',
    'airtelmoney',
    'airtelke',
    'airtelug',
    'airteltz',
    'airtelmw',
    'airtelzm',
  ],
  ...[
    'mtn',
    'mtnug',
    'mtnmomo',
    'mtnrw',
    'mtnzm',
    'tigo',
    'tigopesa',
    'tigotz',
    'mixxbyyas',
    'halopesa',
    'tnm',
    'tnmmpamba',
  ],
  ...['banktransfer', 'pesalink', 'equity', 'equitel', 'coopbank', 'ewallet', 'pesapal', 'pesapalwallet'],
]);
/** Of what leaves the account whatever its sign is. */
const out = /^(?:bank ?)?(?:withdrawals?|settlements?|payouts?|refunds?|reversals?|chargebacks?)$/i;
const states: Record<string, StatementLine['state']> = {
  completed: 'completed',
  failed: 'failed',
  invalid: 'failed',
  cancelled: 'failed',
  declined: 'failed',
  pending: 'pending',
  processing: 'pending',
};

export const pesapalStatement: StatementFormat = {
  provider: 'pesapal',
  payments: [{ rail: 'cardproc' }],
  knownBy: ['provider_receipt'],
  oursIs: 'callback_token',
  *read(file, { dateOrder }) {
    const rows = yield* readTable(file, {
      columns,
      required: ['date', 'code', 'currency', 'amount', 'reference'],
      identifiers: { code: 'id', reference: 'reference' },
      id: 'code',
    });
    const dates = rows.map(({ n, cells }) => ({ n, text: cells.date }));
    const dateOf = dateReader(dates, 'Africa/Nairobi', dateOrder);
    const hasStates = rows.some(({ cells }) => cells.status !== '');
    return yield* mapSliced(rows, (row) => lineOf(row, dateOf(row.cells.date, row.n), hasStates));
  },
};

function lineOf({ n, cells }: Row<keyof typeof columns>, at: Date, hasStates: boolean): StatementLine {
  const currency = readStatementCurrency(cells.currency, n);
  const amountMinor = readStatementAmount(cells.amount, currency, n);
  const method = cells.method.toLowerCase().replaceAll(/[^a-z]/g, '');
  const word = cells.status.toLowerCase();
  // Without states it lists what was completed.
  const state = hasStates ? (Object.hasOwn(states, word) ? states[word] : undefined) : 'completed';
  const isPayment = state !== undefined && (methods.has(method) || cells.method === '') && amountMinor >= 0n;
  const leaves = out.test(cells.method);
  const feeMinor = cells.commission === '' ? undefined : readStatementAmount(cells.commission, currency, n);
  // Every attempt of ours has a number behind the reference.
  const ours = cells.reference.replace(/-\d{1,4}$/, '');
  return {
    n,
    providerReference: cells.code,
    ...(ours === '' ? {} : { ourReference: ours }),
    // What goes back of a payment has its code.
    ...(isPayment ? {} : { originalReference: cells.code }),
    kind: isPayment ? 'collection' : 'other',
    amountMinor: leaves && amountMinor > 0n ? -amountMinor : amountMinor,
    currency,
    ...(feeMinor === undefined ? {} : { feeMinor: feeMinor < 0n ? -feeMinor : feeMinor }),
    at,
    state: state ?? 'completed',
    ...(cells.method === '' ? {} : { description: `${cells.method} ${cells.status}`.trim() }),
  };
}
