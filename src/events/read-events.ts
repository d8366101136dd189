/** A merchant's feed of events, page by page. Why a reader misses none stands in the README of this folder. */
import type { EventType } from '../domain/event';
import type { Database, Transaction } from '../store/database';
import type { EventRow, EventHeadRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { beginning, placeOf, type Place } from './cursor';

/** Events that one page looks at where only some types are wanted; positions that one page gives. */
const lookedAtMax = 500;

export interface PageOfEvents {
  events: EventRow[];
  /** The last event that was looked at, whether or not it was wanted. */
  place: Place;
  /** Whether there may be more now. */
  hasMore: boolean;
}

export interface WantedEvents {
  /** The last event that was read; from the oldest that is kept without it. */
  after?: Place | undefined;
  /** All of them without it. */
  types?: ReadonlySet<EventType> | undefined;
  /** At most 500. */
  limit: number;
}

/** What stands between a reader and the event it names. */
export type LostPlace = 'unknown' | 'forgotten';

/**
 * @returns the next events in their order, or why nothing can be said of what follows `after`: it is of no event of this
 *   merchant, or what followed it is pruned.
 */
export async function readEvents(
  db: Database,
  merchantId: string,
  wanted: WantedEvents,
): Promise<PageOfEvents | LostPlace> {
  await openHead(db, merchantId);
  const { after = beginning, types, limit } = wanted;
  const size = types ? lookedAtMax : limit;
  // First: what another reader has numbered since a look is in none.
  await numberEvents(db, merchantId, size);
  const rows = await lookAt(db, merchantId, after, size + 1);
  const [first] = rows;
  const isThere = first !== undefined && isAt(after, first);
  if (!isThere && wanted.after !== undefined) {
    const lost = await lostPlaceOf(db, merchantId, wanted.after);
    if (lost !== undefined) return lost;
  }
  const following = (isThere ? rows.slice(1) : rows).slice(0, size);
  if (wanted.after !== undefined && hasHole(wanted.after, following)) return 'forgotten';
  const chosen = following.filter(({ type }) => types?.has(type) ?? true).slice(0, limit);
  const isFull = chosen.length === limit;
  const last = (isFull ? chosen : following).at(-1);
  const events = await eventsOf(db, chosen);
  // Pruned since the look.
  if (wanted.after !== undefined && events.length < chosen.length) return 'forgotten';
  return {
    events,
    place: last ? placeOf(last) : after,
    hasMore: isFull || following.length === size,
  };
}

type Looked = Pick<EventRow, 'event_seq' | 'event_id' | 'position' | 'type'>;

/** From the place itself, so that it is seen whether its event is there. */
function lookAt(db: Database, merchantId: string, { position }: Place, atMost: number): Promise<Looked[]> {
  return db('events')
    .where({ merchant_id: merchantId })
    .where('position', '>=', position)
    .orderBy('position')
    .limit(atMost)
    .select('event_seq', 'event_id', 'position', 'type');
}

const isAt = ({ position, eventId }: Place, row: Looked) =>
  Number(row.position) === position && row.event_id === eventId;

/**
 * Positions follow each other, so one that is missing is pruned: by its age, which is not always that of its neighbours
 * in this order.
 */
function hasHole({ position }: Place, following: readonly Looked[]): boolean {
  return following.some((row, n) => Number(row.position) !== position + n + 1);
}

/** A place whose event is not there: nothing is missed where it is pruned, and none that came after it. */
async function lostPlaceOf(
  db: Database,
  merchantId: string,
  { position }: Place,
): Promise<LostPlace | undefined> {
  const forgotten = Number((await openHead(db, merchantId)).forgotten_position);
  if (position < forgotten) return 'forgotten';
  return position === forgotten ? undefined : 'unknown';
}

async function eventsOf(db: Database, looked: readonly Looked[]): Promise<EventRow[]> {
  if (looked.length === 0) return [];
  const places = looked.map(({ event_seq: seq }) => seq);
  return db('events').whereIn('event_seq', places).orderBy('position');
}

/** Locks how far the events of a merchant are in order, until the COMMIT: one numbers them, or forgets some, at a time. */
export async function lockHead(trx: Transaction, merchantId: string): Promise<EventHeadRow | undefined> {
  return trx('event_heads').where({ merchant_id: merchantId }).forUpdate().first();
}

/**
 * Gives the next positions to events of a merchant that are committed and have none, at most `atMost` of them. The lock
 * makes positions appear one after the other: whoever sees one sees all before it.
 */
async function numberEvents(db: Database, merchantId: string, atMost: number): Promise<void> {
  const waits = await unnumbered(db, merchantId).limit(1);
  if (waits.length === 0) return;
  await inTransaction(db, async (trx) => {
    const head = await lockHead(trx, merchantId);
    if (!head) throw new Error(`nobody has opened the feed of merchant ${merchantId}`);
    // Read after the lock was given: what another has numbered meanwhile has its position here.
    const waiting = await unnumbered(trx, merchantId).limit(atMost);
    if (waiting.length === 0) return;
    const places = waiting.map(({ event_seq: seq }) => seq);
    await trx('events')
      .whereIn('event_seq', places)
      .update({
        position: trx.raw<string>(`? + FIELD(event_seq, ${places.map(() => '?').join(', ')})`, [
          head.last_position,
          ...places,
        ]),
      });
    await trx('event_heads')
      .where({ merchant_id: merchantId })
      .update({ last_position: trx.raw<string>('last_position + ?', [places.length]) });
  });
}

/** In the order in which they were written, which for one payment is that of its changes. */
function unnumbered(db: Database | Transaction, merchantId: string) {
  return db('events')
    .where({ merchant_id: merchantId })
    .whereNull('position')
    .orderBy('event_seq')
    .select('event_seq');
}

/** Opens the feed of a merchant: from now on it is known what is forgotten of it. */
async function openHead(db: Database, merchantId: string): Promise<EventHeadRow> {
  const find = () => db('event_heads').where({ merchant_id: merchantId }).first();
  const head = await find();
  if (head) return head;
  await db('event_heads').insert({ merchant_id: merchantId }).onConflict('merchant_id').ignore();
  const opened = await find();
  if (!opened) throw new Error(`the feed of merchant ${merchantId} cannot be opened`);
  return opened;
}

const pageMax = 500;

/** Where a reader is who wants what is committed from now on: at the last event that is, all of them in order. */
export async function endOfFeed(db: Database, merchantId: string): Promise<Place> {
  let place = await lastNumbered(db, merchantId);
  for (;;) {
    const page = await readEvents(db, merchantId, { after: place, limit: pageMax });
    // Pruned meanwhile.
    place = typeof page === 'string' ? await lastNumbered(db, merchantId) : page.place;
    if (typeof page !== 'string' && !page.hasMore) return page.place;
  }
}

async function lastNumbered(db: Database, merchantId: string): Promise<Place> {
  const last = await db('events')
    .where({ merchant_id: merchantId })
    .whereNotNull('position')
    .orderBy('position', 'desc')
    .first('position', 'event_id');
  if (last) return placeOf(last);
  // All of them may be pruned.
  const head = await db('event_heads').where({ merchant_id: merchantId }).first('forgotten_position');
  return { ...beginning, position: Number(head?.forgotten_position ?? 0) };
}
