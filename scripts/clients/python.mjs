/** The operations and their types for Python. */
import { inputOf, operationsOf, pascal, refIn, shapeNames, snake, typesOf, webhooksOf } from './model.mjs';

/** Reserved words that cannot be field names. */
const keywords = ['from'];
const plain = { string: 'str', integer: 'int', number: 'float', boolean: 'bool' };

/** Nested objects get a name derived from their place. */
function typeOf(schema, place, classes) {
  const named = refIn(schema);
  if (named !== undefined) return named;
  const { kinds, isNullable } = typesOf(schema);
  const all = kinds.map((one) => {
    if (refIn(one)) return refIn(one);
    if (one.enum && one.type === 'string')
      return `Literal[${one.enum
        .filter((v) => v !== null)
        .map((v) => JSON.stringify(v))
        .join(', ')}]`;
    if (one.type === 'array') return `list[${typeOf(one.items, place, classes)}]`;
    if (one.type !== 'object') return plain[one.type];
    if (one.properties && Object.keys(one.properties).length > 0) return classOf(one, place, classes);
    const { additionalProperties: value } = one;
    return `dict[str, ${typeof value === 'object' ? typeOf(value, place, classes) : 'Any'}]`;
  });
  return [...new Set([...all, ...(isNullable ? ['None'] : [])])].join(' | ');
}

function classOf({ properties, required = [] }, name, classes) {
  const fields = Object.entries(properties).map(([field, schema]) => {
    const type = typeOf(
      schema,
      `${name}${pascal(field).replace(/_(\w)/g, (_, c) => c.toUpperCase())}`,
      classes,
    );
    return `    ${field}: ${required.includes(field) ? type : `NotRequired[${type}]`}`;
  });
  classes.push(
    keywords.some((word) => word in properties)
      ? `${name} = TypedDict(\n    "${name}",\n    {\n${fields.map((line) => line.replace(/^ {4}(\w+): (.*)$/, '        "$1": $2,')).join('\n')}\n    },\n)\n`
      : `class ${name}(TypedDict):\n${fields.join('\n')}\n`,
  );
  return name;
}

function methodOf(operation, schemas, classes) {
  const { properties, required } = inputOf(operation, schemas);
  const argument = ([name, schema]) => {
    // Reserved words get a trailing underscore, as is usual in Python.
    const called = ['from', 'type'].includes(name) ? `${name}_` : name;
    const type = typeOf(schema, `${pascal(operation.id)}${pascal(name)}`, classes);
    return {
      name,
      called,
      text: required.includes(name)
        ? `${called}: ${type}`
        : `${called}: ${type.includes('None') ? type : `${type} | None`} = None`,
    };
  };
  const fields = Object.entries(properties).map(argument);
  const key = operation.takesKey ? ['idempotency_key: str | None = None', 'is_repeat: bool = False'] : [];
  const taken = [...fields.map(({ text }) => text), ...key];
  const input = fields.map(({ name, called }) => `"${name}": ${called}`).join(', ');
  const passed = operation.takesKey ? ', idempotency_key, is_repeat' : '';
  const inPython = (flag) => (flag ? 'True' : 'False');
  return [
    `    def ${snake(operation.id)}(self${taken.length > 0 ? `, *, ${taken.join(', ')}` : ''}) -> ${operation.answer}:`,
    `        """${operation.about}"""`,
    `        route = Route("${operation.method}", "${operation.path}", ${inPython(operation.takesKey)}, ${inPython(operation.mayRepeat)})`,
    `        return cast(${operation.answer}, self._call(route, {${input}}${passed}))`,
    '',
  ].join('\n');
}

export function pythonOperations(description) {
  const { schemas } = description.components;
  const classes = [];
  for (const name of shapeNames(schemas)) {
    if (schemas[name].properties) classOf(schemas[name], name, classes);
    // A union comes after its members.
    else if (schemas[name].anyOf) classes.push(`${name} = ${typeOf(schemas[name], name, classes)}\n`);
    else classes.unshift(`${name} = ${typeOf(schemas[name], name, classes)}\n`);
  }
  const methods = operationsOf(description).map((one) => methodOf(one, schemas, classes));
  const webhooks = Object.entries(webhooksOf(description)).map(
    ([type, shapes]) => `    "${type}": "${shapes.join(' | ')}",`,
  );
  return [
    '# Generated from docs/openapi.json by `npm run clients`.',
    'from __future__ import annotations',
    '',
    'from typing import Any, Literal, NamedTuple, NotRequired, TypedDict, cast',
    '',
    '',
    'class Route(NamedTuple):',
    '    method: str',
    '    path: str',
    '    takes_key: bool',
    '    # A repeat has no further effect.',
    '    may_repeat: bool',
    '',
    '',
    classes.join('\n\n'),
    '',
    '# The type of each webhook body, by its X-Callback-Type.',
    'WEBHOOKS: dict[str, str] = {',
    ...webhooks,
    '}',
    '',
    '',
    'class Operations:',
    '    def _call(',
    '        self, route: Route, input: dict[str, Any], idempotency_key: str | None = None, is_repeat: bool = False',
    '    ) -> Any:',
    '        raise NotImplementedError',
    '',
    methods.join('\n').trimEnd(),
    '',
  ].join('\n');
}
