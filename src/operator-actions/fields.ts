/** The fields of action inputs. A wrong value gives one sentence that says what is wrong. */
import Joi from 'joi';
import { validate as isUuid } from 'uuid';
import { InputError } from './errors';
import { readCurrency, readCountry, readWords, readReference, readWholeNumber, readId } from './read';

/**
 * A text that `read` accepts. The message of its InputError becomes the message of the field.
 * @param stored how the accepted text is stored.
 */
export function readBy(read: (text: string) => unknown, stored = (text: string) => text): Joi.StringSchema {
  return Joi.string()
    .max(4_000)
    .custom((text: string, helpers) => {
      try {
        read(text);
        return stored(text);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        return helpers.message({ custom: '{#text}' }, { text: error.message });
      }
    });
}

/**
 * One of our ids or names. Id columns are ASCII; the database does not compare them with other characters. Nor does it find a
 * UUID that is typed in capitals: we store them in small letters.
 */
export const id = readBy(readId, (text) => (isUuid(text) ? text.toLowerCase() : text));
/** The number of a row, such as a case or an approval. */
export const numberId = readBy(readWholeNumber);
export const currency = readBy(readCurrency);
/** Decimal text in the currency of the input. The handler parses it. */
export const amount = Joi.string().max(40);
export const country = readBy(readCountry);
export const reason = readBy(readWords('The reason'));
export const note = readBy(readWords('The note'));
export const reference = readBy(readReference);
