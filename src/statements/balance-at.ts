/** What an account held at some posting, summed from postings alone: all of them, or those since a sum that was proved. */
import type { Database, Transaction } from '../store/database';

/** @returns what the account held once that posting was booked, in minor units. */
export async function balanceAt(db: Database | Transaction, accountId: string, seq: string): Promise<bigint> {
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
