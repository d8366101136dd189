/** In the sandbox an answer says which fields of the request were ignored: a misspelt one is otherwise never noticed. */
import type Joi from 'joi';
import { closest } from '../domain/closest';
import type { EndpointResponse } from '../rail-kit/endpoint';

/** Read before the body's own rules, on every endpoint. */
const readElsewhere = ['api_key', 'api_secret', 'merchant_id'];
/** Only a name that looks like one is repeated: any other text may be a secret in the wrong place. */
const nameForm = /^[A-Za-z][\w-]{0,39}$/;
const warningsMax = 10;

/** What a field of that name is for elsewhere, and where it belongs here. */
const belongs: Record<string, string> = {
  idempotencykey: 'send it as the header Idempotency-Key',
  callbackurl: 'webhooks go to the address in your settings',
  webhookurl: 'webhooks go to the address in your settings',
  notificationurl: 'webhooks go to the address in your settings',
  ipnurl: 'webhooks go to the address in your settings',
};

/** @returns a sentence for each field that the endpoint does not have. */
export function ignoredFields(input: Joi.ObjectSchema, sent: Record<string, unknown>): string[] {
  const fields = fieldsOf(input);
  const known = new Set([...fields, ...readElsewhere]);
  return Object.keys(sent)
    .filter((name) => !known.has(name))
    .slice(0, warningsMax)
    .map((name) => {
      if (!nameForm.test(name)) return 'A field was ignored: its name is no name of a field';
      const place = belongs[name.toLowerCase().replaceAll(/[_-]/g, '')];
      const meant = place === undefined ? closest(name, fields) : undefined;
      const advice =
        place ?? (meant === undefined ? 'this endpoint has no such field' : `did you mean ${meant}?`);
      return `${name} was ignored: ${advice}`;
    });
}

const fieldsBySchema = new WeakMap<Joi.ObjectSchema, string[]>();

function fieldsOf(input: Joi.ObjectSchema): string[] {
  const known = fieldsBySchema.get(input);
  if (known) return known;
  const fields = Object.keys((input.describe() as { keys?: object }).keys ?? {});
  fieldsBySchema.set(input, fields);
  return fields;
}

/** Adds the sentences to those that the endpoint has itself. */
export function withWarnings(response: EndpointResponse, warnings: readonly string[]): EndpointResponse {
  if (warnings.length === 0 || response.parts) return response;
  const own = (response.body['warnings'] ?? []) as string[];
  return { ...response, body: { ...response.body, warnings: [...own, ...warnings] } };
}
