/** What the API's description (openapi.json) is made of, beside the routes and the schemas that the code runs on. */
import type Joi from 'joi';
import { errorResponses, type ErrorCode } from '../domain/errors';
import type { NextStep } from '../domain/next-steps';
import type { PaymentKind, PaymentState } from '../domain/payment';
import type { OutboxRow, PaymentRow } from '../store/tables';
import type { AmountRule } from './fields';

/** What the API's description tells of an endpoint beside what it takes and who may call it. */
export interface EndpointDescription {
  /** In camel case: what a generated client calls the operation. */
  id: string;
  /** A few words. */
  summary: string;
  /** What a merchant has to know besides. */
  details?: string;
  /** The body of status 200; see `answer-fields.ts`. */
  answer: Joi.ObjectSchema;
  /** The same in other forms, by media type. */
  otherForms?: Record<string, string>;
  /** Codes of its own, beside those of its fields, of its access, and of all that starts something. */
  refusals: readonly ErrorCode[];
  /** What its refusals tell beside what all of them do. */
  refusalFields?: Record<string, Joi.AnySchema>;
}

/** What the API's description tells of a notification route. */
export interface NotificationDescription {
  /** In camel case, and unique among all operations. */
  id: string;
  summary: string;
  details?: string;
  /** Parameters of the query. */
  query?: Record<string, Joi.AnySchema>;
  /** What is answered by status, save refusals in everybody's error body; no body where none is sent. */
  answers: Record<number, { about: string; json?: Joi.AnySchema; form?: 'text/html' | 'text/plain' }>;
  /** Refusals of its own in the error body, beside those of all notification routes. */
  refusals: readonly ErrorCode[];
}

/** What the API's description tells of one kind of webhook to merchants. */
export interface WebhookDescription {
  /** In camel case. */
  id: string;
  summary: string;
  details?: string;
  callbackType: string;
  /** `webhook_endpoint`: further endpoints alone are told this. */
  endpoint: OutboxRow['endpoint'] | 'webhook_endpoint';
  body: Joi.ObjectSchema;
  /** Sent once, and never again. */
  isSentOnce?: true;
}

/** What the API's description tells of a rail as a whole, or of what belongs to none. */
export interface PartDescription {
  /** A sentence: whom it asks for money, or pays, and how. */
  about: string;
  webhooks: readonly WebhookDescription[];
}

export interface RailDescription extends PartDescription {
  /** What its merchants read of its payments: tables of its guide. */
  states: Partial<Record<PaymentKind, DescribedStates>>;
  /** What to do next by the provider's reason. */
  reasons: Readonly<Record<PaymentKind, Readonly<Record<string, NextStep>>>>;
  /** What a reason means, where its merchants are told more than the code. */
  meaningOf?(reason: string): string;
}

/** The states that a payment comes to, in the order in which it may, and what its merchant reads there. */
export interface DescribedStates {
  comesTo: readonly PaymentState[];
  reads: readonly (readonly [field: string, read: (payment: PaymentRow) => string])[];
}

/** The codes among what a provider's refusals mean, by its adapter's own table. */
export function codesAmong(meanings: readonly string[]): ErrorCode[] {
  return meanings.filter((meaning): meaning is ErrorCode => Object.hasOwn(errorResponses, meaning));
}

// What the API's description tells of a field where joi's own rules do not say it.

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
