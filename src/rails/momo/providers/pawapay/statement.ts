/**
 * A wallet's statement in CSV, as pawaPay's dashboard and its statements API export it: every transaction that changed
 * the balance, with our id. Columns: https://docs.pawapay.io/dashboard/finances/statements and, with their newer names,
 * https://docs.pawapay.io/dashboard/finances/history. Times are UTC.
 */
import { mapSliced, type Sliced } from '../../../../domain/in-slices';
import { meaningOf } from '../../../../rail-kit/provider-words';
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

/** By the provider's own types, compared as whole words. An operator reviews other types. */
const kinds: Record<string, StatementLine['kind']> = {
  DEPOSIT: 'collection',
  PAYOUT: 'payout',
  REFUND: 'refund',
  DEPOSIT_FEE: 'fee',
  PAYOUT_FEE: 'fee',
  REFUND_FEE: 'fee',
  FEE: 'fee',
};
/** States, compared as whole words. An operator reviews other states. */
const states: Record<string, StatementLine['state']> = {
  COMPLETED: 'completed',
  ...Object.fromEntries(
    ['FAILED', 'REJECTED', 'CANCELLED', 'CANCELED', 'DECLINED', 'EXPIRED', 'DUPLICATE_IGNORED'].map(
      (word) => [word, 'failed' as const],
    ),
  ),
  ...Object.fromEntries(
    ['ACCEPTED', 'SUBMITTED', 'ENQUEUED', 'PENDING', 'PROCESSING', 'IN_RECONCILIATION'].map((word) => [
      word,
      'pending' as const,
    ]),
  ),
};
const wordOf = (text: string): string => text.toUpperCase().replaceAll(/[ -]/g, '_');

/** @throws StatementError for anything but an export of this kind. */
export const walletRows = (file: Buffer): Sliced<Row<keyof typeof columns>[]> =>
  readTable(file, {
    columns,
    required: ['created', 'id', 'amount', 'currency', 'type'],
    identifiers: { id: 'id', phone: 'phone' },
    id: 'id',
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
    const hasStates = rows.some(({ cells }) => cells.status !== '');
    const lines = yield* mapSliced(rows, (row) => lineOf(row, dateOf(row.cells.created, row.n), hasStates));
    return yield* mapSliced(lines, directed(lines));
  },
};

const leaving: readonly StatementLine['kind'][] = ['payout', 'refund', 'fee'];

function lineOf({ n, cells }: Row<keyof typeof columns>, at: Date, hasStates: boolean): StatementLine {
  const type = wordOf(cells.type);
  const status = wordOf(cells.status);
  // A file without states contains only rows that changed the balance.
  const state = hasStates ? meaningOf(states, status) : 'completed';
  const known = meaningOf(kinds, type) ?? 'other';
  const currency = readStatementCurrency(cells.currency, n);
  const amountMinor = readStatementAmount(cells.amount, currency, n);
  return {
    n,
    providerReference: cells.id,
    kind: state === undefined ? 'other' : known,
    amountMinor:
      state === undefined && leaving.includes(known) && amountMinor > 0n ? -amountMinor : amountMinor,
    currency,
    ...(cells.fee === '' ? {} : { feeMinor: readStatementAmount(cells.fee, currency, n) }),
    at,
    state: state ?? 'completed',
    ...(cells.phone === '' ? {} : { phone: cells.phone }),
    description: state === undefined ? `${cells.type} ${cells.status}` : cells.type,
  };
}

/**
 * Rows that leave the wallet may have a minus or not. If a file has both for one kind, those with a minus leave, and
 * the others were returned.
 */
function directed(lines: readonly StatementLine[]): (line: StatementLine) => StatementLine {
  const kindsWith = (is: (minor: bigint) => boolean) =>
    new Set(lines.flatMap(({ kind, amountMinor }) => (is(amountMinor) ? [kind] : [])));
  const [below, above] = [kindsWith((minor) => minor < 0n), kindsWith((minor) => minor > 0n)];
  return (line) => {
    const { kind, amountMinor } = line;
    if (!leaving.includes(kind)) return line;
    if (amountMinor < 0n) return { ...line, amountMinor: -amountMinor };
    if (!below.has(kind) || !above.has(kind)) return line;
    return kind === 'fee' ? { ...line, amountMinor: -amountMinor } : { ...line, kind: 'other' };
  };
}
