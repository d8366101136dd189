/**
 * Joi building blocks for the bodies of the rails. No value is converted: a number is never read from a text, nor a
 * text from a number. A rule with its own code is reported only when there is no other error.
 */
import Joi from 'joi';
import { isLosslessNumber, stringify } from 'lossless-json';
import { holdsCardNumber } from '../domain/card-number';
import { holdsControl, type TextKind } from '../domain/controls';
import { invalid, type ErrorCode, type FieldFault } from '../domain/errors';
import { eventTypes, type EventType } from '../domain/event';
import { isCurrency, parseAmount, type Currency } from '../domain/money';
import { count, word } from './answer-fields';
import { formOfAmount, noted } from './description';

/** Refuses a field from within a joi `custom` rule: `refuse(helpers, 'must be …', 'INVALID_PHONE_NUMBER')`. */
export function refuse(helpers: Joi.CustomHelpers, text: string, code?: ErrorCode): Joi.ErrorReport {
  return helpers.error('field.refused', { text, code });
}

/** Joi's errors in plain words. None repeats the value: it may be a secret in the wrong field. */
const messages = {
  'field.refused': '{#label} {#text}',
  'any.required': '{#label} is required',
  'any.only': '{#label} must be one of {#valids}',
  'any.unknown': '{#label} is not accepted here',
  'any.invalid': '{#label} is not valid',
  'array.base': '{#label} must be a list',
  'boolean.base': '{#label} must be true or false',
  'object.base': '{#label} must be an object',
  'object.missing': '{#label} must contain at least one of {#peersWithLabels}',
  'string.base': '{#label} must be a string',
  'string.email': '{#label} must be a valid e-mail address',
  'string.empty': '{#label} must not be empty',
  'string.pattern.base': '{#label} has a wrong format',
  'string.pattern.name': '{#label} must be {#name}',
};

/** Lists whose members another schema checks later: their texts have no limits yet. */
const judgedLater = new WeakSet<readonly unknown[]>();

/** Leaves the texts of a list's members to the schema that checks each member. */
export function leaveMembers(list: readonly unknown[]): readonly unknown[] {
  judgedLater.add(list);
  return list;
}

function fieldsWithCardNumbers(value: unknown, path: string): string[] {
  if (typeof value === 'string') return holdsCardNumber(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value) && judgedLater.has(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    fieldsWithCardNumbers(member, path === '' ? name : `${path}.${name}`),
  );
}

/** Checks every text of every endpoint, including metadata at any depth, which is one JSON text at this point. */
function refuseCardNumbers(input: Record<string, unknown>): void {
  const faults = fieldsWithCardNumbers(input, '').map((field) => ({
    field,
    message: `${field} looks like a payment card number, which is never accepted here`,
  }));
  if (faults.length > 0) throw invalid(faults);
}

/**
 * Validates a body or a query.
 * @throws PaymentError with all errors at once, under the errors' own code when they share one, else
 *   VALIDATION_FAILED.
 */
export function validateInput(schema: Joi.ObjectSchema, value: unknown): Record<string, unknown> {
  const result = schema.validate(value, {
    abortEarly: false,
    stripUnknown: true,
    convert: false,
    errors: { wrap: { label: false, array: false } },
    messages,
  });
  if (!result.error) {
    const input = result.value as Record<string, unknown>;
    refuseCardNumbers(input);
    return input;
  }
  const faults: FieldFault[] = [];
  const codes = new Set<ErrorCode>();
  for (const { path, type, message, context } of result.error.details) {
    const field = path.join('.');
    const peers = type === 'object.missing' && field === '' ? (context?.['peers'] as string[]) : [];
    // The request as a whole has no name that its caller knows, so the errors name its missing fields.
    for (const peer of peers) faults.push({ field: peer, message: `${peers.join(' or ')} is required` });
    // Joi's own sentences, also for a rule that threw, quote the value; ours do not.
    const sentence = type in messages ? message : `${field} is not valid`;
    if (peers.length === 0) faults.push({ field, message: sentence });
    codes.add((context?.['code'] as ErrorCode | undefined) ?? 'VALIDATION_FAILED');
  }
  const [code, ...others] = codes;
  throw invalid(faults, others.length > 0 ? 'VALIDATION_FAILED' : code);
}

interface CurrencyRule {
  field: string;
  fallback?: Currency;
  /**
   * The currencies that the rail accepts. An amount in another currency is not checked, because the currency is the
   * error.
   */
  among?: readonly Currency[];
}

