import type { Malipo } from './client.js';
import type { EventsAnswer, EventsInput } from './operations.js';

/**
 * The feed of events from `after` to where it ends now, page by page. Keep `next_cursor` of a page in the transaction in
 * which you deal with its events, and go on from there the next time.
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
