import type { Database, Transaction } from '../store/database';
import { duplicateKeyOf } from '../store/transaction';
import type { IdempotencyClaim } from './endpoint';

/** A request that has not answered for this long has lost its process; its payment is looked up instead. */
const abandonedAfterMs = 25_000;

export type ClaimResult =
  | { kind: 'first' }
  /** The same request was answered before. */
  | { kind: 'replay'; status: number; body: string }
  | { kind: 'running' }
  | { kind: 'other_body' }
  /** Its process died after writing the payment: the answer is made again from that payment. */
  | { kind: 'resume'; paymentId: string };

/** Claims an Idempotency-Key for a merchant's request, or tells what became of the one that claimed it first. */
export async function claimIdempotencyKey(
  db: Database,
  merchantId: string,
  { keyHash, bodyHash }: IdempotencyClaim,
): Promise<ClaimResult> {
  const key = { merchant_id: merchantId, key_hash: keyHash };
  try {
    await db('idempotency_keys').insert({
      ...key,
      body_hash: bodyHash,
      payment_id: null,
      state: 'running',
      http_status: null,
      response: null,
      created_at: new Date(),
    });
    return { kind: 'first' };
  } catch (error) {
    if (duplicateKeyOf(error) === undefined) throw error;
  }
  const first = await db('idempotency_keys').where(key).first();
  if (!first) return { kind: 'running' };
  if (!first.body_hash.equals(bodyHash)) return { kind: 'other_body' };
  if (first.state === 'answered') {
    return { kind: 'replay', status: first.http_status ?? 200, body: first.response ?? '{}' };
  }
  if (Date.now() - first.created_at.getTime() < abandonedAfterMs) return { kind: 'running' };
  if (first.payment_id !== null) return { kind: 'resume', paymentId: first.payment_id };
  // Nothing was written before the process died. Whoever renews the claim first goes on with it.
  const renewed = await db('idempotency_keys')
    .where({ ...key, state: 'running', created_at: first.created_at })
    .update({ created_at: new Date() });
  return renewed === 1 ? { kind: 'first' } : { kind: 'running' };
}

/** Ties the claim to the payment it starts, in the transaction that writes the payment's row. */
export async function tieClaim(
  trx: Transaction,
  merchantId: string,
  claim: IdempotencyClaim,
  paymentId: string,
): Promise<void> {
  await trx('idempotency_keys')
    .where({ merchant_id: merchantId, key_hash: claim.keyHash })
    .update({ payment_id: paymentId });
}

/** Stores the answer that every repetition will get. */
export async function storeAnswer(
  db: Database,
  merchantId: string,
  keyHash: Buffer,
  status: number,
  body: string,
): Promise<void> {
  await db('idempotency_keys')
    .where({ merchant_id: merchantId, key_hash: keyHash })
    .update({ state: 'answered', http_status: status, response: body });
}

/** Frees a key whose request started nothing that lives, so that the merchant may repeat it at once. */
export async function releaseClaim(db: Database, merchantId: string, keyHash: Buffer): Promise<void> {
  await db('idempotency_keys')
    .where({ merchant_id: merchantId, key_hash: keyHash, state: 'running' })
    .where((key) => {
      void key
        .whereNull('payment_id')
        .orWhereIn('payment_id', db('payments').where({ state: 'failed' }).select('payment_id'));
    })
    .delete();
}
