import { PaymentError, type ErrorCode } from '../domain/errors';
import { inChunks } from '../store/in-chunks';
import type { Transaction } from '../store/database';
import { duplicateKeyOf } from '../store/transaction';
import { accountClasses, type Account } from './accounts';

export interface Entry {
  /** What caused the entry. The triple is unique for ever: it is what makes a booking happen once. */
  source: { type: string; id: string; leg: string };
  paymentId?: string;
  /** Why, for entries an operator made. */
  reason?: string;
  lines: Line[];
  /** The error told when an account may not go below zero; the default is a fault of ours. */
  whenShort?: ErrorCode;
}

export interface Line {
  account: Account;
  /** Signed minor units. */
  amountMinor: bigint;
  /** True for what a provider takes back: it is owed even by an account that no longer holds it. */
  mayOverdraw?: boolean;
}

/**
 * Posts one balanced entry inside the caller's transaction.
 * @returns 'already_posted' when this source and leg were booked before; nothing is changed then.
 * @throws PaymentError `whenShort` when an account that may not go negative would.
 */
export async function postEntry(trx: Transaction, entry: Entry): Promise<'posted' | 'already_posted'> {
  assertBalanced(entry);
  let entryId: number;
  try {
    [entryId] = (await trx('ledger_entries').insert({
      source_type: entry.source.type,
      source_id: entry.source.id,
      leg: entry.source.leg,
      payment_id: entry.paymentId ?? null,
      reason: entry.reason ?? null,
      at: new Date(),
    })) as [number];
  } catch (error) {
    if (duplicateKeyOf(error) !== undefined) return 'already_posted';
    throw error;
  }
  for (const line of inLockOrder(entry.lines)) {
    if (accountClasses[line.account.class].carriesBalance) await moveBalance(trx, line, entry.whenShort);
  }
  // The postings follow the account locks, so that `seq` is the order in which each balance really moved.
  await trx('ledger_postings').insert(
    entry.lines.map(({ account, amountMinor }) => ({
      entry_id: String(entryId),
      account_id: account.accountId,
      currency: account.currency,
      amount: amountMinor.toString(),
    })),
  );
  return 'posted';
}

/**
 * Posts many balanced entries, of which none was posted before, with one statement for each account whose balance moves:
 * all of them are posted, or none.
 * @throws PaymentError `whenShort` when an account that may not go negative would by their sum.
 */
export async function postEntries(
  trx: Transaction,
  entries: readonly Omit<Entry, 'whenShort'>[],
  whenShort: ErrorCode,
): Promise<void> {
  for (const entry of entries) assertBalanced(entry);
  const at = new Date();
  const ids = new Map<string, string>();
  for (const some of inChunks(entries)) {
    const rows = some.map(({ source, paymentId, reason }) => ({
      source_type: source.type,
      source_id: source.id,
      leg: source.leg,
      payment_id: paymentId ?? null,
      reason: reason ?? null,
      at,
    }));
    await trx('ledger_entries').insert(rows);
    const posted = await trx('ledger_entries')
      .whereIn(
        ['source_type', 'source_id', 'leg'],
        rows.map((row) => [row.source_type, row.source_id, row.leg]),
      )
      .select('entry_id', 'source_type', 'source_id', 'leg');
    for (const row of posted)
      ids.set(keyOf({ type: row.source_type, id: row.source_id, leg: row.leg }), row.entry_id);
  }
  for (const line of inLockOrder(summedUp(entries))) {
    if (accountClasses[line.account.class].carriesBalance) await moveBalance(trx, line, whenShort);
  }
  const postings = entries.flatMap(({ source, lines }) =>
    lines.map(({ account, amountMinor }) => ({
      entry_id: ids.get(keyOf(source)) ?? '',
      account_id: account.accountId,
      currency: account.currency,
      amount: amountMinor.toString(),
    })),
  );
  for (const some of inChunks(postings)) await trx('ledger_postings').insert(some);
}

const keyOf = ({ type, id, leg }: Entry['source']) => [type, id, leg].join('/');

/** What each account moves by in all. */
function summedUp(entries: readonly Pick<Entry, 'lines'>[]): Line[] {
  const sums = new Map<string, Line>();
  for (const { account, amountMinor } of entries.flatMap(({ lines }) => lines)) {
    const before = sums.get(account.accountId)?.amountMinor ?? 0n;
    sums.set(account.accountId, { account, amountMinor: before + amountMinor });
  }
  return [...sums.values()];
}

function assertBalanced({ lines, source }: Pick<Entry, 'lines' | 'source'>): void {
  const sums = new Map<string, bigint>();
  for (const { account, amountMinor } of lines) {
    if (amountMinor === 0n) throw new Error(`entry ${source.type}/${source.id} has a zero line`);
    sums.set(account.currency, (sums.get(account.currency) ?? 0n) + amountMinor);
  }
  const unbalanced = lines.length < 2 || [...sums.values()].some((sum) => sum !== 0n);
  if (unbalanced) throw new Error(`entry ${source.type}/${source.id}/${source.leg} does not balance`);
}

function inLockOrder(lines: Line[]): Line[] {
  const rank = ({ account }: Line) => accountClasses[account.class].lockOrder;
  return [...lines].sort(
    (a, b) => rank(a) - rank(b) || Number(BigInt(a.account.accountId) - BigInt(b.account.accountId)),
  );
}

async function moveBalance(trx: Transaction, line: Line, whenShort?: ErrorCode): Promise<void> {
  const amount = line.amountMinor.toString();
  // A text in a sum makes the sum a float, which loses digits above 2^53.
  const account = trx('ledger_accounts').where({ account_id: line.account.accountId });
  // What comes in is always taken, also by an account in debt: it pays the debt off.
  const spends = line.amountMinor < 0n && line.mayOverdraw !== true;
  if (spends) void account.whereRaw('balance + CAST(? AS SIGNED) >= 0', [amount]);
  const moved = await account.update({
    // First, because MySQL lets a later assignment see an earlier one.
    may_go_negative: trx.raw('balance + CAST(? AS SIGNED) < 0', [amount]),
    balance: trx.raw('balance + CAST(? AS SIGNED)', [amount]),
  });
  if (moved === 1) return;
  if (whenShort) throw new PaymentError(whenShort, { detail: `account ${line.account.accountId} is short` });
  throw new Error(`account ${line.account.accountId} would go below zero by ${amount}`);
}
