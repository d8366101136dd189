import type { Config } from '../config';
import { authenticate, guardAuthentication, type Credentials } from '../merchants/authenticate';
import { findApiKeys } from '../merchants/api-keys';
import type { KeyUses } from '../merchants/key-uses';
import { activeMerchant } from '../merchants/merchants';
import { takeToken } from '../merchants/rate-limit';
import {
  claimIdempotencyKey,
  isKeyKnown,
  letClaimGo,
  releaseClaim,
  storeAnswer,
  type ClaimsOfProcess,
} from '../payments/create/idempotency-claims';
import { openDatabase, type Database } from '../store/database';
import {
  createAddressLimiter,
  perMinute,
  createUnauthenticatedLimits,
  createNotificationGuard,
} from './limits/unauthenticated';
import type { AppServices } from './app';
import type { IdempotencyStore } from './idempotency';

/**
 * Limits on wrong credentials from one address, from one address with one key, and from all callers. Above a limit,
 * only known keys are checked.
 */
const failuresPerMinute = 60;
const allFailuresPerMinute = 120;

type DatabaseServices = Pick<
  AppServices,
  | 'authenticate'
  | 'activeMerchant'
  | 'takeToken'
  | 'takeUnauthenticatedToken'
  | 'idempotency'
  | 'unauthenticatedIdempotency'
  | 'unauthenticatedCaller'
  | 'notificationGuard'
>;

/**
 * A few connections for each kind of unauthenticated caller, so that no kind delays another: unknown keys, orders that
 * only name a merchant, and possible provider notifications.
 */
export type UnauthenticatedDatabases = Record<'credentials' | 'orders' | 'notifications', Database>;

/**
 * @param poolMax the pool size for authenticated merchants. Each kind of unauthenticated caller has a quarter of it in
 * addition.
 */
export function openUnauthenticatedDatabases(url: string, poolMax: number): UnauthenticatedDatabases {
  const open = () => openDatabase(url, { mustWrite: true, poolMax: Math.max(1, Math.floor(poolMax / 4)) });
  return { credentials: open(), orders: open(), notifications: open() };
}

/**
 * The database services of the endpoints.
 * @param db the pool for authenticated merchants.
 * @param own the process whose claims are taken over once it is dead.
 * @param uses gets every valid key that is used.
 */
export function databaseServices(
  db: Database,
  unauthenticated: UnauthenticatedDatabases,
  {
    environment,
    unauthenticatedOrdersPerMinute,
    allUnauthenticatedOrdersPerMinute,
  }: Pick<Config, 'environment' | 'unauthenticatedOrdersPerMinute' | 'allUnauthenticatedOrdersPerMinute'>,
  own: ClaimsOfProcess,
  uses: Pick<KeyUses, 'note'>,
): DatabaseServices {
  const authenticateOn = (database: Database) => async (credentials: Credentials, clientAddress: string) => {
    const merchant = await authenticate(database, environment, { credentials, clientAddress });
    uses.note(credentials.apiKey);
    return merchant;
  };
  return {
    authenticate: guardAuthentication({
      known: authenticateOn(db),
      unknown: authenticateOn(unauthenticated.credentials),
      failures: createAddressLimiter(perMinute(failuresPerMinute)),
      keyFailures: createAddressLimiter(perMinute(failuresPerMinute)),
      allFailures: createAddressLimiter(perMinute(allFailuresPerMinute)),
      findKeys: (keys) => findApiKeys(unauthenticated.credentials, keys),
    }),
    activeMerchant: (merchantId) => activeMerchant(unauthenticated.orders, merchantId),
    takeToken: (limit) => takeToken(db, limit),
    takeUnauthenticatedToken: (limit) => takeToken(unauthenticated.orders, limit),
    unauthenticatedCaller: createUnauthenticatedLimits({
      ordersPerMinute: unauthenticatedOrdersPerMinute,
      allOrdersPerMinute: allUnauthenticatedOrdersPerMinute,
    }),
    notificationGuard: createNotificationGuard(),
    idempotency: idempotencyStore(db, own),
    unauthenticatedIdempotency: idempotencyStore(unauthenticated.orders, own),
  };
}

function idempotencyStore(db: Database, own: ClaimsOfProcess): IdempotencyStore {
  return {
    claim: (merchantId, claim) => claimIdempotencyKey(db, own, merchantId, claim),
    isKnown: (merchantId, keyHash) => isKeyKnown(db, merchantId, keyHash),
    storeAnswer: (merchantId, claim, answer) => storeAnswer(db, merchantId, claim, answer),
    release: (merchantId, claim) => releaseClaim(db, merchantId, claim),
    letGo: (merchantId, claim) => letClaimGo(db, merchantId, claim),
    end: ({ claimId }) => own.live.delete(claimId),
  };
}
