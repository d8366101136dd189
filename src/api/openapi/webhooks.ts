/** The webhooks as Path Item Objects. The events of the feed have the same bodies. */
import { eventTypes } from '../../domain/event';
import type { PartDescription, WebhookDescription, JsonSchema } from '../../rail-kit/description';
import { maybe } from '../../rail-kit/answer-fields';
import { jsonSchemaOf } from '../../rail-kit/json-schema';
import { nextStepFields } from '../../payments/read/next-step';

const headers = {
  'webhook-id': {
    about: 'The same for every attempt of one webhook. Process each id once',
    schema: { examples: ['01890a5d-ac96-774b-bcce-b302099a8057'], format: 'uuid' },
  },
  'webhook-timestamp': {
    about: 'When the webhook was sent, in seconds since 1970',
    schema: { examples: ['1767603600'], pattern: '^\\d{1,15}$' },
  },
  'webhook-signature': {
    about:
      '`v1,` and a signature, as standardwebhooks.com describes. Two signatures while a secret is rotated',
    schema: {
      examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='],
      pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)?$',
    },
  },
} as const;

/** Headers that name the original request: only at the merchant's own address. */
const ofOrigin = {
  'X-Request-Id': {
    about: 'The id of the request that created the payment',
    schema: { examples: ['01890a5d-ac96-774b-bcce-b302099a8057'], maxLength: 80 },
  },
  traceparent: {
    about: 'The trace of that request, if there is one (W3C Trace Context)',
    schema: {
      examples: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
      pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
    },
  },
};

const nameOf = ({ id }: WebhookDescription) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Webhook`;
const pointerTo = (webhook: WebhookDescription) => ({ $ref: `#/components/schemas/${nameOf(webhook)}` });

/** The number of attempts, and the address. */
function deliveryOf({ endpoint, isSentOnce }: WebhookDescription): string {
  const untilTaken = 'until it gets a 2xx answer within ten seconds, at most 14 times in 72 hours';
  if (isSentOnce)
    return `Sent once to the merchant's \`${endpoint}\`, or to an additional endpoint. The caller that requested it learns whether it got a 2xx answer within five seconds`;
  if (endpoint === 'webhook_endpoint')
    return `Sent only to additional endpoints (\`addWebhookEndpoint\`), ${untilTaken}`;
  return `Sent to the merchant's \`${endpoint}\`, ${untilTaken}. Additional endpoints get the same body for each change`;
}

/** A webhook that a merchant's server receives. */
export function webhookOf(
  tag: string,
  webhook: WebhookDescription,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const { id, summary, details, callbackType, endpoint, body, isSentOnce } = webhook;
  // A webhook about a payment also contains the next step (see payments/transition/write-webhook.ts).
  schemas[nameOf(webhook)] = jsonSchemaOf(
    isSentOnce ? body : body.append({ next_step: maybe(nextStepFields.next_step) }),
  );
  const header = (name: string, description: string, schema: JsonSchema, required = true) => ({
    ...{ name, in: 'header', required, description },
    schema: { type: 'string', ...schema },
  });
  const isAtEndpointsAlone = endpoint === 'webhook_endpoint';
  const ofEvents = isAtEndpointsAlone
    ? 'The event type, as in the event feed'
    : 'The event type, as in the event feed. Only at additional endpoints';
  return {
    post: {
      operationId: id,
      tags: [tag],
      summary,
      description: `${details === undefined ? '' : `${details}. `}${deliveryOf(webhook)}.`,
      security: [],
      parameters: [
        header('X-Callback-Type', 'The kind of webhook', { enum: [callbackType] }),
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
        '2XX': { description: 'The webhook is delivered' },
        '4XX': {
          description: isSentOnce
            ? 'The webhook is not delivered'
            : 'The webhook is sent again, as after any other answer and after no answer',
        },
      },
    },
  };
}

/** The data of an event: the body of a webhook, even if no webhook is sent for it. */
export function eventDataOf(descriptions: readonly PartDescription[]): JsonSchema {
  const reported = descriptions.flatMap(({ webhooks }) => webhooks.filter(({ isSentOnce }) => !isSentOnce));
  return {
    description:
      'The body of the webhook for the same change, even if none is sent. The `callback_type` of the event names the schema',
    anyOf: reported.map(pointerTo),
  };
}
