/** What the API's description tells of a field where joi's own rules do not say it. */
import type { ErrorCode } from '../domain/errors';
import type { AmountRule } from './fields';

/** A part of a JSON Schema (2020-12). */
export type JsonSchema = Record<string, unknown>;

/** For joi's `meta`: keywords that are laid over what joi tells of the field, and the codes that it is refused with. */
export interface FieldNotes {
  openapi: JsonSchema;
  refusals: readonly ErrorCode[];
}

export function noted(openapi: JsonSchema, refusals: readonly ErrorCode[] = []): FieldNotes {
  return { openapi, refusals };
}

const plainDecimal = '^(0|[1-9]\\d{0,14})(\\.\\d{1,3})?$';
const twoDecimals = '^(0|[1-9]\\d{0,14})\\.\\d{2}$';
const wholeNumber = '^(0|[1-9]\\d{0,14})(\\.0{1,2})?$';

/** 15 digits. */
const amountMax = '999999999999999';

/** The two ways in which an amount is taken, with its unit and its limits. */
export function formOfAmount(rule: AmountRule): JsonSchema {
  const { min, max, wholeUnits, exactlyTwoDecimals } = rule;
  const unit = unitOf(rule);
  const range =
    min === undefined ? (max === undefined ? '' : `, at most ${max}`) : `, ${min} to ${max ?? 'any amount'}`;
  const decimals =
    wholeUnits === true ? 'a whole number' : 'at most two decimals, or as many as the currency has';
  const text = wholeUnits === true ? wholeNumber : exactlyTwoDecimals === true ? twoDecimals : plainDecimal;
  return {
    description:
      `In units of ${unit}${range}; ${decimals} and at most 15 digits. A number, or the same as decimal text` +
      (exactlyTwoDecimals === true ? ' with exactly two decimals' : ''),
    anyOf: [
      {
        type: 'number',
        ...(min === undefined ? { exclusiveMinimum: 0 } : { minimum: Number(min) }),
        maximum: Number(max ?? amountMax),
        ...(wholeUnits === true && { multipleOf: 1 }),
      },
      { type: 'string', pattern: text },
    ],
    examples: [example(rule)],
  };
}

function unitOf({ currency }: AmountRule): string {
  if (typeof currency === 'string') return currency;
  const { field, among = [] } = currency;
  return among.length === 1 ? String(among[0]) : `the currency that \`${field}\` names`;
}

function example({ min, wholeUnits }: AmountRule): number {
  return wholeUnits === true ? 5_000 : Math.max(1_250, Number(min ?? 0));
}
