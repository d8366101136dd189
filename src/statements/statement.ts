/**
 * The statement of a merchant: the movements of its accounts in one currency, between two days of its zone. It uses only postings,
 * which never change, and the requested fields of payments. So later events are only in later statements.
 */
import { bytesOf } from '../domain/canonical';
import type { Currency } from '../domain/money';
import { startOfDay, dayIn } from '../domain/time';
import { postingsBefore } from '../ledger/day-cut';
import { dayAfter, isDay } from '../ledger/utc-days';
import type { Database, Transaction } from '../store/database';

export interface StatementAccount {
  accountId: string;
  /** Such as `wallet` or `float:momo:KEN`. */
  name: string;
  rail: string | null;
  country: string | null;
  openingMinor: bigint;
  closingMinor: bigint;
}

export interface Statement extends Period {
  merchantId: string;
  currency: Currency;
  /** The time zone of its days. */
  zone: string;
  /** All of its days have a digest, so the same statement is always the same byte for byte. */
  isFinal: boolean;
  /** It covers the postings after `after`, up to and with `last`. */
  after: string;
  last: string;
  accounts: StatementAccount[];
}

export interface Movement {
  account: string;
  at: Date;
  type: string;
  paymentId: string | null;
  rail: string | null;
  kind: string | null;
  orderId: string | null;
  reference: string | null;
  /** The id of the voucher or transfer, if the movement belongs to no payment. */
  sourceId: string | null;
  amountMinor: bigint;
  /** The balance of the account after the movement. */
  balanceMinor: bigint;
  /** The source of the entry. It is unique and contains nothing that the merchant does not know. */
  source: [type: string, id: string, leg: string];
}

/** A position between two movements. */
interface Position {
  /** The index of the account in the list. */
  account: number;
  seq: string;
  balanceMinor: bigint;
}

/** @param merchantId as it is stored. Only accounts of this merchant are read. */
export async function openStatement(
  db: Database | Transaction,
  { merchantId, currency, from, to, zone }: Period & { merchantId: string; currency: Currency; zone: string },
): Promise<Statement> {
  const before = await postingsBefore(db, startOfDay(from, zone));
  const until = await postingsBefore(db, startOfDay(dayAfter(to), zone));
  const rows = await db('ledger_accounts')
    .where({ merchant_id: merchantId, currency })
    .orderBy('code')
    .select('account_id', 'code', 'rail', 'country');
  const accounts: StatementAccount[] = [];
  for (const { account_id: accountId, code, rail, country } of rows) {
    // An account without postings in or before the period is not part of the statement.
    if (!(await isUsed(db, accountId, until.last))) continue;
    const name = code.split(':').filter((part) => ![merchantId, currency, '-'].includes(part));
    accounts.push({
      ...{ accountId, name: name.join(':'), rail, country },
      openingMinor: await balanceAt(db, accountId, before.last),
      closingMinor: await balanceAt(db, accountId, until.last),
    });
  }
  const cuts = { after: before.last, last: until.last };
  const isFinal = before.isDigested && until.isDigested;
  return { merchantId, currency, zone, from, to, isFinal, ...cuts, accounts };
}

async function isUsed(db: Database | Transaction, accountId: string, last: string): Promise<boolean> {
  const row = await db('ledger_postings')
    .where({ account_id: accountId })
    .where('seq', '<=', last)
    .orderBy('seq')
    .first('seq');
  return row !== undefined;
}

export function beginningOf({ accounts, after }: Statement): Position {
  return { account: 0, seq: after, balanceMinor: accounts[0]?.openingMinor ?? 0n };
}

export interface Page {
  movements: Movement[];
  /** Undefined at the end. */
  next?: Position;
}

/**
 * The movements after a position, account by account, in the order of the postings. Postings of one entry on one account stay on
 * one page.
 * @param limit must be larger than the number of lines of an entry.
 */
