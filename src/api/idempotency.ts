/** `Idempotency-Key`: a repeat with the same key and body gets the first answer again, whichever process serves it. */
import { createHash } from 'node:crypto';
import { isLosslessNumber } from 'lossless-json';
import { invalid, PaymentError, type ErrorCode } from '../domain/errors';
import type { Log } from '../domain/log';
import { keepTrying } from '../domain/repeat';
import type { HeldClaim, IdempotencyClaim } from '../rail-kit/endpoint';
import { ClaimLost, type ClaimResult } from '../payments/create/idempotency-claims';
import { creationUnknown } from '../payments/read/creation-errors';
import { CommitUnknown, isDatabaseUnavailable } from '../store/transaction';
import { errorBody, jsonText, type ErrorSettings, type RenderedAnswer } from './errors';

/** The storage of claims: the database, except in tests. */
export interface IdempotencyStore {
  claim(merchantId: string, claim: IdempotencyClaim): Promise<ClaimResult>;
  isKnown(merchantId: string, keyHash: Buffer): Promise<boolean>;
  storeAnswer(merchantId: string, claim: HeldClaim, answer: { status: number; body: string }): Promise<void>;
  /** Frees the key of a request that started nothing. */
  release(merchantId: string, claim: HeldClaim): Promise<void>;
  /** Releases the claim to the next repeat of the request. */
  letGo(merchantId: string, claim: HeldClaim): Promise<void>;
  /** No request of this process uses the claim any more: a claim that is still under its name is left to a repeat. */
  end(claim: HeldClaim): void;
}

const acceptableKey = /^[\x20-\x7e]{1,255}$/;
const credentialFields = new Set(['api_key', 'api_secret']);

/** The same text for the same object, whatever the order of its keys. Numbers compare as written. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return value;
  if (value instanceof Map || value instanceof Set) throw new Error('a request has no comparable text');
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, canonical(member)]));
}

/**
 * The fields that the endpoint has, as it read them: `78` and `78.00` are one amount, and what it ignores does not
 * count. A merchant's object was read into one text, where the order of its keys would count.
 */
function comparable(input: Record<string, unknown>, sent: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(input)
    .filter(([name]) => !credentialFields.has(name))
    .map(([name, read]) => [name, typeof read === 'string' && isObject(sent[name]) ? sent[name] : read]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !isLosslessNumber(value);

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * The claim of a request.
 * @param call names the operation: the same key on another endpoint is another request. A caller who only names a
 * merchant id has separate keys. Otherwise it could use up the merchant's keys, or learn which are used.
 * @param body `input` is what the endpoint read in the fields that were `sent`. The credentials in it do not count, so
 *   that a rotated key still gets its answer.
 * @throws PaymentError VALIDATION_FAILED for a key that is empty, too long or not printable ASCII.
 */
export function claimOf(
  header: string | string[] | undefined,
  { call, isProven }: { call: string; isProven: boolean },
  { input, sent }: { input: Record<string, unknown>; sent: Record<string, unknown> },
): IdempotencyClaim | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !acceptableKey.test(header)) {
    const message = 'Idempotency-Key must be 1 to 255 printable ASCII characters';
    throw invalid([{ field: 'Idempotency-Key', message }]);
  }
  // No key contains a line break, so two keys cannot collide.
  const key = isProven ? header : `named\n${header}`;
  return {
    keyHash: sha256(key),
    bodyHash: sha256(`${call}\n${jsonText(canonical(comparable(input, sent)))}`),
  };
}

export interface Claimant {
  idempotency: IdempotencyStore;
  config: ErrorSettings;
  log: Log;
  /** How long writing the end of a claim is retried; shorter in tests. */
  persistenceMs?: number;
}

/** Errors that are not final: the same request gets another answer later. */
const undecided: ReadonlySet<ErrorCode> = new Set(['CANCELLATION_IN_PROGRESS']);

