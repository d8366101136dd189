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
} as const;

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
    });
    const dates = rows.map(({ n, cells }) => ({ n, text: cells.date }));
    const dateOf = dateReader(dates, 'Africa/Nairobi', dateOrder);
    return yield* mapSliced(rows, (row) => lineOf(row, dateOf(row.cells.date, row.n)));
  },
};

function lineOf({ n, cells }: Row<keyof typeof columns>, at: Date): StatementLine {
  const currency = readStatementCurrency(cells.currency, n);
  const amountMinor = readStatementAmount(cells.amount, currency, n);
  const isWithdrawal = /^withdrawals?$/i.test(cells.method);
  const feeMinor = cells.commission === '' ? undefined : readStatementAmount(cells.commission, currency, n);
  // Every attempt of ours has a number behind the reference.
  const ours = cells.reference.replace(/-\d{1,4}$/, '');
  return {
    n,
    providerReference: cells.code,
    ...(ours === '' ? {} : { ourReference: ours }),
    kind: isWithdrawal ? 'other' : 'collection',
    amountMinor: isWithdrawal && amountMinor > 0n ? -amountMinor : amountMinor,
    currency,
    ...(feeMinor === undefined ? {} : { feeMinor: feeMinor < 0n ? -feeMinor : feeMinor }),
    at,
    // It lists what was completed.
    state: 'completed',
    ...(cells.method === '' ? {} : { description: cells.method }),
  };
}
