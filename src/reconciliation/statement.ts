/** What a provider's statement says, in our words, and how a rail says where its own comes from. */
import type { Sliced } from '../domain/in-slices';
import type { Currency } from '../domain/money';
import type { PaymentKind } from '../domain/payment';
import type { StatementLineRow, PaymentRow } from '../store/tables';

/** A statement that cannot be read as a whole. Nothing of it is kept. */
export class StatementError extends Error {
  /** @param line of the file, from 1, where it is one line's fault. */
  constructor(message: string, line?: number) {
    super(line === undefined ? message : `line ${line}: ${message}`);
    this.name = 'StatementError';
  }
}

export interface StatementLine {
  /** Of the file, from 1. */
  n: number;
  /** The provider's own id of the transaction: with its kind, what makes a line the same in two statements. */
  providerReference: string;
  /** What we called it, where the provider says so. */
  ourReference?: string;
  /** The provider's id of what is given back. */
  originalReference?: string;
  kind: StatementLineRow['kind'];
  /**
   * Minor units that moved as the kind says: in for a collection, out for a payout and a refund, taken for a fee. Less
   * than zero where it went the other way. For `other`: more than zero came in.
   */
  amountMinor: bigint;
  currency: Currency;
  /** What the provider kept of it, where the same line says so. */
  feeMinor?: bigint;
  at: Date;
  phone?: string;
  state: StatementLineRow['state'];
  /** The provider's words, for people. */
  description?: string;
  /** By what the reader tells a fee, or money that did not move, from a payment: a word of at most 40 characters. */
  rule?: string;
}

/** Which part of a date comes first: 21/11/2026 or 11/21/2026. */
export type DateOrder = 'dmy' | 'mdy';

export interface ReadOptions {
  /** For files whose dates can be read both ways. */
  dateOrder?: DateOrder | undefined;
}

/** The payments that go through one account at a provider. */
export interface PaymentsOf {
  rail: string;
  /** Only those with this provider. */
  provider?: string;
}

/** Of a payment: where its provider's own id of it stands. */
export type NameColumn = 'provider_reference' | 'provider_receipt';

/** How the statement of a provider is read, and whose payments are in it. */
export interface StatementFormat {
  provider: string;
  payments: readonly PaymentsOf[];
  /** Columns of a payment by which a line's provider reference finds it; what a line always says stands in the first. */
  knownBy: readonly [NameColumn, ...NameColumn[]];
  /** Where that is another column for some kinds of payments. */
  namedBy?: Partial<Record<PaymentKind, NameColumn>>;
  /** The column by which our own reference finds it, where the provider repeats it. */
  oursIs?: 'payment_id' | 'callback_token';
  /** In this of a payment's details its provider's query has told what its statement calls it; see `isSameCode`. */
  codeIn?: string;
  /** How many characters of an account reference the provider takes; the rest of it is in no line. */
  referenceMax?: number;
  /** Of the country whose phone numbers it may write without. */
  dialCode?: string;
  /** The provider dates a line by when it was changed last: that says nothing of whether two lines are the same. */
  datesChange?: true;
  /** In slices, since a month may have many. @throws StatementError unless every line can be read. */
  read(file: Buffer, options: ReadOptions): Sliced<StatementLine[]>;
}

export const lineKindOf = {
  deposit: 'collection',
  payout: 'payout',
  refund: 'refund',
} as const satisfies Record<PaymentKind, StatementLineRow['kind']>;

/** What a line, or an orphan, brought to the provider's account; less than zero where it took. Minor units. */
export function cameIn({
  kind,
  amount_minor: minor,
}: Pick<StatementLineRow, 'kind' | 'amount_minor'>): bigint {
  const isIn = kind === 'collection' || kind === 'other';
  return isIn ? BigInt(minor) : -BigInt(minor);
}

/** The rail whose clearing account stands for what the provider holds of ours, where no payment says so. */
export function clearingRailOf({ payments: [of], provider }: StatementFormat): string {
  if (!of) throw new Error(`no rail goes through ${provider}`);
  return of.rail;
}

export const magnitude = (minor: bigint): bigint => (minor < 0n ? -minor : minor);

// What a provider's query calls a payment and its statement a line, where that is no receipt: a network's own code, which a
// code of another network may be like. It tells one of several that are like a line, and it contradicts; it finds nothing.

type Coded = Pick<PaymentRow, 'kind' | 'details'>;

/** Whether line and payment have one code; undefined where either has none. */
export function isSameCode(
  format: StatementFormat,
  { kind, provider_reference: theirs }: StatementLineRow,
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
