/** Reads a merchant's events from the event feed. It needs only the merchant's keys, and misses no event. */
import { taken, type MerchantApi } from './merchant-api';
import { patiently, pause, type WaitOptions } from './patience';

export interface FeedEvent {
  id: string;
  type: string;
  created_at: string;
  payment_id: string;
  rail: string;
  callback_type: string;
  /** False for some changes: a server that only gets webhooks does not learn of them. */
  has_webhook: boolean;
  data: unknown;
}

interface Page {
  events: FeedEvent[];
  next_cursor: string;
  has_more: boolean;
}

const path = '/api/v1/events';
const perPage = '500';

export interface FeedOptions extends WaitOptions {
  types?: string | undefined;
  /** The cursor to start after; by default the feed starts with the next new event. */
  after?: string | undefined;
  /** Starts with the oldest stored event. */
  fromBeginning?: boolean | undefined;
}

/** Ends when the signal is aborted. @throws ActionError if the API denies the request. */
export async function* feedOf(
  api: MerchantApi,
  { types, after, fromBeginning = false, signal, onTrouble }: FeedOptions,
): AsyncGenerator<FeedEvent> {
  const read = (cursor: string | undefined) =>
    patiently(
      async () => taken(await api.get(path, { after: cursor, types, limit: perPage })) as unknown as Page,
      { signal, onTrouble },
    );
  let cursor = after ?? (fromBeginning ? undefined : await endOf(read));
  for (;;) {
    const page = await read(cursor);
    if (!page) return;
    for (const event of page.events) {
      if (signal.aborted) return;
      yield event;
    }
    cursor = page.next_cursor;
    if (!page.has_more) await pause(signal);
  }
}

/** The cursor after the newest event; undefined once the signal is aborted. */
async function endOf(
  read: (cursor: string | undefined) => Promise<Page | undefined>,
): Promise<string | undefined> {
  for (let cursor: string | undefined; ;) {
    const page = await read(cursor);
    cursor = page?.next_cursor;
    if (!page?.has_more) return cursor;
  }
}
