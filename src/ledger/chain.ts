/**
 * The hash chain over the ledger's days. A link's chain head is the SHA-256 of all postings of its day and of the
 * previous day's head. A reader who has noted one head can therefore always check whether anything before it was
 * rewritten. The hashed form is described in docs/money-safety.md, so that others can compute it, too.
 */
import { createHash } from 'node:crypto';
import type { Database, Transaction } from '../store/database';
import type { LedgerLinkRow } from '../store/ledger-tables';

/** Part of the hashed text, so that another form gives another chain. */
const form = 'malipo-ledger-2';

/** The previous head of the first link. */
export const noHead = Buffer.alloc(32);

/** How many postings are read at a time: this limits the memory, however long the day. */
const batch = 2_000;

export type Span = Pick<LedgerLinkRow, 'n' | 'day' | 'after_seq' | 'last_seq' | 'previous'>;

interface ChainedPosting {
  seq: string;
  entry_id: string;
  at: Date;
  source_type: string;
  source_id: string;
  leg: string;
  payment_id: string | null;
  reason: string | null;
  action_id: string | null;
  code: string;
  currency: string;
  amount: string;
}

/**
 * Computes a link's head from its postings.
 * @param seen called with the time of each posting's entry.
 */
export async function headOf(
  db: Database | Transaction,
  span: Span,
  seen: (at: Date) => void = () => undefined,
): Promise<{ head: Buffer; postings: string }> {
  const hash = createHash('sha256');
  const line = (...values: (string | null)[]) => hash.update(`${JSON.stringify(values)}\n`);
  line(form, span.n, span.day, span.previous.toString('hex'), span.after_seq);
  let postings = 0;
  let after = span.after_seq;
  for (;;) {
    const rows = await postingsAfter(db, after, span.last_seq);
    for (const row of rows) {
      const { seq, entry_id: entryId, at, source_type: type, source_id: id, leg } = row;
      const { payment_id: paymentId, reason, action_id: actionId, code, currency, amount } = row;
      const entry = [entryId, at.toISOString(), type, id, leg, paymentId, reason, actionId];
      line(seq, ...entry, code, currency, amount);
      seen(at);
    }
    postings += rows.length;
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < batch) break;
  }
  line('end', String(postings), span.last_seq);
  return { head: hash.digest(), postings: String(postings) };
}

async function postingsAfter(
  db: Database | Transaction,
  after: string,
  last: string,
): Promise<ChainedPosting[]> {
  const [rows] = (await db.raw(
    `SELECT p.seq, p.entry_id, e.at, e.source_type, e.source_id, e.leg, e.payment_id, e.reason,
            e.action_id, a.code, p.currency, p.amount
     FROM ledger_postings p FORCE INDEX (PRIMARY)
     STRAIGHT_JOIN ledger_entries e ON e.entry_id = p.entry_id
     STRAIGHT_JOIN ledger_accounts a ON a.account_id = p.account_id
     WHERE p.seq > ? AND p.seq <= ?
     ORDER BY p.seq LIMIT ${String(batch)}`,
    [after, last],
  )) as unknown as [ChainedPosting[]];
  return rows;
}

export function lastLink(db: Database | Transaction): Promise<LedgerLinkRow | undefined> {
  return db('day_digests').orderBy('n', 'desc').first();
}

/** The head as it is published and compared: `2026-01-31:9f86d0…`. */
export function shownHead({ day, head }: Pick<LedgerLinkRow, 'day' | 'head'>): string {
  return `${day}:${head.toString('hex')}`;
}
