/** A curl command for each call of the reference, with only its required fields. */
import type { Description, Operation, Parameter } from './reference';
import { exampleBody } from './schema-rows';

const keys = '-H "X-API-Key: $MALIPO_API_KEY" -H "X-API-Secret: $MALIPO_API_SECRET"';
const isHere = (parameter: Parameter | { $ref: string }): parameter is Parameter => !('$ref' in parameter);

export interface RequiredInput {
  path: Record<string, string>;
  query: Record<string, string>;
  body: Record<string, unknown>;
  /** Whether the operation reads an Idempotency-Key. */
  takesKey: boolean;
}

/** The examples of the required fields. */
export function requiredInput(
  { components: { schemas } }: Description,
  { parameters = [], requestBody, 'x-one-of': [oneOf] = [] }: Operation,
): RequiredInput {
  const given = parameters.filter(isHere);
  // If one of several parameters is required, the first is used.
  const isNeeded = ({ name, required }: Parameter) => required === true || name === oneOf;
  const examples = (where: string) =>
    Object.fromEntries(
      given.filter((one) => one.in === where && isNeeded(one)).map((one) => [one.name, exampleOf(one)]),
    );
  const schema = requestBody?.content['application/json']?.schema;
  const { required = [] } = (schema && schemas[String(schema['$ref']).split('/').at(-1) ?? '']) ?? {};
  const body = schema ? exampleBody(schema, schemas, (name) => (required as string[]).includes(name)) : {};
  return {
    ...{ path: examples('path'), query: examples('query'), body: body as Record<string, unknown> },
    takesKey: parameters.some((one) => !isHere(one) && one.$ref.endsWith('/Idempotency-Key')),
  };
}

export function curlOf(description: Description, path: string, method: string, operation: Operation): string {
  const { body, query: needed, path: ids, takesKey } = requiredInput(description, operation);
  const query = Object.entries(needed)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const filled = Object.entries(ids).reduce((text, [name, value]) => text.replace(`{${name}}`, value), path);
  const call = `curl -sS "$MALIPO_URL${filled}${query && `?${query}`}" ${keys}`;
  if (method === 'get') return call;
  return [
    `${call} \\`,
    `  -H 'Content-Type: application/json'${takesKey ? ' -H "Idempotency-Key: order-$RANDOM$RANDOM"' : ''} \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}

function exampleOf({ schema = {} }: Parameter): string {
  const [first] = (schema['examples'] ?? schema['enum'] ?? []) as unknown[];
  return typeof first === 'string' ? first : '';
}
