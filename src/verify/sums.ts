/**
 * The ledger up to a posting, summed up: what a proof keeps of it, and what the next run finds there again. A row that
 * was changed, added or taken away behind the triggers' back shows in the sum, the number or the digest.
 */
import type { Transaction } from '../store/database';
import { rowsOf, type Check, type Marks } from './check';

/** Of one account in one currency. The entries themselves are a line of their own, of no account. */
export interface Sum {
  account_id: string;
  currency: string;
  postings: string;
  total: string;
  digest: string;
}

/** As the driver tells it: a number where it is short, a text where it may be long. */
type SumRow = Record<keyof Sum, string | number>;

type Between = Pick<Marks, 'last'>;

/**
 * In 64 bits, and the same in whatever order the rows are read. One checksum would not do: a CRC is linear, and stays
 * what it was when two rows exchange what they say. The product of two, in which each column has another weight, is
 * not, and costs a third of what a cryptographic hash does.
 */
const digestOf = (...columns: string[]) =>
  `BIT_XOR(${[columns, [...columns].reverse()].map((all) => `CRC32(CONCAT_WS('/', ${all.join(', ')}))`).join(' * ')})`;
export const digests = {
  postings: digestOf('seq', 'entry_id', 'amount'),
  entries: digestOf('entry_id', 'source_type', 'source_id', 'leg', 'payment_id', "COALESCE(action_id, '')"),
};

/** What was booked after `from`, up to and with `to`. */
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

/** That what was proved is as it was; only a run from a proof can tell. */
export function provedSumsCheck(proved: Marks, keptIn: (trx: Transaction) => Promise<readonly Sum[]>): Check {
  return {
    id: 'L8',
    promise: 'what was booked before the last proof is what was proved then',
    async find({ trx }) {
      const [was, is] = [byAccount(await keptIn(trx)), byAccount(await sumsOf(trx, undefined, proved))];
      const differing = [...new Set([...was.keys(), ...is.keys()])].filter(
        (key) => told(was.get(key)) !== told(is.get(key)),
      );
      return differing.map((key) => ({
        id: key,
        detail: `had ${told(was.get(key))} when it was proved, and has ${told(is.get(key))}: check everything, without --news`,
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

function told(sum: Sum | undefined): string {
  return sum ? `${sum.postings} rows of ${sum.total} (${sum.digest})` : 'none';
}
