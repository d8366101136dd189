/** One signed POST to a merchant, with limits on the time and on the size of the answer. */
import { Webhook } from 'standardwebhooks';
import { request, type Dispatcher } from 'undici';
import { cutText } from '../domain/cut-text';

export interface PostResult {
  /** Null when no answer came. */
  httpStatus: number | null;
  /** Why this is no delivery; null when it is one. */
  error: string | null;
  excerpt: string | null;
  durationMs: number;
  timedOut: boolean;
}

export interface Message {
  url: string;
  /** The same at each attempt: a merchant recognises repeats by it. */
  id: string;
  callbackType: string;
  /** The type of an event. */
  eventType?: string | undefined;
  body: string;
  /** The time of the signature, and of a body with a sending time. */
  at: Date;
  /** See `signatureHeaders`. */
  secrets: string[];
  /** Further headers. */
  headers?: Record<string, string> | undefined;
}

/** The rest of a longer answer is not read. */
const readBytesMax = 64 * 1024;
const excerptLengthMax = 500;
/** Enough for the excerpt with any characters: UTF-8 uses four bytes at most. */
const excerptBytesMax = 4 * excerptLengthMax;
const errorLengthMax = 500;

class DeadlineError extends Error {}

type Answer = Pick<PostResult, 'httpStatus' | 'excerpt'>;

/** The signature covers the exact bytes of the body. */
export function headersOf({ id, callbackType, eventType, body, at, secrets, headers }: Message) {
  return {
    'content-type': 'application/json',
    'user-agent': 'Malipo-Webhooks/1',
    'x-callback-type': callbackType,
    ...(eventType !== undefined && { 'x-event-type': eventType }),
    ...headers,
    ...signatureHeaders(id, at, body, secrets),
  };
}

/**
 * Signs, sends and reads the answer. Never throws once it is signed: every failure is the `error` of the result.
 * @param timeoutMs from the first name look-up to the last byte of the answer.
 */
export async function postWebhook(
  agent: Dispatcher,
  message: Message,
  timeoutMs: number,
): Promise<PostResult> {
  const { url, body } = message;
  const sent = { method: 'POST' as const, headers: headersOf(message), body };
  const startedAt = performance.now();
  const answer: Answer = { httpStatus: null, excerpt: null };
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // Undici reacts to an abort only once it is connected, so the deadline is also raced against.
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new DeadlineError(`no complete answer within ${String(timeoutMs)} ms`);
      abort.abort(error);
      reject(error);
    }, timeoutMs);
  });

  let error: string | null;
  let timedOut = false;
  try {
    await Promise.race([
      exchange(url, { dispatcher: agent, ...sent, signal: abort.signal }, answer),
      deadline,
    ]);
    error = faultOfStatus(answer.httpStatus);
  } catch (thrown) {
    error = describe(thrown);
    timedOut = thrown instanceof DeadlineError;
  } finally {
    clearTimeout(timer);
  }
  return { ...answer, error, timedOut, durationMs: Math.round(performance.now() - startedAt) };
}

async function exchange(
  url: string,
  sent: NonNullable<Parameters<typeof request>[1]> & { signal: AbortSignal },
  answer: Answer,
): Promise<void> {
  const response = await request(url, sent);
  answer.httpStatus = response.statusCode;
  const chunks: Buffer[] = [];
  let readBytes = 0;
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      if (readBytes < excerptBytesMax) chunks.push(chunk);
      readBytes += chunk.length;
      // Leaving the loop closes the connection, which is the only way to stop an endless body.
      if (readBytes >= readBytesMax) break;
    }
  } catch (error) {
    // The status decides; an answer that breaks off after it does not change that.
    if (sent.signal.aborted) throw error;
  } finally {
    const text = Buffer.concat(chunks).subarray(0, excerptBytesMax).toString('utf8');
    answer.excerpt = cutText(text, excerptLengthMax);
  }
}

function faultOfStatus(status: number | null): string | null {
  if (status !== null && status >= 200 && status < 300) return null;
  if (status !== null && status >= 300 && status < 400)
    return `HTTP ${String(status)}: redirects are not followed`;
  return `HTTP ${String(status)}`;
}

function describe(thrown: unknown): string {
  const { code, message } = thrown as { code?: unknown; message?: string };
  const words = [typeof code === 'string' ? code : '', message ?? ''].filter((word) => word !== '');
  return cutText(words.join(': '), errorLengthMax);
}

// Signs webhooks as standardwebhooks.com describes, so that merchants verify them with an existing library.

interface SignatureHeaders {
  'webhook-id': string;
  /** Seconds since 1970. Merchants refuse a webhook older than five minutes, so that a copy cannot be replayed. */
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * @param secrets `whsec_…` texts; during a rotation there are two, and either verifies.
 * @param body exactly as it is sent.
 */
export function signatureHeaders(
  webhookId: string,
  at: Date,
  body: string,
  secrets: string[],
): SignatureHeaders {
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(webhookId, at, body)).join(' '),
  };
}
