import { orNull, text } from '../rail-kit/answer-fields';
import { optionalText, refuse } from '../rail-kit/fields';
import { listPlaceAt } from '../store/list-place';

const shown = 'MTc2NzYwMzYwMDAwMC4wMTg5MGE1ZC1hYzk2LTc3NGItYmNjZS1iMzAyMDk5YTgwNTc';

/** Where a page of a list goes on. */
export const listCursorField = optionalText(100)
  .description('`next_cursor` of the page before')
  .example(shown)
  .custom((text: string, helpers) => listPlaceAt(text) ?? refuse(helpers, 'is no next_cursor of this list'));

export const nextCursorTold = orNull(
  text('What the next page is asked for with; null on the last one', shown),
);
