/** Where a page of a list ended: a moment, and the id of the row there. */
import type { Knex } from 'knex';
import { bytesOf } from '../domain/canonical';

export interface ListPlace {
  at: Date;
  id: string;
}

export function listCursorOf({ at, id }: ListPlace): string {
  return Buffer.from(`${String(at.getTime())}.${id}`).toString('base64url');
}

const text = /^(\d{1,15})\.([0-9a-f-]{36}|\d{1,18})$/;

/** What a DATETIME holds: servers differ in what they say of anything else. */
const [epochMs, endMs] = [0, Date.UTC(10_000, 0)];
export const isStorable = (at: Date) => at.getTime() >= epochMs && at.getTime() < endMs;

/** @returns undefined for what is no cursor. */
export function listPlaceAt(cursor: string): ListPlace | undefined {
  const [, at, id = ''] = text.exec(bytesOf(cursor, 'base64url')?.toString('latin1') ?? '') ?? [];
  const moment = new Date(Number(at));
  return isStorable(moment) ? { at: moment, id } : undefined;
}

/** Restricts a list that has the newest first, by a moment and an id, to what comes after the place. */
export function placeBefore(
  query: Knex.QueryBuilder,
  idColumn: string,
  { at, id }: ListPlace,
  atColumn = 'created_at',
): void {
  // The first condition is what an index goes by; the second drops the few of the same moment.
  void query.where(atColumn, '<=', at).where((rest: Knex.QueryBuilder) => {
    void rest.where(atColumn, '<', at).orWhere(idColumn, '<', id);
  });
}

/** The same of a list that has the oldest first. */
export function placeAfter(
  query: Knex.QueryBuilder,
  idColumn: string,
  { at, id }: ListPlace,
  atColumn: string,
): void {
  void query.where(atColumn, '>=', at).where((rest: Knex.QueryBuilder) => {
    void rest.where(atColumn, '>', at).orWhere(idColumn, '>', id);
  });
}
