/**
 * The merchant statement of Pesapal's dashboard: "export to excel", saved as CSV. Columns:
 * https://www.pesapal.com/support/business-account/generating-your-merchant-statement-report. Times are in Nairobi
 * time. An order has the reference that we submitted; the confirmation code is the provider's payment id.
 */
import { cutText } from '../../../../domain/cut-text';
import { mapSliced } from '../../../../domain/in-slices';
import { meaningOf } from '../../../../rail-kit/provider-words';
import { readStatementAmount, readStatementCurrency } from '../../../../reconciliation/reading/amounts';
import { readTable, type Row } from '../../../../reconciliation/reading/csv-table';
import { dateReader } from '../../../../reconciliation/reading/dates';
import {
  magnitude,
  StatementError,
  type StatementFormat,
  type StatementLine,
} from '../../../../reconciliation/statement';

const columns = {
  date: ['Date'],
  method: ['Payment Method'],
  code: ['Confirmation Code'],
  currency: ['Currency'],
  amount: ['Amount'],
  commission: ['Commission'],
  net: ['Net amount', 'Net'],
  reference: ['Reference', 'Merchant Reference'],
  status: ['Status', 'Payment Status'],
} as const;

/**
 * The customers' payment methods, compared as whole words without spaces and signs. An operator reviews other methods.
 */
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
/** Types that leave the account, whatever their sign. */
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
  codeIn: 'confirmation_code',
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
    const read = yield* mapSliced(rows, (row) => readRow(row, dateOf(row.cells.date, row.n), hasStates));
    return yield* mapSliced(read, withFee(keptSign(read)));
  },
};

interface Read {
  line: StatementLine;
  commission: Commission | undefined;
}

interface Commission {
  text: string;
  /** The amount as written. */
  minor: bigint;
  /** The commission, calculated from the amount and the net amount of the row. Less than zero if it was returned. */
  keptMinor: bigint | undefined;
}

function readRow(row: Row<keyof typeof columns>, at: Date, hasStates: boolean): Read {
  const line = lineOf(row, at, hasStates);
  const { commission: text, net, amount } = row.cells;
  if (text === '') return { line, commission: undefined };
  const { currency, n, amountMinor } = line;
  const minor = readStatementAmount(text, currency, n);
  if (net === '') return { line, commission: { text, minor, keptMinor: undefined } };
  const netMinor = readStatementAmount(net, currency, n);
  const isTurned = amountMinor !== readStatementAmount(amount, currency, n);
  const shownMinor = amountMinor - (isTurned ? -netMinor : netMinor);
  const keptMinor = magnitude(shownMinor) === magnitude(minor) ? shownMinor : undefined;
  return { line, commission: { text, minor, keptMinor } };
}

/**
 * The sign of a deducted commission, for rows that do not show it otherwise.
 * @throws StatementError if a file has both signs: then it is unclear which commission was returned.
 */
function keptSign(rows: readonly Read[]): bigint {
  const unclear = rows.flatMap(({ line: { kind, state, n }, commission }) =>
    kind === 'collection' && state === 'completed' && commission?.keptMinor === undefined && commission
      ? [{ n, ...commission }]
      : [],
  );
  const withMinus = unclear.find(({ minor }) => minor < 0n);
  const without = unclear.find(({ minor }) => minor > 0n);
  if (withMinus && without) {
    const [first, second] = withMinus.n < without.n ? [withMinus, without] : [without, withMinus];
    throw new StatementError(
      `the commission "${cutText(second.text, 40)}" has another sign than "${cutText(first.text, 40)}" of line ` +
        `${first.n}, and no net amount shows which was deducted; upload the provider's original export`,
      second.n,
    );
  }
  return withMinus ? -1n : 1n;
}

/** A refunded payment may have its commission returned. That is no fee; an operator reviews it. */
const withFee =
  (sign: bigint) =>
  ({ line, commission }: Read): StatementLine =>
    commission === undefined ? line : { ...line, feeMinor: commission.keptMinor ?? commission.minor * sign };

function lineOf(
  { n, cells, damage }: Row<keyof typeof columns>,
  at: Date,
  hasStates: boolean,
): StatementLine {
  const currency = readStatementCurrency(cells.currency, n);
  const amountMinor = readStatementAmount(cells.amount, currency, n);
  const method = cells.method.toLowerCase().replaceAll(/[^a-z]/g, '');
  const word = cells.status.toLowerCase();
  // A file without states contains only completed rows.
  const state = hasStates ? meaningOf(states, word) : 'completed';
  const isPayment = state !== undefined && (methods.has(method) || cells.method === '') && amountMinor >= 0n;
  const leaves = out.test(cells.method);
  const words = [cells.method && `${cells.method} ${cells.status}`.trim(), damage].filter(Boolean);
  // Each of our attempts adds a number to the reference.
  const ours = cells.reference.replace(/-\d{1,4}$/, '');
  return {
    n,
    providerReference: cells.code,
    ...(ours === '' ? {} : { ourReference: ours }),
    // A refund has the code of its payment.
    ...(isPayment ? {} : { originalReference: cells.code }),
    kind: isPayment ? 'collection' : 'other',
    amountMinor: leaves && amountMinor > 0n ? -amountMinor : amountMinor,
    currency,
    at,
    state: state ?? 'completed',
    ...(words.length === 0 ? {} : { description: words.join(' ') }),
  };
}
