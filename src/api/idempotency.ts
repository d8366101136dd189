/** `Idempotency-Key`: the same key and body get the first answer again, however often and from wherever they come. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isLosslessNumber } from 'lossless-json';
import { invalid, PaymentError, type ErrorCode } from '../domain/errors';
import type { Log } from '../domain/log';
import type { HeldClaim, IdempotencyClaim } from '../rail-kit/endpoint';
import { ClaimLost, type ClaimResult } from '../payments/create/idempotency-claims';
import { acceptanceUnknown } from '../payments/read/refusals';
import { CommitUnknown, isDatabaseUnavailable } from '../store/transaction';
import { errorBody, jsonText, type ErrorSettings, type RenderedAnswer } from './errors';

/** Where claims are kept; the database, save for tests. */
export interface IdempotencyStore {
  claim(merchantId: string, claim: IdempotencyClaim): Promise<ClaimResult>;
  isKnown(merchantId: string, keyHash: Buffer): Promise<boolean>;
  storeAnswer(merchantId: string, claim: HeldClaim, answer: { status: number; body: string }): Promise<void>;
  /** Frees the key of a request that started nothing. */
  release(merchantId: string, claim: HeldClaim): Promise<void>;
  /** Leaves the request to whoever repeats it. */
  letGo(merchantId: string, claim: HeldClaim): Promise<void>;
  /** Nobody of this process works on it any more: should it still stand under its name, it is let go. */
  end(claim: HeldClaim): void;
}

const acceptableKey = /^[\x20-\x7e]{1,255}$/;
const credentialFields = new Set(['api_key', 'api_secret']);

/** The same object in the same text, whatever the order of its keys. Numbers compare as written. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, canonical(member)]));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * The claim a request makes.
 * @param call names the operation: the same key on another endpoint is another request. A caller who has only named the
 *   merchant has keys of its own: with the merchant's it could use them up, or learn which were used.
 * @param body without regard to the credentials in it, so that a rotated key still gets its answer.
 * @throws PaymentError VALIDATION_FAILED for a key that is empty, too long or not printable ASCII.
 */
export function claimOf(
  header: string | string[] | undefined,
  { call, isProven }: { call: string; isProven: boolean },
  body: Record<string, unknown>,
): IdempotencyClaim | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !acceptableKey.test(header)) {
    const message = 'Idempotency-Key must be 1 to 255 printable ASCII characters';
    throw invalid([{ field: 'Idempotency-Key', message }]);
  }
  const fields = Object.fromEntries(Object.entries(body).filter(([key]) => !credentialFields.has(key)));
  // No key holds a line break, so that no two of them meet.
  const key = isProven ? header : `named\n${header}`;
  return { keyHash: sha256(key), bodyHash: sha256(`${call}\n${jsonText(canonical(fields))}`) };
}

export interface Claimant {
  idempotency: IdempotencyStore;
  config: ErrorSettings;
  log: Log;
  /** How long the end of a claim is tried to be written down; shorter in tests. */
  persistenceMs?: number;
}

/** Refusals that are no answer yet: the same request gets another one later. */
const undecided: ReadonlySet<ErrorCode> = new Set(['CANCELLATION_IN_PROGRESS']);

/** True for an error that invites the caller to try again. The key is kept where a payment lives all the same. */
function invitesRepetition({ status }: PaymentError): boolean {
  return status === 502 || status === 503;
}

/** What a lost database means: the work throws its errors bare as long as it has written nothing. */
function wordsFor(error: unknown, resumedId: string | undefined): unknown {
  if (!isDatabaseUnavailable(error)) return error;
  if (resumedId !== undefined) return acceptanceUnknown({ payment_id: resumedId }, error);
  return error instanceof CommitUnknown
    ? acceptanceUnknown({}, error)
    : new PaymentError('SERVICE_UNAVAILABLE', { cause: error });
}

/**
 * Does the work of a request once per claim. A refusal is an answer like any other and is given again, save where it
 * is undecided; an error that says nothing was started frees the key; after any other error the claim is let go, because a payment may have been
 * written, and whoever repeats the request is answered from that payment.
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
      // Another request has taken this one's place: it is answered as whoever comes second is.
      return answerOnce(claimant, merchantId, claim, work);
    }
    const error = wordsFor(thrown, resumedId);
    if (error instanceof PaymentError && error.status < 500 && !undecided.has(error.code)) {
      await keep({ status: error.status, body: jsonText(errorBody(error, config)) });
    } else if (error instanceof PaymentError && invitesRepetition(error)) {
      await end('released', () => idempotency.release(merchantId, held));
    } else {
      await end('let go', () => idempotency.letGo(merchantId, held));
    }
    throw error;
  }
}

/** How long what became of a claim is tried to be written down; after that whoever repeats the request goes on with it. */
const persistenceMs = 600_000;
const persistEveryMs = 500;

interface End {
  what: string;
  write(): Promise<void>;
}

/**
 * The work is done; that its end could not be written down must not turn it into an error. It is tried again while
 * the caller has its answer already, because a claim is its process's for as long as that lives.
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
    log.warn('the end of a claim of an Idempotency-Key could not be written down', { ...about, error });
    void keepWriting(write, claimant.persistenceMs ?? persistenceMs).then((isWritten) => {
      idempotency.end(held);
      if (!isWritten) log.error('the end of a claim of an Idempotency-Key was never written down', about);
    });
  }
}

/** @returns whether it was written in time. */
async function keepWriting(write: () => Promise<void>, forMs: number): Promise<boolean> {
  for (const until = performance.now() + forMs; performance.now() < until;) {
    await delay(persistEveryMs, undefined, { ref: false });
    const isWritten = await write().then(
      () => true,
      () => false,
    );
    if (isWritten) return true;
  }
  return false;
}
