/**
 * The merchant statement of Pesapal's dashboard: "export to excel", saved as CSV. Columns:
 * https://www.pesapal.com/support/business-account/generating-your-merchant-statement-report. Times are Nairobi's. It
 * names an order by the reference that we gave it; the confirmation code is the provider's id of what was paid.
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
  /** As it is written. */
  minor: bigint;
  /** What was kept, as the amount and the net amount of the row show: less than zero where it was given back. */
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
 * Whether what is kept of payments is written with a minus or without, where their rows do not show it otherwise.
 * @throws StatementError where a file does both: which of them was given back cannot be said.
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
        `${first.n}, and no net amount shows what was kept; bring the file as the provider exports it`,
      second.n,
    );
  }
  return withMinus ? -1n : 1n;
}

/** What goes back of a payment may have its commission given back: that is no fee, and a person's question. */
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
  // Without states it lists what was completed.
  const state = hasStates ? meaningOf(states, word) : 'completed';
  const isPayment = state !== undefined && (methods.has(method) || cells.method === '') && amountMinor >= 0n;
  const leaves = out.test(cells.method);
  const words = [cells.method && `${cells.method} ${cells.status}`.trim(), damage].filter(Boolean);
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
    at,
    state: state ?? 'completed',
    ...(words.length === 0 ? {} : { description: words.join(' ') }),
  };
}
