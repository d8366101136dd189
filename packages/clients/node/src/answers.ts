/** One attempt of a request, and whether its answer means that something was started. */
import type { ErrorBody } from './operations.js';

export interface Sent {
  url: URL;
  init: RequestInit;
}

export type NotTaken =
  | { kind: 'refused'; status: number; body: ErrorBody; isReplayed: boolean; afterMs: number }
  /** No answer of the service: the connection failed, or a proxy answered. */
  | { kind: 'none'; what: string; cause: unknown; afterMs: number };

export type Answer = { kind: 'taken'; body: unknown } | NotTaken;

export async function send({ url, init }: Sent, timeoutMs: number): Promise<Answer> {
  let afterMs = 0;
  let what = 'no answer';
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    // Keys must not be sent to another host.
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    what = `HTTP ${response.status}, not an answer of the service`;
    afterMs = secondsIn(response.headers.get('retry-after')) * 1000;
    const body: unknown = await response.json();
    if (response.ok && isTaken(body)) return { kind: 'taken', body };
    if (response.ok || !isRefusal(body)) return { kind: 'none', what, cause: undefined, afterMs };
    const isReplayed = response.headers.get('idempotent-replayed') === 'true';
    return { kind: 'refused', status: response.status, body, isReplayed, afterMs };
  } catch (cause) {
    return { kind: 'none', what, cause, afterMs };
  }
}

function secondsIn(header: string | null): number {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : 0;
}

function isTaken(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'success' in body && body.success === true;
}

/** Other services also send errors as JSON. */
function isRefusal(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null) return false;
  const { success, code, message, request_id: requestId } = body as Partial<Record<keyof ErrorBody, unknown>>;
  return success === false && [code, message, requestId].every((text) => typeof text === 'string');
}

/** Errors that are temporary. */
const passing = new Set([429, 500, 503, 504]);
/** Not final yet. */
const undecided = new Set<string>(['REQUEST_IN_PROGRESS', 'CANCELLATION_IN_PROGRESS']);
/** Server errors that mean that nothing was started. */
const startedNothing = new Set([502, 503]);
/** With these statuses the service answers for the key; other errors come before it checks the key. */
const answersOfKey = new Set([400, 404, 409, 422]);
/** Codes with these statuses that say nothing about the key. */
const besideTheKey = new Set<string>(['CREDENTIALS_MISSING', 'NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED']);

export function mayPass(answer: NotTaken): boolean {
  return answer.kind === 'none' || passing.has(answer.status) || undecided.has(answer.body.code);
}

/**
 * Whether something may have been started, by this attempt or an earlier one. If a later attempt is rejected, this says
 * nothing about an earlier one.
 */
export function staysInDoubt(answer: NotTaken, isInDoubt: boolean): boolean {
  if (answer.kind === 'none' || undecided.has(answer.body.code)) return true;
  const { status, body, isReplayed } = answer;
  if (status >= 500 && !startedNothing.has(status)) return true;
  if (isReplayed) return false;
  return isInDoubt && !(answersOfKey.has(status) && !besideTheKey.has(body.code));
}