/** True for an error that invites the caller to retry. The key is stored if a payment exists all the same. */
function invitesRepetition({ status }: PaymentError): boolean {
  return status === 502 || status === 503;
}

/** How a lost database shows: the work throws its errors unwrapped as long as it has written nothing. */
function wordsFor(error: unknown, resumedId: string | undefined): unknown {
  if (!isDatabaseUnavailable(error)) return error;
  if (resumedId !== undefined) return creationUnknown({ payment_id: resumedId }, error);
  return error instanceof CommitUnknown
    ? creationUnknown({}, error)
    : new PaymentError('SERVICE_UNAVAILABLE', { cause: error });
}

/**
 * Does the work of a request once per claim. A rejection is an answer like any other and is replayed, unless it is not
 * final. An error that proves that nothing was started frees the key. After any other error the claim is left to the next
 * repeat of the request, because a payment may have been written. The repeat is then answered from that payment.
 */
export async function answerOnce(
  claimant: Claimant,
  merchantId: string,
  claim: IdempotencyClaim,
  work: (held: HeldClaim, resumePaymentId?: string) => Promise<RenderedAnswer>,
): Promise<RenderedAnswer> {
  const { idempotency, config } = claimant;
  const claimed = await idempotency.claim(merchantId, claim);
  if (claimed.kind === 'other_body') throw new PaymentError('IDEMPOTENCY_KEY_REUSED');
  if (claimed.kind === 'running') throw new PaymentError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
  if (claimed.kind === 'replay') {
    return { status: claimed.status, text: claimed.body, headers: { 'Idempotent-Replayed': 'true' } };
  }

  const held: HeldClaim = { ...claim, claimId: claimed.claimId };
  const resumedId = claimed.kind === 'resume' ? claimed.paymentId : undefined;
  const end = (what: string, write: () => Promise<void>) =>
    writeEnd(claimant, merchantId, held, { what, write });
  const keep = (answer: { status: number; body: string }) =>
    end(`answered ${String(answer.status)}`, () => idempotency.storeAnswer(merchantId, held, answer));
  try {
    const answer = await work(held, resumedId);
    await keep({ status: answer.status, body: answer.text });
    return answer;
  } catch (thrown) {
    if (thrown instanceof ClaimLost) {
      idempotency.end(held);
      // Another request has taken over the claim: this one is answered like a repeat.
      return answerOnce(claimant, merchantId, claim, work);
    }
    const error = wordsFor(thrown, resumedId);
    if (error instanceof PaymentError && error.status < 500 && !undecided.has(error.code)) {
      await keep({ status: error.status, body: jsonText(errorBody(error, config)) });
    } else if (error instanceof PaymentError && invitesRepetition(error)) {
      await end('released', () => idempotency.release(merchantId, held));
    } else {
      await end('left to a repeat', () => idempotency.letGo(merchantId, held));
    }
    throw error;
  }
}

/** How long writing the end of a claim is retried. After that, the next repeat of the request takes the claim over. */
const persistenceMs = 600_000;
const persistEveryMs = 500;

interface End {
  what: string;
  write(): Promise<void>;
}

/**
 * The work is done, so a failure to write the claim's end must not become an error. The write is retried after the
 * answer is sent, because a claim belongs to its process for as long as the process lives.
 */
async function writeEnd(
  claimant: Claimant,
  merchantId: string,
  held: HeldClaim,
  { what, write }: End,
): Promise<void> {
  const { log, idempotency } = claimant;
  const about = { merchant_id: merchantId, claim_id: held.claimId, end: what };
  try {
    await write();
    idempotency.end(held);
  } catch (error) {
    log.warn('the end of an Idempotency-Key claim was not written; the write is retried', {
      ...about,
      error,
    });
    const forMs = claimant.persistenceMs ?? persistenceMs;
    void keepTrying(write, { everyMs: persistEveryMs, forMs }).then((isWritten) => {
      idempotency.end(held);
      if (!isWritten) log.error('the end of an Idempotency-Key claim was not written; retries ended', about);
    });
  }
}
