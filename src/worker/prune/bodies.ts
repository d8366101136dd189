/**
 * What providers told us, merchants were told and customers were mailed: the texts hold people's names and numbers, and
 * nothing of ours reads one again once it was dealt with. That it was told, when, and what became of it stays, and so
 * does the text's SHA-256: whoever still has the text can be compared with.
 */
import type { Database, Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { batch, countBy, type Chore } from './job';

/** A row that something open keeps is looked at again after this, counted as if it were so much younger. */
const putOffDays = 7;

interface Bodies {
  what: string;
  table: 'inbox' | 'outbox' | 'mails';
  id: string;
  /** Whether nobody needs the body of row `b` any more, in SQL. */
  isOver: string;
  /** What goes with the body. */
  alsoSet?: string;
  /** @param ids of the rows whose bodies have just gone. */
  after?(trx: Transaction, ids: string[]): Promise<void>;
}

/** Nothing of the payment is expected, asked, or still to be told. */
const isQuiet = `
  EXISTS (SELECT 1 FROM payments p
           WHERE p.payment_id = b.payment_id AND p.is_final = 1 AND p.next_check_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.payment_id = b.payment_id AND c.closed_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM outbox w WHERE w.payment_id = b.payment_id AND w.state IN ('pending', 'dead'))`;

/** What belongs to no payment is a person's question for as long as the case of its rail is open. */
const nobodyAsks = `
  NOT EXISTS (SELECT 1 FROM cases c WHERE c.open_key = CONCAT('none:unmatched_notification:', b.rail))`;

const kinds: Bodies[] = [
  {
    what: 'bodies of notifications',
    table: 'inbox',
    id: 'inbox_id',
    isOver: `b.state IN ('applied', 'ignored') AND IF(b.payment_id IS NULL, ${nobodyAsks}, ${isQuiet})`,
  },
  {
    what: 'bodies of webhooks',
    table: 'outbox',
    id: 'webhook_id',
    isOver: `b.state IN ('delivered', 'unaddressed') AND ${isQuiet}`,
    after: forgetAnswers,
  },
  {
    what: 'bodies of mails',
    table: 'mails',
    id: 'mail_id',
    isOver: "b.state IN ('sent', 'dead')",
    alsoSet: ', redacted_body = NULL',
  },
];

/** @param keptDays how long a body is kept at least. */
export function bodyChores(keptDays: number): Chore[] {
  return kinds.map((kind) => ({
    what: kind.what,
    count: (db) =>
      countBy(
        db,
        `SELECT COUNT(*) AS n FROM ${kind.table} b WHERE ${isOld('b.body_since', keptDays)} AND ${kind.isOver}`,
        [],
      ),
    takeSome: (db) => takeSome(db, kind, keptDays),
  }));
}

function isOld(column: string, keptDays: number): string {
  return `${column} < UTC_TIMESTAMP(3) - INTERVAL ${String(keptDays)} DAY`;
}

function takeSome(
  db: Database,
  { table, id, isOver, alsoSet = '', after }: Bodies,
  keptDays: number,
): Promise<{ taken: number; isMore: boolean }> {
  return inTransaction(db, async (trx) => {
    const idsOf = async (sql: string, bindings: string[][] = []): Promise<string[]> => {
      const [rows] = (await trx.raw(sql, bindings)) as unknown as [{ id: string }[]];
      return rows.map((row) => row.id);
    };
    // Whoever else prunes takes the next ones, and whoever replays a webhook is not waited for.
    const old = await idsOf(
      `SELECT ${id} AS id FROM ${table} WHERE ${isOld('body_since', keptDays)}
       ORDER BY body_since LIMIT ${String(batch)} FOR UPDATE SKIP LOCKED`,
    );
    if (old.length === 0) return { taken: 0, isMore: false };
    const over = await idsOf(`SELECT b.${id} AS id FROM ${table} b WHERE b.${id} IN (?) AND ${isOver}`, [
      old,
    ]);
    const kept = old.filter((one) => !over.includes(one));
    if (over.length > 0) {
      // SET runs from left to right: the digest is of the text that goes.
      await trx.raw(
        `UPDATE ${table}
         SET body_sha256 = UNHEX(SHA2(body, 256)), body = '', body_pruned_at = UTC_TIMESTAMP(3), body_since = NULL${alsoSet}
         WHERE ${id} IN (?)`,
        [over],
      );
      await after?.(trx, over);
    }
    if (kept.length > 0) {
      await trx.raw(
        `UPDATE ${table} SET body_since = UTC_TIMESTAMP(3) - INTERVAL ${String(keptDays - putOffDays)} DAY
         WHERE ${id} IN (?)`,
        [kept],
      );
    }
    return { taken: over.length, isMore: old.length === batch };
  });
}

/** What merchants answered goes with what they were told. The log of tries can only be added to, save for this. */
async function forgetAnswers(trx: Transaction, webhookIds: string[]): Promise<void> {
  const answered = await trx('webhook_deliveries')
    .whereIn('webhook_id', webhookIds)
    .whereNotNull('response_excerpt')
    .distinct('webhook_id');
  for (const { webhook_id: webhookId } of answered) await trx.raw('CALL forget_answers(?)', [webhookId]);
}
