/**
 * Sums of the ledger up to a posting. A clean run stores them, and the next run compares them. A row that was changed, added
 * or removed in spite of the triggers changes the sum, the number or the digest.
 */
import type { Transaction } from '../store/database';
import { rowsOf, type Check, type Marks } from './check';

/** The sum of one account in one currency. One more sum, without an account, covers the entries themselves. */
export interface Sum {
  account_id: string;
  currency: string;
  postings: string;
  total: string;
  digest: string;
}

/** As the driver returns it: a number, or a text if it may be long. */
type SumRow = Record<keyof Sum, string | number>;

type Between = Pick<Marks, 'last'>;

/**
 * A digest of 64 bits that does not depend on the order of rows. One CRC is not enough, because it is linear: it stays the same
 * if two rows swap a value. The product of two CRCs with different column orders changes, and costs a third of a
 * cryptographic hash.
 */
const digestOf = (...columns: string[]) =>
  `BIT_XOR(${[columns, [...columns].reverse()].map((all) => `CRC32(CONCAT_WS('/', ${all.join(', ')}))`).join(' * ')})`;
export const digests = {
  postings: digestOf('seq', 'entry_id', 'amount'),
  entries: digestOf('entry_id', 'source_type', 'source_id', 'leg', 'payment_id', "COALESCE(action_id, '')"),
};

/** The sums of the rows after `from`, up to and with `to`. */
export async function sumsOf(trx: Transaction, from: Between | undefined, to: Between): Promise<Sum[]> {
  const within = (table: 'ledger_entries' | 'ledger_postings', column: string) =>
    `${column} > ${from?.last[table] ?? '0'} AND ${column} <= ${to.last[table]}`;
  const postings = await rowsOf<SumRow>(
    trx,
    `SELECT account_id, currency, COUNT(*) AS postings, SUM(amount) AS total,
            ${digests.postings} AS digest
     FROM ledger_postings FORCE INDEX (PRIMARY)
     WHERE ${within('ledger_postings', 'seq')}
     GROUP BY account_id, currency`,
  );
  const entries = await rowsOf<SumRow>(
    trx,
    `SELECT 0 AS account_id, '' AS currency, COUNT(*) AS postings, 0 AS total,
            ${digests.entries} AS digest
     FROM ledger_entries FORCE INDEX (PRIMARY)
     WHERE ${within('ledger_entries', 'entry_id')}`,
  );
  return [...postings, ...entries.filter(({ postings: n }) => Number(n) > 0)].map((sum) => ({
    account_id: String(sum.account_id),
    currency: String(sum.currency),
    postings: String(sum.postings),
    total: String(sum.total),
    digest: String(sum.digest),
  }));
}

export function added(these: readonly Sum[], those: readonly Sum[]): Sum[] {
  const all = byAccount(these);
  for (const sum of those) {
    const before = all.get(keyOf(sum));
    all.set(keyOf(sum), {
      ...sum,
      postings: String(BigInt(before?.postings ?? 0) + BigInt(sum.postings)),
      total: String(BigInt(before?.total ?? 0) + BigInt(sum.total)),
      digest: String(BigInt(before?.digest ?? 0) ^ BigInt(sum.digest)),
    });
  }
  return [...all.values()];
}

/** Checks that the verified part of the ledger is unchanged. Only a run that continues from a stored state can check it. */
export function provedSumsCheck(proved: Marks, keptIn: (trx: Transaction) => Promise<readonly Sum[]>): Check {
  return {
    id: 'L8',
    promise: 'the part of the ledger that the last clean run verified is unchanged',
    async find({ trx }) {
      const [was, is] = [byAccount(await keptIn(trx)), byAccount(await sumsOf(trx, undefined, proved))];
      const differing = [...new Set([...was.keys(), ...is.keys()])].filter(
        (key) => sumText(was.get(key)) !== sumText(is.get(key)),
      );
      return differing.map((key) => ({
        id: key,
        detail: `had ${sumText(was.get(key))} in the last clean run, and now has ${sumText(is.get(key))}: check everything, without --changes`,
      }));
    },
  };
}

function byAccount(sums: readonly Sum[]): Map<string, Sum> {
  return new Map(sums.map((sum) => [keyOf(sum), sum]));
}

function keyOf({ account_id: account, currency }: Sum): string {
  return account === '0' ? 'entries' : `account ${account} ${currency}`;
}

function sumText(sum: Sum | undefined): string {
  return sum ? `${sum.postings} rows of ${sum.total} (${sum.digest})` : 'none';
}
