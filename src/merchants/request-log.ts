/**
 * What a merchant asked of the API with its keys, for whoever builds its shop: when, what, how it was answered and how long
 * it took. A request only notes it in memory, once it is answered; what was noted is written now and then, many in one
 * statement. What a process that is killed has noted is lost: it decides nothing.
 */
import { v7 as uuidV7 } from 'uuid';
import type { Database } from '../store/database';
import { placeBefore, type ListPlace } from '../store/list-place';
import type { ApiRequestRow } from '../store/tables';

export const requestsKeptDays = 7;

/** Rows that wait at most: while the database is slow, later ones are dropped and counted. */
const heldMax = 5_000;
const writtenAtOnce = 500;

export type NotedRequest = Omit<ApiRequestRow, 'entry_id' | 'created_at'>;

export interface RequestLog {
  note(request: NotedRequest): void;
  /** @returns how many were dropped since it was called last. */
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
      // Who still writes takes along what has come meanwhile.
      if (writing) return 0;
      writing = true;
      try {
        while (held.length > 0) {
          const some = held.slice(0, writtenAtOnce);
          await db('api_requests').insert(some);
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
  /** Those that were refused, or failed. */
  onlyRefused?: boolean | undefined;
}

/** Entries that one page looks at where only some are wanted. */
const lookedAtMax = 2_000;

/** Newest first; what is older than `requestsKeptDays` is not shown, though it may not be pruned yet. */
export async function listRequests(
  db: Database,
  merchantId: string,
  { requestId, code, onlyRefused }: WantedRequests,
  { before, limit }: { before: ListPlace | undefined; limit: number },
): Promise<{ requests: ApiRequestRow[]; next: ListPlace | undefined }> {
  const isAny = requestId === undefined && code === undefined && onlyRefused !== true;
  const size = isAny ? limit + 1 : lookedAtMax;
  const query = db('api_requests')
    .where({ merchant_id: merchantId })
    .where('created_at', '>', db.raw('UTC_TIMESTAMP(3) - INTERVAL ? DAY', [requestsKeptDays]))
    .orderBy('created_at', 'desc')
    .orderBy('entry_id', 'desc')
    .limit(size);
  if (before) placeBefore(query, 'entry_id', before);
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
