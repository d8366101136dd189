/**
 * Makes any value safe to log: plain, bounded, and without secrets and personal data. Secrets are found by field name
 * at any depth, and by their form in any text, because a library's error message quotes its input. Callers control
 * these texts, so every step takes time in proportion to their length.
 */
import { types } from 'node:util';
import { isLosslessNumber, parse } from 'lossless-json';
import { maskCardNumbers } from '../domain/card-number';
import { cutText } from '../domain/cut-text';

const censored = '[redacted]';
const depthMax = 8;
const membersMax = 100;
const nameLengthMax = 100;
const textLengthMax = 8_192;
/** For all texts of one line together. */
const lineLengthMax = 65_536;
/** A cut must not leave the first half of a value that is recognised only by its end. */
const cutBackMax = 256;

/** Names are compared without case, dashes and underscores: `X-Api-Secret`, `api_secret` and `apiSecret` are equal. */
const secretName =
  /secret|password|passwd|passkey|passphrase|authorization|cookie|token|signature|credential|privatekey|preauthcode|email|recipient|payername|firstname|middlename|lastname/;
const phoneName = /phone|msisdn|^party[ab]$/;
const secretNameInText = /secret|password|passwd|passkey|passphrase|authorization|token|credential/i;
/** A setting that names a file, and a position in our code: an operator needs both, and neither has a secret. */
const placeInText = /(?:_(?:FILE|PATH)|\.[cm]?[jt]s)["'\\\s]{0,8}[:=]/;

/** A name and the characters between it and its value, in JSON, JSON within JSON, a header, a query or a form. */
const nameInText = /(?<![\w.-])[\w.-]+["'\\\s]{0,8}[:=]["'\\\s[]{0,8}/g;
const quotedValue = /(?:[^"\\]|\\.)*/sy;
const bareValue = /[^&\s"',;}\])]*/y;

/** Order matters: a form that is the beginning of another comes later. */
const shapes: [RegExp, string | ((...groups: string[]) => string)][] = [
  // Of a URL, up to the last @: an unencoded password may contain any character.
  [/:\/\/[^\s/?#@:"']{0,64}:[^\s"']{1,256}@/g, `://${censored}@`],
  [/\b((?:sk|op)_(?:test|live)_)[A-Za-z0-9]+/g, `$1${censored}`],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, `whsec_${censored}`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, `$1 ${censored}`],
];
const laterShapes: typeof shapes = [
  // In any alphabet, and also within a URL. The look-behind keeps long texts without an address fast.
  [
    /(?<![\p{L}\p{N}_.!#$*'+~^-])[\p{L}\p{N}_.!#$*'+~^-]+(?:@|%40)[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+/gu,
    censored,
  ],
  // Separate numbers that look like an African telephone number. Dates, ids and amounts do not.
  [/(?<![\w.+-])(?:\+\d{9,15}|2\d{10,12}|0[17]\d{8})(?![\w-]|\.\d)/g, (match: string) => maskPhone(match)],
  // The same number in groups of digits.
  [
    /(?<![\w.+-])(?:\+\d{1,4}(?:[ .()-]{1,3}\d{2,6}){2,5}|(?:0[17]\d\d|2\d\d[ -]\d{3})[ -]\d{3}[ -]\d{3})(?![\w-]|\.\d)/g,
    (match: string) => maskPhone(match),
  ],
];

/** Masks all but the last three digits. */
function maskPhone(text: string): string {
  const digits = text.replace(/\D/g, '');
  return digits.length < 7 ? censored : `***${digits.slice(-3)}`;
}

/** Hides the values of fields whose name means a secret. */
function censorNamedSecrets(text: string): string {
  let safe = '';
  let from = 0;
  nameInText.lastIndex = 0;
  for (let named = nameInText.exec(text); named !== null; named = nameInText.exec(text)) {
    if (!secretNameInText.test(named[0]) || placeInText.test(named[0])) continue;
    const start = nameInText.lastIndex;
    const value = named[0].endsWith('"') ? quotedValue : bareValue;
    value.lastIndex = start;
    const length = value.exec(text)?.[0].length ?? 0;
    if (length === 0) continue;
    safe += text.slice(from, start) + censored;
    from = start + length;
    nameInText.lastIndex = from;
  }
  return safe + text.slice(from);
}

function replaceShapes(text: string, rules: typeof shapes): string {
  return rules.reduce((safe, [shape, replacement]) => safe.replace(shape, replacement as string), text);
}

function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const kept = cutText(text, lengthMax);
  const earliest = Math.max(0, lengthMax - cutBackMax);
  let end = kept.length;
  while (end > earliest && !/\s/.test(kept.charAt(end - 1))) end -= 1;
  return cutText(kept, end);
}

function redactUpTo(text: string, lengthMax: number): string {
  const short = shortened(text, lengthMax);
  const safe = replaceShapes(censorNamedSecrets(replaceShapes(maskCardNumbers(short), shapes)), laterShapes);
  return short.length < text.length ? `${safe}… (${String(text.length)} characters)` : safe;
}

/** Hides secrets, card numbers, e-mail addresses and telephone numbers anywhere in a text. */
export function redactText(text: string): string {
  return redactUpTo(text, textLengthMax);
}

/** The space that is left in one line. It limits deep and wide objects of a caller. */
interface Budget {
  left: number;
}

function redactWithin(text: string, budget: Budget): string {
  const safe = redactUpTo(text, Math.min(textLengthMax, budget.left));
  budget.left = Math.max(0, budget.left - safe.length);
  return safe;
}

/** A driver's error repeats the statement with its values. Its number and message are enough. */
function redactError(error: Error, depth: number, budget: Budget): LoggedError {
  const { code, errno, type } = error as { code?: unknown; errno?: unknown; type?: unknown };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    message: redactWithin(withoutQuotes(error), budget),
    ...(code !== undefined && { code: redactValue('', code, depth + 1, budget) }),
    ...(typeof type === 'string' && { type: redactWithin(type, budget) }),
    ...(errno !== undefined && { errno: redactValue('', errno, depth + 1, budget) }),
    stack: frames.map((line) => line.trim()).join('\n'),
    ...(error.cause !== undefined && { cause: redactValue('', error.cause, depth + 1, budget) }),
  };
}

/** The parts of an error that may leave the process: our text and the code's, without quoted input. */
export interface LoggedError {
  name: string;
  message: string;
  code?: unknown;
  /** The original type of an activity's failure. */
  type?: string;
  stack: string;
  cause?: unknown;
}

export function loggedError(error: Error): LoggedError {
  return redactError(error, 0, { left: lineLengthMax });
}

function redactObject(value: object, depth: number, budget: Budget): unknown {
  if (depth > depthMax || budget.left === 0) return '[…]';
  // An error of another realm, such as Node's inside a sandbox, is not an `instanceof` our Error.
  if (types.isNativeError(value)) return redactError(value, depth, budget);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${String(value.byteLength)} bytes]`;
  if (isLosslessNumber(value)) return redactWithin(value.value, budget);
  if (value instanceof Map) {
    return redactObject(Object.fromEntries(value as Map<string, unknown>), depth, budget);
  }
  if (value instanceof Set || Array.isArray(value)) {
    const members = [...(value as Iterable<unknown>)];
    return members.slice(0, membersMax).map((member) => redactValue('', member, depth + 1, budget));
  }
  const safe: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value).slice(0, membersMax)) {
    safe[redactUpTo(name, nameLengthMax)] = redactValue(name, member, depth + 1, budget);
  }
  return safe;
}

function redactValue(name: string, value: unknown, depth: number, budget: Budget): unknown {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  const plainName = name
    .slice(0, textLengthMax)
    .toLowerCase()
    .replace(/[-_\s]/g, '');
  if (secretName.test(plainName)) return censored;
  if (typeof value === 'object') return redactObject(value, depth, budget);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  const text = String(value);
  if (phoneName.test(plainName)) return maskPhone(text.slice(0, textLengthMax));
  const safe = redactWithin(text, budget);
  return typeof value === 'number' && safe === text ? value : safe;
}

/** The fields of one log line. */
export function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  return redactObject(fields, 0, { left: lineLengthMax }) as Record<string, unknown>;
}

// An error's message without its quotes. Parsers and databases repeat their input, which is a customer's text:
// `Unexpected token 'J', "Jane Doe" is not valid JSON`, `Duplicate entry 'INV-1' for key 'x'`.

/** Errors of the language and of Node about a value. Their code and stack say enough. */
const aboutValues = new Set(['SyntaxError', 'URIError', 'RangeError', 'TypeError']);
/** `Cannot convert Jane to a BigInt`, `Invalid time zone specified: Jane`: values without quotation marks. */
const unquoted: [RegExp, string][] = [
  [/^Cannot convert .* to /s, 'Cannot convert … to '],
  [/: .*$/s, ': …'],
];

/** Names of the schema that a database quotes: they follow one of these words, or end the message. */
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

/** Removes everything from the first quotation mark to the last, because the quoted text may contain such marks. */
function withoutAnyQuote(message: string): string {
  const first = message.search(/["'`]/);
  if (first === -1)
    return unquoted.reduce((text, [value, reported]) => text.replace(value, reported), message);
  const last = Math.max(...['"', "'", '`'].map((mark) => message.lastIndexOf(mark)));
  return `${message.slice(0, first)}…${message.slice(last + 1)}`;
}

export function withoutQuotes(error: Error): string {
  const { sqlMessage } = error as { sqlMessage?: unknown };
  if (typeof sqlMessage === 'string') return withoutDatabaseValues(sqlMessage);
  return aboutValues.has(error.name) ? withoutAnyQuote(error.message) : error.message;
}

// A provider's body, as operators may see it: its structure without secrets and personal data.

/** @param body JSON, a form, or any other text. */
export function redactBody(body: string): string {
  const fields = fieldsOf(body);
  return fields ? JSON.stringify(redactFields(fields), null, 2) : redactText(body);
}

function fieldsOf(body: string): Record<string, unknown> | undefined {
  try {
    const read = parse(body);
    return typeof read === 'object' && read !== null ? { ...read } : undefined;
  } catch {
    // A form, as some providers send it. Its field names are known.
    return /^[\w.\-[\]%]+=/.test(body) ? Object.fromEntries(new URLSearchParams(body)) : undefined;
  }
}
