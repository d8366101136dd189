/** Payouts that are put together, looked at, and decided on by somebody else before anything goes out. */
import { reservedPrefix } from '../../rail-kit/fields';
import type { PayoutFields } from '../../rail-kit/rail-definition';
import { createHash } from 'node:crypto';
import { v7 as uuid, validate as isUuid } from 'uuid';
import { holdRows, rowChanged, isAsWritten } from '../../users/audit-log';
import { waitsHours } from '../../users/asked';
import { couldAnotherDecide, rightToDecide, type Somebody } from '../../users/deciders';
import { expectRight, NotNow } from '../../users/key-confirmations';
import type { Database, Transaction } from '../../store/database';
import { placeBefore, type ListPlace } from '../../store/list-place';
import type { PayoutBatchRow } from '../../store/tables';

export type BatchSummary = Omit<PayoutBatchRow, 'payouts'> & { is_over: number | string };
export type Batch = PayoutBatchRow & { is_over: number | string };

/** By which the API knows the payouts of a batch, for ever: however often it is sent, they are these. */
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

/** Too old to be asked for, or to be decided on. */
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
  before: ListPlace | undefined;
  limit: number;
}

/** The newest first; drafts are their makers' alone. */
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
  if (before) placeBefore(query, 'batch_id', before, 'made_at');
  return query.select<BatchSummary[]>(...summary, isOver(db));
}

export async function findBatch(
  db: Database,
  merchantId: string,
  batchId: string,
): Promise<Batch | undefined> {
  // The column is ASCII, and the database refuses to compare it with more.
  if (!isUuid(batchId)) return undefined;
  return db('payout_batches')
    .where({ batch_id: batchId.toLowerCase(), merchant_id: merchantId })
    .first<Batch | undefined>('*', isOver(db));
}

/** Another with the very same payouts that was sent, or may be. */
export function findSame(db: Database, { merchant_id, rows_hash, batch_id }: PayoutBatchRow) {
  return db('payout_batches')
    .where({ merchant_id, rows_hash })
    .whereIn('state', ['waiting', 'sent'])
    .whereNot({ batch_id })
    .orderBy('made_at', 'desc')
    .first('batch_id', 'name', 'made_at');
}

/** How many wait for this person to decide. */
export async function countWaiting(db: Database, merchantId: string, userId: string): Promise<number> {
  const waiting = await db('payout_batches')
    .where({ merchant_id: merchantId, state: 'waiting' })
    .whereNot({ made_by: userId })
    .whereRaw(`asked_at > UTC_TIMESTAMP(3) - INTERVAL ${String(waitsHours)} HOUR`)
    // A draft is asked for while it is no older than that: this is what the index goes by.
    .whereRaw(`made_at > UTC_TIMESTAMP(3) - INTERVAL ${String(2 * waitsHours)} HOUR`)
    .pluck('batch_id');
  return waiting.length;
}

/** @throws NotNow */
export async function ask(
  trx: Transaction,
  batchId: string,
  who: Somebody,
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
 * Where somebody else could decide when payouts were put together, or asked for, nobody decides on their own: whoever was
 * taken away since then changes nothing. Nor does anybody where another could decide now.
 */
export async function needsAnother(
  db: Database | Transaction,
  { second_person: another, merchant_id: merchantId, made_by: userId }: BatchSummary,
  standingSeconds: number,
): Promise<boolean> {
  return another === 1 || couldAnotherDecide(db, { merchantId, userId }, standingSeconds);
}

/**
 * In the transaction that writes the payouts: one is not there without the other. What waits is another's to approve;
 * what is a draft goes out at once for who is the only one that could.
 * @throws NotNow
 */
export async function noteSent(
  trx: Transaction,
  { batchId, userId, bulkId }: { batchId: string; userId: string; bulkId: string },
  standingSeconds: number,
) {
  const found = await trx('payout_batches').where({ batch_id: batchId }).first('merchant_id');
  // Before the list itself: whoever takes somebody's role away takes these in the same order.
  await expectRight(trx, { merchantId: found?.merchant_id ?? '', userId }, standingSeconds);
  const batch = await lock(trx, batchId);
  const { state, made_by: maker } = batch;
  if (state !== 'waiting' && state !== 'draft') throw new NotNow('decided');
  if (maker === userId ? await needsAnother(trx, batch, standingSeconds) : state === 'draft')
    throw new NotNow('own');
  await decide(trx, batchId, userId, { state: 'sent', bulk_id: bulkId, payouts: null });
}

/** By anybody who may decide, the maker included, who takes it back. @throws NotNow */
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
  // What was made is what goes out, and nobody decides about anything else: the next line would make it look right.
  const isWhole = batch.payouts === null || hashOfRows(rowsOf(batch)).equals(batch.rows_hash);
  if (!isWhole || !(await isAsWritten(trx, 'payout_batches', batchId))) throw new NotNow('altered');
  return batch;
}