export interface AmountRule {
  /** Fixed, or given by another field of the same object. That field must validate itself, with `currencyField`. */
  currency: Currency | CurrencyRule;
  /** Decimal texts in the currency. Without a minimum an amount must still be above zero. */
  min?: string;
  max?: string;
  /** `"10.5"` is refused; the number 10.5 means 10.50, because JSON numbers have no trailing zeros. */
  exactlyTwoDecimals?: boolean;
  wholeUnits?: boolean;
}

function currencyOf({ currency }: AmountRule, helpers: Joi.CustomHelpers): Currency | undefined {
  if (typeof currency === 'string') return currency;
  const siblings = (helpers.state.ancestors as Record<string, unknown>[])[0];
  const reported = siblings?.[currency.field] ?? currency.fallback;
  if (typeof reported !== 'string' || !isCurrency(reported)) return undefined;
  return currency.among === undefined || currency.among.includes(reported) ? reported : undefined;
}

function faultOfForm(rule: AmountRule, value: unknown, text: string | undefined): string | undefined {
  if (text === undefined) return 'must be a number or a decimal text';
  if (!/^[\d.]+$/.test(text)) return 'must be only digits and a decimal point, such as 1250.00';
  if (rule.wholeUnits === true && !/^\d+(?:\.0{1,2})?$/.test(text)) return 'must be a whole number';
  if (rule.exactlyTwoDecimals === true && typeof value === 'string' && !/^\d+\.\d{2}$/.test(text)) {
    return 'must have exactly 2 decimals';
  }
  return undefined;
}

function faultOfRange({ min, max }: AmountRule, minor: bigint, currency: Currency): string | undefined {
  const isBelow = minor < (min === undefined ? 1n : (parseAmount(min, currency) ?? 1n));
  const isAbove = max !== undefined && minor > (parseAmount(max, currency) ?? 0n);
  if (!isBelow && !isAbove) return undefined;
  if (min !== undefined && max !== undefined) return `must be between ${min} and ${max} ${currency}`;
  if (isAbove) return `must be at most ${max} ${currency}`;
  return min === undefined ? 'must be more than 0' : `must be at least ${min} ${currency}`;
}

/** An amount as a JSON number or a decimal text; gives minor units (`bigint`) of its currency. */
export function amountField(rule: AmountRule): Joi.AnySchema {
  return Joi.any()
    .meta(noted(formOfAmount(rule), ['INVALID_AMOUNT', 'AMOUNT_OUT_OF_RANGE']))
    .empty(Joi.valid(null, ''))
    .custom((value: unknown, helpers) => {
      const text = typeof value === 'string' || isLosslessNumber(value) ? value.toString() : undefined;
      const fault = faultOfForm(rule, value, text);
      if (text === undefined || fault !== undefined) return refuse(helpers, fault ?? '', 'INVALID_AMOUNT');
      const currency = currencyOf(rule, helpers);
      // Without a currency the amount cannot be read; the currency's own field reports the error.
      if (currency === undefined) return value;
      const minor = parseAmount(text, currency);
      if (minor === undefined) {
        return refuse(helpers, `must be a plain decimal amount in ${currency}`, 'INVALID_AMOUNT');
      }
      const outside = faultOfRange(rule, minor, currency);
      return outside === undefined ? minor : refuse(helpers, outside, 'AMOUNT_OUT_OF_RANGE');
    });
}

/** An ISO 4217 code among those that a rail accepts. */
export function currencyField(allowed: readonly Currency[]): Joi.AnySchema {
  return Joi.any()
    .meta(noted({ type: 'string', enum: [...allowed] }, ['UNSUPPORTED_CURRENCY']))
    .example(allowed[0])
    .empty(Joi.valid(null, ''))
    .custom((value: unknown, helpers) => {
      if (typeof value !== 'string') return refuse(helpers, 'must be a string');
      if ((allowed as readonly string[]).includes(value)) return value;
      return refuse(
        helpers,
        `must be ${allowed.length > 1 ? 'one of ' : ''}${allowed.join(', ')}`,
        'UNSUPPORTED_CURRENCY',
      );
    });
}

/** Any ISO 4217 code: the processor decides which it accepts. */
export function anyCurrencyField(): Joi.AnySchema {
  return Joi.any()
    .meta(noted({ type: 'string', pattern: '^[A-Z]{3}$' }, ['UNSUPPORTED_CURRENCY']))
    .description('An ISO 4217 currency code')
    .example('KES')
    .empty(Joi.valid(null, ''))
    .custom((value: unknown, helpers) => {
      if (typeof value !== 'string') return refuse(helpers, 'must be a string');
      if (isCurrency(value)) return value;
      // The value is repeated only if it resembles a code: any other text may be a secret in the wrong field.
      const named = /^[A-Z]{3}$/.test(value) ? `${value} is not` : 'is not';
      return refuse(helpers, `${named} an ISO 4217 currency code such as KES`, 'UNSUPPORTED_CURRENCY');
    });
}

