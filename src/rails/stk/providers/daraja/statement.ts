/**
 * The organisation statement of an M-Pesa shortcode, as the organisation portal (org.ke.m-pesa.com) exports it: some
 * lines about the organisation, then a table. The provider documents no columns; integrators describe them, such as
 * https://mifosforge.jira.com/wiki/pages/viewpage.action?pageId=4850216. Times are in Nairobi time. Withdrawn amounts
 * may have a minus or not, but one file has only one form. Fetched statements are JSON.
 *
 * `Details` contains texts that customers and payees typed (`… Acc. SCHOOL FEES`): no word in it decides about money.
 * The reason type is the provider's own.
 */
import { cutText } from '../../../../domain/cut-text';
import { mapSliced } from '../../../../domain/in-slices';
import { meaningOf } from '../../../../rail-kit/provider-words';
import { readStatementAmount } from '../../../../reconciliation/reading/amounts';
import { cellsIn, readTable, type Row } from '../../../../reconciliation/reading/csv-table';
import { dateReader } from '../../../../reconciliation/reading/dates';
import { decode } from '../../../../reconciliation/reading/decode';
import { assertZeroKept, maskedPhoneIn, typed } from '../../../../reconciliation/reading/identifiers';
import {
  StatementError,
  type StatementFormat,
  type StatementLine,
} from '../../../../reconciliation/statement';
import { readPulled } from './pulled-lines';
import { accountReferenceLength } from './wire';

const columns = {
  receipt: ['Receipt No.', 'Receipt Number', 'Receipt'],
  completed: ['Completion Time'],
  details: ['Details'],
  status: ['Transaction Status', 'Status'],
  paidIn: ['Paid In'],
  withdrawn: ['Withdrawn'],
  reason: ['Reason Type', 'Transaction Type'],
  party: ['Other Party Info'],
  linked: ['Linked Transaction ID'],
  account: ['A/C No.', 'Account No.', 'Account Number'],
} as const;
type Cells = Row<keyof typeof columns>['cells'];

const states: Record<string, StatementLine['state']> = {
  completed: 'completed',
  failed: 'failed',
  declined: 'failed',
  cancelled: 'failed',
  expired: 'failed',
  pending: 'pending',
  attempted: 'pending',
  authorized: 'pending',
};

