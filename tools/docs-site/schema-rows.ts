/** The fields of a schema as rows of a table, with the fields of nested objects below them. */
import type { JsonSchema } from '../../src/rail-kit/description';

export interface FieldRow {
  name: string;
  type: string;
  isRequired: boolean;
  about: string;
  limits: string;
  example: string;
}

export type Schemas = Record<string, JsonSchema>;

const object = (value: unknown): JsonSchema => (value ?? {}) as JsonSchema;

function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const ref = schema['$ref'];
  if (typeof ref !== 'string') return schema;
  return schemas[ref.split('/').at(-1) ?? ''] ?? {};
}

export function fieldRows(given: JsonSchema, schemas: Schemas, prefix = ''): FieldRow[] {
  const schema = resolved(given, schemas);
  const parts = schema['allOf'] as JsonSchema[] | undefined;
  if (parts) return parts.flatMap((part) => fieldRows(part, schemas, prefix));
  const required = (schema['required'] ?? []) as string[];
  return Object.entries(object(schema['properties'])).flatMap(([name, one]) => {
    const field = resolved(one as JsonSchema, schemas);
    const row: FieldRow = {
      name: `${prefix}${name}`,
      type: typeOf(field, schemas),
      isRequired: required.includes(name),
      about: textOf(field['description']),
      limits: limitsOf(field),
      example: exampleOf(field),
    };
    const items = resolved(object(field['items']), schemas);
    return [
      row,
      ...('properties' in field ? fieldRows(field, schemas, `${row.name}.`) : []),
      ...('properties' in items ? fieldRows(items, schemas, `${row.name}[].`) : []),
    ];
  });
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function typeOf(schema: JsonSchema, schemas: Schemas): string {
  const either = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined;
  if (either) return [...new Set(either.map((one) => typeOf(resolved(one, schemas), schemas)))].join(' or ');
  const types = [schema['type'] ?? []].flat() as string[];
  const words = types.map((type) =>
    type === 'array' ? `list of ${typeOf(object(schema['items']), schemas)}` : type,
  );
  return words.join(' or ');
}

const limitWords: [string, string][] = [
  ['minimum', 'from'],
  ['maximum', 'to'],
  ['minLength', 'minimum characters:'],
  ['maxLength', 'maximum characters:'],
  ['minItems', 'minimum entries:'],
  ['maxItems', 'maximum entries:'],
  ['format', ''],
];

function limitsOf(schema: JsonSchema): string {
  const values = (schema['enum'] as unknown[] | undefined)?.map((value) => JSON.stringify(value)).join(', ');
  const limits = limitWords.flatMap(([keyword, word]) => {
    const value = schema[keyword];
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    // "Required" already says that the value is not empty.
    return keyword === 'minLength' && value === 1 ? [] : [`${word} ${String(value)}`.trim()];
  });
  return [...(values === undefined ? [] : [values]), ...limits].join('; ');
}

function exampleOf(schema: JsonSchema): string {
  const [example] = (schema['examples'] ?? []) as unknown[];
  return example === undefined ? '' : JSON.stringify(example);
}

/** A body that fits the schema, made of its examples. */
export function exampleBody(
  given: JsonSchema,
  schemas: Schemas,
  isNeeded = (_name: string) => true,
): unknown {
  const schema = resolved(given, schemas);
  const [example] = (schema['examples'] ?? []) as unknown[];
  if (example !== undefined) return example;
  const parts = schema['allOf'] as JsonSchema[] | undefined;
  if (parts) return Object.assign({}, ...parts.map((part) => exampleBody(part, schemas, isNeeded)));
  const [either] = (schema['anyOf'] ?? schema['oneOf'] ?? []) as JsonSchema[];
  if (either && !('properties' in schema)) return exampleBody(either, schemas, isNeeded);
  if ('items' in schema) return [exampleBody(object(schema['items']), schemas)];
  if ('properties' in schema) {
    const fields = Object.entries(object(schema['properties'])).filter(
      // A forbidden field has no example.
      ([name, field]) => isNeeded(name) && !('not' in object(field)),
    );
    return Object.fromEntries(
      fields.map(([name, field]) => [name, exampleBody(field as JsonSchema, schemas)]),
    );
  }
  const [first] = (schema['enum'] ?? []) as unknown[];
  return first ?? {};
}
