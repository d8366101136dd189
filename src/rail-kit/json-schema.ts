/** JSON Schema (2020-12) of a joi schema: joi's own conversion, with the missing parts added. */
import type Joi from 'joi';
import type { ErrorCode } from '../domain/errors';
import type { FieldNotes, JsonSchema } from './description';

interface JoiDescription extends Omit<Joi.Description, 'metas' | 'flags' | 'examples'> {
  keys?: Record<string, JoiDescription>;
  items?: JoiDescription[];
  patterns?: { rule: JoiDescription }[];
  dependencies?: { rel: string; peers: string[] }[];
  metas?: Partial<FieldNotes>[];
  examples?: unknown[];
  flags?: { presence?: string; empty?: unknown };
}

export function jsonSchemaOf(schema: Joi.AnySchema): JsonSchema {
  const ofJoi = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  return laidOver(ofJoi, schema.describe());
}

/** The codes with which its fields are refused. */
export function errorCodesOfSchema(schema: Joi.AnySchema): ErrorCode[] {
  const collect = ({ metas = [], keys = {}, items = [] }: JoiDescription): ErrorCode[] => [
    ...metas.flatMap(({ errors = [] }) => errors),
    ...[...Object.values(keys), ...items].flatMap(collect),
  ];
  return collect(schema.describe());
}

/** Whether a field may be left out, or may be null instead. */
const mayBeEmpty = ({ flags }: JoiDescription) => flags?.empty !== undefined && flags.presence !== 'required';

function laidOver(ofJoi: JsonSchema, reported: JoiDescription): JsonSchema {
  if (reported.flags?.presence === 'forbidden') return { not: {}, description: 'Not accepted here' };
  const { metas = [], examples, keys, items, patterns, dependencies } = reported;
  // Other fields are not mentioned: a request's are ignored, and an answer may have more in the future.
  const { additionalProperties: others, description: about, ...json } = ofJoi;
  const notes = Object.fromEntries(metas.flatMap(({ openapi = {} }) => Object.entries(openapi)));
  const { description: form, ...keywords } = notes;
  const sentences = [about, form].filter((sentence) => typeof sentence === 'string');
  const schema: JsonSchema = {
    ...json,
    ...keywords,
    ...(sentences.length > 0 && { description: sentences.join('. ') }),
    ...(examples && { examples }),
  };
  const properties = json['properties'] as Record<string, JsonSchema> | undefined;
  if (keys && properties) {
    schema['properties'] = Object.fromEntries(
      Object.entries(keys).map(([name, key]) => [name, laidOver(properties[name] ?? {}, key)]),
    );
  }
  const [item] = items ?? [];
  if (item) schema['items'] = laidOver(json['items'] as JsonSchema, item);
  const [pattern] = patterns ?? [];
  if (pattern) schema['additionalProperties'] = laidOver(others as JsonSchema, pattern.rule);
  const oneOf = dependencies?.filter(({ rel }) => rel === 'or') ?? [];
  if (oneOf.length > 0)
    schema['anyOf'] = oneOf.flatMap(({ peers }) => peers.map((peer) => ({ required: [peer] })));
  return withNull(schema, reported);
}

function withNull(schema: JsonSchema, reported: JoiDescription): JsonSchema {
  const { type, anyOf, enum: words, minLength, ...others } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((name) => name !== undefined) as string[];
  const isNullable = mayBeEmpty(reported) || types.includes('null');
  if (!isNullable) return schema;
  return {
    ...(types.length > 0 && { type: [...types.filter((one) => one !== 'null'), 'null'] }),
    ...(Array.isArray(words) && { enum: [...(words as unknown[]), null] }),
    ...(Array.isArray(anyOf) && { anyOf: [...(anyOf as unknown[]), { type: 'null' }] }),
    // An empty text counts as absent.
    ...(minLength !== undefined && !mayBeEmpty(reported) && { minLength }),
    ...others,
  };
}
