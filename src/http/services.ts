import type { Config } from '../config';
import { authenticate, type Credentials } from '../merchants/authenticate';
import { findApiKeys } from '../merchants/find-api-keys';
import { guardAuthentication } from '../merchants/guarded-authentication';
import { activeMerchant } from '../merchants/merchants';
import { takeToken } from '../merchants/rate-limit';
import {
  claimIdempotencyKey,
  isKeyKnown,
  letClaimGo,
  releaseClaim,
  storeAnswer,
  type ClaimsOfProcess,
} from '../payments/idempotency';
import type { Database } from '../store/database';
import { createAddressLimiter, perMinute } from './address-limiter';
import type { AppServices } from './app';
import { createNotificationGuard } from './notification-guard';
import { createStrangers } from './strangers';

/** Wrong credentials of one address, of one address with one key, and of everybody, before only known keys are looked into. */
const failuresPerMinute = 60;
const allFailuresPerMinute = 120;

type DatabaseServices = Pick<
  AppServices,
  'authenticate' | 'activeMerchant' | 'takeToken' | 'idempotency' | 'strangers' | 'notificationGuard'
>;

/**
 * What endpoints need from the database.
 * @param db what merchants with keys use.
 * @param strangersDb a few connections for everybody else, so that they never wait for each other.
 * @param own whose claims are taken over once it is dead.
 */
export function databaseServices(
  db: Database,
  strangersDb: Database,
  {
    environment,
    strangersOrdersPerMinute,
    allStrangersOrdersPerMinute,
  }: Pick<Config, 'environment' | 'strangersOrdersPerMinute' | 'allStrangersOrdersPerMinute'>,
  own: ClaimsOfProcess,
): DatabaseServices {
  const authenticateOn = (database: Database) => (credentials: Credentials, clientAddress: string) =>
    authenticate(database, environment, { credentials, clientAddress });
  return {
    authenticate: guardAuthentication({
      known: authenticateOn(db),
      unknown: authenticateOn(strangersDb),
      failures: createAddressLimiter(perMinute(failuresPerMinute)),
      keyFailures: createAddressLimiter(perMinute(failuresPerMinute)),
      allFailures: createAddressLimiter(perMinute(allFailuresPerMinute)),
      findKeys: (keys) => findApiKeys(strangersDb, keys),
    }),
    activeMerchant: (merchantId) => activeMerchant(strangersDb, merchantId),
    takeToken: (limit) => takeToken(db, limit),
    strangers: createStrangers({
      ordersPerMinute: strangersOrdersPerMinute,
      allOrdersPerMinute: allStrangersOrdersPerMinute,
    }),
    notificationGuard: createNotificationGuard(),
    idempotency: {
      claim: (merchantId, claim) => claimIdempotencyKey(db, own, merchantId, claim),
      isKnown: (merchantId, keyHash) => isKeyKnown(db, merchantId, keyHash),
      storeAnswer: (merchantId, claim, answer) => storeAnswer(db, merchantId, claim, answer),
      release: (merchantId, claim) => releaseClaim(db, merchantId, claim),
      letGo: (merchantId, claim) => letClaimGo(db, merchantId, claim),
      end: ({ claimId }) => own.live.delete(claimId),
    },
  };
}
