import { csv } from '../../csv';
import type { StatementLine } from '../../statement-lines';

/** The wallets' export: UTC times, and the caller's own ids. */
export function pawapayStatement(lines: readonly StatementLine[]): string {
  const types = { payout: 'PAYOUT', return: 'PAYOUT_REVERSAL', refund: 'REFUND', reversal: 'ADJUSTMENT' };
  const row = ({ at, phone = '', reference, amount, currency }: StatementLine, type: string) => [
    ...[at, phone, reference, amount, currency, '', '', type],
  ];
  return csv([
    ['Creation Date', 'MSISDN', 'Transaction ID', 'Amount', 'Currency', 'Country', 'MNO', 'Type'],
    ...lines.flatMap((line) => {
      const type = line.kind ? types[line.kind] : 'DEPOSIT';
      const fee = line.fee === undefined ? [] : [row({ ...line, amount: line.fee }, `${type}_FEE`)];
      return [row(line, type), ...fee];
    }),
  ]);
}
