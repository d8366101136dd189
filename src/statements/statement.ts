/**
 * What moved on a merchant's accounts in one currency, from one day of its zone to another. It is read from postings alone, which
 * are never changed, and from what a payment was asked for with: what happens later shows in later statements only.
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
  /** By which its days begin and end. */
  zone: string;
  /** Its days are sealed: asked for again, it is the same byte for byte. */
  isFinal: boolean;
  /** It covers postings above the first number, up to and with the second. */
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
  /** Of the voucher or transfer, where it is no payment's. */
  sourceId: string | null;
  amountMinor: bigint;
  /** The account's, after it. */
  balanceMinor: bigint;
  /** What it was booked for: unique, and nothing that its merchant does not know. */
  source: [type: string, id: string, leg: string];
}

/** Between two movements of a statement. */
interface Position {
  /** The place of its account in the list. */
  account: number;
  seq: string;
  balanceMinor: bigint;
}

/** @param merchantId as it is stored; every account that is read is this merchant's. */
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
    // An account that was opened later is on no statement of before.
    if (!(await isUsed(db, accountId, until.last))) continue;
    const name = code.split(':').filter((part) => ![merchantId, currency, '-'].includes(part));
    accounts.push({
      ...{ accountId, name: name.join(':'), rail, country },
      openingMinor: await balanceAt(db, accountId, before.last),
      closingMinor: await balanceAt(db, accountId, until.last),
    });
  }
  const cuts = { after: before.last, last: until.last };
  const isFinal = before.isSealed && until.isSealed;
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
  /** Absent at the end. */
  next?: Position;
}

/**
 * The movements from there on, account by account, each in the order in which its balance moved. What one cause moved on
 * one account stays on one page.
 * @param limit more than an entry has lines.
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

// What an account held at some posting, summed from postings alone: all of them, or those since a sum that was proved.

/** @returns what the account held once that posting was booked, in minor units. */
async function balanceAt(db: Database | Transaction, accountId: string, seq: string): Promise<bigint> {
  const at = BigInt(seq);
  const proved = await provedSum(db, accountId);
  // From whichever is nearer, by the numbers of all postings: the beginning, or what was proved.
  if (!proved || at < proved.seq - at) return between(db, accountId, 0n, at);
  return at < proved.seq
    ? proved.total - (await between(db, accountId, at, proved.seq))
    : proved.total + (await between(db, accountId, proved.seq, at));
}

/**
 * What `malipo verify` has summed up from the postings, up to one of them. Of an account that is younger than the proof,
 * or has a currency too many, there is none.
 */
async function provedSum(
  db: Database | Transaction,
  accountId: string,
): Promise<{ total: bigint; seq: bigint } | undefined> {
  const [sum, ...others] = await db('proof_sums as s')
    .join('proofs as p', (on) => void on.onVal('p.id', 1))
    .where({ 's.account_id': accountId })
    .select<{ total: string; seq: string }[]>('s.total', 'p.seq');
  if (!sum || others.length > 0) return undefined;
  return { total: BigInt(sum.total), seq: BigInt(sum.seq) };
}

/** @returns the sum of the postings above the first number, up to and with the second. */
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

/** What a movement is called on a statement, by what it was booked for and the word that its leg begins with. */
const words: Record<string, string> = {
  'deposit/credit': 'credit',
  'deposit/given_back': 'given_back',
  'payout/returned': 'returned',
  'refund/returned': 'returned',
  // Set aside for what goes out; then paid out, or given back to where it came from.
  'hold/reserve': 'hold',
  'hold/post': 'spent',
  'hold/release': 'release',
  // Set aside because a provider may take it back, or not so much of it any more.
  'hold/change': 'contested',
  // Taken out of a wallet, or set aside for a payout with its amount; then the platform's, or back where it came from.
  'fee/charge': 'fee',
  'fee/reserve': 'fee',
  'fee/post': 'fee_spent',
  'fee/release': 'fee_released',
  'fee/returned': 'fee_returned',
  'fee/given_back': 'fee_returned',
  'transfer/move': 'transfer',
  // Money that a provider's statement told of, and that an operator has found to be the merchant's.
  'orphan/claimed': 'claimed',
  'voucher/fund': 'voucher',
  'voucher/redeem': 'voucher_redeemed',
  'voucher/expire': 'voucher_expired',
};

function movementWord(sourceType: string, leg: string): string {
  const [first = ''] = leg.split(':');
  return words[`${sourceType}/${first}`] ?? sourceType;
}

// Where a page of a statement ended, as its merchant keeps it: by the movement itself, and by no number of ours, which
// would tell how much others move.

/** @param last the movement before the position; none where its account begins there. */
export function cursorOf(statement: Statement, position: Position, last: Movement | undefined): string {
  const name = statement.accounts[position.account]?.name ?? '';
  const parts = last?.account === name ? [name, ...last.source] : [name];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @returns undefined for what is no place in this statement. */
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

/** The columns are ASCII: the database refuses to compare them with more. */
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

// From which day to which a statement is, as its merchant's zone has them; both are in it.

interface Period {
  from: string;
  to: string;
}

/** A year, and the day more that a leap year has. */
const daysMax = 366;

/** @returns the faults of what was asked for, by field, in words that do not repeat it; none when it can be told. */
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
