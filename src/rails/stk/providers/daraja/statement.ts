/**
 * The organisation statement of an M-Pesa shortcode, as the organisation portal (org.ke.m-pesa.com) exports it: some lines
 * about the organisation, then a table. Its columns are in no document of the provider's; integrators describe them, such
 * as https://mifosforge.jira.com/wiki/pages/viewpage.action?pageId=4850216. Times are Nairobi's; what is withdrawn may be
 * written with a minus or without, and in one way in one file. What was fetched is JSON.
 *
 * `Details` holds what customers and payees typed (`… Acc. SCHOOL FEES`): no word in it decides about money. The reason
 * type is the provider's own.
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
    // What a customer typed is a text, kept as it is: it is damaged only where the details say something else.
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
  if (state === undefined) throw new StatementError(`"${cells.status}" is no status of a transaction`, n);
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

/** Where some of what left has a minus, the others may have come back. @throws StatementError for the first of the others. */
function assertOneSign(rows: readonly Row<keyof typeof columns>[]): void {
  const moved = rows.filter(({ cells }) => cells.status.toLowerCase() === 'completed');
  const signed = moved.map(({ n, cells: { withdrawn: text } }) => ({ n, text, minor: amountIn(text, n) }));
  const withMinus = signed.find(({ minor }) => minor < 0n);
  const without = signed.find(({ minor }) => minor > 0n);
  if (withMinus && without)
    throw new StatementError(
      `"${cutText(without.text, 40)}" is withdrawn without a minus, and "${cutText(withMinus.text, 40)}" of line ` +
        `${withMinus.n} has one: which way it went cannot be said; bring the file as the provider exports it`,
      without.n,
    );
}

const words = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim();

/**
 * The details end with what the customer typed, behind the provider's own `Acc.`, and may be cut there.
 * @throws StatementError where the account is something else: a spreadsheet has made a number of it.
 */
function assertAsTyped(cells: Cells, n: number): void {
  const [details, account] = [typed(cells.details), cells.account].map(words) as [string, string];
  const at = details.indexOf(' acc.');
  const told = details.slice(at + 5).trim();
  if (at < 0 || told === '' || account === '') return;
  const isTyped = details.endsWith(`acc. ${account}`) || details.includes(`acc. ${account} `);
  if (isTyped || told === account || (told.length > 5 && account.startsWith(told))) return;
  throw new StatementError(
    `"${cutText(cells.account, 40)}" is no reference: the details of its row say "${cutText(told, 40)}"; ` +
      'bring the file as the provider exports it',
    n,
  );
}

/** The reason types of what customers pay, and their names at the beginning of details, each whole. */
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

/** What came in is a customer's payment by the provider's own name for it; all else is a person's question. */
function deposited(cells: Cells, paidIn: bigint): StatementLine['kind'] {
  const [name = ''] = words(cells.details).split(/ (?:from|to) |, /, 1);
  const reason = words(cells.reason) || name;
  const isPayment = (reason === '' || paymentReasons.has(reason)) && cells.linked === '' && paidIn >= 0n;
  return isPayment ? 'collection' : 'other';
}

/** The reason type of a charge, such as `Pay Bill Charge`: the provider's words alone. */
const chargeReason = /^[a-z0-9][a-z0-9 ()/&-]{0,60} charges?$/;
/** What a charge is called where the export has no reason type, letter by letter. */
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
 * Collections are all that this rail does. What leaves the account is a charge where its own kind says so and nobody stands
 * on the other side; the reversal of what it names, to be found in our books; or else a person's question.
 */
function withdrawal(cells: Cells): Pick<StatementLine, 'kind' | 'rule'> {
  const [reason, details] = [cells.reason, cells.details].map((text) =>
    text.toLowerCase().replaceAll(/\s+/g, ' '),
  ) as [string, string];
  const isReversal = /\brevers/.test(`${reason} ${details}`);
  const isOfNobody = cells.linked === '' && cells.party === '' && cells.account === '';
  if (isOfNobody && !isReversal) {
    if (chargeReason.test(reason)) return { kind: 'fee', rule: 'reason_type' };
    if (reason === '' && chargeNames.has(details)) return { kind: 'fee', rule: 'name_of_charge' };
  }
  return { kind: cells.linked !== '' && !chargeReason.test(reason) ? 'refund' : 'other' };
}

const amountIn = (text: string, n: number): bigint =>
  text === '' || text === '-' ? 0n : readStatementAmount(text, 'KES', n);
