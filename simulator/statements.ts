/**
 * The statements of the providers: what their books hold, as each exports it, with faults on demand. A statement is made
 * from the books anew each time it is asked for; its faults are about its first payment.
 */
import { centsOf, decimalOf, type Success } from './books';
import { ControlError } from './control-error';

type Booked = Omit<Success, 'provider'>;

/** What a line says besides what was booked. */
interface Line extends Booked {
  fee?: string;
}

/** What goes wrong with statements, as a change of their lines. */
const faults = {
  orphan: (lines: Line[]): Line[] => {
    const stranger = { reference: '0a000000-dead-4000-8000-000000000001', receipt: 'ORPHAN0001' };
    return [...lines, ...lines.slice(0, 1).map((line) => ({ ...line, ...stranger }))];
  },
  doubled: (lines: Line[]): Line[] => [...lines.slice(0, 1), ...lines],
  other_amount: (lines: Line[]): Line[] =>
    lines.map((line, n) => (n === 0 ? { ...line, amount: decimalOf(centsOf(line.amount) + 100n) } : line)),
  missing: (lines: Line[]): Line[] => lines.slice(1),
  /** The next day's: it has what the one before left out, and nothing else. */
  late: (lines: Line[]): Line[] => lines.slice(0, 1),
  fee: (lines: Line[]): Line[] => lines.map((line, n) => (n === 0 ? { ...line, fee: '1.00' } : line)),
} as const;
type Fault = keyof typeof faults;

interface Format {
  type: string;
  write(lines: readonly Line[]): string;
}

const csv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map((cell) => (/[",]/.test(cell) ? `"${cell}"` : cell)).join(',')).join('\r\n');
/** 1234567.00 → 1,234,567.00 */
const grouped = (amount: string): string => {
  const [whole = '', decimals = ''] = amount.split('.');
  return `${Number(whole).toLocaleString('en-US')}.${decimals}`;
};

const formats: Record<string, Format> = {
  stk: { type: 'text/csv', write: mpesaStatement },
  momo: { type: 'text/csv', write: pawapayStatement },
};

/** @throws ControlError for a provider without statements, and for a fault that none has. */
export function statementOf(
  provider: string | undefined,
  wanted: unknown,
  successes: readonly Booked[],
): { type: string; body: string } {
  const format = provider === undefined ? undefined : formats[provider];
  if (!format) throw new ControlError(400, `provider must be one of: ${Object.keys(formats).join(', ')}`);
  let lines: Line[] = [...successes];
  for (const fault of [wanted].flat()) {
    if (fault === undefined) continue;
    if (typeof fault !== 'string' || !Object.hasOwn(faults, fault))
      throw new ControlError(400, `fault must be one of: ${Object.keys(faults).join(', ')}`);
    lines = faults[fault as Fault](lines);
  }
  return { type: format.type, body: format.write(lines) };
}

const nairobiMs = 3 * 3_600_000;

/** The organisation portal's export: times of Nairobi, the day first, after some lines about the organisation. */
function mpesaStatement(lines: readonly Line[]): string {
  const timeOf = (at: string): string => {
    const text = new Date(Date.parse(at) + nairobiMs).toISOString();
    return `${text.slice(8, 10)}-${text.slice(5, 7)}-${text.slice(0, 4)} ${text.slice(11, 19)}`;
  };
  const row = ({ receipt, at, amount, phone = '' }: Line, details: string, isOut = false) => [
    ...[receipt, timeOf(at), timeOf(at), details, 'Completed'],
    ...(isOut ? ['', `-${grouped(amount)}`] : [grouped(amount), '']),
    ...['', 'true', details, isOut ? '' : `${phone} - SIMULATED CUSTOMER`, '', ''],
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

/** The wallets' export: times of UTC, and our own ids. */
function pawapayStatement(lines: readonly Line[]): string {
  const types = { payout: 'PAYOUT', return: 'PAYOUT_REVERSAL', refund: 'REFUND', reversal: 'ADJUSTMENT' };
  const row = ({ at, phone = '', reference, amount, currency }: Line, type: string) => [
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