export async function pageOf(
  db: Database | Transaction,
  statement: Statement,
  position: Position,
  limit: number,
): Promise<Page> {
  const movements: Movement[] = [];
  let { account, seq, balanceMinor } = position;
  for (;;) {
    const on = statement.accounts[account];
    if (!on) return { movements };
    const room = limit - movements.length;
    const rows = await rowsOf(db, { accountId: on.accountId, after: seq, last: statement.last }, room + 1);
    const shown = rows.slice(0, wholeEntries(rows, room));
    for (const row of shown) {
      balanceMinor += BigInt(row.amount);
      movements.push(movementOf(row, on.name, balanceMinor));
    }
    if (shown.length < rows.length) {
      return { movements, next: { account, seq: shown.at(-1)?.seq ?? seq, balanceMinor } };
    }
    account += 1;
    seq = statement.after;
    balanceMinor = statement.accounts[account]?.openingMinor ?? 0n;
  }
}

function wholeEntries(rows: readonly MovementRow[], room: number): number {
  let end = Math.min(rows.length, room);
  while (end > 0 && end < rows.length && rows[end]?.entry_id === rows[end - 1]?.entry_id) end -= 1;
  return end;
}

interface MovementRow {
  seq: string;
  amount: string;
  entry_id: string;
  at: Date;
  source_type: string;
  source_id: string;
  leg: string;
  payment_id: string | null;
  rail: string | null;
  kind: string | null;
  order_id: string | null;
  account_reference: string | null;
}

async function rowsOf(
  db: Database | Transaction,
  { accountId, after, last }: { accountId: string; after: string; last: string },
  limit: number,
): Promise<MovementRow[]> {
  const [rows] = (await db.raw(
    `SELECT p.seq, p.amount, p.entry_id, e.at, e.source_type, e.source_id, e.leg, e.payment_id,
            pay.rail, pay.kind, pay.order_id, pay.account_reference
     FROM ledger_postings p FORCE INDEX (by_account)
     STRAIGHT_JOIN ledger_entries e ON e.entry_id = p.entry_id
     LEFT JOIN payments pay ON pay.payment_id = e.payment_id
     WHERE p.account_id = ? AND p.seq > ? AND p.seq <= ?
     ORDER BY p.seq LIMIT ${String(limit)}`,
    [accountId, after, last],
  )) as unknown as [MovementRow[]];
  return rows;
}

function movementOf(row: MovementRow, account: string, balanceMinor: bigint): Movement {
  return {
    account,
    at: row.at,
    type: movementWord(row.source_type, row.leg),
    paymentId: row.payment_id,
    rail: row.rail,
    kind: row.kind,
    orderId: row.order_id,
    reference: row.account_reference,
    sourceId: row.payment_id === null ? row.source_id : null,
    amountMinor: BigInt(row.amount),
    balanceMinor,
    source: [row.source_type, row.source_id, row.leg],
  };
}

// The balance of an account after a posting: the sum of all its postings, or of those since a verified sum.

/** @returns the balance after the posting, in minor units. */
async function balanceAt(db: Database | Transaction, accountId: string, seq: string): Promise<bigint> {
  const at = BigInt(seq);
  const proved = await provedSum(db, accountId);
  // Starts from the nearer point: the beginning, or the verified sum.
  if (!proved || at < proved.seq - at) return between(db, accountId, 0n, at);
  return at < proved.seq
    ? proved.total - (await between(db, accountId, at, proved.seq))
    : proved.total + (await between(db, accountId, proved.seq, at));
}

/**
 * The sum of the account that `malipo verify` stored, up to a posting. Undefined for an account that is younger than the last
 * run, or that has postings in several currencies.
 */
async function provedSum(
  db: Database | Transaction,
  accountId: string,
): Promise<{ total: bigint; seq: bigint } | undefined> {
  const [sum, ...others] = await db('verify_sums as s')
    .join('verified_state as p', (on) => void on.onVal('p.id', 1))
    .where({ 's.account_id': accountId })
    .select<{ total: string; seq: string }[]>('s.total', 'p.seq');
  if (!sum || others.length > 0) return undefined;
  return { total: BigInt(sum.total), seq: BigInt(sum.seq) };
}

/** @returns the sum of the postings after `after`, up to and with `last`. */
async function between(
  db: Database | Transaction,
  accountId: string,
  after: bigint,
  last: bigint,
): Promise<bigint> {
  const [row] = await db('ledger_postings')
    .where({ account_id: accountId })
    .where('seq', '>', String(after))
    .where('seq', '<=', String(last))
    .sum<{ sum: string | null }[]>({ sum: 'amount' });
  return BigInt(row?.sum ?? 0);
}

