/** The routes of the API as Operation Objects (OpenAPI 3.1). */
import Joi from 'joi';
import { errorResponses, PaymentError, type ErrorCode } from '../../domain/errors';
import { keyScopes } from '../../merchants/api-keys';
import type { NotificationDescription, JsonSchema } from '../../rail-kit/description';
import type { AnyEndpoint } from '../../rail-kit/endpoint';
import { jsonSchemaOf, refusalsOf } from '../../rail-kit/json-schema';

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

// With which codes an endpoint refuses, and what such an answer looks like.

const anywhere: ErrorCode[] = [
  'INVALID_QUERY',
  'METHOD_NOT_ALLOWED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];
const ofBodies: ErrorCode[] = ['INVALID_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const ofKeys: ErrorCode[] = [
  ...(['CREDENTIALS_REQUIRED', 'INVALID_CREDENTIALS', 'KEY_OF_OTHER_ENVIRONMENT'] as const),
  ...(['IP_NOT_ALLOWED', 'ACCOUNT_SUSPENDED', 'ACCOUNT_INACTIVE', 'RATE_LIMITED', 'SCOPE_REQUIRED'] as const),
];
const ofAccess: Record<AnyEndpoint['access'], ErrorCode[]> = {
  keys: ofKeys,
  headers: ofKeys,
  merchant_id: [...ofKeys, 'INACTIVE_MERCHANT', 'SERVICE_BUSY'],
  anyone: ['RATE_LIMITED'],
};
const ofStarts: ErrorCode[] = [
  ...(['VALIDATION_FAILED', 'REQUEST_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const),
  ...(['SERVICE_BUSY', 'ACCEPTANCE_UNKNOWN'] as const),
];
/** Of what is called by providers and by browsers. */
const ofNotifications: ErrorCode[] = [
  ...anywhere,
  ...(['INVALID_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'] as const),
];

function refusalsOfEndpoint(endpoint: AnyEndpoint): ErrorCode[] {
  const { input, method, access, about, translateError } = endpoint;
  const takesFields = Object.keys(input.describe()['keys'] as object).length > 0;
  const codes: ErrorCode[] = [
    ...anywhere,
    ...(method === 'POST' ? ofBodies : []),
    ...(takesFields ? (['VALIDATION_FAILED'] as const) : []),
    ...refusalsOf(input),
    ...ofAccess[access],
    ...(access !== 'anyone' && endpoint.starts ? ofStarts : []),
    ...about.refusals,
  ];
  return codes.map((code) => translateError?.(new PaymentError(code)).code ?? code);
}

const names = (about: string, example: string, max = 1_000) =>
  Joi.string().max(max).description(about).example(example);
const aUuid = '01890a5d-ac96-774b-bcce-b302099a8057';

/** Everybody's error body; see `errorBody`. */
export const errorSchema: JsonSchema = jsonSchemaOf(
  Joi.object({
    success: Joi.boolean().valid(false).required().description('The request was refused').example(false),
    error: names('A sentence for a person', 'Payment not found').required(),
    message: names('The same sentence', 'Payment not found').required(),
    code: Joi.string()
      .required()
      .meta({ openapi: { $ref: '#/components/schemas/ErrorCode' } }),
    request_id: names('Also the X-Request-Id header; tell it when you ask us', aUuid, 80).required(),
    timestamp: names("YYYY-MM-DD HH:MM:SS, in the service's time zone", '2026-01-05 12:00:00').required(),
    timestamp_utc: names('The same moment, ISO 8601 in UTC', '2026-01-05T09:00:00.000Z'),
    details: Joi.array()
      .items(
        Joi.object({
          field: names(
            'The field, as `billing_address.phone_number` or `payouts.3.amount`',
            'amount',
          ).required(),
          message: names('What is wrong with it', 'amount is required').required(),
        }),
      )
      .description('Every faulty field of the request at once'),
    doc_url: names(
      'What the code means and what to do about it, where the deployment names its documentation',
      'https://docs.pay.example.com/errors.html#PAYMENT_NOT_FOUND',
    ),
    payment_id: names(
      'The payment that the refusal is about, where one was written or exists already',
      aUuid,
    ),
  }),
);

const reachedLimit = {
  limit: names('Which limit on what goes out is reached', 'daily'),
  limit_amount: names('How much may go out. Decimal text', '100000.00'),
  limit_currency: names('Its currency. ISO 4217', 'KES'),
  frees_at: names(
    'From when there is room for this payout, where that is known. ISO 8601, UTC',
    '2026-01-06T00:00:00.000Z',
  ),
};

const lackedScope = {
  required_scope: Joi.string()
    .valid(...keyScopes)
    .description('What the key would have to be allowed, where that is the reason')
    .example('payout'),
};

export const errorCodeSchema: JsonSchema = {
  type: 'string',
  enum: Object.keys(errorResponses),
  description: Object.entries(errorResponses)
    .map(([code, { status, message }]) => `- \`${code}\` (${String(status)}): ${message}`)
    .join('\n'),
};

const retryAfter: readonly number[] = [429, 503, 504];

/** What is left of the merchant's limit. */
const quotaHeaders = Object.fromEntries(
  ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]),
);

interface RefusalOptions {
  /** What they tell beside what all of them do. */
  fields?: Record<string, Joi.AnySchema>;
  /** Calls with keys are counted, and told what is left. */
  isCounted?: boolean;
}

/** The refusals by status, as Response Objects. */
function refusalResponses(
  codes: readonly ErrorCode[],
  options: RefusalOptions = {},
): Record<string, JsonSchema> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = errorResponses[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code].sort());
  }
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [String(status), refusalResponse(status, ofStatus, options)]),
  );
}

function refusalResponse(
  status: number,
  codes: ErrorCode[],
  { fields, isCounted = false }: RefusalOptions,
): JsonSchema {
  const further = {
    ...(codes.includes('OUTFLOW_LIMIT_REACHED') ? reachedLimit : {}),
    ...(codes.includes('SCOPE_REQUIRED') ? lackedScope : {}),
    ...fields,
  };
  const own = jsonSchemaOf(Joi.object({ code: Joi.string().valid(...codes), ...further }));
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(isCounted && status === 429 && quotaHeaders),
      ...(retryAfter.includes(status) && { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }),
      ...(status === 405 && { Allow: { $ref: '#/components/headers/Allow' } }),
    },
    content: {
      'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Error' }, own] } },
    },
  };
}
