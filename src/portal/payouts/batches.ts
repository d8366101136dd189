/** Payout lists: created by one user and approved by another before anything is sent. */
import { reservedPrefix } from '../../rail-kit/fields';
import type { PayoutFields } from '../../rail-kit/rail-definition';
import { createHash } from 'node:crypto';
import { v7 as uuid, validate as isUuid } from 'uuid';
import { holdRows, rowChanged, isAsWritten } from '../../users/audit-log';
import { waitsHours } from '../../users/requests';
import { couldAnotherDecide, rightToDecide, type ActingUser } from '../../users/deciders';
import { expectRight, NotNow } from '../../users/key-confirmations';
import type { Database, Transaction } from '../../store/database';
import { beforeCursor, type ListCursor } from '../../store/list-cursor';
import type { PayoutBatchRow } from '../../store/tables';

export type BatchSummary = Omit<PayoutBatchRow, 'payouts'> & { is_over: number | string };
export type Batch = PayoutBatchRow & { is_over: number | string };

/** The order id of a list in the API. It never changes, so sending the list again creates no more payouts. */
export const orderIdOf = ({ batch_id: id }: Pick<PayoutBatchRow, 'batch_id'>): string =>
  `${reservedPrefix}${id}`;

export function rowsOf({ payouts }: Pick<PayoutBatchRow, 'payouts'>): PayoutFields[] {
  return payouts === null ? [] : (JSON.parse(payouts) as PayoutFields[]);
}

function hashOfRows(rows: readonly PayoutFields[]): Buffer {
  const sorted = rows.map((row) => Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)));
  return createHash('sha256').update(JSON.stringify(sorted)).digest();
}

export async function makeBatch(
  trx: Transaction,
  made: { merchantId: string; rail: string; name: string; rows: readonly PayoutFields[]; userId: string },
  standingSeconds = 0,
): Promise<string> {
  const batchId = uuid();
  const { merchantId, userId } = made;
  const another = await couldAnotherDecide(trx, { merchantId, userId }, standingSeconds);
  await trx('payout_batches').insert({
    batch_id: batchId,
    merchant_id: made.merchantId,
    rail: made.rail,
    name: made.name,
    row_count: made.rows.length,
    payouts: JSON.stringify(made.rows),
    rows_hash: hashOfRows(made.rows),
    state: 'draft',
    made_by: made.userId,
    made_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
    second_person: another ? 1 : 0,
  });
  await rowChanged(trx, 'payout_batches', batchId);
  return batchId;
}

/** Whether the list has expired for a request or a decision. */
const isOver = (db: Database | Transaction) =>
  db.raw(
    `(state IN ('draft', 'waiting') AND COALESCE(asked_at, made_at) < UTC_TIMESTAMP(3) - INTERVAL ${String(waitsHours)} HOUR) AS is_over`,
  );
const summary = [
  ...['batch_id', 'merchant_id', 'rail', 'name', 'row_count', 'rows_hash', 'state', 'made_by', 'made_at'],
  ...['asked_at', 'decided_by', 'decided_at', 'reason', 'bulk_id', 'second_person', 'ended_why'],
];

interface Listing {
  merchantId: string;
  userId: string;
  before: ListCursor | undefined;
  limit: number;
}

/** Lists payout lists, newest first. Drafts are visible only to their creators. */
export function listBatches(
  db: Database,
  { merchantId, userId, before, limit }: Listing,
): Promise<BatchSummary[]> {
  const query = db('payout_batches')
    .where({ merchant_id: merchantId })
    .andWhere((own) => void own.whereNot({ state: 'draft' }).orWhere({ made_by: userId }))
    .orderBy('made_at', 'desc')
    .orderBy('batch_id', 'desc')
    .limit(limit);
  if (before) beforeCursor(query, 'batch_id', before, 'made_at');
  return query.select<BatchSummary[]>(...summary, isOver(db));
}

export async function findBatch(
  db: Database,
  merchantId: string,
  batchId: string,
): Promise<Batch | undefined> {
  // The column is ASCII. The database refuses to compare it with other text.
  if (!isUuid(batchId)) return undefined;
  return db('payout_batches')
    .where({ batch_id: batchId.toLowerCase(), merchant_id: merchantId })
    .first<Batch | undefined>('*', isOver(db));
}

/** Finds another list with the same payouts that is waiting or sent. */
export function findSame(db: Database, { merchant_id, rows_hash, batch_id }: PayoutBatchRow) {
  return db('payout_batches')
    .where({ merchant_id, rows_hash })
    .whereIn('state', ['waiting', 'sent'])
    .whereNot({ batch_id })
    .orderBy('made_at', 'desc')
    .first('batch_id', 'name', 'made_at');
}

