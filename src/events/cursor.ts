/** Where a reader of the feed has come to: its last event, by position and id. */
import { bytesOf } from '../domain/canonical';
import type { EventRow } from '../store/tables';

export interface Place {
  /** 0 before the first event. */
  position: number;
  /** Of the event there, so that a cursor of another feed, or of a database that was restored since, is noticed. */
  eventId: string;
}

export const beginning: Place = { position: 0, eventId: '' };

export function placeOf({ position, event_id: eventId }: Pick<EventRow, 'position' | 'event_id'>): Place {
  return { position: Number(position), eventId };
}

export function cursorOf({ position, eventId }: Place): string {
  return Buffer.from(`${String(position)}.${eventId}`).toString('base64url');
}

const text = /^(0|[1-9][0-9]{0,14})\.([0-9a-f-]{0,36})$/;

/** @returns undefined for what is no cursor. */
export function placeAt(cursor: string): Place | undefined {
  const [, position, eventId = ''] = text.exec(bytesOf(cursor, 'base64url')?.toString('latin1') ?? '') ?? [];
  return position === undefined ? undefined : { position: Number(position), eventId };
}
