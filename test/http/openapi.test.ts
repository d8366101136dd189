import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorResponses } from '../../src/domain/errors';
import { committedDescription, servedApi } from '../../src/ops/openapi/served-api';
import { faultsOfAnswer } from '../support/described-answers';
import { serve, type Served } from './support/serve';

type Json = Record<string, unknown>;
interface Operation {
  operationId: string;
  parameters: Json[];
  responses: Record<string, Json>;
}

const committed = readFileSync(join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8');
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
      rails: rails.map((rail) => ({ ...rail, forStrangers: [] })),
    });
  });
  afterAll(() => api.close());

  it('is committed as the code has it: npm run openapi', () => {
    expect(committed).toBe(`${JSON.stringify(committedDescription(), null, 2)}\n`);
  });

  it('has each route that the application has mounted, with each of its methods, and no other', async () => {
    const served = await Promise.all(
      api.routes().map(async (path) => {
        const { headers } = await fetch(api.url + path.replace(/:\w+/g, 'x'), { method: 'DELETE' });
        return (headers.get('allow') ?? '').split(', ').map((method) => `${method} ${path}`);
      }),
    );
    const described = operations.map(({ name }) => name.replace(/\{(\w+)\}/g, ':$1'));
    expect(described.sort()).toEqual(served.flat().sort());
  });

  it('names each operation once', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('has every error code with its sentence, and each on an operation that answers it', () => {
    const { enum: codes, description: told } = description.components.schemas['ErrorCode'] as {
      enum: string[];
      description: string;
    };
    expect(codes).toEqual(Object.keys(errorResponses));
    const untold = Object.entries(errorResponses).filter(
      ([code, { status, message }]) => !told.includes(`- \`${code}\` (${String(status)}): ${message}`),
    );
    expect(untold).toEqual([]);
    const responses = JSON.stringify([
      operations.map((operation) => operation.responses),
      description.components.responses,
    ]);
    // What no path has is answered on none of those that there are.
    const nowhere = codes.filter((code) => !responses.includes(`"${code}"`));
    expect(nowhere).toEqual(['NOT_FOUND']);
  });

  it('says of each field what it is, and shows one', () => {
    const bare = [
      ...Object.entries(description.components.schemas).flatMap(([name, schema]) => bareFields(name, schema)),
      ...operations.flatMap(({ name, parameters }) =>
        parameters.flatMap((parameter) => {
          const { $ref, name: called, description: about, schema } = parameter;
          const isTold = $ref !== undefined || (about !== undefined && hasExample(schema as Json));
          return isTold ? [] : [`${name} ${String(called)}`];
        }),
      ),
    ];
    expect(bare).toEqual([]);
  });

  it('is served to anybody, and not again to whoever has it', async () => {
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

function hasExample(schema: Json): boolean {
  return schema['examples'] !== undefined || schema['enum'] !== undefined || schema['$ref'] !== undefined;
}

/** The fields without a sentence, and those of no fields without an example. */
function bareFields(place: string, schema: Json): string[] {
  const { properties = {}, items } = schema as { properties?: Record<string, Json>; items?: Json };
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const at = `${place}.${name}`;
    const isRef = field['$ref'] !== undefined;
    const isWhole = isRef || ['properties', 'items', 'additionalProperties'].some((part) => part in field);
    const isTold =
      isWhole || field['not'] !== undefined || (field['description'] !== undefined && hasExample(field));
    return [...(isTold ? [] : [at]), ...bareFields(at, field)];
  });
  return [...own, ...(items ? bareFields(`${place}[]`, items) : [])];
}

describe('an answer that a test gets', () => {
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
  ])('%s', async (_what, told, expected) => {
    const faults = await faultsOfAnswer(told);
    expect(faults).toHaveLength(expected.length);
    for (const [n, part] of expected.entries()) expect(faults[n]).toContain(part);
  });
});
