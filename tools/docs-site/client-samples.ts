/** A call of our clients for each operation of the reference: in Node, Python and PHP, with only the required fields. */
import { requiredInput } from './curl';
import type { Description, Operation } from './reference';

/** How a language writes a value and a call. */
interface Language {
  /** The name that the reader's tab shows, and that Redoc knows for its colours. */
  label: string;
  lang: string;
  /** What comes once, before any call. */
  setup: string;
  indent: string;
  text(value: string): string;
  list(items: string[]): string;
  fields: { open: string; close: string; field(name: string, value: string): string };
  call(operationId: string, input: Record<string, unknown>, key: string | undefined): string;
}

const quoted = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const inBrackets = (items: string[]) => `[${items.join(', ')}]`;
const isEmpty = (input: object) => Object.keys(input).length === 0;

function literal(language: Language, value: unknown): string {
  const { fields } = language;
  if (typeof value === 'string') return language.text(value);
  if (Array.isArray(value)) return language.list(value.map((one) => literal(language, one)));
  if (typeof value === 'object' && value !== null) {
    const all = Object.entries(value).map(([name, one]) => fields.field(name, literal(language, one)));
    return `${fields.open}${all.join(', ')}${fields.close}`;
  }
  // Examples have numbers and texts only: words such as true differ between the languages.
  if (typeof value !== 'number') throw new Error(`no language writes ${String(value)}`);
  return String(value);
}

/** One field on each line. */
const lines = (
  language: Language,
  input: Record<string, unknown>,
  write: (name: string, value: string) => string,
) =>
  Object.entries(input).map(([name, value]) => `${language.indent}${write(name, literal(language, value))},`);

const node: Language = {
  ...{ label: 'Node', lang: 'JavaScript', indent: '  ', text: quoted, list: inBrackets },
  setup: [
    "import { createMalipo } from 'malipo-client';",
    '',
    'const { MALIPO_URL: baseUrl, MALIPO_API_KEY: apiKey, MALIPO_API_SECRET: apiSecret } = process.env;',
    'const malipo = createMalipo({ baseUrl, apiKey, apiSecret });',
  ].join('\n'),
  fields: { open: '{ ', close: ' }', field: (name, value) => `${name}: ${value}` },
  call(id, input, key) {
    const given = isEmpty(input) ? [] : ['{', ...lines(node, input, node.fields.field), '}'];
    const options = key === undefined ? '' : `{ idempotencyKey: ${quoted(key)} }`;
    const first = isEmpty(input) && options !== '' ? '{}' : given.join('\n');
    return `const answer = await malipo.${id}(${[first, options].filter((part) => part !== '').join(', ')});\nconsole.log(answer);`;
  },
};

/** Words of the language; the client's parameter has an underscore behind them. */
const pythonWords = ['from'];
const snakeCase = (id: string) => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const python: Language = {
  ...{
    label: 'Python',
    lang: 'Python',
    indent: '    ',
    text: (value) => JSON.stringify(value),
    list: inBrackets,
  },
  setup: [
    'import os',
    'from malipo import Malipo',
    '',
    'env = os.environ',
    'malipo = Malipo(env["MALIPO_URL"], env["MALIPO_API_KEY"], env["MALIPO_API_SECRET"])',
  ].join('\n'),
  fields: { open: '{', close: '}', field: (name, value) => `${JSON.stringify(name)}: ${value}` },
  call(id, input, key) {
    const all = { ...input, ...(key === undefined ? {} : { idempotency_key: key }) };
    const write = (name: string, value: string) =>
      `${pythonWords.includes(name) ? `${name}_` : name}=${value}`;
    const given = isEmpty(all) ? '' : `\n${lines(python, all, write).join('\n')}\n`;
    return `answer = malipo.${snakeCase(id)}(${given})\nprint(answer)`;
  },
};

const php: Language = {
  ...{ label: 'PHP', lang: 'PHP', indent: '    ', text: quoted, list: inBrackets },
  setup: [
    "require 'vendor/autoload.php';",
    '',
    "$malipo = new Malipo\\Malipo(getenv('MALIPO_URL'), getenv('MALIPO_API_KEY'), getenv('MALIPO_API_SECRET'));",
  ].join('\n'),
  fields: { open: '[', close: ']', field: (name, value) => `${quoted(name)} => ${value}` },
  call(id, input, key) {
    const given = isEmpty(input) ? '' : `[\n${lines(php, input, php.fields.field).join('\n')}\n]`;
    const option = key === undefined ? '' : `idempotencyKey: ${quoted(key)}`;
    const all = [given, option].filter((part) => part !== '').join(', ');
    return `$answer = $malipo->${id}(${all});\nprint_r($answer);`;
  },
};

const languages = [node, python, php];

export interface ClientSample {
  label: string;
  lang: string;
  setup: string;
  call: string;
}

/** The sample of an operation in each language. */
export function clientSamples(description: Description, operation: Operation): ClientSample[] {
  const { path, query, body, takesKey } = requiredInput(description, operation);
  const input = { ...path, ...query, ...body };
  const key = takesKey ? `${operation.operationId}-1001-1` : undefined;
  return languages.map(({ label, lang, setup, call }) => ({
    ...{ label, lang, setup },
    call: call(operation.operationId, input, key),
  }));
}

/** As the reader sees it. */
export const wholeSample = ({ lang, setup, call }: ClientSample): string =>
  `${lang === 'PHP' ? '<?php\n' : ''}${setup}\n\n${call}`;
