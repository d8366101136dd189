/** Accounts with money, and their balances. */
import { randomUUID } from 'node:crypto';
import { openAccount, type Account, type AccountKey } from '../../../src/ledger/accounts';
import { balanceOf } from '../../../src/ledger/balances';
import { postEntry, type Line } from '../../../src/ledger/post-entry';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import type { Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';

export const bank: AccountKey = { class: 'bank', currency: 'KES' };

export function newWallet(): AccountKey {
  return { class: 'wallet', merchantId: randomUUID(), currency: 'KES' };
}

/** A new wallet with a balance of `amountMinor`. */
export async function fundedWallet(
  db: Database,
  amountMinor: bigint,
): Promise<{ key: AccountKey; account: Account }> {
  const key = newWallet();
  await transferByHand(db, {
    from: bank,
    to: key,
    amountMinor,
    reason: 'funding',
    whenShort: 'BALANCE_INSUFFICIENT',
  });
  return { key, account: await openAccount(db, key) };
}

/** Posts one entry in its own transaction. */
export function post(
  db: Database,
  sourceId: string,
  lines: Line[],
  leg = 'move',
): Promise<'posted' | 'already_posted'> {
  return inTransaction(db, (trx) =>
    postEntry(trx, {
      source: { type: 'test', id: sourceId, leg },
      whenShort: 'BALANCE_INSUFFICIENT',
      lines,
    }),
  );
}

export function linesOf(from: Account, to: Account, amountMinor: bigint): Line[] {
  return [
    { account: from, amountMinor: -amountMinor },
    { account: to, amountMinor },
  ];
}

/** The stored balance, which must be the sum of the postings. */
export async function heldIn(db: Database, key: AccountKey): Promise<bigint> {
  const balance = await balanceOf(db, key);
  const { accountId } = await openAccount(db, key);
  const [row] = await db('ledger_postings')
    .where({ account_id: accountId })
    .sum<{ sum: string | null }[]>({ sum: 'amount' });
  expect(BigInt(row?.sum ?? 0)).toBe(balance);
  return balance;
}
