import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorResponses } from '../../../../src/domain/errors';
import { committedDescription, servedApi } from '../../../../tools/docs-site/served-api';
import { faultsOfAnswer } from '../../../support/described-answers';
import { serve, type Served } from '../../../support/api/serve';

type Json = Record<string, unknown>;
interface Operation {
  operationId: string;
  security: object[];
  parameters: Json[];
  responses: Record<string, Json>;
}

const committed = readFileSync(join(__dirname, '..', '..', '..', '..', 'docs', 'openapi.json'), 'utf8');
const description = JSON.parse(committed) as Json & {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; responses: Json };
};
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    ...operation,
  })),
);

describe('the description of the API', () => {
  let api: Served;
  const parts = servedApi();
  beforeAll(async () => {
    const [own, ...rails] = parts;
    api = await serve({
      endpoints: own?.endpoints ?? [],
      rails: rails.map((rail) => ({ ...rail, unauthenticatedEndpoints: [] })),
    });
  });
  afterAll(() => api.close());

  it('is committed as generated: npm run openapi', () => {
    expect(committed).toBe(`${JSON.stringify(committedDescription(), null, 2)}\n`);
  });

  it('has each mounted route with each of its methods, and no other', async () => {
    const served = await Promise.all(
      api.routes().map(async (path) => {
        const { headers } = await fetch(api.url + path.replace(/:\w+/g, 'x'), { method: 'DELETE' });
        return (headers.get('allow') ?? '').split(', ').map((method) => `${method} ${path}`);
      }),
    );
    const described = operations.map(({ name }) => name.replace(/\{(\w+)\}/g, ':$1'));
    expect(described.sort()).toEqual(served.flat().sort());
  });

  it('has unique operation ids', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('has every error code with its sentence, and each on an operation that answers it', () => {
    const { enum: codes, description: reported } = description.components.schemas['ErrorCode'] as {
      enum: string[];
      description: string;
    };
    expect(codes).toEqual(Object.keys(errorResponses));
    const unreported = Object.entries(errorResponses).filter(
      ([code, { status, message }]) => !reported.includes(`- \`${code}\` (${String(status)}): ${message}`),
    );
    expect(unreported).toEqual([]);
    const responses = JSON.stringify([
      operations.map((operation) => operation.responses),
      description.components.responses,
    ]);
    // Codes without an operation are answered outside of every path.
    const nowhere = codes.filter((code) => !responses.includes(`"${code}"`));
    expect(nowhere).toEqual(['NOT_FOUND']);
  });

  it('has a sentence and an example for each field', () => {
    const bare = [
      ...Object.entries(description.components.schemas).flatMap(([name, schema]) => bareFields(name, schema)),
      ...operations.flatMap(({ name, parameters }) =>
        parameters.flatMap((parameter) => {
          const { $ref, name: called, description: about, schema } = parameter;
          const isReported = $ref !== undefined || (about !== undefined && hasExample(schema as Json));
          return isReported ? [] : [`${name} ${String(called)}`];
        }),
      ),
    ];
    expect(bare).toEqual([]);
  });

  it('has limits for each field: length, amount, number of items', () => {
    const unlimited = [
      ...Object.entries(description.components.schemas).flatMap(([name, schema]) =>
        withoutLimit(name, schema),
      ),
      // For merchants' requests: the providers' own queries are not ours.
      ...operations
        .filter(({ security }) => security.length > 0)
        .flatMap(({ name, parameters }) =>
          parameters.flatMap((one) =>
            withoutLimit(`${name} ${String(one['name'])}`, (one['schema'] ?? {}) as Json),
          ),
        ),
    ];
    // As many as faults of the request, refunds of the payment, and networks or currencies.
    expect(
      [...new Set(unlimited)].filter((place) => !withoutNumber.some((end) => place.endsWith(end))),
    ).toEqual([]);
  });

  it('says for each amount its unit', () => {
    const unreported = Object.entries(description.components.schemas)
      .flatMap(([name, schema]) => amountsIn(name, schema))
      .filter(([, { description: about }]) => !/units|Decimal text|ISO 4217/.test(String(about)));
    expect(unreported.map(([place]) => place)).toEqual([]);
  });

  it('has the data of events, and the webhooks of additional endpoints', () => {
    const { anyOf } = description.components.schemas['EventData'] as { anyOf: { $ref: string }[] };
    const reported = anyOf.map(({ $ref }) => $ref.split('/').at(-1));
    expect(reported).toEqual(expect.arrayContaining(['StkPushEventWebhook', 'HostedCheckoutUpdateWebhook']));
    const { webhooks } = description as unknown as { webhooks: Record<string, { post: Operation }> };
    const headers = Object.entries(webhooks).map(([id, { post }]) => [
      id,
      post.parameters.some(({ name }) => name === 'X-Event-Type'),
    ]);
    expect(headers.filter(([, hasType]) => hasType === false)).toEqual([['test', false]]);
  });

  it('is served to everyone, and not again to a client that has it', async () => {
    const first = await fetch(`${api.url}/openapi.json`);
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await first.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://127.0.0.1' }] });
    const etag = first.headers.get('etag') ?? '';
    const headers = { 'If-None-Match': etag };
    const second = await fetch(`${api.url}/openapi.json`, { headers });
    expect([second.status, await second.text()]).toEqual([304, '']);
    const head = await fetch(`${api.url}/openapi.json`, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
    const plain = await fetch(`${api.url}/openapi.json`, { headers: { 'Accept-Encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.json()).toHaveProperty('paths');
  });
});

const withoutNumber = [
  'Error.details',
  'StkPushAnswer.warnings',
  '.timeline',
  '.refunds',
  '.providers',
  '.totals',
  // Accounts have rails and countries.
  'StatementAnswer.accounts',
];

/** The places in a schema without a limit for a text, a number or a list. */
function withoutLimit(place: string, schema: Json): string[] {
  if ('$ref' in schema || 'not' in schema) return [];
  const has = (...keywords: string[]) => keywords.some((keyword) => keyword in schema);
  const types = [schema['type']].flat();
  const isBare =
    (types.includes('string') && !has('maxLength', 'pattern', 'enum', 'format')) ||
    ((types.includes('number') || types.includes('integer')) &&
      !(has('enum') || (has('minimum', 'exclusiveMinimum') && has('maximum')))) ||
    (types.includes('array') && !has('maxItems'));
  return [
    ...(isBare ? [place] : []),
    ...partsOf(place, schema).flatMap(([at, part]) => withoutLimit(at, part)),
  ];
}

function partsOf(place: string, schema: Json): [string, Json][] {
  const { properties, items, additionalProperties: others } = schema;
  return [
    ...Object.entries((properties ?? {}) as Record<string, Json>).map(([name, part]): [string, Json] => [
      `${place}.${name}`,
      part,
    ]),
    ...(items ? [[`${place}[]`, items as Json] as [string, Json]] : []),
    ...(typeof others === 'object' ? [[`${place}{}`, others as Json] as [string, Json]] : []),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) =>
      ((schema[keyword] ?? []) as Json[]).map((part): [string, Json] => [place, part]),
    ),
  ];
}

/** Fields named amount, balance, fee or total. */
function amountsIn(place: string, schema: Json): [string, Json][] {
  const isAmount = /(amount|balance|fee|_total|value|charges)$/.test(place) && 'description' in schema;
  return [
    ...(isAmount ? [[place, schema] as [string, Json]] : []),
    ...partsOf(place, schema).flatMap(([at, part]) => amountsIn(at, part)),
  ];
}

function hasExample(schema: Json): boolean {
  return schema['examples'] !== undefined || schema['enum'] !== undefined || schema['$ref'] !== undefined;
}

/** The fields without a sentence, and leaf fields without an example. */
function bareFields(place: string, schema: Json): string[] {
  const { properties = {}, items } = schema as { properties?: Record<string, Json>; items?: Json };
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const at = `${place}.${name}`;
    const isRef = field['$ref'] !== undefined;
    const isWhole = isRef || ['properties', 'items', 'additionalProperties'].some((part) => part in field);
    const isReported =
      isWhole || field['not'] !== undefined || (field['description'] !== undefined && hasExample(field));
    return [...(isReported ? [] : [at]), ...bareFields(at, field)];
  });
  return [...own, ...(items ? bareFields(`${place}[]`, items) : [])];
}

describe('an answer in a test', () => {
  const answer = (status: number, body: Json, path = '/api/v1/query_balance') => ({
    method: 'GET',
    path,
    status,
    header: (name: string) => (name === 'content-type' ? 'application/json; charset=utf-8' : 'there'),
    text: () => Promise.resolve(JSON.stringify(body)),
  });
  const balance = {
    success: true,
    merchant_id: '018f0000-0000-7000-8000-000000000001',
    merchant_name: 'Duka la Mama',
    balance: 12.5,
    currency: 'KES',
    timestamp: '2026-01-05 12:00:00',
    timestamp_utc: '2026-01-05T09:00:00.000Z',
  };
  const error = {
    success: false,
    error: 'Payment not found',
    message: 'Payment not found',
    code: 'INVALID_MERCHANT',
    request_id: 'a-request',
    timestamp: '2026-01-05 12:00:00',
  };

  it.each<[string, ReturnType<typeof answer>, string[]]>([
    ['as described', answer(200, balance), []],
    ['a refusal as described', answer(401, error), []],
    ['of a path that is not described', answer(418, {}, '/api/v1/other'), []],
    ['with another status', answer(418, {}), ['status 418 is not described: {}']],
    ['with a code of another status', answer(404, error), ['/code must be equal']],
    [
      'without a field',
      answer(200, { ...balance, balance: undefined }),
      ["must have required property 'balance'"],
    ],
    [
      'with a field too much',
      answer(200, { ...balance, secret: 1 }),
      ['must NOT have additional properties'],
    ],
    ['a refusal with a field too much', answer(401, { ...error, secret: 1 }), ['must NOT have unevaluated']],
    [
      'with a field of another type',
      answer(200, { ...balance, balance: '12.50' }),
      ['/balance must be number'],
    ],
  ])('%s', async (_what, reported, expected) => {
    const faults = await faultsOfAnswer(reported);
    expect(faults).toHaveLength(expected.length);
    for (const [n, part] of expected.entries()) expect(faults[n]).toContain(part);
  });
});
