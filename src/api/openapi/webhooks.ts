/** What merchants' servers are sent, as Path Item Objects, and what the events of the feed tell in the same words. */
import { eventTypes } from '../../domain/event';
import type { PartDescription, WebhookDescription, JsonSchema } from '../../rail-kit/description';
import { maybe } from '../../rail-kit/answer-fields';
import { jsonSchemaOf } from '../../rail-kit/json-schema';
import { nextStepFields } from '../../payments/read/next-step';

const headers = {
  'webhook-id': {
    about: 'The same at every try of one webhook: process each id once',
    schema: { examples: ['01890a5d-ac96-774b-bcce-b302099a8057'], format: 'uuid' },
  },
  'webhook-timestamp': {
    about: 'When it is sent, in seconds since 1970',
    schema: { examples: ['1767603600'], pattern: '^\\d{1,15}$' },
  },
  'webhook-signature': {
    about: '`v1,` and a signature, as standardwebhooks.com describes; two while a secret is rotated',
    schema: {
      examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='],
      pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)?$',
    },
  },
} as const;

/** Of what was asked for: at the merchant's own address. */
const ofOrigin = {
  'X-Request-Id': {
    about: 'The name of the request that the payment was made by',
    schema: { examples: ['01890a5d-ac96-774b-bcce-b302099a8057'], maxLength: 80 },
  },
  traceparent: {
    about: 'Its trace, where there is one (W3C Trace Context)',
    schema: {
      examples: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
      pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
    },
  },
};

const nameOf = ({ id }: WebhookDescription) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Webhook`;
const pointerTo = (webhook: WebhookDescription) => ({ $ref: `#/components/schemas/${nameOf(webhook)}` });

/** How often it is sent, and where to. */
function deliveryOf({ endpoint, isSentOnce }: WebhookDescription): string {
  const untilTaken = 'until it is answered with 2xx within ten seconds: 14 times in 72 hours';
  if (isSentOnce)
    return `Sent to the merchant's \`${endpoint}\`, or to a further endpoint, once; that it was answered with 2xx within five seconds is told to whoever asked for it`;
  if (endpoint === 'webhook_endpoint')
    return `Sent to further endpoints (\`addWebhookEndpoint\`) alone, ${untilTaken}`;
  return `Sent to the merchant's \`${endpoint}\`, ${untilTaken}. Further endpoints are sent the same for each change`;
}

/** What a merchant's server is sent. */
export function webhookOf(
  tag: string,
  webhook: WebhookDescription,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const { id, summary, details, callbackType, endpoint, body, isSentOnce } = webhook;
  // What tells of a payment also says what to do next (see payments/transition/write-webhook.ts).
  schemas[nameOf(webhook)] = jsonSchemaOf(
    isSentOnce ? body : body.append({ next_step: maybe(nextStepFields.next_step) }),
  );
  const header = (name: string, description: string, schema: JsonSchema, required = true) => ({
    ...{ name, in: 'header', required, description },
    schema: { type: 'string', ...schema },
  });
  const isAtEndpointsAlone = endpoint === 'webhook_endpoint';
  const ofEvents = isAtEndpointsAlone
    ? 'The type of the event, as the feed has it'
    : 'The type of the event, as the feed has it: at further endpoints alone';
  return {
    post: {
      operationId: id,
      tags: [tag],
      summary,
      description: `${details === undefined ? '' : `${details}. `}${deliveryOf(webhook)}.`,
      security: [],
      parameters: [
        header('X-Callback-Type', 'What kind of webhook it is', { enum: [callbackType] }),
        ...(isSentOnce
          ? []
          : [header('X-Event-Type', ofEvents, { enum: [...eventTypes] }, isAtEndpointsAlone)]),
        ...Object.entries(headers).map(([name, { about, schema }]) => header(name, about, schema)),
        ...(isSentOnce || isAtEndpointsAlone
          ? []
          : Object.entries(ofOrigin).map(([name, { about, schema }]) => header(name, about, schema, false))),
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: pointerTo(webhook) } },
      },
      responses: {
        '2XX': { description: 'It is delivered' },
        '4XX': {
          description: isSentOnce
            ? 'It has not arrived'
            : 'It is sent again, as after any other answer and after none',
        },
      },
    },
  };
}

/** What an event tells: the body of a webhook, whether or not one is sent for it. */
export function eventDataOf(descriptions: readonly PartDescription[]): JsonSchema {
  const told = descriptions.flatMap(({ webhooks }) => webhooks.filter(({ isSentOnce }) => !isSentOnce));
  return {
    description:
      'The body of the webhook that tells, or would tell, of the same. Which one, the `callback_type` of the event says',
    anyOf: told.map(pointerTo),
  };
}
