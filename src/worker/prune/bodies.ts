/**
 * Deletes the bodies of notifications, webhooks and mails. They contain personal data, and our code does not read them
 * after processing. The row with times and results stays, and so does the body's SHA-256: anyone who has the text can
 * prove it.
 */
import type { Database, Transaction } from '../../store/database';
import type { OutboxRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { batch, countBy, type PruneJob } from './job';

/** A row that is still needed is checked again after this time, as if it were that much younger. */
const putOffDays = 7;

interface Bodies {
  what: string;
  table: 'inbox' | 'outbox' | 'mails';
  id: string;
  /** Whether the body of row `b` is no longer needed, in SQL. */
  isOver: string;
  /** Further columns to set with the body. */
  alsoSet?: string;
  /** @param ids of the rows whose bodies were deleted. */
  after?(trx: Transaction, ids: string[]): Promise<void>;
}

/** Whether a webhook in this state keeps its body: it is sent, or an operator must decide about it. */
const keepsBody: Record<OutboxRow['state'], boolean> = {
  pending: true,
  dead: true,
  delivered: false,
  unaddressed: false,
  superseded: false,
};

const webhookStates = (keeps: boolean): string =>
  Object.entries(keepsBody)
    .flatMap(([state, kept]) => (kept === keeps ? [`'${state}'`] : []))
    .join(', ');

/** Nothing more is expected for the payment: no result, no check and no webhook. */
const isQuiet = `
  EXISTS (SELECT 1 FROM payments p
           WHERE p.payment_id = b.payment_id AND p.is_final = 1 AND p.next_check_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.payment_id = b.payment_id AND c.closed_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM outbox w WHERE w.payment_id = b.payment_id AND w.state IN (${webhookStates(true)}))`;

/** A notification without a payment is needed while the case of its rail is open. */
const isUnneeded = `
  NOT EXISTS (SELECT 1 FROM cases c WHERE c.open_key = CONCAT('none:unmatched_notification:', b.rail))`;

const kinds: Bodies[] = [
  {
    what: 'bodies of notifications',
    table: 'inbox',
    id: 'inbox_id',
    isOver: `b.state IN ('applied', 'ignored') AND IF(b.payment_id IS NULL, ${isUnneeded}, ${isQuiet})`,
  },
  {
    what: 'bodies of webhooks',
    table: 'outbox',
    id: 'webhook_id',
    isOver: `b.state IN (${webhookStates(false)}) AND ${isQuiet}`,
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

/** @param keptDays the least number of days that a body is stored. */
export function bodyJobs(keptDays: number): PruneJob[] {
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
    // SKIP LOCKED: a parallel run takes the next rows, and a replay of a webhook is not awaited.
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
      // SET runs from left to right: the digest is of the deleted text.
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

/** The merchants' answers go with the bodies. The log of attempts is append-only, except for this. */
async function forgetAnswers(trx: Transaction, webhookIds: string[]): Promise<void> {
  const answered = await trx('webhook_deliveries')
    .whereIn('webhook_id', webhookIds)
    .whereNotNull('response_excerpt')
    .distinct('webhook_id');
  for (const { webhook_id: webhookId } of answered) await trx.raw('CALL forget_answers(?)', [webhookId]);
}
