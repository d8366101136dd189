import { v7 as uuidV7, validate as isUuid } from 'uuid';
import { holdRows, rowChanged } from '../users/audit-log';
import type { Environment } from '../config';
import { PaymentError } from '../domain/errors';
import { endRequestsOf } from '../users/requests';
import type { Database, Transaction } from '../store/database';
import type { MerchantRow } from '../store/tables';
import { inTransaction, type Alongside } from '../store/transaction';
import { keyRow, mintApiKeyPair, mintWebhookSecret, everyScope, type ApiKeyPair } from './api-keys';
import { merchantColumns, type MerchantInput } from './merchant-input';
import type { SecretBox } from './secrets';

export type { MerchantInput } from './merchant-input';

/** Shown once: the database stores only a hash of the API secret. */
export interface NewMerchant extends ApiKeyPair {
  merchant_id: string;
  webhook_secret: string;
}

/** Reads the lists of a row. MariaDB stores JSON as text, which not every driver and proxy converts to values. */
export function merchantOf(row: MerchantRow): MerchantRow {
  return {
    ...row,
    permissions: listOf(row.permissions),
    ip_allow: listOf(row.ip_allow),
    checkout_hosts: listOf(row.checkout_hosts),
  };
}

function listOf(column: string[] | string): string[] {
  return typeof column === 'string' ? (JSON.parse(column) as string[]) : column;
}

/** @throws PaymentError VALIDATION_FAILED listing every fault. */
export async function createMerchant(
  db: Database,
  box: SecretBox,
  { environment, ...input }: MerchantInput & { name: string; environment: Environment },
  alongside?: (trx: Transaction, merchantId: string) => Promise<void>,
): Promise<NewMerchant> {
  const columns = merchantColumns(input, environment, ['name']);
  const merchantId = uuidV7();
  const keyPair = mintApiKeyPair(environment);
  const webhookSecret = mintWebhookSecret();
  const now = new Date();
  await inTransaction(db, async (trx) => {
    await trx('merchants').insert({
      permissions: '[]',
      ip_allow: '[]',
      checkout_hosts: '[]',
      ...columns,
      merchant_id: merchantId,
      webhook_secret: box.encrypt(webhookSecret, merchantId),
      created_at: now,
      updated_at: now,
    } as object);
    await trx('api_keys').insert(keyRow(merchantId, keyPair, { createdAt: now, scopes: everyScope }));
    await rowChanged(trx, 'merchants', merchantId);
    await rowChanged(trx, 'api_keys', keyPair.api_key);
    await alongside?.(trx, merchantId);
  });
  return { merchant_id: merchantId, ...keyPair, webhook_secret: webhookSecret };
}

/**
 * Changes the given settings and leaves the others.
 * @throws PaymentError VALIDATION_FAILED listing every fault, MERCHANT_NOT_FOUND
 */
export async function setMerchant(
  db: Database,
  merchantId: string,
  changes: MerchantInput,
  { environment }: { environment: Environment },
  alongside?: Alongside,
): Promise<MerchantRow> {
  const columns = merchantColumns(changes, environment);
  return inTransaction(db, async (trx) => {
    const { merchant_id: storedId } = await getMerchantOrThrow(trx, merchantId);
    await holdRows(trx, 'merchants', storedId);
    await trx('merchants')
      .where({ merchant_id: storedId })
      .update({ ...columns, updated_at: new Date() } as object);
    await rowChanged(trx, 'merchants', storedId);
    // Open requests for the approval of a portal user of this merchant end.
    if (changes.status === 'inactive') await endRequestsOf(trx, { merchantId: storedId }, 'merchant_closed');
    await alongside?.(trx);
    return getMerchantOrThrow(trx, storedId);
  });
}

export async function findMerchant(
  db: Database | Transaction,
  merchantId: string,
): Promise<MerchantRow | undefined> {
  // Any text may arrive here. The column is ASCII, and MySQL cannot compare it with other characters.
  if (!isUuid(merchantId)) return undefined;
  const row = await db('merchants').where({ merchant_id: merchantId.toLowerCase() }).first();
  return row && merchantOf(row);
}

/** @throws PaymentError MERCHANT_NOT_FOUND */
export async function getMerchantOrThrow(
  db: Database | Transaction,
  merchantId: string,
): Promise<MerchantRow> {
  const merchant = await findMerchant(db, merchantId);
  if (!merchant) throw new PaymentError('MERCHANT_NOT_FOUND');
  return merchant;
}

/**
 * @throws PaymentError INACTIVE_MERCHANT for an unknown, suspended or inactive merchant: an unauthenticated caller does
 * not learn which.
 */
export async function activeMerchant(db: Database, merchantId: string): Promise<MerchantRow> {
  const merchant = await findMerchant(db, merchantId);
  if (merchant?.status !== 'active') throw new PaymentError('INACTIVE_MERCHANT');
  return merchant;
}

/** All merchants, oldest first. */
export async function listMerchants(db: Database): Promise<MerchantRow[]> {
  const rows = await db('merchants').orderBy('merchant_id');
  return rows.map(merchantOf);
}

/** One page of them, oldest first: their ids grow with time. @param after the id before the first. */
export async function someMerchants(
  db: Database,
  { after = '', limit }: { after?: string; limit: number },
): Promise<MerchantRow[]> {
  const rows = await db('merchants').where('merchant_id', '>', after).orderBy('merchant_id').limit(limit);
  return rows.map(merchantOf);
}

/** @throws PaymentError MERCHANT_NOT_FOUND */
export async function lockMerchant(trx: Transaction, merchantId: string): Promise<MerchantRow> {
  const merchant = isUuid(merchantId)
    ? await trx('merchants').where({ merchant_id: merchantId }).forUpdate().first()
    : undefined;
  if (!merchant) throw new PaymentError('MERCHANT_NOT_FOUND');
  return merchant;
}

/**
 * Gives the merchant a new webhook secret. Webhooks are also signed with the previous secret until the next rotation,
 * so that the merchant can change over at any time.
 * @throws PaymentError MERCHANT_NOT_FOUND
 */
export async function rotateWebhookSecret(
  db: Database,
  box: SecretBox,
  merchantId: string,
  alongside?: Alongside,
): Promise<string> {
  const webhookSecret = mintWebhookSecret();
  const encrypted = box.encrypt(webhookSecret, merchantId);
  await inTransaction(db, async (trx) => {
    const merchant = await lockMerchant(trx, merchantId);
    // A repeat changes nothing: the previous secret stays the one that the merchant has.
    if (merchant.webhook_secret === encrypted) return;
    await holdRows(trx, 'merchants', merchant.merchant_id);
    await trx('merchants').where({ merchant_id: merchantId }).update({
      webhook_secret: encrypted,
      previous_webhook_secret: merchant.webhook_secret,
      updated_at: new Date(),
    });
    await rowChanged(trx, 'merchants', merchant.merchant_id);
    await alongside?.(trx);
  });
  return webhookSecret;
}

/** The signing secrets: the current one first, then the previous one if there is one. */
export function webhookSecretsOf(
  box: SecretBox,
  merchant: Pick<MerchantRow, 'merchant_id' | 'webhook_secret' | 'previous_webhook_secret'>,
): string[] {
  return [merchant.webhook_secret, merchant.previous_webhook_secret]
    .filter((encrypted) => encrypted !== null)
    .map((encrypted) => box.open(encrypted, merchant.merchant_id));
}
