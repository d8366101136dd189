/** The API as a Postman collection (format v2.1), generated from the description. */
import type { JsonSchema } from '../../src/rail-kit/description';
import type { Description } from './reference';
import { exampleBody, type Schemas } from './schema-rows';

const variables = [
  { key: 'base_url', value: 'http://127.0.0.1:3000' },
  { key: 'api_key', value: '' },
  { key: 'api_secret', value: '' },
  { key: 'merchant_id', value: '' },
];
const keyHeaders = [
  { key: 'X-API-Key', value: '{{api_key}}' },
  { key: 'X-API-Secret', value: '{{api_secret}}' },
];

/** They are sent as headers. */
const credentials = ['api_key', 'api_secret'];

type Operation = Description['paths'][string][string];

export function postmanCollection(description: Description) {
  const operations = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item)
      // What providers and browsers call is nothing for a merchant to send.
      .filter(([method, operation]) => method !== 'head' && !('x-called-by' in operation))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return {
    info: {
      name: 'Malipo',
      description: description.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: variables,
    item: description.tags
      .map(({ name, description: about }) => ({
        name,
        description: about,
        item: operations
          .filter(({ operation }) => operation.tags.includes(name))
          .map(({ method, path, operation }) => itemOf(method, path, operation, description)),
      }))
      .filter(({ item }) => item.length > 0),
  };
}

function itemOf(method: string, path: string, operation: Operation, { components }: Description) {
  const {
    operationId,
    summary,
    description: details,
    parameters = [],
    requestBody,
    security = [],
  } = operation;
  const own = parameters.flatMap((one) => ('$ref' in one ? [] : [one]));
  const exampleOf = ({ schema }: (typeof own)[number]) => {
    const [first] = Array.isArray(schema?.['examples']) ? (schema['examples'] as unknown[]) : [];
    return typeof first === 'string' ? first : '';
  };
  const inPath = own.filter((one) => one.in === 'path');
  const inQuery = own.filter((one) => one.in === 'query');
  // If one of several is required, the first.
  const [needed] = operation['x-one-of'] ?? [];
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'));
  const schema = requestBody?.content['application/json']?.schema;
  const takesKey = parameters.some((one) => '$ref' in one && one.$ref.endsWith('/Idempotency-Key'));
  return {
    name: summary,
    id: operationId,
    request: {
      method,
      ...(details !== undefined && { description: details }),
      header: [
        ...(security.some((one) => Object.keys(one).length > 0) ? keyHeaders : []),
        ...(takesKey ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
        ...(schema === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ],
      url: {
        raw: `{{base_url}}/${segments.join('/')}`,
        host: ['{{base_url}}'],
        path: segments,
        variable: inPath.map((one) => ({ key: one.name, value: exampleOf(one) })),
        query: inQuery.map((one) => ({
          key: one.name,
          value: exampleOf(one),
          ...(one.description !== undefined && { description: one.description }),
          disabled: one.required !== true && one.name !== needed,
        })),
      },
      ...(schema !== undefined && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(bodyOf(schema, components.schemas), null, 2),
        },
      }),
    },
  };
}

/** Values without a useful example: each merchant has its own, or each request a new one. */
const ownValues: Readonly<Record<string, string>> = {
  merchant_id: '{{merchant_id}}',
  order_id: 'ORDER-{{$guid}}',
  merchant_ref: 'ORDER-{{$guid}}',
};

/** The examples of its fields. */
function bodyOf(schema: JsonSchema, schemas: Schemas): unknown {
  const body = exampleBody(schema, schemas, (name) => !credentials.includes(name));
  return JSON.parse(JSON.stringify(body), (name, value: unknown) => ownValues[name] ?? value);
}
