/**
 * The claim of an Idempotency-Key names the request that works on it. A claim is a lease: it belongs to its process
 * for as long as the process lives. A request that takes it over writes a claim id of its own. The transaction that
 * writes the payment checks that id, so a claim that was taken over too early costs a rollback and never a second
 * payment.
 */
import { v7 as uuid } from 'uuid';
import type { Database, Transaction } from '../../store/database';
import { duplicateKeyOf } from '../../store/transaction';
import type { IdempotencyKeyRow } from '../../store/tables';
import type { HeldClaim, IdempotencyClaim } from '../../rail-kit/endpoint';
import { findPayment } from '../read/payments';
import { invitesRepetition, neverTaken } from '../read/creation-errors';

/** How long a repeated request gets the first answer. After that the key counts as unused. */
export const keysKeptDays = 30;
/**
 * A process that was not seen for this long counts as dead. A process that is only slow loses its claims, but no
 * money.
 */
export const leaseMs = 1_500;
/** A claim of a version without leases belongs to its request for this long. */
const unleasedMs = 120_000;
/** The process name of a released claim. */
const noHolder = '';

/** A process that makes claims, and the claims that it is working on. */
export interface ClaimsOfProcess {
  readonly processId: string;
  /** Claim ids, each from before it is sent to the database until its result is written there. */
  readonly live: Set<string>;
}

export type ClaimResult =
  | { kind: 'first'; claimId: string }
  /** The same request was answered before. */
  | { kind: 'replay'; status: number; body: string }
  | { kind: 'running' }
  | { kind: 'other_body' }
  /** The request was interrupted after it had written its payment: the answer is built again from that. */
  | { kind: 'resume'; claimId: string; paymentId: string };

/** Another request works on the key by now, or has finished it: this request wrote nothing. */
export class ClaimLost extends Error {
  constructor() {
    super('the Idempotency-Key was taken over by another request');
    this.name = 'ClaimLost';
  }
}

type Key = Pick<IdempotencyKeyRow, 'merchant_id' | 'key_hash'>;

const isHeld = `
  IF(k.process_id IS NULL,
     k.created_at > UTC_TIMESTAMP(3) - INTERVAL ${String(unleasedMs * 1_000)} MICROSECOND,
     COALESCE(p.seen_at > UTC_TIMESTAMP(3) - INTERVAL ${String(leaseMs * 1_000)} MICROSECOND, 0))`;

/** `isHeld` is 0 or 1: MySQL returns it as text, and MariaDB as a number. */
type FoundKey = IdempotencyKeyRow & { isHeld: number | string };

async function lookUp(db: Database, key: Key): Promise<FoundKey | undefined> {
  const [[found]] = (await db.raw(
    `SELECT k.*, ${isHeld} AS isHeld
       FROM idempotency_keys k LEFT JOIN processes p ON p.process_id = k.process_id
      WHERE k.merchant_id = ? AND k.key_hash = ?`,
    [key.merchant_id, key.key_hash],
  )) as [FoundKey[]];
  return found;
}

/**
 * Claims an Idempotency-Key for a merchant's request, or reports the state of the first claim. The caller must end a
 * claim that it received. A claim whose answer was lost is one of its {@link letStraysGo strays}.
 */
export async function claimIdempotencyKey(
  db: Database,
  { processId, live }: ClaimsOfProcess,
  merchantId: string,
  claim: IdempotencyClaim,
): Promise<ClaimResult> {
  const mine: Mine = { claim_id: uuid(), process_id: processId };
  live.add(mine.claim_id);
  let isHeld = false;
  try {
    const result = await claimAs(db, mine, merchantId, claim);
    isHeld = result.kind === 'first' || result.kind === 'resume';
    return result;
  } finally {
    if (!isHeld) live.delete(mine.claim_id);
  }
}

interface Mine {
  claim_id: string;
  process_id: string;
}

