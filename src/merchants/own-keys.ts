/** The API keys of a merchant. Two can work at a time, so that a key is rotated without an outage. */
import { holdRows, rowChanged } from '../users/audit-log';
import type { Environment } from '../config';
import { holdsCardNumber } from '../domain/card-number';
import { invalid } from '../domain/errors';
import type { Database, Transaction } from '../store/database';
import { endKeyRequests } from '../users/requests';
import type { ApiKeyRow } from '../store/tables';
import { inTransaction, type Alongside } from '../store/transaction';
import {
  isApiKey,
  keyRow,
  mintApiKeyPair,
  everyScope,
  scopesColumn,
  scopesOf,
  type ApiKeyPair,
  type KeyScope,
} from './api-keys';
import { lockMerchant } from './merchants';

const liveKeysMax = 2;
const nameLengthMax = 60;
/** The number of ended keys in the list. */
const listedMax = 20;

export type ListedKey = Omit<ApiKeyRow, 'secret_hash' | 'merchant_id' | 'scopes'> & { scopes: KeyScope[] };

/** Working keys first, then the most recently ended ones. */
export async function listKeys(db: Database, merchantId: string): Promise<ListedKey[]> {
  const rows = await db('api_keys')
    .where({ merchant_id: merchantId })
    .orderByRaw('revoked_at IS NOT NULL, revoked_at DESC, created_at DESC')
    .limit(listedMax)
    .select('api_key', 'created_at', 'revoked_at', 'name', 'last_used_at', 'scopes');
  return rows.map((row) => ({ ...row, scopes: scopesOf(row.scopes) }));
}

/**
 * Adds an API key, for an operator. The newest key before it keeps working; older keys are revoked.
 * @param scopes all scopes by default.
 * @throws PaymentError MERCHANT_NOT_FOUND
 */
export async function rotateKey(
  db: Database,
  merchantId: string,
  { environment, scopes = everyScope }: { environment: Environment; scopes?: readonly KeyScope[] },
  alongside?: (trx: Transaction, rotated: { pair: ApiKeyPair; ended: string[] }) => Promise<void>,
): Promise<ApiKeyPair> {
  const keyPair = mintApiKeyPair(environment);
  await inTransaction(db, async (trx) => {
    const live = await lockLiveKeys(trx, merchantId);
    const now = momentAfter(live);
    const revoked = live.slice(liveKeysMax - 1).map((key) => key.api_key);
    await endKeyRequests(trx, merchantId, revoked);
    await holdRows(trx, 'api_keys', ...revoked);
    await trx('api_keys').whereIn('api_key', revoked).update({ revoked_at: now });
    await trx('api_keys').insert(keyRow(merchantId, keyPair, { createdAt: now, scopes }));
    await rowChanged(trx, 'api_keys', keyPair.api_key, ...revoked);
    await alongside?.(trx, { pair: keyPair, ended: revoked });
  });
  return keyPair;
}

interface NewKey {
  environment: Environment;
  name: string;
  newest: string;
  scopes: readonly KeyScope[];
}

export type AddedKey = { kind: 'added'; pair: ApiKeyPair } | { kind: 'full' } | { kind: 'changed' };

/**
 * Adds a named API key and ends none.
 * @param scopes the scopes that it gets at once.
 * @param newest the newest working key on the user's page: a form that is sent twice adds one key.
 * @returns `full` if the maximal number of keys works, `changed` if another key was added or ended meanwhile.
 * @throws PaymentError VALIDATION_FAILED for the name, MERCHANT_NOT_FOUND
 */
export async function addKey(
  db: Database,
  merchantId: string,
  { environment, name, newest, scopes }: NewKey,
  alongside: (trx: Transaction, apiKey: string) => Promise<void>,
): Promise<AddedKey> {
  const called = usableName(name);
  const pair = mintApiKeyPair(environment);
  return inTransaction(db, async (trx) => {
    const live = await lockLiveKeys(trx, merchantId);
    if (newest !== (live[0]?.api_key ?? '')) return { kind: 'changed' };
    if (live.length >= liveKeysMax) return { kind: 'full' };
    const row = keyRow(merchantId, pair, { createdAt: momentAfter(live), scopes });
    await trx('api_keys').insert({ ...row, name: called });
    await rowChanged(trx, 'api_keys', pair.api_key);
    await alongside(trx, pair.api_key);
    return { kind: 'added', pair };
  });
}

/**
 * Changes the scopes of a key, in the transaction that checks the user's permission.
 * @param seen the scopes on the user's page.
 * @returns false if the key does not belong to this merchant, has ended, or has other scopes by now.
 */
export async function setKeyScopes(
  trx: Transaction,
  merchantId: string,
  { apiKey, seen, scopes }: { apiKey: string; seen: readonly KeyScope[]; scopes: readonly KeyScope[] },
): Promise<boolean> {
  const key = await lockKey(trx, merchantId, apiKey);
  if (key?.scopes !== scopesColumn(seen)) return false;
  await holdRows(trx, 'api_keys', apiKey);
  await trx('api_keys')
    .where({ api_key: apiKey })
    .update({ scopes: scopesColumn(scopes) });
  await rowChanged(trx, 'api_keys', apiKey);
  return true;
}

/** A working key of the merchant, locked until the transaction ends. */
export async function lockKey(
  trx: Transaction,
  merchantId: string,
  apiKey: string,
): Promise<ApiKeyRow | undefined> {
  // The column is ASCII, and the database cannot compare it with other characters.
  if (!isApiKey(apiKey)) return undefined;
  return trx('api_keys')
    .where({ api_key: apiKey, merchant_id: merchantId, revoked_at: null })
    .forUpdate()
    .first();
}

/** Ends a key at once. @returns false if it does not belong to this merchant, or has ended before. */
export async function revokeKey(
  db: Database,
  merchantId: string,
  apiKey: string,
  alongside: Alongside,
): Promise<boolean> {
  // The column is ASCII, and the database cannot compare it with other characters.
  if (!isApiKey(apiKey)) return false;
  return inTransaction(db, async (trx) => {
    await endKeyRequests(trx, merchantId, [apiKey]);
    await holdRows(trx, 'api_keys', apiKey);
    const revoked = await trx('api_keys')
      .where({ api_key: apiKey, merchant_id: merchantId, revoked_at: null })
      .update({ revoked_at: new Date() });
    if (revoked === 1) {
      await rowChanged(trx, 'api_keys', apiKey);
      await alongside(trx);
    }
    return revoked === 1;
  });
}

/** Locks the merchant's row, so that two concurrent additions do not leave three working keys. Newest first. */
async function lockLiveKeys(trx: Transaction, merchantId: string): Promise<ApiKeyRow[]> {
  await lockMerchant(trx, merchantId);
  return trx('api_keys').where({ merchant_id: merchantId, revoked_at: null }).orderBy('created_at', 'desc');
}

/** Two keys of the same millisecond would have no defined order. */
function momentAfter([newest]: ApiKeyRow[]): Date {
  return new Date(Math.max(Date.now(), (newest?.created_at.getTime() ?? 0) + 1));
}

function usableName(text: string): string {
  const name = text.trim();
  const isUsable = name !== '' && name.length <= nameLengthMax && !/\p{C}/u.test(name);
  if (isUsable && !holdsCardNumber(name)) return name;
  throw invalid([{ field: 'name', message: `must have 1 to ${String(nameLengthMax)} printable characters` }]);
}
