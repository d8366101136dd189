import { csv, grouped } from '../../csv';
import { nairobiDate } from '../../identifiers';
import type { StatementLine } from '../../statement-lines';

/**
 * The organisation portal's export: Nairobi times with the day first, after some lines about the organisation. The
 * details have the account that the customer typed, and the other party; a charge has neither. A reversal has the
 * receipt of its payment as linked.
 */
export function mpesaStatement(lines: readonly StatementLine[]): string {
  const timeOf = (at: string): string => {
    const text = nairobiDate(Date.parse(at)).toISOString();
    return `${text.slice(8, 10)}-${text.slice(5, 7)}-${text.slice(0, 4)} ${text.slice(11, 19)}`;
  };
  const row = ({ receipt, at, amount }: StatementLine, reported: Reported) => [
    ...[receipt, timeOf(at), timeOf(at), reported.details, 'Completed'],
    ...(reported.isOut ? ['', `-${grouped(amount)}`] : [grouped(amount), '']),
    ...['', 'true', reported.reason, reported.party ?? '', reported.linked ?? '', reported.account ?? ''],
  ];
  const paid = (line: StatementLine) => {
    const { phone = '', callerReference: account = '' } = line;
    const party = `${phone} - SIMULATED CUSTOMER`;
    const details = `Pay Bill from ${party} Acc. ${account}`;
    return row(line, { details, reason: 'Pay Bill Online', party, account });
  };
  const takenBack = (line: StatementLine) => {
    const { phone = '', callerReference: account = '', linked = '' } = line;
    const party = `${phone} - SIMULATED CUSTOMER`;
    const details = `Pay Bill Reversal of ${linked} to ${party} Acc. ${account}`;
    return row(line, { details, reason: 'Pay Bill Reversal', party, linked, isOut: true });
  };
  const charge = (line: StatementLine, fee: string) =>
    row({ ...line, amount: fee }, { details: 'Pay Bill Charge', reason: 'Pay Bill Charge', isOut: true });
  return `\ufeff${csv([
    ['Organization Name:', 'SIMULATED'],
    [
      ...['Receipt No.', 'Completion Time', 'Initiation Time', 'Details', 'Transaction Status', 'Paid In'],
      ...['Withdrawn', 'Balance', 'Balance Confirmed', 'Reason Type', 'Other Party Info'],
      ...['Linked Transaction ID', 'A/C No.'],
    ],
    ...lines.flatMap((line) => [
      line.kind === 'reversal' ? takenBack(line) : paid(line),
      ...(line.fee === undefined ? [] : [charge(line, line.fee)]),
    ]),
  ])}`;
}

interface Reported {
  details: string;
  reason: string;
  /** The other party: telephone number and name. */
  party?: string;
  linked?: string;
  account?: string;
  /** Money that left the organisation. */
  isOut?: true;
}