export const darajaStatement: StatementFormat = {
  provider: 'daraja',
  payments: [{ rail: 'stk' }],
  knownBy: ['provider_receipt'],
  referenceMax: accountReferenceLength,
  dialCode: '254',
  *read(file, { dateOrder }) {
    if (/^\s*\{/.test(decode(file).slice(0, 100))) return yield* readPulled(decode(file));
    const rows = yield* readTable(file, {
      columns,
      required: ['receipt', 'completed', 'status', 'paidIn', 'withdrawn'],
      identifiers: { receipt: 'id', linked: 'id', party: 'phone' },
      id: 'receipt',
    });
    for (const cell of cellsIn(rows, 'party')) assertZeroKept(cell);
    // The customer's text is kept as it is. It is damaged only if the details have another one.
    for (const { n, cells } of rows) {
      cells.account = typed(cells.account);
      assertAsTyped(cells, n);
    }
    assertOneSign(rows);
    const dates = rows.map(({ n, cells }) => ({ n, text: cells.completed }));
    const dateOf = dateReader(dates, 'Africa/Nairobi', dateOrder);
    return yield* mapSliced(rows, (row) => lineOf(row, dateOf(row.cells.completed, row.n)));
  },
};

function lineOf({ n, cells }: Row<keyof typeof columns>, at: Date): StatementLine {
  const word = cells.status.toLowerCase();
  const state = meaningOf(states, word);
  if (state === undefined) throw new StatementError(`"${cells.status}" is not a transaction status`, n);
  const paidIn = amountIn(cells.paidIn, n);
  const withdrawn = amountIn(cells.withdrawn, n);
  if (paidIn !== 0n && withdrawn !== 0n) throw new StatementError('it is both paid in and withdrawn', n);
  if (state === 'completed' && paidIn === 0n && withdrawn === 0n)
    throw new StatementError('nothing is paid in or withdrawn', n);
  const { kind, rule } =
    paidIn === 0n && withdrawn !== 0n
      ? withdrawal(cells)
      : { kind: deposited(cells, paidIn), rule: undefined };
  const out = withdrawn < 0n ? -withdrawn : withdrawn;
  const [number = ''] = /^\+?\d{9,15}/.exec(cells.party.replaceAll(' ', '')) ?? [];
  const phone = maskedPhoneIn(cells.party) ?? number;
  return {
    n,
    providerReference: cells.receipt,
    ...(cells.account === '' ? {} : { ourReference: cells.account }),
    ...(cells.linked === '' ? {} : { originalReference: cells.linked }),
    kind,
    amountMinor: out === 0n ? paidIn : kind === 'other' ? -out : out,
    currency: 'KES',
    at,
    state,
    ...(phone === '' ? {} : { phone }),
    ...(cells.details === '' ? {} : { description: cells.details }),
    ...(rule === undefined ? {} : { rule }),
  };
}

/** If some withdrawals have a minus, those without one may be returns. @throws StatementError for the first of them. */
function assertOneSign(rows: readonly Row<keyof typeof columns>[]): void {
  const moved = rows.filter(({ cells }) => cells.status.toLowerCase() === 'completed');
  const signed = moved.map(({ n, cells: { withdrawn: text } }) => ({ n, text, minor: amountIn(text, n) }));
  const withMinus = signed.find(({ minor }) => minor < 0n);
  const without = signed.find(({ minor }) => minor > 0n);
  if (withMinus && without)
    throw new StatementError(
      `"${cutText(without.text, 40)}" is withdrawn without a minus, and "${cutText(withMinus.text, 40)}" of line ` +
        `${withMinus.n} has one: its direction is unclear; upload the provider's original export`,
      without.n,
    );
}

const words = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim();

/**
 * The details end with the customer's text after the provider's `Acc.`, and may be cut off.
 * @throws StatementError if the account differs: a spreadsheet has changed it to a number.
 */
function assertAsTyped(cells: Cells, n: number): void {
  const [details, account] = [typed(cells.details), cells.account].map(words) as [string, string];
  const at = details.indexOf(' acc.');
  const reported = details.slice(at + 5).trim();
  if (at < 0 || reported === '' || account === '') return;
  const isTyped = details.endsWith(`acc. ${account}`) || details.includes(`acc. ${account} `);
  if (isTyped || reported === account || (reported.length > 5 && account.startsWith(reported))) return;
  throw new StatementError(
    `"${cutText(cells.account, 40)}" is not the original reference: the details of its row say "${cutText(reported, 40)}"; ` +
      "upload the provider's original export",
    n,
  );
}

/** The reason types of customers' payments, and their names at the start of the details, compared as whole words. */
const paymentReasons = new Set([
  ...[
    'pay bill',
    'pay bill online',
    'paybill',
    'customer pay bill',
    'customer pay bill online',
    'pay utility',
  ],
  ...['customer merchant payment', 'customer merchant payment online', 'merchant payment', 'pay merchant'],
  ...[
    'merchant payment online',
    'buy goods',
    'buy goods online',
    'customer buy goods',
    'customer buy goods online',
  ],
]);

/** Incoming money is a customer's payment if the provider's own type says so. An operator reviews everything else. */
function deposited(cells: Cells, paidIn: bigint): StatementLine['kind'] {
  const [name = ''] = words(cells.details).split(/ (?:from|to) |, /, 1);
  const reason = words(cells.reason) || name;
  const isPayment = (reason === '' || paymentReasons.has(reason)) && cells.linked === '' && paidIn >= 0n;
  return isPayment ? 'collection' : 'other';
}

/** The reason type of a charge, such as `Pay Bill Charge`: only the provider's words. */
const chargeReason = /^[a-z0-9][a-z0-9 ()/&-]{0,60} charges?$/;
/** The exact names of charges, for exports without reason types. */
const chargeNames = new Set([
  ...[
    'pay bill charge',
    'pay merchant charge',
    'merchant payment charge',
    'buy goods charge',
    'business charge',
  ],
  ...['business pay bill charge', 'business buy goods charge', 'business payment charge', 'b2c charge'],
  ...[
    'salary payment charge',
    'promotion payment charge',
    'withdrawal charge',
    'organization settlement charge',
  ],
  ...['customer transfer of funds charge', 'business to business transfer charge', 'b2b charge'],
]);

/**
 * This rail only collects. A withdrawal is a charge if its own type says so and it has no other party. It is a reversal
 * if it names a payment in our books. An operator reviews everything else.
 */
function withdrawal(cells: Cells): Pick<StatementLine, 'kind' | 'rule'> {
  const [reason, details] = [cells.reason, cells.details].map((text) =>
    text.toLowerCase().replaceAll(/\s+/g, ' '),
  ) as [string, string];
  const isReversal = /\brevers/.test(`${reason} ${details}`);
  const isOfNoPayment = cells.linked === '' && cells.party === '' && cells.account === '';
  if (isOfNoPayment && !isReversal) {
    if (chargeReason.test(reason)) return { kind: 'fee', rule: 'reason_type' };
    if (reason === '' && chargeNames.has(details)) return { kind: 'fee', rule: 'name_of_charge' };
  }
  return { kind: cells.linked !== '' && !chargeReason.test(reason) ? 'refund' : 'other' };
}

const amountIn = (text: string, n: number): bigint =>
  text === '' || text === '-' ? 0n : readStatementAmount(text, 'KES', n);
