/**
 * Makes any value fit to be logged: plain, bounded, and without the secrets and personal data in it. Secrets are
 * found by the name of their field at any depth and by their shape in any text, because a library's error message
 * quotes what it was given.
 */
import { isLosslessNumber } from 'lossless-json';

const censored = '[redacted]';
const depthMax = 8;
const membersMax = 100;
const textLengthMax = 8_192;

/** Names are compared without case, dashes and underscores: `X-Api-Secret`, `api_secret` and `apiSecret` are one. */
const secretName =
  /secret|password|passwd|passkey|passphrase|authorization|cookie|token|signature|credential|privatekey|secretkey|preauthcode|email|recipient|payername|firstname|middlename|lastname/;
const phoneName = /phone|msisdn|^party[ab]$/;

/** Order matters: a shape that begins another comes later. */
const shapes: [RegExp, string | ((...groups: string[]) => string)][] = [
  [/\b(sk_(?:test|live)_)[A-Za-z0-9]+/g, `$1${censored}`],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, `whsec_${censored}`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, `$1 ${censored}`],
  // In JSON text, and in the query or form of a URL.
  [
    /("[\w-]*(?:secret|password|passkey|token|credential|authorization)[\w-]*"\s*:\s*)"(?:[^"\\]|\\.)*"?/gi,
    `$1"${censored}"`,
  ],
  [/([\w-]*(?:secret|password|passkey|token|credential)[\w-]*=)[^&\s"']+/gi, `$1${censored}`],
  // In any alphabet, and also where it stands in a URL. The look-behind keeps long texts without one quick.
  [
    /(?<![\p{L}\p{N}_.!#$*'+~^-])[\p{L}\p{N}_.!#$*'+~^-]+(?:@|%40)[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+/gu,
    censored,
  ],
  // Numbers that stand alone and read as a telephone number of this continent. Dates, ids and amounts do not.
  [/(?<![\w.+-])(?:\+\d{9,15}|2\d{10,12}|0[17]\d{8})(?![\w-]|\.\d)/g, (match: string) => maskPhone(match)],
];

/** All but the last three digits. */
function maskPhone(text: string): string {
  const digits = text.replace(/\D/g, '');
  return digits.length < 7 ? censored : `***${digits.slice(-3)}`;
}

/** Hides what looks like a secret, an e-mail address or a telephone number anywhere in a text. */
export function redactText(text: string): string {
  let safe = text.slice(0, textLengthMax);
  for (const [shape, replacement] of shapes) safe = safe.replace(shape, replacement as string);
  return text.length > textLengthMax ? `${safe}… (${String(text.length)} characters)` : safe;
}

/** A driver's error repeats the statement with its values; its number and its own words say what went wrong. */
function redactError(error: Error, depth: number): Record<string, unknown> {
  const { code, errno, sqlMessage } = error as { code?: unknown; errno?: unknown; sqlMessage?: unknown };
  const message = typeof sqlMessage === 'string' ? sqlMessage : error.message;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    message: redactText(message),
    ...(code !== undefined && { code: redactValue('', code, depth + 1) }),
    ...(errno !== undefined && { errno: redactValue('', errno, depth + 1) }),
    stack: frames.map((line) => line.trim()).join('\n'),
    ...(error.cause !== undefined && { cause: redactValue('', error.cause, depth + 1) }),
  };
}

function redactObject(value: object, depth: number): unknown {
  if (depth > depthMax) return '[…]';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${String(value.byteLength)} bytes]`;
  if (isLosslessNumber(value)) return redactText(value.value);
  if (value instanceof Map) return redactObject(Object.fromEntries(value as Map<string, unknown>), depth);
  if (value instanceof Set || Array.isArray(value)) {
    const members = [...(value as Iterable<unknown>)];
    return members.slice(0, membersMax).map((member) => redactValue('', member, depth + 1));
  }
  const safe: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value).slice(0, membersMax)) {
    safe[redactText(name)] = redactValue(name, member, depth + 1);
  }
  return safe;
}

function redactValue(name: string, value: unknown, depth: number): unknown {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  const plainName = name.toLowerCase().replace(/[-_\s]/g, '');
  if (secretName.test(plainName)) return censored;
  if (typeof value === 'object') return redactObject(value, depth);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  const text = String(value);
  if (phoneName.test(plainName)) return maskPhone(text);
  const safe = redactText(text);
  return typeof value === 'number' && safe === text ? value : safe;
}

/** The fields of one log line. */
export function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  return redactObject(fields, 0) as Record<string, unknown>;
}
