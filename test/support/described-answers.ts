/**
 * Checks every API answer in a test against docs/openapi.json: an answer outside of it fails the test. The description
 * allows answers to have more fields later; today they have only the fields that it names.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ajv, ValidateFunction } from 'ajv';
import { leftByFiles } from './left-by-files';

type Json = Record<string, unknown>;

interface DescribedResponse {
  headers?: Record<string, Json>;
  content?: Record<string, { schema: Json }>;
}
type PathItem = Record<
  string,
  { tags: string[]; responses: Record<string, DescribedResponse & { $ref?: string }> }
>;
interface Description {
  paths: Record<string, PathItem>;
  webhooks: Record<string, { post: { tags: string[]; parameters: Json[]; requestBody: { content: Json } } }>;
  components: {
    schemas: Record<string, Json>;
    headers: Record<string, Json>;
    responses: Record<string, DescribedResponse>;
  };
}

export interface AnswerSeen {
  method: string;
  path: string;
  status: number;
  header(name: string): string | null;
  /** Called once the answer is known to be JSON. */
  text(): Promise<string>;
}

let loaded: Description | undefined;
const description = () =>
  (loaded ??= JSON.parse(
    readFileSync(join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8'),
  ) as Description);

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The same schema, whose objects allow only the named fields. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const { allOf, properties, items, anyOf, additionalProperties, ...others } = schema;
  return {
    ...others,
    // Each member describes a part: only fields that no member names are too many.
    ...(allOf !== undefined && { allOf, unevaluatedProperties: false }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, closed(one)])),
    }),
    ...(items !== undefined && { items: closed(items) }),
    ...(anyOf !== undefined && { anyOf: closed(anyOf) }),
    ...(additionalProperties !== undefined
      ? { additionalProperties: closed(additionalProperties) }
      : properties !== undefined && { additionalProperties: false }),
  };
}

const formats = {
  uuid: /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
};

/** Compiling it takes more time than most test files need. */
const compiled = leftByFiles<{ ajv?: Ajv; validators: Map<string, ValidateFunction> }>(
  'described answers',
  () => ({ validators: new Map() }),
);

/** @param place the pointer to the schema in the description; the validator is compiled once. */
async function faultsOf(place: string, schema: Json, value: unknown): Promise<string[]> {
  const validate = compiled.validators.get(place) ?? (await validatorOf(schema));
  compiled.validators.set(place, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath === '' ? 'the body' : instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
  );
}

async function validatorOf(schema: Json): Promise<ValidateFunction> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  compiled.ajv ??= new Ajv2020({ allErrors: true, strict: false, formats }).addSchema({
    $id: 'api',
    components: { schemas: closedComponents() },
  });
  const pointing = JSON.stringify(closed(schema)).replaceAll('"#/components/', '"api#/components/');
  return compiled.ajv.compile(JSON.parse(pointing) as Json);
}

/** The common schema of all errors stays open: each status adds its own fields. */
function closedComponents(): Json {
  const schemas = Object.entries(description().components.schemas);
  return Object.fromEntries(
    schemas.map(([name, schema]) => [name, name === 'Error' ? schema : closed(schema)]),
  );
}

let paths: { pattern: RegExp; template: string; item: PathItem }[] | undefined;

function pathOf(path: string): { template: string; item: PathItem } | undefined {
  paths ??= Object.entries(description().paths).map(([template, item]) => ({
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    template,
    item,
  }));
  return paths.find(({ pattern }) => pattern.test(path));
}

/** The errors of an answer by the description; none for a path that it does not contain. */
export async function faultsOfAnswer(answer: AnswerSeen): Promise<string[]> {
  const described = pathOf(answer.path);
  if (!described) return [];
  const { template, item } = described;
  const operation = item[answer.method.toLowerCase()];
  if (!operation) return answer.status === 405 ? [] : [`${answer.method} is not described`];
  const named = operation.responses[String(answer.status)];
  const response = description().components.responses[named?.$ref?.split('/').at(-1) ?? ''] ?? named;
  if (!response) return [`status ${String(answer.status)} is not described: ${await answer.text()}`];
  const faults = headerFaults(answer, response);
  const [type] = (answer.header('content-type') ?? '').split(';');
  const content = response.content?.[type ?? ''];
  if (!content) {
    const isNamed = response.content === undefined ? (type ?? '') === '' : false;
    return isNamed || answer.method === 'HEAD' ? faults : [...faults, `${type ?? ''} is not described`];
  }
  if (type !== 'application/json') return faults;
  const text = await answer.text();
  const place = `${answer.method} ${template} ${String(answer.status)}`;
  return [...faults, ...(await faultsOf(place, content.schema, JSON.parse(text)))];
}

/** @throws an Error that lists the errors of an answer by the description. */
export async function refuseUndescribed(url: string, answer: Omit<AnswerSeen, 'path'>): Promise<void> {
  const { pathname: path } = new URL(url);
  // Operators' ports and workers have this path too, with another answer.
  if (path === '/healthz') return;
  const faults = await faultsOfAnswer({ ...answer, path });
  if (faults.length === 0) return;
  throw new Error(
    `${answer.method} ${url} was answered otherwise than docs/openapi.json says (is it current? npm run openapi):\n- ${faults.join('\n- ')}`,
  );
}

function headerFaults(answer: AnswerSeen, { headers = {} }: DescribedResponse): string[] {
  return Object.keys(headers).flatMap((name) => {
    const isThere = answer.header(name) !== null;
    return isThere || description().components.headers[name]?.['required'] !== true
      ? []
      : [`the header ${name} is missing`];
  });
}

interface SentWebhook {
  headers: Record<string, string>;
  body: unknown;
}

/** The errors of webhooks to a merchant, by the description. */
export async function faultsOfWebhooks(sent: readonly SentWebhook[]): Promise<string[]> {
  const faults = await Promise.all(sent.map(faultsOfWebhook));
  return [...new Set(faults.flat())];
}

async function faultsOfWebhook({ headers, body }: SentWebhook): Promise<string[]> {
  const callbackType = headers['x-callback-type'] ?? '';
  const ofType = Object.entries(description().webhooks).filter(([, { post }]) =>
    JSON.stringify(post.parameters).includes(JSON.stringify(callbackType)),
  );
  if (ofType.length === 0) return [`X-Callback-Type ${callbackType} is not described`];
  const reported: string[] = [];
  for (const [name, { post }] of ofType) {
    const { schema } = post.requestBody.content['application/json'] as { schema: Json };
    const faults = [
      ...(await faultsOfWebhookHeaders(name, post.parameters, headers)),
      ...(await faultsOf(`webhook ${name}`, schema, body)),
    ];
    if (faults.length === 0) return [];
    reported.push(...faults.map((fault) => `${name}: ${fault}`));
  }
  return reported;
}

/** Every described header must be there, and no other that begins with X-. */
async function faultsOfWebhookHeaders(
  webhook: string,
  parameters: Json[],
  sent: Record<string, string>,
): Promise<string[]> {
  const described = parameters as { name: string; required: boolean; schema: Json }[];
  const faults = described.map(async ({ name, required, schema }) => {
    const value = sent[name.toLowerCase()];
    if (value === undefined) return required ? [`the header ${name} is missing`] : [];
    return (await faultsOf(`webhook ${webhook} ${name}`, schema, value)).map((fault) => `${name}: ${fault}`);
  });
  const names = described.map(({ name }) => name.toLowerCase());
  const unreported = Object.keys(sent).filter((name) => name.startsWith('x-') && !names.includes(name));
  return [...(await Promise.all(faults)).flat(), ...unreported.map((name) => `${name} is not described`)];
}
