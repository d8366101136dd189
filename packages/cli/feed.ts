/** A merchant's events as they happen, through the feed: nothing but its keys is needed, and nothing is missed. */
import { taken, type MerchantApi } from './merchant-api';
import { patiently, pause, type Patience } from './patience';

export interface FeedEvent {
  id: string;
  type: string;
  created_at: string;
  payment_id: string;
  rail: string;
  callback_type: string;
  /** Of some changes no webhook tells: a server that gets webhooks alone never hears of them. */
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

export interface FeedOptions extends Patience {
  types?: string | undefined;
  /** Where to begin; with what happens from now on without it. */
  after?: string | undefined;
  /** Begins with the oldest event that is kept. */
  fromBeginning?: boolean | undefined;
}

/** Ends when it is told to. @throws Refusal where the API says no. */
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

/** Past all that has happened; undefined once it is told to stop. */
async function endOf(
  read: (cursor: string | undefined) => Promise<Page | undefined>,
): Promise<string | undefined> {
  for (let cursor: string | undefined; ;) {
    const page = await read(cursor);
    cursor = page?.next_cursor;
    if (!page?.has_more) return cursor;
  }
}
