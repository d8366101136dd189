/** The OpenAPI 3.1 description of the API, built from the routes, schemas and tables that the service runs on. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import Joi from 'joi';
import type { NotificationDescription, PartDescription, JsonSchema } from '../../rail-kit/description';
import type { AnyEndpoint } from '../../rail-kit/endpoint';
import type { NotificationRoute } from '../../rail-kit/rail';
import { deprecatedIn, deprecations, type Deprecations } from '../deprecations';
import type { Handler, Route } from '../routes';
import {
  notificationOperationOf,
  operationOf,
  errorCodeSchema,
  errorSchema,
  type Schemas,
} from './operations';
import { eventDataOf, webhookOf } from './webhooks';

/** A group of endpoints that is described together: a rail, or the endpoints of no rail. */
export interface DescribedPart {
  name: string;
  endpoints: AnyEndpoint[];
  notificationRoutes: NotificationRoute[];
  description: PartDescription;
}

const fixedRoutes: { path: string; about: NotificationDescription }[] = [
  {
    path: '/healthz',
    about: {
      id: 'health',
      summary: 'Check that the API is alive',
      answers: {
        200: {
          about: 'The API is alive',
          json: Joi.object({ status: Joi.string().valid('alive').required() }),
        },
      },
      errors: [],
    },
  },
  {
    path: '/openapi.json',
    about: {
      id: 'description',
      summary: 'Get this OpenAPI description',
      answers: {
        200: { about: 'The description, in OpenAPI 3.1', json: Joi.object().unknown() },
        304: { about: 'The description still matches the If-None-Match header' },
      },
      errors: [],
    },
  },
];

const info = {
  title: 'Malipo',
  version: '1.0.0',
  summary: 'Collects money from customers and pays money out, on several rails',
  description: [
    'The answer to a request that starts a payment is an acceptance. It does not prove that the payment was paid. Webhooks',
    'and the status endpoints report the outcome. The same webhook may arrive twice. Do not send a new request because',
    'an answer or a webhook is late: query the status, or repeat the request with the same `Idempotency-Key`.',
    '\n\nRequests may contain unknown fields, which are ignored. Answers may get additional fields. `null` and an empty text',
    'mean that a field is absent. Every error has the body `Error` with one of the codes of `ErrorCode`.',
  ].join(' '),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const text = (example: string, keywords: JsonSchema = {}) => ({
  type: 'string',
  ...keywords,
  examples: [example],
});
const aUuid = '01890a5d-ac96-774b-bcce-b302099a8057';

const ofKeys = 'Sent on each answer to an authenticated call that counts against the limit';

/** For tools that show merchants which endpoints to call. */
const byOthers = { 'x-called-by': 'providers and browsers' };

const components = {
  securitySchemes: {
    ApiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'The public key: `pk_live_…`, or `pk_test_…` in the sandbox',
    },
    ApiSecret: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Secret',
      description: 'The secret of the key: `sk_live_…`, or `sk_test_…` in the sandbox',
    },
  },
  parameters: {
    'X-Request-Id': {
      name: 'X-Request-Id',
      in: 'header',
      required: false,
      description:
        'Your own id of the request. It is used if it has 8 to 80 letters, digits, `.`, `_` or `-`, and no nine digits in a row outside a UUID or trace id',
      schema: text(aUuid),
    },
    'Idempotency-Key': {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'A repeat with the same key and body gets the first answer again, for 30 days. Another body or endpoint gets 422. Always send one',
      schema: text(aUuid, { minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' }),
    },
  },
  headers: {
    'X-Request-Id': {
      description: 'The id of the request. Use it to find the request in the log',
      required: true,
      schema: text(aUuid),
    },
    'Idempotent-Replayed': {
      description: '`true` if this is the answer to an earlier request with the same Idempotency-Key',
      schema: text('true', { enum: ['true'] }),
    },
    'Retry-After': {
      description: 'Seconds to wait before you retry the request',
      required: true,
      schema: text('5', { pattern: '^\\d+$' }),
    },
    'RateLimit-Limit': {
      description: `Calls per minute that the limit of the endpoint allows. ${ofKeys}`,
      schema: text('100', { pattern: '^\\d+$' }),
    },
    'RateLimit-Remaining': {
      description: `Calls that are still allowed right now. ${ofKeys}`,
      schema: text('99', { pattern: '^\\d+$' }),
    },
    'RateLimit-Reset': {
      description: `Seconds until the full burst is allowed again, if no call is made meanwhile. ${ofKeys}`,
      schema: text('61', { pattern: '^\\d+$' }),
    },
    Allow: {
      description: 'The methods that the path accepts',
      required: true,
      schema: text('GET'),
    },
    Location: {
      description: 'The address to which the browser is redirected',
      required: true,
      schema: text('https://shop.example/paid'),
    },
  },
};

/**
 * @param server the address of the API, such as `http://127.0.0.1:3000`.
 * @param going the deprecations; by default those of this build.
 */
export function describeApi(
  parts: readonly DescribedPart[],
  server: string,
  going: Deprecations = deprecations,
): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const schemas: Schemas = { Error: errorSchema, ErrorCode: errorCodeSchema };
  const add = ({ method, path }: { method: string; path: string }, operation: JsonSchema) => {
    const templated = path.replace(/:(\w+)/g, '{$1}');
    (paths[templated] ??= {})[method.toLowerCase()] = operation;
  };
  for (const { name, endpoints, notificationRoutes } of parts) {
    for (const endpoint of endpoints) {
      const operation = operationOf(name, endpoint, schemas);
      const gone = going[`${endpoint.method} ${endpoint.path}`];
      add(endpoint, gone ? deprecatedIn(operation, gone) : operation);
    }
    for (const route of notificationRoutes)
      add(route, { ...notificationOperationOf(name, route, route.about), ...byOthers });
  }
  for (const { path, about } of fixedRoutes) {
    add({ method: 'GET', path }, notificationOperationOf('service', { method: 'GET', path }, about));
    add({ method: 'HEAD', path }, headOf(path, about));
  }
  const webhooks = parts.flatMap(({ name, description }) =>
    description.webhooks.map((webhook) => [webhook.id, webhookOf(name, webhook, schemas)] as const),
  );
  schemas['EventData'] = eventDataOf(parts.map(({ description }) => description));
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: server }],
    tags: [
      ...parts.map(({ name, description }) => ({ name, description: description.about })),
      { name: 'service', description: 'The service itself' },
    ],
    paths,
    webhooks: Object.fromEntries(webhooks),
    components: {
      ...components,
      responses: shareResponses(Object.values(paths).flatMap((methods) => Object.values(methods))),
      schemas,
    },
  };
}

