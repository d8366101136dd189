/** A merchant's further webhook endpoints. */
import { v7 as uuidV7, validate as isUuid } from 'uuid';
import { holdRows, rowChanged } from '../../users/audit-log';
import type { Environment } from '../../config';
import { invalid, PaymentError } from '../../domain/errors';
import type { EventType } from '../../domain/event';
import { endOfFeed } from '../../events/read-events';
import { faultOfUrl } from '../../merchants/allowed-url';
import { mintWebhookSecret } from '../../merchants/api-keys';
import { lockMerchant } from '../../merchants/merchants';
import type { SecretBox } from '../../merchants/secrets';
import type { Database, Transaction } from '../../store/database';
import type { WebhookEndpointRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';

/** The most endpoints in use by one merchant. */
export const endpointsMax = 10;

export interface EndpointWorld {
  db: Database;
  box: SecretBox;
  environment: Environment;
}

export interface NewEndpoint {
  url: string;
  types: readonly EventType[];
}

/**
 * Adds an endpoint, which receives all later events.
 * @param alongside writes who adds it, in its transaction.
 * @returns its row, and its secret, which is shown once.
 * @throws PaymentError VALIDATION_FAILED for a forbidden address, and above the limit of endpoints.
 */
export async function addEndpoint(
  { db, box, environment }: EndpointWorld,
  merchantId: string,
  { url, types }: NewEndpoint,
  alongside?: (trx: Transaction, endpointId: string) => Promise<void>,
): Promise<{ endpoint: WebhookEndpointRow; secret: string }> {
  const fault = faultOfUrl(url, environment);
  if (fault !== undefined) throw invalid([{ field: 'url', message: `url ${fault}` }]);
  const { position, eventId } = await endOfFeed(db, merchantId);
  const [endpointId, secret] = [uuidV7(), mintWebhookSecret()];
  const endpoint = await inTransaction(db, async (trx) => {
    // One at a time, so that concurrent requests cannot exceed the limit.
    await lockMerchant(trx, merchantId);
    const inUse = await trx('webhook_endpoints')
      .where({ merchant_id: merchantId })
      .whereNull('ended_at')
      .select('endpoint_id');
    // The row exists already where the answer to the earlier try's COMMIT was lost.
    if (inUse.some(({ endpoint_id: id }) => id === endpointId)) {
      return getEndpointOrThrow(trx, merchantId, endpointId);
    }
    if (inUse.length >= endpointsMax) {
      const message = `there are ${String(endpointsMax)} endpoints already; end one of them first`;
      throw invalid([{ field: 'url', message }]);
    }
    const now = trx.raw<Date>('UTC_TIMESTAMP(3)');
    await trx('webhook_endpoints').insert({
      endpoint_id: endpointId,
      merchant_id: merchantId,
      url,
      types: types.join(','),
      webhook_secret: box.encrypt(secret, merchantId),
      position: String(position),
      event_id: eventId,
      next_at: now,
      created_at: now,
    });
    await rowChanged(trx, 'webhook_endpoints', endpointId);
    await alongside?.(trx, endpointId);
    // Read before the COMMIT: if the database fails after it, the answer must not say that nothing was added.
    return getEndpointOrThrow(trx, merchantId, endpointId);
  });
  return { endpoint, secret };
}

/** @throws PaymentError WEBHOOK_ENDPOINT_NOT_FOUND, also for another merchant's, and for one that is ended. */
export async function getEndpointOrThrow(
  db: Database,
  merchantId: string,
  endpointId: string,
): Promise<WebhookEndpointRow> {
  const endpoint = isUuid(endpointId)
    ? await db('webhook_endpoints')
        .where({ endpoint_id: endpointId, merchant_id: merchantId })
        .whereNull('ended_at')
        .first()
    : undefined;
  if (!endpoint) throw new PaymentError('WEBHOOK_ENDPOINT_NOT_FOUND');
  return endpoint;
}

/** The endpoints in use, oldest first. */
export function listEndpoints(db: Database, merchantId: string): Promise<WebhookEndpointRow[]> {
  return db('webhook_endpoints')
    .where({ merchant_id: merchantId })
    .whereNull('ended_at')
    .orderBy('created_at')
    .orderBy('endpoint_id');
}

/** Ends an endpoint: it receives no further events. @throws as getEndpointOrThrow. */
export async function endEndpoint(
  db: Database,
  merchantId: string,
  endpointId: string,
  alongside?: (trx: Transaction, endpoint: WebhookEndpointRow) => Promise<void>,
): Promise<WebhookEndpointRow> {
  const endpoint = await getEndpointOrThrow(db, merchantId, endpointId);
  await inTransaction(db, async (trx) => {
    await holdRows(trx, 'webhook_endpoints', endpointId);
    await trx('webhook_endpoints')
      .where({ endpoint_id: endpointId })
      .whereNull('ended_at')
      .update({ ended_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
    await trx('endpoint_resends').where({ endpoint_id: endpointId }).delete();
    await rowChanged(trx, 'webhook_endpoints', endpointId);
    await alongside?.(trx, endpoint);
  });
  return endpoint;
}

/**
 * Gives it a new secret; the previous one also signs until the next change.
 * @returns the new one, which is shown once. @throws as getEndpointOrThrow.
 */
export async function changeEndpointSecret(
  { db, box }: EndpointWorld,
  merchantId: string,
  endpointId: string,
  alongside?: (trx: Transaction, endpoint: WebhookEndpointRow) => Promise<void>,
): Promise<{ endpoint: WebhookEndpointRow; secret: string }> {
  const secret = mintWebhookSecret();
  const encrypted = box.encrypt(secret, merchantId);
  const endpoint = await getEndpointOrThrow(db, merchantId, endpointId);
  await inTransaction(db, async (trx) => {
    await holdRows(trx, 'webhook_endpoints', endpointId);
    const changed = await trx('webhook_endpoints')
      .where({ endpoint_id: endpointId })
      .whereNull('ended_at')
      // Once, however often this is retried: the previous secret is the one that the merchant has.
      .whereNot({ webhook_secret: encrypted })
      .update({
        previous_webhook_secret: trx.ref('webhook_secret') as unknown as string,
        webhook_secret: encrypted,
      });
    if (changed === 0) return;
    await rowChanged(trx, 'webhook_endpoints', endpointId);
    await alongside?.(trx, endpoint);
  });
  return { endpoint, secret };
}
