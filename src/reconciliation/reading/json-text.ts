/**
 * Parses JSON in slices. A parser blocks the process for a time that grows with its text. So the containers in the text (the rows
 * of a statement) are parsed a few at a time, and the rest around them last.
 */
import { randomUUID } from 'node:crypto';
import type { Sliced } from '../../domain/in-slices';
import { StatementError } from '../statement';

/** More than the statement of a busy account for one month has. */
const fieldsMax = 3_000_000;
/** Limits for the part around the pieces: no statement has more keys in one object, or more values in one list. */
const keysMax = 20_000;
const valuesMax = 600_000;
const depthMax = 100;
/** The largest piece in characters; parsing it takes some milliseconds. */
const pieceMax = 65_536;
const scannedAtOnce = 262_144;

/** From the opening bracket to after the closing one. */
interface Piece {
  from: number;
  to: number;
  /** The number of neighbouring containers in the piece. */
  count: number;
}

/** @throws StatementError if the text is not JSON, or too large for a statement. */
export function* readJson(text: string, parse: (json: string) => unknown): Sliced<unknown> {
  try {
    return yield* inPieces(text, parse);
  } catch (error) {
    if (error instanceof StatementError) throw error;
    throw new StatementError(`this is not JSON (${(error as Error).message})`);
  }
}

function* inPieces(text: string, parse: (json: string) => unknown): Sliced<unknown> {
  if (text.length <= pieceMax) return parse(text);
  const pieces = yield* piecesOf(text);
  const mark = randomUUID();
  const parsed: unknown[][] = [];
  const around: string[] = [];
  let at = 0;
  for (const [index, { from, to, count }] of pieces.entries()) {
    yield;
    const list = parse(`[${text.slice(from, to)}]`) as unknown[];
    if (list.length !== count) throw new SyntaxError('the brackets do not match');
    parsed.push(list);
    around.push(text.slice(at, from), `"${mark}${String(index)}"`);
    at = to;
  }
  around.push(text.slice(at));
  yield;
  const whole = parse(assertFewAround(around.join('')));
  return put(whole, (value) =>
    typeof value === 'string' && value.startsWith(mark)
      ? parsed[Number(value.slice(mark.length))]
      : undefined,
  );
}

/** The largest containers that fit a piece; neighbours in a list are joined. */
function* piecesOf(text: string): Sliced<Piece[]> {
  const pieces: Piece[] = [];
  const opened: number[] = [];
  const tokens = /["[\]{},]/g;
  let fields = 0;
  let scanned = 0;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const { index } = token;
    if (index - scanned > scannedAtOnce) {
      yield;
      scanned = index;
    }
    if (token[0] === '"') tokens.lastIndex = endOfString(text, index);
    else if (token[0] === ',') fields += 1;
    else if (token[0] === '{' || token[0] === '[') {
      fields += 1;
      opened.push(index);
    } else keep(pieces, text, opened.pop(), index + 1);
    if (fields > fieldsMax)
      throw new StatementError(
        `there are more than ${fieldsMax.toLocaleString('en')} fields: upload it in parts`,
      );
    if (opened.length > depthMax) throw new StatementError('it is nested too deeply for a statement');
  }
  return pieces;
}

function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function keep(pieces: Piece[], text: string, from: number | undefined, to: number): void {
  if (from === undefined || to - from > pieceMax) return;
  while ((pieces.at(-1)?.from ?? -1) >= from) pieces.pop();
  const last = pieces.at(-1);
  const isNear = last && to - last.from <= pieceMax && from - last.to < 100;
  if (isNear && /^\s*,\s*$/.test(text.slice(last.to, from)))
    pieces[pieces.length - 1] = { from: last.from, to, count: last.count + 1 };
  else pieces.push({ from, to, count: 1 });
}

function assertFewAround(json: string): string {
  const count = (sign: string, max: number): boolean => {
    let found = 0;
    for (let at = json.indexOf(sign); at >= 0 && found <= max; at = json.indexOf(sign, at + 1)) found += 1;
    return found > max;
  };
  if (count(':', keysMax))
    throw new StatementError(`there are more than ${keysMax.toLocaleString('en')} keys in one object`);
  if (count(',', valuesMax))
    throw new StatementError(`there are more than ${valuesMax.toLocaleString('en')} values in one list`);
  return json;
}

/** Replaces each mark by its parsed values: several in a list, one in an object. */
function put(value: unknown, pieceOf: (value: unknown) => unknown[] | undefined): unknown {
  if (Array.isArray(value)) return value.flatMap((each: unknown) => pieceOf(each) ?? [put(each, pieceOf)]);
  const found = pieceOf(value);
  if (found && found.length !== 1) throw new SyntaxError('there is a list where one value is expected');
  if (found) return found[0];
  // The parser returns numbers as objects.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, put(each, pieceOf)]));
}
