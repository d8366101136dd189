import type Joi from 'joi';
import { eventTypes, type EventType } from '../domain/event';
import { orNull, text } from '../rail-kit/answer-fields';
import { noted } from '../rail-kit/description';
import { optionalText, refuse } from '../rail-kit/fields';
import { listCursorAt } from '../store/list-cursor';

/** The page size of a list: digits in a query. */
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

/** The cursor of a list page. */
export const listCursorField = optionalText(100)
  .description('`next_cursor` of the previous page')
  .example(shown)
  .custom(
    (text: string, helpers) => listCursorAt(text) ?? refuse(helpers, 'is not a next_cursor of this list'),
  );

export const nextCursorField = orNull(text('The cursor of the next page; null on the last page', shown));

/** Event types as a query names them: `deposit.succeeded,payout.*`. */
export const typesField = optionalText(1_000).custom((text: string, helpers) => {
  const types = typesNamed(text.split(','));
  return types ?? refuse(helpers, 'must be a list of event types, such as deposit.succeeded or payout.*');
});

/** @returns the types that names and patterns match; undefined if one of them matches none. */
export function typesNamed(names: readonly string[]): EventType[] | undefined {
  const meant = names.map((name) =>
    eventTypes.filter((type) => type === name || `${type.split('.')[0] ?? ''}.*` === name),
  );
  return meant.some((types) => types.length === 0) ? undefined : [...new Set(meant.flat())];
}
