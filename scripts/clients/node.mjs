/** The operations and their types for TypeScript. */
import { inputOf, operationsOf, pascal, refIn, shapeNames, typesOf, webhooksOf } from './model.mjs';

function typeOf(schema, depth) {
  const named = refIn(schema);
  if (named !== undefined) return named;
  const { kinds, isNullable } = typesOf(schema);
  const all = kinds.map((one) => {
    if (refIn(one)) return refIn(one);
    if (one.enum)
      return one.enum
        .filter((value) => value !== null)
        .map((v) => JSON.stringify(v))
        .join(' | ');
    if (one.type === 'array') return `Array<${typeOf(one.items, depth)}>`;
    if (one.type === 'object') return objectOf(one, depth);
    return one.type === 'integer' ? 'number' : one.type;
  });
  return [...new Set([...all, ...(isNullable ? ['null'] : [])])].join(' | ');
}

function objectOf({ properties, required = [], additionalProperties }, depth) {
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, depth) : 'unknown';
    return `Record<string, ${value}>`;
  }
  const indent = '  '.repeat(depth + 1);
  const fields = Object.entries(properties).map(([name, schema]) => {
    const about = schema.description ? `${indent}/** ${schema.description} */\n` : '';
    return `${about}${indent}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, depth + 1)};`;
  });
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('\n')}\n${'  '.repeat(depth)}}`;
}

/** A query is text, and a number of items in it is a number to whoever writes it. */
function inputType(operation, schemas) {
  return objectOf(inputOf(operation, schemas), 0).replace(
    /^ {2}limit\?: string;$/m,
    '  limit?: number | string;',
  );
}

export function nodeOperations(description) {
  const { schemas } = description.components;
  const operations = operationsOf(description);
  const lines = [
    '// Generated from docs/openapi.json by `npm run clients`.',
    ...shapeNames(schemas).map((name) => `export type ${name} = ${typeOf(schemas[name], 0)};`),
    ...operations.map((one) => `export type ${pascal(one.id)}Input = ${inputType(one, schemas)};`),
    '/** The input and answer of each operation, by name. */',
    'export interface Operations {',
    ...operations.map(
      ({ id, about, answer }) =>
        `  /** ${about} */\n  ${id}: { input: ${pascal(id)}Input; answer: ${answer} };`,
    ),
    '}',
    '/** The body of each webhook, by its `X-Callback-Type`. */',
    'export interface Webhooks {',
    ...Object.entries(webhooksOf(description)).map(([type, shapes]) => `  '${type}': ${shapes.join(' | ')};`),
    '}',
    'export interface Route {',
    "  method: 'GET' | 'POST';",
    '  path: string;',
    '  /** A repeat with the same key gets the first answer again. */',
    '  takesKey: boolean;',
    '  /** A repeat has no further effect. */',
    '  mayRepeat: boolean;',
    '}',
    'export const routes: Record<keyof Operations, Route> = {',
    ...operations.map(
      ({ id, method, path, takesKey, mayRepeat }) =>
        `  ${id}: { method: '${method}', path: '${path}', takesKey: ${takesKey}, mayRepeat: ${mayRepeat} },`,
    ),
    '};',
  ];
  return `${lines.join('\n')}\n`;
}
