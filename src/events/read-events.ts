/** A merchant's event feed, page by page. The README of this folder explains why a reader misses no event. */
import type { EventType } from '../domain/event';
import type { Database, Transaction } from '../store/database';
import type { EventRow, EventHeadRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { beginning, positionOf, type EventPosition } from './cursor';

/** The most events that one page scans when it filters by type, and the most positions that one page assigns. */
const scannedMax = 500;

export interface PageOfEvents {
  events: EventRow[];
  /** The last event that was scanned, whether or not it matched. */
  place: EventPosition;
  /** Whether more events may be available now. */
  hasMore: boolean;
}

export interface WantedEvents {
  /** The last event that the reader has; without it, the page starts at the oldest stored event. */
  after?: EventPosition | undefined;
  /** Without it, all types. */
  types?: ReadonlySet<EventType> | undefined;
  /** At most 500. */
  limit: number;
}

/** Why a reader cannot continue after its event: it is unknown, or later events were deleted. */
export type ExpiredPosition = 'unknown' | 'forgotten';

/**
 * @returns the next events in their order, or why the reader cannot continue: `after` is not an event of this merchant,
 * or events after it were deleted.
 */
export async function readEvents(
  db: Database,
  merchantId: string,
  wanted: WantedEvents,
): Promise<PageOfEvents | ExpiredPosition> {
  await openHead(db, merchantId);
  const { after = beginning, types, limit } = wanted;
  const size = types ? scannedMax : limit;
  // First, because events that another reader numbers after a read are not in it.
  await numberEvents(db, merchantId, size);
  const rows = await scan(db, merchantId, after, size + 1);
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
  // Deleted since the query.
  if (wanted.after !== undefined && events.length < chosen.length) return 'forgotten';
  return {
    events,
    place: last ? positionOf(last) : after,
    hasMore: isFull || following.length === size,
  };
}

type Scanned = Pick<EventRow, 'event_seq' | 'event_id' | 'position' | 'type'>;

/** Starts at the place itself, to see whether its event still exists. */
function scan(
  db: Database,
  merchantId: string,
  { position }: EventPosition,
  atMost: number,
): Promise<Scanned[]> {
  return db('events')
    .where({ merchant_id: merchantId })
    .where('position', '>=', position)
    .orderBy('position')
    .limit(atMost)
    .select('event_seq', 'event_id', 'position', 'type');
}

const isAt = ({ position, eventId }: EventPosition, row: Scanned) =>
  Number(row.position) === position && row.event_id === eventId;

/**
 * Positions are consecutive, so a missing one was deleted. Rows are deleted by age, and the age does not always follow
 * this order.
 */
function hasHole({ position }: EventPosition, following: readonly Scanned[]): boolean {
  return following.some((row, n) => Number(row.position) !== position + n + 1);
}

/** The event at this place is missing: the reader misses nothing if only it was deleted, and no event after it. */
async function lostPlaceOf(
  db: Database,
  merchantId: string,
  { position }: EventPosition,
): Promise<ExpiredPosition | undefined> {
  const forgotten = Number((await openHead(db, merchantId)).forgotten_position);
  if (position < forgotten) return 'forgotten';
  return position === forgotten ? undefined : 'unknown';
}

async function eventsOf(db: Database, checked: readonly Scanned[]): Promise<EventRow[]> {
  if (checked.length === 0) return [];
  const places = checked.map(({ event_seq: seq }) => seq);
  return db('events').whereIn('event_seq', places).orderBy('position');
}

/**
 * Locks the feed position of a merchant until the COMMIT, so that only one transaction at a time assigns positions or
 * deletes events.
 */
export async function lockHead(trx: Transaction, merchantId: string): Promise<EventHeadRow | undefined> {
  return trx('event_heads').where({ merchant_id: merchantId }).forUpdate().first();
}

/**
 * Gives the next positions to committed events of a merchant that have none, at most `atMost` of them. With the lock,
 * positions become visible in order: a reader that sees one sees all before it.
 */
async function numberEvents(db: Database, merchantId: string, atMost: number): Promise<void> {
  const waits = await unnumbered(db, merchantId).limit(1);
  if (waits.length === 0) return;
  await inTransaction(db, async (trx) => {
    const head = await lockHead(trx, merchantId);
    if (!head) throw new Error(`the feed of merchant ${merchantId} was never opened`);
    // Read after the lock is held, so that positions that another transaction assigned meanwhile are visible.
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

/** In the order of writing. For one payment, this is the order of its changes. */
function unnumbered(db: Database | Transaction, merchantId: string) {
  return db('events')
    .where({ merchant_id: merchantId })
    .whereNull('position')
    .orderBy('event_seq')
    .select('event_seq');
}

/** Opens the feed of a merchant. From now on the database records which events are deleted. */
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

/** The place of a reader that wants only future events: the last committed event, after all of them have positions. */
export async function endOfFeed(db: Database, merchantId: string): Promise<EventPosition> {
  let place = await lastNumbered(db, merchantId);
  for (;;) {
    const page = await readEvents(db, merchantId, { after: place, limit: pageMax });
    // Deleted meanwhile.
    place = typeof page === 'string' ? await lastNumbered(db, merchantId) : page.place;
    if (typeof page !== 'string' && !page.hasMore) return page.place;
  }
}

async function lastNumbered(db: Database, merchantId: string): Promise<EventPosition> {
  const last = await db('events')
    .where({ merchant_id: merchantId })
    .whereNotNull('position')
    .orderBy('position', 'desc')
    .first('position', 'event_id');
  if (last) return positionOf(last);
  // All events may be deleted.
  const head = await db('event_heads').where({ merchant_id: merchantId }).first('forgotten_position');
  return { ...beginning, position: Number(head?.forgotten_position ?? 0) };
}
