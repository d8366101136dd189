/**
 * Open payments of all merchants: those without a change for longest, and among them those whose answer to the
 * submission was lost, so that it is unknown whether the provider has them. Each state is read by its own index, in
 * this order. A page therefore reads only the rows it shows, however many are open.
 */
import type { Knex } from 'knex';
import { finalStates, paymentStates, type PaymentState } from '../../domain/payment';
import type { Database } from '../../store/database';
import { afterCursor, beforeCursor, type ListCursor } from '../../store/list-cursor';
import type { PaymentRow } from '../../store/tables';
import { onHoldDetail, unsentStates } from './on-hold';

const openStates = paymentStates.filter((state) => !(finalStates as readonly PaymentState[]).includes(state));
/** Probably accepted by the provider, and not final. */
const underWay: readonly PaymentState[] = ['pending', 'processing'];
/** The number of oldest payments to read. Younger ones appear soon enough. */
const scannedMax = 500;

const order = ['updated_at', 'payment_id'];

function stillestOf(
  db: Database,
  states: readonly PaymentState[],
  limit: number,
  after?: ListCursor,
  among: (query: Knex.QueryBuilder) => void = () => undefined,
) {
  const each = states.map((state) => {
    const query = db
      .from(db.raw('payments FORCE INDEX (by_standing)'))
      .where({ is_final: 0, state })
      .orderBy(order)
      .limit(limit);
    if (after) afterCursor(query, 'payment_id', after, 'updated_at');
    among(query);
    return query.select('payment_id', 'provider_reference', 'updated_at');
  });
  return db.from(db.unionAll(each, true).as('still')).orderBy(order);
}

/** The payments without a change for longest, whatever they wait for. */
export async function listStillest(db: Database, limit: number, after?: ListCursor): Promise<PaymentRow[]> {
  const ids = await stillestOf(db, openStates, limit, after).limit(limit).pluck<string[]>('payment_id');
  return rowsOf(db, ids);
}

/** Payouts and refunds on hold, those without a change for longest first. */
export async function listOnHold(db: Database, limit: number, after?: ListCursor): Promise<PaymentRow[]> {
  const onHold = (query: Knex.QueryBuilder) => {
    void query
      .whereNot({ kind: 'deposit' })
      .whereRaw(`JSON_EXTRACT(details, '$.${onHoldDetail}') IS NOT NULL`);
  };
  const ids = await stillestOf(db, unsentStates, limit, after, onHold)
    .limit(limit)
    .pluck<string[]>('payment_id');
  return rowsOf(db, ids);
}

/** Payments of all merchants, open or not, newest first. */
export function listNewest(db: Database, limit: number, after?: ListCursor): Promise<PaymentRow[]> {
  const query = db('payments').orderBy('created_at', 'desc').orderBy('payment_id', 'desc').limit(limit);
  if (after) beforeCursor(query, 'payment_id', after);
  return query;
}

export async function countUnknown(db: Database): Promise<number> {
  const ids = await unknownOf(db).pluck<string[]>('payment_id');
  return ids.length;
}

export async function listUnknown(db: Database, limit: number): Promise<PaymentRow[]> {
  const ids = await unknownOf(db).limit(limit).pluck<string[]>('payment_id');
  return rowsOf(db, ids);
}

const unknownOf = (db: Database) => stillestOf(db, underWay, scannedMax).whereNull('provider_reference');

const rowsOf = (db: Database, ids: string[]): Promise<PaymentRow[]> =>
  db('payments').whereIn('payment_id', ids).orderBy(order);
