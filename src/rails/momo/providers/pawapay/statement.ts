/**
 * A wallet's statement as pawaPay's dashboard and its statements API export it, in CSV: every transaction that changed the
 * balance, with the id that we gave it. Columns: https://docs.pawapay.io/dashboard/finances/statements and, as they are
 * called since, https://docs.pawapay.io/dashboard/finances/history. Times are UTC.
 */
import { readStatementAmount, readStatementCurrency } from '../../../../reconciliation/reading/amounts';
import { readTable, type Row } from '../../../../reconciliation/reading/csv-table';
import { dateReader } from '../../../../reconciliation/reading/dates';
import type { StatementFormat, StatementLine } from '../../../../reconciliation/statement';

const columns = {
  created: ['Creation Date', 'Created'],
  phone: ['MSISDN', 'Phone number'],
  id: ['Transaction ID'],
  amount: ['Amount'],
  currency: ['Currency'],
  type: ['Type', 'Transaction type'],
  status: ['Status'],
  fee: ['Fee'],
} as const;

/** By the words of a type, the first that is in it; what is made good or taken back has a type of its own. */
const kinds: [word: string, kind: StatementLine['kind']][] = [
  ['FEE', 'fee'],
  ['REVERS', 'other'],
  ['RETURN', 'other'],
  ['COMPENSATION', 'other'],
  ['REFUND', 'refund'],
  ['DEPOSIT', 'collection'],
  ['PAYOUT', 'payout'],
];

/** @throws StatementError for anything but an export of this kind. */
export const walletRows = (file: Buffer): Row<keyof typeof columns>[] =>
  readTable(file, { columns, required: ['created', 'id', 'amount', 'currency', 'type'] });

/** An export without transactions. */
export const noRows = [columns.created, columns.id, columns.amount, columns.currency, columns.type]
  .map(([heading]) => heading)
  .join(',');

export const pawapayStatement: StatementFormat = {
  provider: 'pawapay',
  // Cross-border collections may go through the same account.
  payments: [{ rail: 'momo' }, { rail: 'xb', provider: 'pawapay' }],
  knownBy: ['provider_reference'],
  read(file, { dateOrder }) {
    const rows = walletRows(file);
    const dates = rows.map(({ n, cells }) => ({ n, text: cells.created }));
    const dateOf = dateReader(dates, 'UTC', dateOrder);
    return rows.map((row) => lineOf(row, dateOf(row.cells.created, row.n)));
  },
};

function lineOf({ n, cells }: Row<keyof typeof columns>, at: Date): StatementLine {
  const type = cells.type.toUpperCase();
  const kind = kinds.find(([word]) => type.includes(word))?.[1] ?? 'other';
  const currency = readStatementCurrency(cells.currency, n);
  const amountMinor = readStatementAmount(cells.amount, currency, n);
  // What leaves the wallet may be written with a minus or without.
  const leaves = kind === 'payout' || kind === 'refund' || kind === 'fee';
  return {
    n,
    providerReference: cells.id,
    kind,
    amountMinor: leaves && amountMinor < 0n ? -amountMinor : amountMinor,
    currency,
    ...(cells.fee === '' ? {} : { feeMinor: readStatementAmount(cells.fee, currency, n) }),
    at,
    // Only what changed the balance stands in it, whatever the file says beside.
    state: /FAILED|REJECTED/i.test(cells.status) ? 'failed' : 'completed',
    ...(cells.phone === '' ? {} : { phone: cells.phone }),
    description: cells.type,
  };
}
