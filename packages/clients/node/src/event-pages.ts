import type { Malipo } from './client.js';
import type { EventsAnswer, EventsInput } from './operations.js';

/**
 * The event feed from `after` to its current end, page by page. Store `next_cursor` of a page in the transaction that
 * processes its events, and continue from there the next time.
 */
export async function* eventPages(
  malipo: Pick<Malipo, 'events'>,
  input: EventsInput = {},
): AsyncGenerator<EventsAnswer, void> {
  let page = await malipo.events(input);
  yield page;
  while (page.has_more) {
    page = await malipo.events({ ...input, after: page.next_cursor });
    yield page;
  }
}
