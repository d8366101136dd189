/** A reader's place in the feed: its last event, by position and id. */
import { bytesOf } from '../domain/canonical';
import type { EventRow } from '../store/tables';

export interface EventPosition {
  /** 0 before the first event. */
  position: number;
  /**
   * The id of the event at that position. It shows a cursor of another feed, or one from before a restore of the
   * database.
   */
  eventId: string;
}

export const beginning: EventPosition = { position: 0, eventId: '' };

export function positionOf({
  position,
  event_id: eventId,
}: Pick<EventRow, 'position' | 'event_id'>): EventPosition {
  return { position: Number(position), eventId };
}

export function cursorOf({ position, eventId }: EventPosition): string {
  return Buffer.from(`${String(position)}.${eventId}`).toString('base64url');
}

const text = /^(0|[1-9][0-9]{0,14})\.([0-9a-f-]{0,36})$/;

/** @returns undefined for an invalid cursor. */
export function positionAt(cursor: string): EventPosition | undefined {
  const [, position, eventId = ''] = text.exec(bytesOf(cursor, 'base64url')?.toString('latin1') ?? '') ?? [];
  return position === undefined ? undefined : { position: Number(position), eventId };
}
