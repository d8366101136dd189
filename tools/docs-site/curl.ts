/** A command for each call of the reference, with what has to be there and nothing else. */
import type { Description, Operation, Parameter } from './reference';
import { exampleBody } from './schema-rows';

const keys = '-H "X-API-Key: $KEY" -H "X-API-Secret: $SECRET"';
const isHere = (parameter: Parameter | { $ref: string }): parameter is Parameter => !('$ref' in parameter);

export function curlOf(
  { components: { schemas } }: Description,
  path: string,
  method: string,
  { parameters = [], requestBody, description = '' }: Operation,
): string {
  const given = parameters.filter(isHere);
  const inQuery = given.filter((one) => one.in === 'query');
  // Where one of several has to be there, the first stands for them.
  const needed = description.startsWith('Asked with')
    ? inQuery.slice(0, 1)
    : inQuery.filter(({ required }) => required);
  const query = needed.map((one) => `${one.name}=${encodeURIComponent(exampleOf(one))}`).join('&');
  const filled = given
    .filter((one) => one.in === 'path')
    .reduce((text, one) => text.replace(`{${one.name}}`, exampleOf(one)), path);
  const call = `curl -s "$API${filled}${query && `?${query}`}" ${keys}`;
  if (method === 'get') return call;

  const schema = requestBody?.content['application/json']?.schema;
  const { required = [] } = (schema && schemas[String(schema['$ref']).split('/').at(-1) ?? '']) ?? {};
  const body = schema ? exampleBody(schema, schemas, (name) => (required as string[]).includes(name)) : {};
  const takesKey = parameters.some((one) => !isHere(one) && one.$ref.endsWith('/Idempotency-Key'));
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