/** `known`: the name of an existing record, which may be from a time with weaker rules. */
type FieldKind = TextKind | 'known';

/** A database text cannot contain NUL, and half of a surrogate pair is no character. */
function faultOfText(text: string, lengthMax: number, kind: FieldKind): string | undefined {
  if (text.includes('\0') || /\p{Surrogate}/u.test(text)) return 'contains a character that is not allowed';
  if (kind !== 'known' && holdsControl(text, kind))
    return 'contains a control character, which is not allowed';
  // Counted as the database counts, so that an emoji is one character.
  const length = text.length > lengthMax ? Array.from(text).length : text.length;
  return length > lengthMax ? `must be at most ${String(lengthMax)} characters` : undefined;
}

/**
 * A text that is stored exactly as sent, or refused for its content. `null` and the empty text count as absent.
 * @param kind a `line` has no control characters; a `note` only those for line ends and tabs.
 */
export function optionalText(lengthMax: number, kind: FieldKind = 'line'): Joi.StringSchema {
  return Joi.string()
    .meta(noted({ maxLength: lengthMax }))
    .empty(Joi.valid(null, ''))
    .custom((text: string, helpers) => {
      const fault = faultOfText(text, lengthMax, kind);
      return fault === undefined ? text : refuse(helpers, fault);
    });
}

export function requiredText(lengthMax: number, kind?: FieldKind): Joi.StringSchema {
  return optionalText(lengthMax, kind)
    .required()
    .meta(noted({ minLength: 1, pattern: '\\S' }))
    .custom((text: string, helpers) => (text.trim() === '' ? refuse(helpers, 'is required') : text));
}

/** An object with known fields. Joi alone would accept a `LosslessNumber` as an object. */
export function objectField(fields: Joi.SchemaMap): Joi.ObjectSchema {
  return Joi.object(fields)
    .empty(null)
    .custom((value: unknown, helpers) =>
      isLosslessNumber(value) ? refuse(helpers, 'must be an object') : value,
    );
}

const metadataBytesMax = 4096;

/** A rail's own rule for the merchant's object. */
type MetadataRule = (metadata: Record<string, unknown>) => { text: string; code: ErrorCode } | undefined;

/** The merchant's own object; gives its JSON text with every digit as sent. */
export function metadataField(rule?: MetadataRule): Joi.AnySchema {
  return Joi.any()
    .meta(noted({ type: 'object' }))
    .description('Your own object, at most 4,096 bytes of JSON. It is returned with every digit as sent')
    .example({ invoice: 'INV-1' })
    .empty(null)
    .custom((value: unknown, helpers) => {
      if (typeof value !== 'object' || Array.isArray(value) || isLosslessNumber(value)) {
        return refuse(helpers, 'must be an object');
      }
      const fault = rule?.(value as Record<string, unknown>);
      if (fault !== undefined) return refuse(helpers, fault.text, fault.code);
      const text = stringify(value) ?? '';
      return Buffer.byteLength(text) > metadataBytesMax
        ? refuse(helpers, 'must be at most 4 kB of JSON')
        : text;
    });
}

/** The prefix of the portal's own batches: no merchant's request may use it. */
export const reservedPrefix = 'portal/';

/** A merchant's id of a request, which identifies it forever. */
export function orderIdText(about: string, example: string): Joi.StringSchema {
  return requiredText(500)
    .description(`${about}. It must not begin with \`${reservedPrefix}\``)
    .example(example)
    .custom((text: string, helpers) =>
      text.startsWith(reservedPrefix)
        ? refuse(
            helpers,
            `must not begin with ${reservedPrefix}, which is reserved for payouts of the portal`,
          )
        : text,
    );
}

// The fields of every webhook, event and status besides the rail's own: the type, and the sequence number of the
// change.

export const sequenceField = {
  sequence: count(
    "The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing",
    3,
  ),
};

/** @param callbackType of the rail's webhooks */
export const eventFields = (callbackType: string) => ({
  event_type: word(eventTypes as [EventType, ...EventType[]], 'The event type', {
    example: 'deposit.succeeded',
  }),
  callback_type: word(
    [callbackType],
    'The value of the `X-Callback-Type` header. The signature does not cover the header',
  ),
});

/** A webhook's body as its rail writes it; the engine adds the rest (payments/transition/write-webhook.ts). */
export type RailBody<B> = Omit<B, keyof ReturnType<typeof eventFields> | keyof typeof sequenceField>;
