/**
 * The organisation statement of an M-Pesa shortcode, as the organisation portal (org.ke.m-pesa.com) exports it: some lines
 * about the organisation, then a table. Its columns are in no document of the provider's; integrators describe them, such
 * as https://mifosforge.jira.com/wiki/pages/viewpage.action?pageId=4850216. Times are Nairobi's; what is withdrawn may be
 * written with a minus or without. What was fetched is JSON.
 */
import { readStatementAmount } from '../../../../reconciliation/reading/amounts';
import { readTable, type Row } from '../../../../reconciliation/reading/csv-table';
import { dateReader } from '../../../../reconciliation/reading/dates';
import { decode } from '../../../../reconciliation/reading/decode';
import {
  StatementError,
  type StatementFormat,
  type StatementLine,
} from '../../../../reconciliation/statement';
import { readPulled } from './pulled-lines';

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
  read(file, { dateOrder }) {
    if (/^\s*\{/.test(decode(file).slice(0, 100))) return readPulled(decode(file));
    const rows = readTable(file, {
      columns,
      required: ['receipt', 'completed', 'status', 'paidIn', 'withdrawn'],
    });
    const dates = rows.map(({ n, cells }) => ({ n, text: cells.completed }));
    const dateOf = dateReader(dates, 'Africa/Nairobi', dateOrder);
    return rows.map((row) => lineOf(row, dateOf(row.cells.completed, row.n)));
  },
};

function lineOf({ n, cells }: Row<keyof typeof columns>, at: Date): StatementLine {
  const word = cells.status.toLowerCase();
  const state = Object.hasOwn(states, word) ? states[word] : undefined;
  if (state === undefined) throw new StatementError(`"${cells.status}" is no status of a transaction`, n);
  const paidIn = amountIn(cells.paidIn, n);
  const withdrawn = amountIn(cells.withdrawn, n);
  if (paidIn !== 0n && withdrawn !== 0n) throw new StatementError('it is both paid in and withdrawn', n);
  if (state === 'completed' && paidIn === 0n && withdrawn === 0n)
    throw new StatementError('nothing is paid in or withdrawn', n);
  const kind = paidIn === 0n ? kindOfWithdrawn(cells) : 'collection';
  const out = withdrawn < 0n ? -withdrawn : withdrawn;
  const [phone = ''] = /^\+?\d{9,15}/.exec(cells.party.replaceAll(' ', '')) ?? [];
  return {
    n,
    providerReference: cells.receipt,
    ...(cells.account === '' ? {} : { ourReference: cells.account }),
    ...(kind === 'refund' ? { originalReference: cells.linked } : {}),
    kind,
    amountMinor: kind === 'collection' ? paidIn : kind === 'other' ? -out : out,
    currency: 'KES',
    at,
    state,
    ...(phone === '' ? {} : { phone }),
    ...(cells.details === '' ? {} : { description: cells.details }),
  };
}

/** Collections are all that this rail does; what leaves the account otherwise is a person's question. */
function kindOfWithdrawn({ details, reason, linked }: Cells): StatementLine['kind'] {
  const words = `${reason} ${details}`.toLowerCase();
  if (/\b(?:charges?|fees?|tariff)\b/.test(words)) return 'fee';
  return linked !== '' && /\brevers/.test(words) ? 'refund' : 'other';
}

const amountIn = (text: string, n: number): bigint =>
  text === '' || text === '-' ? 0n : readStatementAmount(text, 'KES', n);
