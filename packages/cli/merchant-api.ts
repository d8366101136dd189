/** Calls the API with a merchant's keys, as the merchant does. */
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'lossless-json';
import { request } from 'undici';
import { v7 as uuid } from 'uuid';
import { cutText } from '../../src/domain/cut-text';
import { ActionError, textOf } from '../../src/operator-actions/errors';
import type { ApiAnswer, RecipeContext } from '../../src/rail-kit/sandbox';
import type { FoundKeys } from './profile';

/** A POST has an Idempotency-Key of its own, so that it can be repeated. */
export type MerchantApi = RecipeContext['api'];

/** A request that gets 429 is sent at most this many times. */
const triesMax = 5;
const longestWaitS = 30;

export interface Following {
  /** Cancels requests in progress. */
  signal?: AbortSignal;
  /** The time limit of a GET in milliseconds; without it there is none. */
  readingMs?: number;
}

export function merchantApi(
  keys: Pick<FoundKeys, 'api_url' | 'api_key' | 'api_secret' | 'source'>,
  { signal, readingMs }: Following = {},
): MerchantApi {
  const call = async (method: 'GET' | 'POST', path: string, body?: string): Promise<ApiAnswer> => {
    const headers = {
      'x-api-key': keys.api_key,
      'x-api-secret': keys.api_secret,
      ...(body !== undefined && { 'content-type': 'application/json', 'idempotency-key': uuid() }),
    };
    const isBounded = method === 'GET' && readingMs !== undefined;
    const patience = isBounded ? { headersTimeout: readingMs, bodyTimeout: readingMs } : {};
    const ask = async () => {
      const answer = await request(`${keys.api_url}${path}`, {
        ...{ method, headers, body: body ?? null, signal: signal ?? null },
        ...patience,
      });
      return { ...answer, text: await answer.body.text() };
    };
    for (let n = 1; ; n += 1) {
      const answer = await ask().catch((error: unknown) => {
        throw new Unreachable(`The API at ${keys.api_url} cannot be reached (${textOf(error)}).`);
      });
      const { statusCode: status, text } = answer;
      const waitS = Number(answer.headers['retry-after']);
      if (status !== 429 || !(waitS <= longestWaitS) || n === triesMax)
        return {
          status,
          body: objectIn(text, keys.api_url),
          asked: `${keys.api_url}, with the keys of ${keys.source}`,
        };
      await delay(waitS * 1_000, undefined, signal && { signal }).catch(() => undefined);
    }
  };
  return {
    get(path, query = {}) {
      const given = Object.entries(query).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      const search = new URLSearchParams(given).toString();
      return call('GET', search === '' ? path : `${path}?${search}`);
    },
    post: (path, body) => call('POST', path, JSON.stringify(body)),
  };
}

/** No answer, an answer of something else, or a temporary error: a later call may succeed. */
export class Unreachable extends ActionError {}

function objectIn(text: string, url: string): Record<string, unknown> {
  try {
    const value = parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new Unreachable(`The answer of ${url} is not from the API: ${cutText(text, 80)}`);
}

/**
 * The body of a successful answer.
 * @throws ActionError with the message of the API; Unreachable if the API is busy or out of order.
 */
export function taken({ status, body, asked }: ApiAnswer): Record<string, unknown> {
  if (status === 200) return body;
  const sentence = `${String(body['message'])} (${String(status)} ${String(body['code'])})`;
  if (status === 429 || status >= 500) throw new Unreachable(`The API cannot answer now: ${sentence}`);
  const whom = asked !== undefined && status === 401 ? ` at ${asked},` : '';
  throw new ActionError(`The API${whom} denied the request: ${sentence}`);
}
