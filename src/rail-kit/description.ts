/** What the API's description (openapi.json) is made of, beside the routes and the schemas that the code runs on. */
import type Joi from 'joi';
import { errorResponses, type ErrorCode } from '../domain/errors';
import type { OutboxRow } from '../store/tables';

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

/** What the API's description tells of a rail as a whole. */
export interface RailDescription {
  /** A sentence: whom it asks for money, or pays, and how. */
  about: string;
  webhooks: readonly WebhookDescription[];
}

/** The codes among what a provider's refusals mean, by its adapter's own table. */
export function codesAmong(meanings: readonly string[]): ErrorCode[] {
  return meanings.filter((meaning): meaning is ErrorCode => Object.hasOwn(errorResponses, meaning));
}
