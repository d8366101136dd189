/** `Idempotency-Key`: the same key and body get the first answer again, however often and from wherever they come. */
import { createHash } from 'node:crypto';
import { isLosslessNumber } from 'lossless-json';
import { invalid, PaymentError } from '../domain/errors';
import type { Log } from '../domain/log';
import type { IdempotencyClaim } from '../payments/endpoint';
import type { ClaimResult } from '../payments/idempotency';
import { isDatabaseUnavailable } from '../store/transaction';
import { errorBody } from './errors';
import { jsonText, type RenderedAnswer } from './send';

/** Where claims are kept; the database, save for tests. */
export interface IdempotencyStore {
  claim(merchantId: string, claim: IdempotencyClaim): Promise<ClaimResult>;
  storeAnswer(merchantId: string, keyHash: Buffer, status: number, body: string): Promise<void>;
  release(merchantId: string, keyHash: Buffer): Promise<void>;
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
 * @param call names the operation: the same key on another endpoint is another request.
 * @param body without regard to the credentials in it, so that a rotated key still gets its answer.
 * @throws PaymentError VALIDATION_FAILED for a key that is empty, too long or not printable ASCII.
 */
export function claimOf(
  header: string | string[] | undefined,
  call: string,
  body: Record<string, unknown>,
): IdempotencyClaim | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !acceptableKey.test(header)) {
    const message = 'Idempotency-Key must be 1 to 255 printable ASCII characters';
    throw invalid([{ field: 'Idempotency-Key', message }]);
  }
  const fields = Object.fromEntries(Object.entries(body).filter(([key]) => !credentialFields.has(key)));
  return { keyHash: sha256(header), bodyHash: sha256(`${call}\n${jsonText(canonical(fields))}`) };
}

interface Claimant {
  idempotency: IdempotencyStore;
  config: { timezone: string };
  log: Log;
}

/** True for an error that invites the caller to try again. The key is kept where a payment lives all the same. */
function invitesRepetition(error: unknown): boolean {
  return error instanceof PaymentError
    ? error.status === 502 || error.status === 503
    : isDatabaseUnavailable(error);
}

/**
 * Does the work of a request once per claim. A refusal is an answer like any other and is given again; an error that
 * says nothing was started frees the key; after any other error the claim stays, because a payment may have been
 * written, and is resumed from that payment later.
 */
export async function answerOnce(
  { idempotency, config, log }: Claimant,
  merchantId: string,
  claim: IdempotencyClaim,
  work: (resumePaymentId?: string) => Promise<RenderedAnswer>,
): Promise<RenderedAnswer> {
  const claimed = await idempotency.claim(merchantId, claim);
  if (claimed.kind === 'other_body') throw new PaymentError('IDEMPOTENCY_KEY_REUSED');
  if (claimed.kind === 'running') throw new PaymentError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
  if (claimed.kind === 'replay') {
    return { status: claimed.status, text: claimed.body, headers: { 'Idempotent-Replayed': 'true' } };
  }

  // The work is done; that its answer could not be kept must not turn it into an error.
  const attempt = async (step: Promise<void>): Promise<void> => {
    await step.catch((error: unknown) => {
      log.warn('the state of an Idempotency-Key could not be stored', { error });
    });
  };
  try {
    const answer = await work(claimed.kind === 'resume' ? claimed.paymentId : undefined);
    await attempt(idempotency.storeAnswer(merchantId, claim.keyHash, answer.status, answer.text));
    return answer;
  } catch (error) {
    if (invitesRepetition(error)) {
      await attempt(idempotency.release(merchantId, claim.keyHash));
    } else if (error instanceof PaymentError && error.status < 500) {
      const text = jsonText(errorBody(error, config.timezone));
      await attempt(idempotency.storeAnswer(merchantId, claim.keyHash, error.status, text));
    }
    throw error;
  }
}
