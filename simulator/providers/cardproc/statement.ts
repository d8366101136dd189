import { csv, grouped } from '../../csv';
import { nairobiDate } from '../../identifiers';
import type { StatementLine } from '../../statement-lines';

/** The dashboard's merchant statement: payments in Nairobi time, with the day first. */
export function cardprocStatement(lines: readonly StatementLine[]): string {
  const timeOf = (at: string): string => {
    const text = nairobiDate(Date.parse(at)).toISOString();
    return `${text.slice(8, 10)}/${text.slice(5, 7)}/${text.slice(0, 4)} ${text.slice(11, 19)}`;
  };
  return csv([
    ['Merchant statement'],
    ['Date', 'Payment Method', 'Confirmation Code', 'Currency', 'Amount', 'Commission', 'Reference'],
    ...lines
      .filter(({ kind }) => kind === undefined)
      .map(({ at, receipt, currency, amount, fee = '', callerReference = '' }) => [
        ...[timeOf(at), 'Visa', receipt, currency, grouped(amount), fee, callerReference],
      ]),
  ]);
}