async function claimAs(
  db: Database,
  mine: Mine,
  merchantId: string,
  { keyHash, bodyHash }: IdempotencyClaim,
): Promise<ClaimResult> {
  const key: Key = { merchant_id: merchantId, key_hash: keyHash };
  try {
    await db('idempotency_keys').insert({
      ...key,
      ...mine,
      body_hash: bodyHash,
      payment_id: null,
      state: 'running',
      http_status: null,
      response: null,
      created_at: new Date(),
    });
    return { kind: 'first', claimId: mine.claim_id };
  } catch (error) {
    if (duplicateKeyOf(error) === undefined) throw error;
  }
  const first = await lookUp(db, key);
  if (!first) return { kind: 'running' };
  if (!first.body_hash.equals(bodyHash)) return { kind: 'other_body' };
  if (first.state === 'answered') {
    return { kind: 'replay', status: first.http_status ?? 200, body: first.response ?? '{}' };
  }
  if (Number(first.isHeld) === 1) return { kind: 'running' };
  return takeOver(db, first, mine);
}

/** Of several requests that find an abandoned claim, only one takes it over. */
async function takeOver(db: Database, first: IdempotencyKeyRow, mine: Mine): Promise<ClaimResult> {
  const { merchant_id, key_hash, claim_id, payment_id: started } = first;
  const written = started === null ? undefined : await findPayment(db, started);
  const paymentId = written && invitesRepetition(written) ? null : started;
  const taken = await db('idempotency_keys')
    .where({ merchant_id, key_hash, claim_id, payment_id: started, state: 'running' })
    .update({ ...mine, payment_id: paymentId });
  if (taken !== 1) return { kind: 'running' };
  const { claim_id: claimId } = mine;
  return paymentId === null ? { kind: 'first', claimId } : { kind: 'resume', claimId, paymentId };
}

/** True when a request was made with the key before, whatever its result. */
export async function isKeyKnown(db: Database, merchantId: string, keyHash: Buffer): Promise<boolean> {
  const key: Key = { merchant_id: merchantId, key_hash: keyHash };
  return (await db('idempotency_keys').where(key).first('state')) !== undefined;
}

/**
 * Links the claim to the payment, in the transaction that writes the payment.
 * @throws ClaimLost when the claim belongs to another request by now, so that the transaction is rolled back.
 */
export async function tieClaim(
  trx: Transaction,
  merchantId: string,
  claim: HeldClaim,
  paymentId: string,
): Promise<void> {
  const tied = await held(trx, merchantId, claim).update({ payment_id: paymentId });
  if (tied !== 1) throw new ClaimLost();
}

function held(db: Database | Transaction, merchantId: string, { keyHash, claimId }: HeldClaim) {
  return db('idempotency_keys').where({
    merchant_id: merchantId,
    key_hash: keyHash,
    claim_id: claimId,
    state: 'running',
  });
}

/** Stores the answer that every repeat will get. */
export async function storeAnswer(
  db: Database,
  merchantId: string,
  claim: HeldClaim,
  { status, body }: { status: number; body: string },
): Promise<void> {
  await held(db, merchantId, claim).update({ state: 'answered', http_status: status, response: body });
}

/** Releases a claim without an answer. The next request continues from the written payment, if there is one. */
export async function letClaimGo(db: Database, merchantId: string, claim: HeldClaim): Promise<void> {
  await held(db, merchantId, claim).update({ process_id: noHolder });
}

/**
 * Releases the claims that bear a living process's name and that no request of it works on. Either the answer to the
 * claim was lost, or the database was unavailable for too long when its end had to be written.
 */
export async function letStraysGo(db: Database, { processId, live }: ClaimsOfProcess): Promise<void> {
  const running = await db('idempotency_keys')
    .where({ process_id: processId, state: 'running' })
    .select('merchant_id', 'key_hash', 'claim_id');
  // Live claims are read after the rows: a claim in the rows was live before, or is still live.
  const strays = running.filter(({ claim_id: id }) => id !== null && !live.has(id));
  for (const stray of strays) {
    await db('idempotency_keys')
      .where({ ...stray, state: 'running' })
      .update({ process_id: noHolder });
  }
}

/** Frees a key whose request started nothing, so that the merchant may use it again at once. */
export async function releaseClaim(db: Database, merchantId: string, claim: HeldClaim): Promise<void> {
  await held(db, merchantId, claim)
    .where((key) => {
      void key.whereNull('payment_id').orWhereIn(
        'payment_id',
        db('payments')
          .where({ ...neverTaken, answered_at: null })
          .select('payment_id'),
      );
    })
    .delete();
  await letClaimGo(db, merchantId, claim);
}
