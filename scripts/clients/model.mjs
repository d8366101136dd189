/** The source of the generated clients: the operations that a merchant calls, and their inputs and answers. */

const refIn = (schema) => schema?.$ref?.split('/').at(-1);

/** @returns the operations for merchants, in the order of the description. */
export function operationsOf(description) {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const answer = refIn(operation.responses['200']?.content?.['application/json']?.schema);
      if (!answer?.endsWith('Answer')) return [];
      // The clients support only JSON.
      const takesKey = operation.parameters.some((one) => refIn(one) === 'Idempotency-Key');
      const inQueryOrPath = operation.parameters.filter(
        ({ in: where, name }) => (where === 'query' && name !== 'format') || where === 'path',
      );
      return [
        {
          id: operation.operationId,
          method: method.toUpperCase(),
          path,
          about: [operation.summary, operation.description].filter(Boolean).join('. '),
          answer,
          body: refIn(operation.requestBody?.content['application/json'].schema),
          takesKey,
          // Reads, public operations, and operations with a key: a repeat has no further effect.
          mayRepeat: method === 'get' || takesKey || operation.security.length === 0,
          parameters: inQueryOrPath,
        },
      ];
    }),
  );
}

/** Credentials are sent as headers, never in a body. */
const credentials = ['api_key', 'api_secret'];

/** The fields of an operation's input: its body or its parameters. */
export function inputOf(operation, schemas) {
  if (operation.body === undefined) {
    return {
      type: 'object',
      properties: Object.fromEntries(
        operation.parameters.map(({ name, schema, description }) => [name, { ...schema, description }]),
      ),
      required: operation.parameters.filter(({ required }) => required).map(({ name }) => name),
    };
  }
  const { properties, required = [] } = schemas[operation.body];
  const ofPath = operation.parameters.filter(({ in: where }) => where === 'path');
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...ofPath.map(({ name, schema, description }) => [name, { ...schema, description }]),
      // A forbidden field is left out.
      ...Object.entries(properties).filter(([name, { not }]) => !credentials.includes(name) && !not),
    ]),
    required: [...ofPath.map(({ name }) => name), ...required],
  };
}

/** Each `X-Callback-Type` with the shapes of its webhooks. */
export function webhooksOf(description) {
  const shapes = {};
  for (const { post } of Object.values(description.webhooks)) {
    const { schema } = post.parameters.find(({ name }) => name === 'X-Callback-Type');
    const shape = refIn(post.requestBody.content['application/json'].schema);
    for (const type of schema.enum) shapes[type] = [...(shapes[type] ?? []), shape];
  }
  return shapes;
}

/** A schema's types without null, and whether it may be null. */
export function typesOf(schema) {
  if (schema.anyOf && !schema.properties) {
    // A named shape keeps its name.
    const parts = schema.anyOf.map((one) =>
      refIn(one) ? { kinds: [one], isNullable: false } : typesOf(one),
    );
    return { kinds: parts.flatMap(({ kinds }) => kinds), isNullable: parts.some((part) => part.isNullable) };
  }
  const types = [schema.type].flat();
  return {
    kinds: types.filter((type) => type !== 'null').map((type) => ({ ...schema, type })),
    isNullable: types.includes('null'),
  };
}

export const shapeNames = (schemas) => Object.keys(schemas).filter((name) => !/Request$/.test(name));
export const snake = (id) => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const pascal = (id) => id[0].toUpperCase() + id.slice(1);
export { refIn };
