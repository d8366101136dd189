import type Joi from 'joi';
import { eventTypes, type EventType } from '../domain/event';
import { orNull, text } from '../rail-kit/answer-fields';
import { noted } from '../rail-kit/description';
import { optionalText, refuse } from '../rail-kit/fields';
import { listPlaceAt } from '../store/list-place';

/** How many rows of a list are wanted: digits in a query. */
export function limitField({ min, max }: { min: number; max: number }): Joi.StringSchema {
  return optionalText(4)
    .meta(noted({ pattern: '^\\d+$' }))
    .custom((text: string, helpers) => {
      const limit = /^\d+$/.test(text) ? Number(text) : 0;
      return limit >= min && limit <= max
        ? limit
        : refuse(helpers, `must be a whole number from ${String(min)} to ${String(max)}`);
    });
}

const shown = 'MTc2NzYwMzYwMDAwMC4wMTg5MGE1ZC1hYzk2LTc3NGItYmNjZS1iMzAyMDk5YTgwNTc';

/** Where a page of a list goes on. */
export const listCursorField = optionalText(100)
  .description('`next_cursor` of the page before')
  .example(shown)
  .custom((text: string, helpers) => listPlaceAt(text) ?? refuse(helpers, 'is no next_cursor of this list'));

export const nextCursorTold = orNull(
  text('What the next page is asked for with; null on the last one', shown),
);

/** Types of events as a query names them: `deposit.succeeded,payout.*`. */
export const typesField = optionalText(1_000).custom((text: string, helpers) => {
  const types = typesNamed(text.split(','));
  return types ?? refuse(helpers, 'must name types of events, such as deposit.succeeded or payout.*');
});

/** @returns the types that names and patterns mean; undefined where one means none. */
export function typesNamed(names: readonly string[]): EventType[] | undefined {
  const meant = names.map((name) =>
    eventTypes.filter((type) => type === name || `${type.split('.')[0] ?? ''}.*` === name),
  );
  return meant.some((types) => types.length === 0) ? undefined : [...new Set(meant.flat())];
}
