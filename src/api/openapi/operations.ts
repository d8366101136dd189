/** The routes of the API as Operation Objects (OpenAPI 3.1). */
import Joi from 'joi';
import type { NotificationDescription } from '../../rail-kit/description';
import type { AnyEndpoint } from '../../rail-kit/endpoint';
import type { JsonSchema } from '../../rail-kit/field-notes';
import { jsonSchemaOf } from '../../rail-kit/json-schema';
import { ofNotifications, quotaHeaders, refusalResponses, refusalsOfEndpoint } from './refusals';

/** Named schemas, which operations point at. */
export type Schemas = Record<string, JsonSchema>;

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const ofEveryAnswer = { 'X-Request-Id': ref('headers', 'X-Request-Id') };
const requestId = ref('parameters', 'X-Request-Id');
const jsonContent = (schema: JsonSchema) => ({ 'application/json': { schema } });
const inPascalCase = (id: string) => id.charAt(0).toUpperCase() + id.slice(1);

/** Both keys, or what else tells who calls. */
const keys = { ApiKey: [], ApiSecret: [] };
const securityOf: Record<AnyEndpoint['access'], unknown[]> = {
  headers: [keys],
  keys: [keys],
  merchant_id: [{}, keys],
  anyone: [],
};
const bodyKeys = {
  api_key: Joi.string()
    .description('Instead of the X-API-Key header; the headers are recommended')
    .pattern(/^pk_(?:live|test)_[0-9A-Za-z]{24}$/)
    .example('pk_test_K3y000000000000000000000'),
  api_secret: Joi.string().description('Instead of the X-API-Secret header').max(100).example('sk_test_…'),
};

export function operationOf(tag: string, endpoint: AnyEndpoint, schemas: Schemas): JsonSchema {
  const { method, access, input, about } = endpoint;
  const starts = access !== 'anyone' && endpoint.starts && method === 'POST';
  const mayBeInBody = access === 'keys' && method === 'POST';
  const name = inPascalCase(about.id);
  schemas[`${name}Answer`] = jsonSchemaOf(about.answer);
  const taken = partsOf(jsonSchemaOf(mayBeInBody ? input.keys(bodyKeys) : input), namesIn(endpoint.path));
  if (method === 'POST') schemas[`${name}Request`] = taken.besides;
  return {
    operationId: about.id,
    tags: [tag],
    summary: about.summary,
    ...(about.details !== undefined && { description: about.details }),
    security: mayBeInBody ? [keys, {}] : securityOf[access],
    ...(endpoint.access !== 'anyone' && { 'x-required-scope': endpoint.scope }),
    ...(method === 'GET' && oneOf(taken.besides)),
    parameters: [
      requestId,
      ...(starts ? [ref('parameters', 'Idempotency-Key')] : []),
      ...parametersOf(taken.inPath, 'path'),
      ...(method === 'GET' ? parametersOf(taken.besides, 'query') : []),
    ],
    ...(method === 'POST' && {
      requestBody: { required: true, content: jsonContent(ref('schemas', `${name}Request`)) },
    }),
    responses: {
      '200': {
        description: 'Taken and answered; see the body',
        headers: {
          ...ofEveryAnswer,
          ...(access !== 'anyone' && quotaHeaders),
          ...(starts && { 'Idempotent-Replayed': ref('headers', 'Idempotent-Replayed') }),
        },
        content: { ...jsonContent(ref('schemas', `${name}Answer`)), ...filesOf(about.otherForms) },
      },
      ...refusalResponses(refusalsOfEndpoint(endpoint), {
        ...(about.refusalFields && { fields: about.refusalFields }),
        isCounted: access !== 'anyone',
      }),
    },
  };
}

/** Parameters of which one has to be there: OpenAPI has no word for that. */
function oneOf({ anyOf }: JsonSchema): JsonSchema {
  const alternatives = (anyOf ?? []) as { required?: string[] }[];
  const names = alternatives.flatMap(({ required = [] }) => required);
  return names.length === 0 ? {} : { 'x-one-of': names };
}

function filesOf(forms: Record<string, string> = {}): JsonSchema {
  return Object.fromEntries(
    Object.entries(forms).map(([type, description]) => [type, { schema: { type: 'string', description } }]),
  );
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** What of a schema the path names, and the rest. */
function partsOf(schema: JsonSchema, named: readonly string[]): Record<'inPath' | 'besides', JsonSchema> {
  const { properties = {}, required = [], ...others } = schema;
  const part = (isWanted: (name: string) => boolean): JsonSchema => {
    const needed = (required as string[]).filter(isWanted);
    return {
      ...others,
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, JsonSchema>).filter(([name]) => isWanted(name)),
      ),
      ...(needed.length > 0 && { required: needed }),
    };
  };
  const inPath = part((name) => named.includes(name));
  return { inPath, besides: named.length === 0 ? schema : part((name) => !named.includes(name)) };
}

/** The fields of a schema as parameters. Neither a query nor a path says anything but texts. */
function parametersOf({ properties = {}, required = [] }: JsonSchema, place: 'query' | 'path'): JsonSchema[] {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, told]) => {
    const { description, type, enum: words, ...schema } = told;
    return {
      name,
      in: place,
      required: (required as string[]).includes(name),
      ...(description !== undefined && { description }),
      schema: {
        ...(type !== undefined && { type: [type].flat().find((one) => one !== 'null') }),
        ...(Array.isArray(words) && { enum: words.filter((word) => word !== null) as unknown[] }),
        ...schema,
      },
    };
  });
}

/** A route on which a provider, or a browser, calls. */
export function notificationOperationOf(
  tag: string,
  { method, path }: { method: string; path: string },
  about: NotificationDescription,
): JsonSchema {
  return {
    operationId: about.id,
    tags: [tag],
    summary: about.summary,
    ...(about.details !== undefined && { description: about.details }),
    security: [],
    parameters: [
      requestId,
      ...namesIn(path).map((name) => ({
        name,
        in: 'path',
        required: true,
        description: 'A random text that says what is meant',
        schema: { type: 'string', examples: ['5f2b…'] },
      })),
      ...parametersOf(jsonSchemaOf(Joi.object(about.query ?? {})), 'query'),
    ],
    ...(method === 'POST' && {
      requestBody: { description: "The provider's own body", content: { '*/*': { schema: {} } } },
    }),
    responses: notificationResponses(about),
  };
}

function notificationResponses({ answers, refusals }: NotificationDescription): JsonSchema {
  const responses: JsonSchema = refusalResponses([...ofNotifications, ...refusals]);
  for (const [status, { about, json, form }] of Object.entries(answers)) {
    const own = json ? jsonSchemaOf(json) : { type: 'string' };
    const refused = responses[status] as
      { description: string; content: Record<string, { schema: JsonSchema }> } | undefined;
    const told = {
      description: about,
      headers: {
        ...ofEveryAnswer,
        ...(status === '302' && { Location: ref('headers', 'Location') }),
      },
      ...((json ?? form) && { content: { [form ?? 'application/json']: { schema: own } } }),
    };
    // Some refusals are in the provider's shape, and some in ours.
    responses[status] = refused
      ? {
          ...refused,
          description: `${about}. ${refused.description}`,
          content: jsonContent({ anyOf: [own, refused.content['application/json']?.schema] }),
        }
      : told;
  }
  return responses;
}
