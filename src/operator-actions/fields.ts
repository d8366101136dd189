/** The fields of actions' inputs. Each reads what was typed, and says what is wrong with it in one sentence. */
import Joi from 'joi';
import { InputError } from './errors';
import { readCurrency, readCountry, readWords, readReference, readWholeNumber } from './read';

/** A text that a reader takes: what it throws is what is said. */
export function readBy(read: (text: string) => unknown): Joi.StringSchema {
  return Joi.string()
    .max(4_000)
    .custom((text: string, helpers) => {
      try {
        read(text);
        return text;
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        return helpers.message({ custom: '{#text}' }, { text: error.message });
      }
    });
}

/** An id of ours, or what was typed for one: a column of ASCII is compared with it. */
export const id = Joi.string().max(160);
/** Of what the database numbers: a case, an orphan, an approval. */
export const numberId = readBy(readWholeNumber);
export const currency = readBy(readCurrency);
/** Decimal text in the currency beside it, which the handler reads it by. */
export const amount = Joi.string().max(40);
export const country = readBy(readCountry);
export const reason = readBy(readWords('The reason'));
export const note = readBy(readWords('The note'));
export const reference = readBy(readReference);
