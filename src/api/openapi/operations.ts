/** The routes of the API as Operation Objects (OpenAPI 3.1). */
import Joi from 'joi';
import { errorResponses, PaymentError, type ErrorCode } from '../../domain/errors';
import { keyScopes } from '../../merchants/api-keys';
import type { NotificationDescription, JsonSchema } from '../../rail-kit/description';
import type { AnyEndpoint } from '../../rail-kit/endpoint';
import { jsonSchemaOf, errorCodesOfSchema } from '../../rail-kit/json-schema';

/** Named schemas, to which operations refer. */
export type Schemas = Record<string, JsonSchema>;

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const ofEveryAnswer = { 'X-Request-Id': ref('headers', 'X-Request-Id') };
const requestId = ref('parameters', 'X-Request-Id');
const jsonContent = (schema: JsonSchema) => ({ 'application/json': { schema } });
const inPascalCase = (id: string) => id.charAt(0).toUpperCase() + id.slice(1);

/** Both keys, or the other ways to identify the caller. */
const keys = { ApiKey: [], ApiSecret: [] };
const securityOf: Record<AnyEndpoint['access'], unknown[]> = {
  headers: [keys],
  keys: [keys],
  merchant_id: [{}, keys],
  anyone: [],
};
const bodyKeys = {
  api_key: Joi.string()
    .description('Instead of the X-API-Key header. Headers are recommended')
    .pattern(/^pk_(?:live|test)_[0-9A-Za-z]{24}$/)
    .example('pk_test_K3y000000000000000000000'),
  api_secret: Joi.string().description('Instead of the X-API-Secret header').max(100).example('sk_test_…'),
};

/** In the sandbox each POST may say what is probably wrong in it. */
function withWarnings(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (properties === undefined) return schema;
  return { ...schema, properties: { ...properties, warnings } };
}

const warnings: JsonSchema = {
  type: 'array',
  description:
    'Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents',
  items: { type: 'string', maxLength: 1000 },
  maxItems: 20,
  examples: [['Currency was ignored: did you mean currency?']],
};

export function operationOf(tag: string, endpoint: AnyEndpoint, schemas: Schemas): JsonSchema {
  const { method, access, input, about } = endpoint;
  const starts = access !== 'anyone' && endpoint.starts && method === 'POST';
  const mayBeInBody = access === 'keys' && method === 'POST';
  const name = inPascalCase(about.id);
  const answer = jsonSchemaOf(about.answer);
  schemas[`${name}Answer`] = method === 'POST' && access !== 'anyone' ? withWarnings(answer) : answer;
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
        description: 'The request succeeded',
        headers: {
          ...ofEveryAnswer,
          ...(access !== 'anyone' && quotaHeaders),
          ...(starts && { 'Idempotent-Replayed': ref('headers', 'Idempotent-Replayed') }),
        },
        content: { ...jsonContent(ref('schemas', `${name}Answer`)), ...filesOf(about.otherForms) },
      },
      ...describedErrors(errorCodesOfEndpoint(endpoint), {
        ...(about.problemFields && { fields: about.problemFields }),
        isCounted: access !== 'anyone',
      }),
    },
  };
}

/** Parameters of which at least one is required. OpenAPI cannot express this. */
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

/** Splits a schema into the fields in the path and the rest. */
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