/** Counts the lists that wait for this user's decision. */
export async function countWaiting(db: Database, merchantId: string, userId: string): Promise<number> {
  const waiting = await db('payout_batches')
    .where({ merchant_id: merchantId, state: 'waiting' })
    .whereNot({ made_by: userId })
    .whereRaw(`asked_at > UTC_TIMESTAMP(3) - INTERVAL ${String(waitsHours)} HOUR`)
    // Approval of a draft is requested within that time, so this condition is implied. It lets the query use the index.
    .whereRaw(`made_at > UTC_TIMESTAMP(3) - INTERVAL ${String(2 * waitsHours)} HOUR`)
    .pluck('batch_id');
  return waiting.length;
}

/** @throws NotNow */
export async function ask(
  trx: Transaction,
  batchId: string,
  who: ActingUser,
  standingSeconds: number,
): Promise<void> {
  if ((await rightToDecide(trx, who, 0)) !== 'may') throw new NotNow('role');
  const batch = await lock(trx, batchId);
  if (batch.state !== 'draft') throw new NotNow('decided');
  if (batch.made_by !== who.userId) throw new NotNow('own');
  const another = await needsAnother(trx, batch, standingSeconds);
  await holdRows(trx, 'payout_batches', batchId);
  await trx('payout_batches')
    .where({ batch_id: batchId })
    .update({
      state: 'waiting',
      asked_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
      second_person: another || (await couldAnotherDecide(trx, who, standingSeconds)) ? 1 : 0,
    });
  await rowChanged(trx, 'payout_batches', batchId);
}

/**
 * Whether a second user must approve. That is so if another user could decide when the list was created or requested,
 * even if that user was removed since, or if another user can decide now.
 */
export async function needsAnother(
  db: Database | Transaction,
  { second_person: another, merchant_id: merchantId, made_by: userId }: BatchSummary,
  standingSeconds: number,
): Promise<boolean> {
  return another === 1 || couldAnotherDecide(db, { merchantId, userId }, standingSeconds);
}

/**
 * Marks a list as sent, in the transaction that writes its payouts. Another user must approve a waiting list. A creator
 * who is the only possible approver sends a draft directly.
 * @throws NotNow
 */
export async function noteSent(
  trx: Transaction,
  { batchId, userId, bulkId }: { batchId: string; userId: string; bulkId: string },
  standingSeconds: number,
) {
  const found = await trx('payout_batches').where({ batch_id: batchId }).first('merchant_id');
  // This lock comes before the list's lock. Removing a user's role locks them in the same order.
  await expectRight(trx, { merchantId: found?.merchant_id ?? '', userId }, standingSeconds);
  const batch = await lock(trx, batchId);
  const { state, made_by: maker } = batch;
  if (state !== 'waiting' && state !== 'draft') throw new NotNow('decided');
  if (maker === userId ? await needsAnother(trx, batch, standingSeconds) : state === 'draft')
    throw new NotNow('own');
  await decide(trx, batchId, userId, { state: 'sent', bulk_id: bulkId, payouts: null });
}

/**
 * Rejects a list. Every approver can do this, and its creator to withdraw it.
 * @throws NotNow
 */
export async function reject(trx: Transaction, batchId: string, userId: string, reason: string) {
  const { state, made_by: maker } = await lock(trx, batchId, { evenOver: true });
  if (state !== 'waiting' && (state !== 'draft' || maker !== userId)) throw new NotNow('decided');
  await decide(trx, batchId, userId, { state: 'rejected', reason });
}

async function decide(
  trx: Transaction,
  batchId: string,
  userId: string,
  what: Partial<PayoutBatchRow>,
): Promise<void> {
  await holdRows(trx, 'payout_batches', batchId);
  await trx('payout_batches')
    .where({ batch_id: batchId })
    .update({ ...what, decided_by: userId, decided_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
  await rowChanged(trx, 'payout_batches', batchId);
}

async function lock(trx: Transaction, batchId: string, { evenOver = false } = {}): Promise<Batch> {
  const batch = await trx('payout_batches')
    .where({ batch_id: batchId })
    .forUpdate()
    .first<Batch | undefined>('*', isOver(trx));
  if (!batch) throw new NotNow('decided');
  if (Number(batch.is_over) === 1 && !evenOver) throw new NotNow('over');
  // Only the payouts that were created may be sent. After a change from outside, a new control line would make the
  // change look valid, so the decision fails here.
  const isWhole = batch.payouts === null || hashOfRows(rowsOf(batch)).equals(batch.rows_hash);
  if (!isWhole || !(await isAsWritten(trx, 'payout_batches', batchId))) throw new NotNow('altered');
  return batch;
}
