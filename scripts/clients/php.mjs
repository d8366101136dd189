/** The operations and their types for PHP. */
import { inputOf, operationsOf, refIn, typesOf } from './model.mjs';

const plain = { string: 'string', integer: 'int', number: 'int|float', boolean: 'bool' };

function typeOf(schema, schemas) {
  const named = refIn(schema);
  if (named !== undefined) return typeOf(schemas[named], schemas);
  const { kinds, isNullable } = typesOf(schema);
  const all = kinds.map((one) => {
    if (refIn(one)) return typeOf(one, schemas);
    if (one.type === 'array') return `list<${typeOf(one.items, schemas)}>`;
    if (one.type !== 'object') return plain[one.type];
    if (one.properties && Object.keys(one.properties).length > 0) return shapeOf(one, schemas);
    return 'array<string, mixed>';
  });
  return [...new Set([...all, ...(isNullable ? ['null'] : [])])].join('|');
}

function shapeOf({ properties, required = [] }, schemas) {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, schemas)}`,
  );
  return `array{${fields.join(', ')}}`;
}

export function phpOperations(description) {
  const { schemas } = description.components;
  const methods = operationsOf(description).map((operation) => {
    const input = inputOf(operation, schemas);
    const hasInput = Object.keys(input.properties).length > 0;
    const taken = [
      ...(hasInput ? [`array $input${input.required.length > 0 ? '' : ' = []'}`] : []),
      ...(operation.takesKey ? ['?string $idempotencyKey = null', 'bool $isRepeat = false'] : []),
    ];
    return [
      '    /**',
      `     * ${operation.about}`,
      '     *',
      ...(hasInput ? [`     * @param ${shapeOf(input, schemas)} $input`] : []),
      `     * @return ${typeOf(schemas[operation.answer], schemas)}`,
      '     */',
      `    public function ${operation.id}(${taken.join(', ')}): array`,
      '    {',
      `        $route = new Route('${operation.method}', '${operation.path}', ${operation.takesKey}, ${operation.mayRepeat});`,
      `        return $this->call($route, ${hasInput ? '$input' : '[]'}${operation.takesKey ? ', $idempotencyKey, $isRepeat' : ''});`,
      '    }',
    ].join('\n');
  });
  return [
    '<?php',
    '',
    '// Generated from docs/openapi.json by `npm run clients`.',
    '',
    'declare(strict_types=1);',
    '',
    'namespace Malipo;',
    '',
    'trait Operations',
    '{',
    '    /**',
    '     * @param array<string, mixed> $input',
    '     * @return array<string, mixed>',
    '     */',
    '    abstract protected function call(Route $route, array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array;',
    '',
    methods.join('\n\n'),
    '}',
    '',
  ].join('\n');
}
