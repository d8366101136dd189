/**
 * A wallet's statement as pawaPay's dashboard and its statements API export it, in CSV: every transaction that changed the
 * balance, with the id that we gave it. Columns: https://docs.pawapay.io/dashboard/finances/statements and, as they are
 * called since, https://docs.pawapay.io/dashboard/finances/history. Times are UTC.
 */
import { mapSliced, type Sliced } from '../../../../domain/in-slices';
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

/** By the provider's own types, each whole; another is a person's question. */
const kinds: Record<string, StatementLine['kind']> = {
  DEPOSIT: 'collection',
  PAYOUT: 'payout',
  REFUND: 'refund',
  DEPOSIT_FEE: 'fee',
  PAYOUT_FEE: 'fee',
  REFUND_FEE: 'fee',
  FEE: 'fee',
};
const notMoved = ['FAILED', 'REJECTED'];

/** @throws StatementError for anything but an export of this kind. */
export const walletRows = (file: Buffer): Sliced<Row<keyof typeof columns>[]> =>
  readTable(file, {
    columns,
    required: ['created', 'id', 'amount', 'currency', 'type'],
    identifiers: { id: 'id', phone: 'phone' },
  });

/** An export without transactions. */
export const noRows = [columns.created, columns.id, columns.amount, columns.currency, columns.type]
  .map(([heading]) => heading)
  .join(',');

export const pawapayStatement: StatementFormat = {
  provider: 'pawapay',
  // Cross-border collections may go through the same account.
  payments: [{ rail: 'momo' }, { rail: 'xb', provider: 'pawapay' }],
  knownBy: ['provider_reference'],
  *read(file, { dateOrder }) {
    const rows = yield* walletRows(file);
    const dates = rows.map(({ n, cells }) => ({ n, text: cells.created }));
    const dateOf = dateReader(dates, 'UTC', dateOrder);
    return yield* mapSliced(rows, (row) => lineOf(row, dateOf(row.cells.created, row.n)));
  },
};

function lineOf({ n, cells }: Row<keyof typeof columns>, at: Date): StatementLine {
  const type = cells.type.toUpperCase().replaceAll(/[ -]/g, '_');
  const kind = (Object.hasOwn(kinds, type) ? kinds[type] : undefined) ?? 'other';
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
    state: notMoved.includes(cells.status.toUpperCase()) ? 'failed' : 'completed',
    ...(cells.phone === '' ? {} : { phone: cells.phone }),
    description: cells.type,
  };
}