/** The type of a movement on a statement, by the source type of its entry and the first word of its leg. */
const words: Record<string, string> = {
  'deposit/credit': 'credit',
  'deposit/reversed': 'reversed',
  'payout/returned': 'returned',
  'refund/returned': 'returned',
  // Reserved for a payout or refund; then paid out, or released.
  'hold/reserve': 'hold',
  'hold/post': 'spent',
  'hold/release': 'release',
  // The reserve of a deposit that may be reversed has changed.
  'hold/change': 'disputed',
  // Taken from a wallet, or reserved together with a payout; then paid to the platform, or released.
  'fee/charge': 'fee',
  'fee/reserve': 'fee',
  'fee/post': 'fee_spent',
  'fee/release': 'fee_released',
  'fee/returned': 'fee_returned',
  'fee/reversed': 'fee_returned',
  'transfer/move': 'transfer',
  // An unmatched receipt that an operator assigned to the merchant.
  'unmatched/assigned': 'assigned',
  'voucher/fund': 'voucher',
  'voucher/redeem': 'voucher_redeemed',
  'voucher/expire': 'voucher_expired',
};

function movementWord(sourceType: string, leg: string): string {
  const [first = ''] = leg.split(':');
  return words[`${sourceType}/${first}`] ?? sourceType;
}

// The cursor of a page, for the merchant. It contains the source of the last movement, and no internal number: the numbers of
// postings would show how much other merchants move.

/** @param last the movement before the position; undefined at the beginning of an account. */
export function cursorOf(statement: Statement, position: Position, last: Movement | undefined): string {
  const name = statement.accounts[position.account]?.name ?? '';
  const parts = last?.account === name ? [name, ...last.source] : [name];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @returns undefined if the cursor is not a position in this statement. */
export async function positionAt(
  db: Database | Transaction,
  statement: Statement,
  cursor: string,
): Promise<Position | undefined> {
  const [name, type, id, leg, ...more] = partsOf(cursor);
  const account = statement.accounts.findIndex((each) => each.name === name);
  const on = statement.accounts[account];
  if (!on || more.length > 0) return undefined;
  if (type === undefined) return { account, seq: statement.after, balanceMinor: on.openingMinor };
  const row = await db('ledger_entries as e')
    .join('ledger_postings as p', 'p.entry_id', 'e.entry_id')
    .where({
      'e.source_type': type,
      'e.source_id': id ?? '',
      'e.leg': leg ?? '',
      'p.account_id': on.accountId,
    })
    .where('p.seq', '>', statement.after)
    .where('p.seq', '<=', statement.last)
    .orderBy('p.seq', 'desc')
    .first<{ seq: string } | undefined>('p.seq');
  return row && { account, seq: row.seq, balanceMinor: await balanceAt(db, on.accountId, row.seq) };
}

/** The columns are ASCII; the database refuses to compare them with other characters. */
const partText = /^[\x20-\x7e]{0,64}$/;
const isPart = (part: unknown): part is string => typeof part === 'string' && partText.test(part);

function partsOf(cursor: string): string[] {
  try {
    const text = bytesOf(cursor, 'base64url')?.toString('utf8') ?? '';
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) && parts.every(isPart) && JSON.stringify(parts) === text ? parts : [];
  } catch {
    return [];
  }
}

// The period of a statement: days in the merchant's zone, both included.

interface Period {
  from: string;
  to: string;
}

/** A leap year. */
const daysMax = 366;

/** @returns the faults of the period by field, in texts that do not repeat the input; empty if it is valid. */
export function faultsOfPeriod(
  { from, to }: Period,
  zone: string,
  now = new Date(),
): { field: 'from' | 'to'; text: string }[] {
  const faults = (['from', 'to'] as const)
    .filter((field) => !isDay({ from, to }[field]))
    .map((field) => ({ field, text: 'must be a day such as 2026-01-31' }));
  if (faults.length > 0) return faults;
  if (to < from) return [{ field: 'from', text: 'must not be after to' }];
  if (to > dayIn(zone, now)) return [{ field: 'to', text: `must not be after today (${zone})` }];
  let last = from;
  for (let days = 1; days < daysMax; days += 1) last = dayAfter(last);
  if (to > last) return [{ field: 'to', text: `must be within ${String(daysMax)} days of from` }];
  return [];
}