/** The fields of a schema as parameters. Values in a query or path are always texts. */
function parametersOf({ properties = {}, required = [] }: JsonSchema, place: 'query' | 'path'): JsonSchema[] {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, reported]) => {
    const { description, type, enum: words, ...schema } = reported;
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

/** A route that a provider or a browser calls. */
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
        description: 'A random token that identifies the subject',
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

function notificationResponses({ answers, errors }: NotificationDescription): JsonSchema {
  const responses: JsonSchema = describedErrors([...ofNotifications, ...errors]);
  for (const [status, { about, json, form }] of Object.entries(answers)) {
    const own = json ? jsonSchemaOf(json) : { type: 'string' };
    const refused = responses[status] as
      { description: string; content: Record<string, { schema: JsonSchema }> } | undefined;
    const reported = {
      description: about,
      headers: {
        ...ofEveryAnswer,
        ...(status === '302' && { Location: ref('headers', 'Location') }),
      },
      ...((json ?? form) && { content: { [form ?? 'application/json']: { schema: own } } }),
    };
    // Some errors have the provider's shape, and some have ours.
    responses[status] = refused
      ? {
          ...refused,
          description: `${about}. ${refused.description}`,
          content: jsonContent({ anyOf: [own, refused.content['application/json']?.schema] }),
        }
      : reported;
  }
  return responses;
}

// The error codes of an endpoint, and the shape of its error answers.

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
/** The codes of routes that providers and browsers call. */
const ofNotifications: ErrorCode[] = [
  ...anywhere,
  ...(['INVALID_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'] as const),
];

function errorCodesOfEndpoint(endpoint: AnyEndpoint): ErrorCode[] {
  const { input, method, access, about, translateError } = endpoint;
  const takesFields = Object.keys(input.describe()['keys'] as object).length > 0;
  const codes: ErrorCode[] = [
    ...anywhere,
    ...(method === 'POST' ? ofBodies : []),
    ...(takesFields ? (['VALIDATION_FAILED'] as const) : []),
    ...errorCodesOfSchema(input),
    ...ofAccess[access],
    ...(access !== 'anyone' && endpoint.starts ? ofStarts : []),
    ...about.errors,
  ];
  return codes.map((code) => translateError?.(new PaymentError(code)).code ?? code);
}

const names = (about: string, example: string, max = 1_000) =>
  Joi.string().max(max).description(about).example(example);
const aUuid = '01890a5d-ac96-774b-bcce-b302099a8057';

/** The common error body; see `errorBody`. */
export const errorSchema: JsonSchema = jsonSchemaOf(
  Joi.object({
    success: Joi.boolean().valid(false).required().description('The request was rejected').example(false),
    error: names('The error as a sentence', 'Payment not found').required(),
    message: names('The same sentence', 'Payment not found').required(),
    code: Joi.string()
      .required()
      .meta({ openapi: { $ref: '#/components/schemas/ErrorCode' } }),
    request_id: names(
      'Also the X-Request-Id header. Include it when you contact support',
      aUuid,
      80,
    ).required(),
    timestamp: names("YYYY-MM-DD HH:MM:SS, in the service's time zone", '2026-01-05 12:00:00').required(),
    timestamp_utc: names('The same time, ISO 8601 in UTC', '2026-01-05T09:00:00.000Z'),
    details: Joi.array()
      .items(
        Joi.object({
          field: names(
            'The field, such as `billing_address.phone_number` or `payouts.3.amount`',
            'amount',
          ).required(),
          message: names('The problem with the field', 'amount is required').required(),
        }),
      )
      .description('Every invalid field of the request'),
    doc_url: names(
      'The page that explains the code and what to do, if the deployment configures its documentation address',
      'https://docs.pay.example.com/errors.html#PAYMENT_NOT_FOUND',
    ),
    payment_id: names('The payment that this error concerns, if one exists', aUuid),
  }),
);

const reachedLimit = {
  limit: names('The outflow limit that is reached', 'daily'),
  limit_amount: names('The amount of the limit. Decimal text', '100000.00'),
  limit_currency: names('The currency of the limit. ISO 4217', 'KES'),
  frees_at: names(
    'When the limit has room for this payout, if known. ISO 8601, UTC',
    '2026-01-06T00:00:00.000Z',
  ),
};

const lackedScope = {
  required_scope: Joi.string()
    .valid(...keyScopes)
    .description('The scope that the key lacks, if that is the reason')
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

/** The rest of the merchant's rate limit. */
const quotaHeaders = Object.fromEntries(
  ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]),
);

interface DescribedErrorOptions {
  /** Additional fields of these errors. */
  fields?: Record<string, Joi.AnySchema>;
  /** Authenticated calls count against a limit, and report what is left of it. */
  isCounted?: boolean;
}

/** The errors by status, as Response Objects. */
function describedErrors(
  codes: readonly ErrorCode[],
  options: DescribedErrorOptions = {},
): Record<string, JsonSchema> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = errorResponses[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code].sort());
  }
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [String(status), describedError(status, ofStatus, options)]),
  );
}

function describedError(
  status: number,
  codes: ErrorCode[],
  { fields, isCounted = false }: DescribedErrorOptions,
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
