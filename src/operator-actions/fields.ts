/** The fields of action inputs. A wrong value gives one sentence that says what is wrong. */
import Joi from 'joi';
import { InputError } from './errors';
import { readCurrency, readCountry, readWords, readReference, readWholeNumber, readId } from './read';

/** A text that `read` accepts. The message of its InputError becomes the message of the field. */
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

/** One of our ids or names, as typed. Id columns are ASCII; the database does not compare them with other characters. */
export const id = readBy(readId);
/** The number of a row, such as a case or an approval. */
export const numberId = readBy(readWholeNumber);
export const currency = readBy(readCurrency);
/** Decimal text in the currency of the input. The handler parses it. */
export const amount = Joi.string().max(40);
export const country = readBy(readCountry);
export const reason = readBy(readWords('The reason'));
export const note = readBy(readWords('The note'));
export const reference = readBy(readReference);
