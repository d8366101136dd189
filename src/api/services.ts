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
  createStrangers,
  createNotificationGuard,
} from './limits/unauthenticated';
import type { AppServices } from './app';
import type { IdempotencyStore } from './idempotency';

/** Wrong credentials of one address, of one address with one key, and of everybody, before only known keys are looked into. */
const failuresPerMinute = 60;
const allFailuresPerMinute = 120;

type DatabaseServices = Pick<
  AppServices,
  | 'authenticate'
  | 'activeMerchant'
  | 'takeToken'
  | 'takeStrangersToken'
  | 'idempotency'
  | 'strangersIdempotency'
  | 'strangers'
  | 'notificationGuard'
>;

/**
 * A few connections for each kind of caller who has proven nothing, so that no kind waits for another: keys that were
 * never right before, orders that only name a merchant, and what may be a provider's.
 */
export type StrangersDatabases = Record<'credentials' | 'orders' | 'notifications', Database>;

/** @param poolMax of merchants with keys; each kind of stranger has a quarter of it besides. */
export function openStrangersDatabases(url: string, poolMax: number): StrangersDatabases {
  const open = () => openDatabase(url, { mustWrite: true, poolMax: Math.max(1, Math.floor(poolMax / 4)) });
  return { credentials: open(), orders: open(), notifications: open() };
}

/**
 * What endpoints need from the database.
 * @param db what merchants with keys use.
 * @param own whose claims are taken over once it is dead.
 * @param uses told of every key that was right.
 */
export function databaseServices(
  db: Database,
  strangers: StrangersDatabases,
  {
    environment,
    strangersOrdersPerMinute,
    allStrangersOrdersPerMinute,
  }: Pick<Config, 'environment' | 'strangersOrdersPerMinute' | 'allStrangersOrdersPerMinute'>,
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
      unknown: authenticateOn(strangers.credentials),
      failures: createAddressLimiter(perMinute(failuresPerMinute)),
      keyFailures: createAddressLimiter(perMinute(failuresPerMinute)),
      allFailures: createAddressLimiter(perMinute(allFailuresPerMinute)),
      findKeys: (keys) => findApiKeys(strangers.credentials, keys),
    }),
    activeMerchant: (merchantId) => activeMerchant(strangers.orders, merchantId),
    takeToken: (limit) => takeToken(db, limit),
    takeStrangersToken: (limit) => takeToken(strangers.orders, limit),
    strangers: createStrangers({
      ordersPerMinute: strangersOrdersPerMinute,
      allOrdersPerMinute: allStrangersOrdersPerMinute,
    }),
    notificationGuard: createNotificationGuard(),
    idempotency: idempotencyStore(db, own),
    strangersIdempotency: idempotencyStore(strangers.orders, own),
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
