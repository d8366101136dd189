/** The end of a page of a list: a time, and the id of the row. */
import type { Knex } from 'knex';
import { bytesOf } from '../domain/canonical';

export interface ListCursor {
  at: Date;
  id: string;
}

export function listCursorOf({ at, id }: ListCursor): string {
  return Buffer.from(`${String(at.getTime())}.${id}`).toString('base64url');
}

const text = /^(\d{1,15})\.([0-9a-f-]{36}|\d{1,18})$/;

/** The range of a DATETIME. Servers differ outside it. */
const [epochMs, endMs] = [0, Date.UTC(10_000, 0)];
export const isStorable = (at: Date) => at.getTime() >= epochMs && at.getTime() < endMs;

/** @returns undefined if it is not a cursor. */
export function listCursorAt(cursor: string): ListCursor | undefined {
  const [, at, id = ''] = text.exec(bytesOf(cursor, 'base64url')?.toString('latin1') ?? '') ?? [];
  const moment = new Date(Number(at));
  return isStorable(moment) ? { at: moment, id } : undefined;
}

/** Restricts a list, newest first, to the rows after the place. */
export function beforeCursor(
  query: Knex.QueryBuilder,
  idColumn: string,
  { at, id }: ListCursor,
  atColumn = 'created_at',
): void {
  // The first condition uses an index; the second removes the few rows of the same time.
  void query.where(atColumn, '<=', at).where((rest: Knex.QueryBuilder) => {
    void rest.where(atColumn, '<', at).orWhere(idColumn, '<', id);
  });
}

/** The same for a list with the oldest first. */
export function afterCursor(
  query: Knex.QueryBuilder,
  idColumn: string,
  { at, id }: ListCursor,
  atColumn: string,
): void {
  void query.where(atColumn, '>=', at).where((rest: Knex.QueryBuilder) => {
    void rest.where(atColumn, '>', at).orWhere(idColumn, '>', id);
  });
}
