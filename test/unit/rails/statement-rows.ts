/** One row of each provider's statement, which a test changes. */
import type { StatementFormat } from '../../../src/reconciliation/statement';
import { pesapalStatement } from '../../../src/rails/cardproc/providers/pesapal/statement';
import { pawapayStatement } from '../../../src/rails/momo/providers/pawapay/statement';
import { darajaStatement } from '../../../src/rails/stk/providers/daraja/statement';
import { intasendStatement } from '../../../src/rails/xb/providers/intasend/statement';
import { atOnce } from '../../support/at-once';

export type Cells = Record<string, string>;
const quoted = (cell: string) => (/[",;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
export const csvOf = (rows: Cells[]) =>
  [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map((cells) => cells.map(quoted).join(','))
    .join('\r\n');

export const daraja = {
  'Receipt No.': 'UKM1AAAAA1',
  'Completion Time': '13-11-2026 08:15:30',
  Details: 'Pay Bill from 254712000001 - MADE UP Acc. INV-1',
  'Transaction Status': 'Completed',
  'Paid In': '1,300.00',
  Withdrawn: '',
  'Reason Type': 'Pay Bill Online',
  'Other Party Info': '254712000001 - MADE UP',
  'Linked Transaction ID': '',
  'A/C No.': 'INV-1',
};
export const pawapay = {
  'Creation Date': '2026-11-13T08:15:30Z',
  MSISDN: '260763000001',
  'Transaction ID': '0a000000-0000-4000-8000-000000000001',
  Amount: '150.00',
  Currency: 'ZMW',
  Type: 'DEPOSIT',
  Status: 'COMPLETED',
  Fee: '4.50',
};
export const pesapal = {
  Date: '13/11/2026 10:05 AM',
  'Payment Method': 'Visa',
  'Confirmation Code': '6377240000000000123456',
  Currency: 'KES',
  Amount: '1,200.00',
  Commission: '42.00',
  Reference: '0f000000000000000000000000000001-1',
};
export const intasend = {
  invoice_id: 'MADEUP1',
  state: 'COMPLETE',
  value: '5000',
  currency: 'KES',
  charges: '150',
  updated_at: '2026-11-13T10:06:06+03:00',
  api_ref: '0f000000000000000000000000000003',
  account: '254712000001',
};

export interface Reader {
  format: StatementFormat;
  row: Cells;
  ids: string[];
  phones: string[];
  amounts: string[];
}
export const readers: Record<string, Reader> = {
  daraja: {
    format: darajaStatement,
    row: daraja,
    ids: ['Receipt No.', 'Linked Transaction ID', 'A/C No.'],
    phones: ['Other Party Info'],
    amounts: ['Paid In'],
  },
  pawapay: {
    format: pawapayStatement,
    row: pawapay,
    ids: ['Transaction ID'],
    phones: ['MSISDN'],
    amounts: ['Amount', 'Fee'],
  },
  pesapal: {
    format: pesapalStatement,
    row: pesapal,
    ids: ['Confirmation Code', 'Reference'],
    phones: [],
    amounts: ['Amount', 'Commission'],
  },
  intasend: {
    format: intasendStatement,
    row: intasend,
    ids: ['invoice_id', 'api_ref'],
    phones: ['account'],
    amounts: ['value', 'charges'],
  },
};
export const cases = (of: 'ids' | 'phones' | 'amounts', texts: string[]) =>
  Object.entries(readers).flatMap(([name, reader]) =>
    reader[of].flatMap((column) => texts.map((text) => [name, column, text] as const)),
  );
export const readWith = (name: string, changes: Cells) => {
  const { format, row } = readers[name] as Reader;
  return atOnce(format.read(Buffer.from(csvOf([row, { ...row, ...changes }])), { dateOrder: 'dmy' }));
};
