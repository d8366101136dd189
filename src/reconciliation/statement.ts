/** The types of a provider's statement, and of the format with which a rail reads its own. */
import type { Sliced } from '../domain/in-slices';
import type { Currency } from '../domain/money';
import type { PaymentKind } from '../domain/payment';
import type { StatementLineRow, PaymentRow } from '../store/tables';

/** An unreadable statement. Nothing of it is stored. */
export class StatementError extends Error {
  /** @param line the wrong line of the file, from 1, if it is one line. */
  constructor(message: string, line?: number) {
    super(line === undefined ? message : `line ${line}: ${message}`);
    this.name = 'StatementError';
  }
}

export interface StatementLine {
  /** The line of the file, from 1. */
  n: number;
  /** The provider's id of the transaction. Together with the kind it identifies the line in several statements. */
  providerReference: string;
  /** Our reference, if the provider repeats it. */
  ourReference?: string;
  /** For a refund: the provider's id of the original transaction. */
  originalReference?: string;
  kind: StatementLineRow['kind'];
  /**
   * Minor units in the direction of the kind: in for a collection; out for a payout, a refund and a fee. Negative for the other
   * direction. For `other`, a positive amount is incoming.
   */
  amountMinor: bigint;
  currency: Currency;
  /** The provider's fee, if the same line has it. */
  feeMinor?: bigint;
  at: Date;
  phone?: string;
  state: StatementLineRow['state'];
  /** The provider's description, for operators. */
  description?: string;
  /** The rule by which the reader recognised a fee or a line without a movement; at most 40 characters. */
  rule?: string;
}

/** The order of a date: 21/11/2026 or 11/21/2026. */
export type DateOrder = 'dmy' | 'mdy';

export interface ReadOptions {
  /** For files whose dates can be read both ways. */
  dateOrder?: DateOrder | undefined;
}

/** The payments of one account at a provider. */
export interface PaymentsOf {
  rail: string;
  /** Only those with this provider. */
  provider?: string;
}

/** The column of a payment with the provider's id. */
export type NameColumn = 'provider_reference' | 'provider_receipt';

/** How a provider's statement is read, and which payments are in it. */
export interface StatementFormat {
  provider: string;
  payments: readonly PaymentsOf[];
  /** The columns of a payment that a line's provider reference is compared with; the first is the one that lines always have. */
  knownBy: readonly [NameColumn, ...NameColumn[]];
  /** Another first column for some kinds of payments. */
  namedBy?: Partial<Record<PaymentKind, NameColumn>>;
  /** The column that our own reference is compared with, if the provider repeats it. */
  oursIs?: 'payment_id' | 'callback_token';
  /** The detail of a payment in which the provider's status query stored the code of the statement; see `isSameCode`. */
  codeIn?: string;
  /** The provider cuts account references to this many characters. */
  referenceMax?: number;
  /** The dial code that the provider may leave out in phone numbers. */
  dialCode?: string;
  /** The provider's date of a line is that of its last change, so it does not identify the line. */
  datesChange?: true;
  /** The account has several wallets, and an uploaded file has only one of them. A fetched statement has them all. */
  fileIsOneWallet?: true;
  /** Reads in slices, because a month may have many lines. @throws StatementError if a line is unreadable. */
  read(file: Buffer, options: ReadOptions): Sliced<StatementLine[]>;
}

export const lineKindOf = {
  deposit: 'collection',
  payout: 'payout',
  refund: 'refund',
} as const satisfies Record<PaymentKind, StatementLineRow['kind']>;

/** The amount that a line or receipt added to the provider's account, in minor units; negative if it took money. */
export function isIncoming({
  kind,
  amount_minor: minor,
}: Pick<StatementLineRow, 'kind' | 'amount_minor'>): bigint {
  const isIn = kind === 'collection' || kind === 'other';
  return isIn ? BigInt(minor) : -BigInt(minor);
}

/** The line's money goes the other way than that of the payment, as in a refund of a deposit. */
export function isReturnOf(
  line: Pick<StatementLineRow, 'kind' | 'amount_minor'>,
  kind: PaymentKind,
): boolean {
  return kind === 'deposit' ? isIncoming(line) < 0n : isIncoming(line) > 0n;
}

/** The rail whose clearing account is used for lines without a payment. */
export function clearingRailOf({ payments: [of], provider }: StatementFormat): string {
  if (!of) throw new Error(`no rail goes through ${provider}`);
  return of.rail;
}

export const magnitude = (minor: bigint): bigint => (minor < 0n ? -minor : minor);

// A code that a provider's query and its statement share, but that is not a receipt: the code of a network, which may equal a
// code of another network. It can choose among similar payments, or exclude one. It cannot find a payment.

type Coded = Pick<PaymentRow, 'kind' | 'details'>;

/** Whether line and payment have the same code; undefined if one of them has none. */
export function isSameCode(
  format: StatementFormat,
  { kind, provider_reference: theirs }: Pick<StatementLineRow, 'kind' | 'provider_reference'>,
  payment: Coded,
): boolean | undefined {
  const ours = codeOf(format, payment);
  if (ours === undefined || theirs === '' || lineKindOf[payment.kind] !== kind) return undefined;
  return ours.toLowerCase() === theirs.toLowerCase();
}

export function codeOf({ codeIn }: StatementFormat, { details }: Coded): string | undefined {
  const code = codeIn === undefined ? '' : (details[codeIn]?.trim() ?? '');
  return code === '' ? undefined : code;
}
