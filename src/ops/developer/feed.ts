/** A merchant's events as they happen, through the feed: nothing but its keys is needed, and nothing is missed. */
import { setTimeout as delay } from 'node:timers/promises';
import { Unreachable, taken, type MerchantApi } from './merchant-api';

export interface FeedEvent {
  id: string;
  type: string;
  created_at: string;
  payment_id: string;
  rail: string;
  callback_type: string;
  data: unknown;
}

interface Page {
  events: FeedEvent[];
  next_cursor: string;
  has_more: boolean;
}

const path = '/api/v1/events';
const pauseMs = 1_000;
const perPage = '500';

export interface FeedOptions {
  types?: string | undefined;
  /** Where to begin; with what happens from now on without it. */
  after?: string | undefined;
  /** Begins with the oldest event that is kept. */
  fromBeginning?: boolean | undefined;
  signal: AbortSignal;
  /** The API cannot be reached, and is asked again. */
  onTrouble(sentence: string): void;
}

/** Ends when it is told to. @throws Refusal where the API says no. */
export async function* feedOf(
  api: MerchantApi,
  { types, after, fromBeginning = false, signal, onTrouble }: FeedOptions,
): AsyncGenerator<FeedEvent> {
  const read = async (cursor: string | undefined) =>
    taken(await api.get(path, { after: cursor, types, limit: perPage })) as unknown as Page;
  let cursor = after ?? (fromBeginning ? undefined : await endOf(read));
  const isOver = () => signal.aborted;
  while (!isOver()) {
    try {
      const page = await read(cursor);
      for (const event of page.events) {
        if (isOver()) return;
        yield event;
      }
      cursor = page.next_cursor;
      if (!page.has_more) await pause(signal);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      onTrouble(`${error.message} Trying again.`);
      await pause(signal);
    }
  }
}

/** Past all that has happened. */
async function endOf(read: (cursor: string | undefined) => Promise<Page>): Promise<string> {
  for (let cursor: string | undefined; ;) {
    const page = await read(cursor);
    cursor = page.next_cursor;
    if (!page.has_more) return cursor;
  }
}

const pause = (signal: AbortSignal) => delay(pauseMs, undefined, { signal }).catch(() => undefined);
