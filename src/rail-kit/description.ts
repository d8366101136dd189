/** The parts of the API's description (openapi.json) besides the routes and the schemas that the code uses. */
import type Joi from 'joi';
import { errorResponses, type ErrorCode } from '../domain/errors';
import type { NextStep } from '../domain/next-steps';
import type { PaymentKind, PaymentState } from '../domain/payment';
import type { OutboxRow, PaymentRow } from '../store/tables';
import type { AmountRule } from './fields';

/** The description of an endpoint besides its input and its access. */
export interface EndpointDescription {
  /** In camel case: the operation's name in a generated client. */
  id: string;
  /** A few words. */
  summary: string;
  /** What else a merchant has to know. */
  details?: string;
  /** The body of status 200; see `answer-fields.ts`. */
  answer: Joi.ObjectSchema;
  /** The same in other forms, by media type. */
  otherForms?: Record<string, string>;
  /** Its own codes, besides those of its fields, of its access, and of all endpoints that start something. */
  errors: readonly ErrorCode[];
  /** Fields of its refusals besides the common ones. */
  problemFields?: Record<string, Joi.AnySchema>;
}

/** The description of a notification route. */
export interface NotificationDescription {
  /** In camel case, and unique among all operations. */
  id: string;
  summary: string;
  details?: string;
  /** Parameters of the query. */
  query?: Record<string, Joi.AnySchema>;
  /** The answers by status, except for refusals in the common error body; no body where none is sent. */
  answers: Record<number, { about: string; json?: Joi.AnySchema; form?: 'text/html' | 'text/plain' }>;
  /** Its own refusals in the error body, besides those of all notification routes. */
  errors: readonly ErrorCode[];
}

/** The description of one kind of webhook to merchants. */
export interface WebhookDescription {
  /** In camel case. */
  id: string;
  summary: string;
  details?: string;
  callbackType: string;
  /** `webhook_endpoint`: only further endpoints receive this. */
  endpoint: OutboxRow['endpoint'] | 'webhook_endpoint';
  body: Joi.ObjectSchema;
  /** Sent once, and never repeated. */
  isSentOnce?: true;
}

/** The description of a whole rail, or of endpoints without a rail. */
export interface PartDescription {
  /** A sentence: whom it asks for money, or pays, and how. */
  about: string;
  webhooks: readonly WebhookDescription[];
}

export interface RailDescription extends PartDescription {
  /** The tables of its guide, with its payments as merchants see them. */
  states: Partial<Record<PaymentKind, DescribedStates>>;
  /** The next step by the provider's reason. */
  reasons: Readonly<Record<PaymentKind, Readonly<Record<string, NextStep>>>>;
  /** The meaning of a reason, where its merchants are told more than the code. */
  meaningOf?(reason: string): string;
}

/** The states that a payment may reach, in order, and what its merchant reads there. */
export interface DescribedStates {
  comesTo: readonly PaymentState[];
  reads: readonly (readonly [field: string, read: (payment: PaymentRow) => string])[];
}

/** The error codes in an adapter's own table of the provider's refusals. */
export function codesAmong(meanings: readonly string[]): ErrorCode[] {
  return meanings.filter((meaning): meaning is ErrorCode => Object.hasOwn(errorResponses, meaning));
}

// The description of a field where joi's own rules do not contain it.

/** A part of a JSON Schema (2020-12). */
export type JsonSchema = Record<string, unknown>;

/** For joi's `meta`: keywords that override joi's own for the field, and the codes that refuse it. */
export interface FieldNotes {
  openapi: JsonSchema;
  errors: readonly ErrorCode[];
}

export function noted(openapi: JsonSchema, errors: readonly ErrorCode[] = []): FieldNotes {
  return { openapi, errors };
}

const plainDecimal = '^(0|[1-9]\\d{0,14})(\\.\\d{1,3})?$';
const twoDecimals = '^(0|[1-9]\\d{0,14})\\.\\d{2}$';
const wholeNumber = '^(0|[1-9]\\d{0,14})(\\.0{1,2})?$';

/** 15 digits. */
const amountMax = '999999999999999';

/** The two forms of an amount, with its unit and its limits. */
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
