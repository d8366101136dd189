import type Joi from 'joi';
import { noted } from '../rail-kit/field-notes';
import { optionalText, refuse } from '../rail-kit/fields';

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
