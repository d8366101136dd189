import { PaymentError, type ErrorCode } from '../domain/errors';
import type { Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import { duplicateKeyOf } from '../store/transaction';
import { currentActionId, noteChange } from '../users/current-action';
import { accountClasses, type Account } from './accounts';

export interface Entry {
  /** The cause of the entry. The triple is unique for ever, so that a booking happens once. */
  source: { type: string; id: string; leg: string };
  paymentId?: string;
  /** Why, for an operator's entries. */
  reason?: string;
  lines: Line[];
  /** The error when an account must not go below zero; the default is an internal error. */
  whenShort?: ErrorCode;
}

export interface Line {
  account: Account;
  /** Signed minor units. */
  amountMinor: bigint;
  /** True for money that a provider takes back: the account owes it even when it no longer has it. */
  mayOverdraw?: boolean;
}

/**
 * Posts one balanced entry inside the caller's transaction.
 * @returns 'already_posted' when this source and leg were booked before; then nothing changes.
 * @throws PaymentError `whenShort` when an account that must not go negative would.
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
      action_id: currentActionId() ?? null,
      at: new Date(),
    })) as [number];
  } catch (error) {
    if (duplicateKeyOf(error) !== undefined) return 'already_posted';
    throw error;
  }
  await changeBalances(trx, [entry], entry.whenShort);
  // The postings follow the account locks, so that `seq` is the order in which each balance really changed.
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

/** Posts several entries together: one as `postEntry` does, and more as `postEntries` does. */
export async function postTogether(
  trx: Transaction,
  entries: readonly Omit<Entry, 'whenShort'>[],
  whenShort?: ErrorCode,
): Promise<void> {
  const [only, ...more] = entries;
  if (!only) return;
  if (more.length > 0) await postEntries(trx, entries, whenShort);
  else await postEntry(trx, { ...only, ...(whenShort && { whenShort }) });
}

/**
 * Posts many new balanced entries, with one statement for all changed balances: all of them are posted, or none.
 * @throws PaymentError `whenShort` when their sum would take an account below zero that must not go negative.
 */
export async function postEntries(
  trx: Transaction,
  entries: readonly Omit<Entry, 'whenShort'>[],
  whenShort?: ErrorCode,
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
      action_id: currentActionId() ?? null,
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
  await changeBalances(trx, entries, whenShort);
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

/** The total change of each account. */
function summedUp(entries: readonly Pick<Entry, 'lines'>[]): Line[] {
  const sums = new Map<string, Line>();
  for (const { account, amountMinor, mayOverdraw = false } of entries.flatMap(({ lines }) => lines)) {
    const before = sums.get(account.accountId);
    sums.set(account.accountId, {
      account,
      amountMinor: (before?.amountMinor ?? 0n) + amountMinor,
      mayOverdraw: mayOverdraw || before?.mayOverdraw === true,
    });
  }
  return [...sums.values()];
}

/** Each currency sums to zero, and money moves between accounts. */
function assertBalanced({ lines, source }: Pick<Entry, 'lines' | 'source'>): void {
  const sums = new Map<string, bigint>();
  for (const { account, amountMinor } of lines) {
    if (amountMinor === 0n) throw new Error(`entry ${source.type}/${source.id} has a zero line`);
    sums.set(account.currency, (sums.get(account.currency) ?? 0n) + amountMinor);
  }
  const changesBalance = summedUp([{ lines }]).some(({ amountMinor }) => amountMinor !== 0n);
  const unbalanced = !changesBalance || [...sums.values()].some((sum) => sum !== 0n);
  if (unbalanced) throw new Error(`entry ${source.type}/${source.id}/${source.leg} does not balance`);
}

/**
 * Updates all balances in one statement. It locks their rows in the order of their ids, as every transaction does
 * (see lockBalances), without a second round trip.
 * @throws PaymentError `whenShort` when an account that must not go negative would; then nothing of it may be
 *   committed.
 */
async function changeBalances(
  trx: Transaction,
  entries: readonly Pick<Entry, 'lines'>[],
  whenShort?: ErrorCode,
): Promise<void> {
  const sums = summedUp(entries);
  for (const { account, amountMinor } of sums) {
    const { accountId, currency } = account;
    noteChange(trx, { kind: 'posted', accountId, currency, amountMinor });
  }
  const moving = sums.filter(({ account }) => accountClasses[account.class].carriesBalance);
  if (moving.length === 0) return;
  const ids = moving.map(({ account }) => account.accountId);
  // A text in a sum makes the sum a float, which loses digits above 2^53.
  const cases = moving.map(() => 'WHEN ? THEN CAST(? AS SIGNED)').join(' ');
  const sum = `balance + CASE account_id ${cases} END`;
  const values = moving.flatMap(({ account, amountMinor }) => [account.accountId, amountMinor.toString()]);
  // A credit is always accepted, also by an account in debt: it pays the debt.
  const spending = moving.filter(({ amountMinor, mayOverdraw }) => amountMinor < 0n && mayOverdraw !== true);
  const accounts = trx('ledger_accounts').whereIn('account_id', ids);
  if (spending.length > 0) {
    const others = ids.filter((id) => !spending.some(({ account }) => account.accountId === id));
    void accounts.where(
      (covered) => void covered.whereRaw(`${sum} >= 0`, values).orWhereIn('account_id', others),
    );
  }
  const moved = await accounts.update({
    // First, because in MySQL a later assignment sees an earlier one.
    can_go_negative: trx.raw(`${sum} < 0`, values),
    balance: trx.raw(sum, values),
  });
  if (moved === moving.length) return;
  const reported = spending
    .map(({ account, amountMinor }) => `${account.accountId} by ${amountMinor}`)
    .join(', ');
  if (whenShort) throw new PaymentError(whenShort, { detail: `an account is short: ${reported}` });
  throw new Error(`an account would go below zero: ${reported}`);
}

/**
 * Locks the rows of accounts in the order of their ids, before the transaction books on any of them.
 * @returns their balances in minor units, in the order of the argument.
 */
export async function lockBalances(trx: Transaction, accounts: readonly Account[]): Promise<bigint[]> {
  const ids = accounts.map(({ accountId }) => accountId);
  const rows = await trx('ledger_accounts')
    .whereIn('account_id', ids)
    .orderBy('account_id')
    .forUpdate()
    .select('account_id', 'balance');
  return ids.map((id) => BigInt(rows.find((row) => row.account_id === id)?.balance ?? 0));
}
