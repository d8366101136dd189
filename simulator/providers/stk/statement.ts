import { csv, grouped } from '../../csv';
import { nairobiDate } from '../../identifiers';
import type { StatementLine } from '../../statement-lines';

/** The organisation portal's export: times of Nairobi, the day first, after some lines about the organisation. */
export function mpesaStatement(lines: readonly StatementLine[]): string {
  const timeOf = (at: string): string => {
    const text = nairobiDate(Date.parse(at)).toISOString();
    return `${text.slice(8, 10)}-${text.slice(5, 7)}-${text.slice(0, 4)} ${text.slice(11, 19)}`;
  };
  const row = (
    { receipt, at, amount, phone = '', callerReference = '' }: StatementLine,
    details: string,
    isOut = false,
  ) => [
    ...[receipt, timeOf(at), timeOf(at), details, 'Completed'],
    ...(isOut ? ['', `-${grouped(amount)}`] : [grouped(amount), '']),
    ...['', 'true', details, isOut ? '' : `${phone} - SIMULATED CUSTOMER`, ''],
    isOut ? '' : callerReference,
  ];
  return `\ufeff${csv([
    ['Organization Name:', 'SIMULATED'],
    [
      ...['Receipt No.', 'Completion Time', 'Initiation Time', 'Details', 'Transaction Status', 'Paid In'],
      ...['Withdrawn', 'Balance', 'Balance Confirmed', 'Reason Type', 'Other Party Info'],
      ...['Linked Transaction ID', 'A/C No.'],
    ],
    ...lines.flatMap((line) => [
      row(line, 'Pay Bill Online'),
      ...(line.fee === undefined ? [] : [row({ ...line, amount: line.fee }, 'Pay Bill Charge', true)]),
    ]),
  ])}`;
}