/** The same as GET, without a body. */
function headOf(path: string, about: NotificationDescription): JsonSchema {
  const operation = notificationOperationOf(
    'service',
    { method: 'HEAD', path },
    { ...about, id: `${about.id}Head` },
  );
  const responses = Object.entries(operation['responses'] as Record<string, JsonSchema>).map(
    ([status, { content: _, ...response }]) => [status, response],
  );
  return { ...operation, responses: Object.fromEntries(responses) as JsonSchema };
}

interface Operation {
  responses: Record<string, JsonSchema>;
}

/**
 * Moves responses that several operations share to one place, and replaces them with references.
 * @returns the shared responses by name.
 */
function shareResponses(operations: readonly JsonSchema[]): Record<string, JsonSchema> {
  const all = operations.map((operation) => (operation as unknown as Operation).responses);
  const times = new Map<string, number>();
  for (const text of all.flatMap((responses) => Object.values(responses).map(asText))) {
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const shared: Record<string, JsonSchema> = {};
  for (const responses of all) {
    for (const [status, response] of Object.entries(responses)) {
      const text = asText(response);
      if ((times.get(text) ?? 0) < 2) continue;
      const name = names.get(text) ?? freeName(shared, status);
      names.set(text, name);
      shared[name] = response;
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return shared;
}

const asText = (response: JsonSchema) => JSON.stringify(response);

function freeName(taken: Record<string, unknown>, status: string): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? `Answer${status}` : `Answer${status}v${String(n)}`;
    if (!(name in taken)) return name;
  }
}

// `/openapi.json`: built at the first request, then served from memory.

const openApiPath = '/openapi.json';

interface Written {
  plain: Buffer;
  packed: Buffer;
  etag: string;
}

function write(parts: readonly DescribedPart[], server: string, going?: Deprecations): Written {
  const plain = Buffer.from(JSON.stringify(describeApi(parts, server, going)));
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 27);
  // A weak tag, because the compressed form has other bytes.
  return { plain, packed: gzipSync(plain), etag: `W/"${hash}"` };
}

/** @param server the public address of the API. */
export function openApiRoutes(
  parts: readonly DescribedPart[],
  server: string,
  going?: Deprecations,
): Route[] {
  let written: Written | undefined;
  const handle: Handler = (request, response) => {
    const { plain, packed, etag } = (written ??= write(parts, server, going));
    response.setHeader('Cache-Control', 'public, max-age=300');
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('ETag', etag);
    if (request.headers['if-none-match'] === etag) {
      response.status(304).end();
      return Promise.resolve();
    }
    const takesPacked = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    if (takesPacked) response.setHeader('Content-Encoding', 'gzip');
    response.status(200).end(takesPacked ? packed : plain);
    return Promise.resolve();
  };
  return (['GET', 'HEAD'] as const).map((method) => ({ method, path: openApiPath, handle }));
}
