/**
 * The message of an error without what it quotes. Parsers and databases repeat what they were given, which is a
 * customer's text: `Unexpected token 'J', "Jane Doe" is not valid JSON`, `Duplicate entry 'INV-1' for key 'x'`.
 */

/** Thrown by the language and by Node about a value. What went wrong is in their code and their stack. */
const aboutValues = new Set(['SyntaxError', 'URIError', 'RangeError', 'TypeError']);
/** `Cannot convert Jane to a BigInt`, `Invalid time zone specified: Jane`: values without quotation marks. */
const unquoted: [RegExp, string][] = [
  [/^Cannot convert .* to /s, 'Cannot convert … to '],
  [/: .*$/s, ': …'],
];

/** What a database quotes that is ours: the names of the schema. They follow one of these words, or end the message. */
const named =
  /^(?:Table|Unknown column|Unknown table|Column|Field|Unknown database) '[\w.$]+'(?: doesn't exist$)?/;
const keyAtEnd = / for (?:key|column) '[\w.$]+'(?: at row \d+)?$/;

function withoutDatabaseValues(message: string): string {
  const start = named.exec(message)?.[0].length ?? message.indexOf("'");
  const ending = keyAtEnd.exec(message);
  const end = ending?.index ?? message.lastIndexOf("'") + 1;
  if (start === -1 || end <= start) return message;
  return `${message.slice(0, start)}…${message.slice(end)}`;
}

/** From the first quotation mark to the last: what is quoted may hold such marks itself. */
function withoutAnyQuote(message: string): string {
  const first = message.search(/["'`]/);
  if (first === -1) return unquoted.reduce((text, [value, told]) => text.replace(value, told), message);
  const last = Math.max(...['"', "'", '`'].map((mark) => message.lastIndexOf(mark)));
  return `${message.slice(0, first)}…${message.slice(last + 1)}`;
}

export function withoutQuotes(error: Error): string {
  const { sqlMessage } = error as { sqlMessage?: unknown };
  if (typeof sqlMessage === 'string') return withoutDatabaseValues(sqlMessage);
  return aboutValues.has(error.name) ? withoutAnyQuote(error.message) : error.message;
}
