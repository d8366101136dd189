/**
 * Joi building blocks for the API's answers and the messages to merchants. The type of a body comes from its schema,
 * so that the builders of answers and their description cannot differ.
 */
import Joi from 'joi';
import type { Environment } from '../config';

/** The TypeScript type of a body that fits the schema. */
export type TypeOf<S> = S extends Joi.AnySchema<infer T> ? T : never;

type Fields = Record<string, Joi.AnySchema>;
type OptionalIn<F extends Fields> = {
  [Name in keyof F]: undefined extends TypeOf<F[Name]> ? Name : never;
}[keyof F];
/** The object of such fields. */
export type BodyOf<F extends Fields> = { [Name in Exclude<keyof F, OptionalIn<F>>]: TypeOf<F[Name]> } & {
  [Name in OptionalIn<F>]?: Exclude<TypeOf<F[Name]>, undefined>;
};

interface FieldOptions {
  example?: unknown;
}

/** As wide as the widest column that a text comes from, and as the longest address. */
const textMax = 1_000;
const urlMax = 2_000;
/** The limit of our amounts and counts. */
const amountMax = 999_999_999_999_999;
const countMax = 2_147_483_647;

function responseField<T>(schema: Joi.AnySchema<unknown>, about: string, example: unknown): Joi.AnySchema<T> {
  return schema.required().description(about).example(example) as Joi.AnySchema<T>;
}

/** A text, which may be empty where the value is not known yet. */
export function text(about: string, example: string, { max = textMax } = {}): Joi.AnySchema<string> {
  return responseField(
    Joi.string()
      .allow('')
      .meta({ openapi: { maxLength: max } }),
    about,
    example,
  );
}

/** Sentences for a reader. */
export function sentences(about: string, example: string): Joi.AnySchema<string[]> {
  return responseField(Joi.array().items(text(about, example)), about, [example]);
}

/** An address of a page, or of a server. */
export function url(about: string, example: string): Joi.AnySchema<string> {
  return text(about, example, { max: urlMax });
}

/** One of our own ids. */
export function uuid(about: string, example = '01890a5d-ac96-774b-bcce-b302099a8057'): Joi.AnySchema<string> {
  return responseField(Joi.string().meta({ openapi: { format: 'uuid' } }), about, example);
}

/** One of a few fixed words. */
export function word<W extends string>(
  words: readonly [W, ...W[]],
  about: string,
  { example = words[0] }: { example?: W } = {},
): Joi.AnySchema<W> {
  return responseField(Joi.string().valid(...words), about, example);
}

export function flag(about: string, { example = true }: FieldOptions = {}): Joi.AnySchema<boolean> {
  return responseField(Joi.boolean(), about, example);
}

export function count(about: string, example: number): Joi.AnySchema<number> {
  return responseField(Joi.number().integer().min(0).max(countMax), about, example);
}

/** An amount as a JSON number of whole currency units with the currency's decimals; negative where a balance is. */
export function amountNumber(about: string, example = 1250): Joi.AnySchema<number> {
  const limits = { openapi: { minimum: -amountMax, maximum: amountMax } };
  return responseField(
    Joi.number().unsafe().meta(limits),
    `${about}. In currency units, with at most three decimals`,
    example,
  );
}

/** An amount as decimal text with two decimals, or the currency's own three. */
export function amountText(about: string, example = '1250.00'): Joi.AnySchema<string> {
  const form = { openapi: { pattern: '^-?\\d+\\.\\d{2,3}$' } };
  return responseField(
    Joi.string().meta(form),
    `${about}. Decimal text in currency units, with two decimals or the currency's own three`,
    example,
  );
}

export function currencyCode<C extends string = string>(about: string, example: C): Joi.AnySchema<C> {
  return responseField(
    Joi.string().meta({ openapi: { pattern: '^[A-Z]{3}$' } }),
    `${about}. ISO 4217`,
    example,
  );
}

export function moment(about: string): Joi.AnySchema<string> {
  const form = { openapi: { format: 'date-time' } };
  return responseField(Joi.string().meta(form), `${about}. ISO 8601, UTC`, '2026-01-05T09:00:00.000Z');
}

/** A time without a zone, in the deployment's own zone. */
export function wallClockText(about: string): Joi.AnySchema<string> {
  const form = { openapi: { pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' } };
  return responseField(
    Joi.string().meta(form),
    `${about}. YYYY-MM-DD HH:MM:SS, in the service's time zone (default Africa/Nairobi)`,
    '2026-01-05 12:00:00',
  );
}

/** The merchant's own object, unchanged. */
export function merchantsObject(about: string): Joi.AnySchema<object> {
  return responseField(Joi.object().unknown(), about, { invoice: 'INV-1' });
}

/** @param max the largest number of items, where it is known. */
export function listOf<T>(item: Joi.AnySchema<T>, about: string, max?: number): Joi.AnySchema<T[]> {
  const list = Joi.array().items(item).required().description(about);
  return max === undefined ? list : list.max(max);
}

/** An object whose field names are data. */
export function tableOf<T>(value: Joi.AnySchema<T>, about: string): Joi.AnySchema<Record<string, T>> {
  return Joi.object().pattern(Joi.any(), value).required().description(about);
}

export function body<F extends Fields>(fields: F): Joi.ObjectSchema<BodyOf<F>> {
  return Joi.object<BodyOf<F>>(fields).required();
}

/** Null where there is no value. */
export function orNull<T>(field: Joi.AnySchema<T>): Joi.AnySchema<T | null> {
  return field.allow(null);
}

/** Left out where there is no value. */
export function maybe<T>(field: Joi.AnySchema<T>): Joi.AnySchema<T | undefined> {
  return field.optional();
}

/** The first field of each answer. */
export const success = responseField<true>(Joi.boolean().valid(true), 'Whether the request succeeded', true);

/** The longest address that details store. */
const urlLengthMax = 1_900;

/** True for an address that a customer's browser may be sent to: never a script, and in live nothing unencrypted. */
export function isPaymentPage(url: string, environment: Environment): boolean {
  if (url.length > urlLengthMax || !URL.canParse(url)) return false;
  const { protocol } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && environment === 'sandbox');
}
