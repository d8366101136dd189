/**
 * The requests that a merchant made with its keys, for the developer of its shop: time, endpoint, status and duration.
 * A request is only recorded in memory, after its answer. A timer writes many in one statement. A process that is
 * killed loses its unwritten requests: they decide nothing.
 */
import { v7 as uuidV7 } from 'uuid';
import type { Database } from '../store/database';
import { beforeCursor, type ListCursor } from '../store/list-cursor';
import type { ApiRequestRow } from '../store/tables';

export const requestsKeptDays = 7;

/** The most unwritten rows. While the database is slow, later rows are dropped and counted. */
const heldMax = 5_000;
const writtenAtOnce = 500;

export type NotedRequest = Omit<ApiRequestRow, 'entry_id' | 'created_at'>;

export interface RequestLog {
  note(request: NotedRequest): void;
  /** @returns how many were dropped since the last call. */
  write(): Promise<number>;
}

export function requestLog(db: Database): RequestLog {
  let held: ApiRequestRow[] = [];
  let dropped = 0;
  let writing = false;
  return {
    note(request) {
      if (held.length >= heldMax) dropped += 1;
      else held.push({ entry_id: uuidV7(), ...request, created_at: new Date() });
    },
    async write() {
      // A write in progress also takes the rows that arrive meanwhile.
      if (writing) return 0;
      writing = true;
      try {
        while (held.length > 0) {
          const some = held.slice(0, writtenAtOnce);
          // The answer to an earlier write may be lost: then the rows are there already.
          await db('api_requests').insert(some).onConflict().ignore();
          held = held.slice(some.length);
        }
        const lost = dropped;
        dropped = 0;
        return lost;
      } finally {
        writing = false;
      }
    },
  };
}

export interface WantedRequests {
  requestId?: string | undefined;
  code?: string | undefined;
  /** Only requests that failed. */
  onlyRefused?: boolean | undefined;
}

/** The most entries that one page scans for a filter. */
const scannedMax = 2_000;

/** Newest first. Entries older than `requestsKeptDays` are not shown, even if they are not deleted yet. */
export async function listRequests(
  db: Database,
  merchantId: string,
  { requestId, code, onlyRefused }: WantedRequests,
  { before, limit }: { before: ListCursor | undefined; limit: number },
): Promise<{ requests: ApiRequestRow[]; next: ListCursor | undefined }> {
  const isAny = requestId === undefined && code === undefined && onlyRefused !== true;
  const size = isAny ? limit + 1 : scannedMax;
  const query = db('api_requests')
    .where({ merchant_id: merchantId })
    .where('created_at', '>', db.raw('UTC_TIMESTAMP(3) - INTERVAL ? DAY', [requestsKeptDays]))
    .orderBy('created_at', 'desc')
    .orderBy('entry_id', 'desc')
    .limit(size);
  if (before) beforeCursor(query, 'entry_id', before);
  const found: ApiRequestRow[] = await query;
  const wanted = found.filter(
    (one) =>
      (requestId === undefined || one.request_id === requestId) &&
      (code === undefined || one.code === code) &&
      (onlyRefused !== true || one.status >= 400),
  );
  const requests = wanted.slice(0, limit);
  const isFull = requests.length === limit;
  const last = (isFull ? requests : found).at(-1);
  const isMore = found.length === size || (isFull && last !== found.at(-1));
  return { requests, next: isMore && last ? { at: last.created_at, id: last.entry_id } : undefined };
}
