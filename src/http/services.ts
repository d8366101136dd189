import type { Config } from '../config';
import { authenticate } from '../merchants/authenticate';
import { activeMerchant } from '../merchants/merchants';
import { takeToken } from '../merchants/rate-limit';
import { claimIdempotencyKey, releaseClaim, storeAnswer } from '../payments/idempotency';
import type { Database } from '../store/database';
import type { AppServices } from './app';

/** What endpoints need from the database, bound to one. */
export function databaseServices(
  db: Database,
  { environment }: Pick<Config, 'environment'>,
): Pick<AppServices, 'authenticate' | 'activeMerchant' | 'takeToken' | 'idempotency'> {
  return {
    authenticate: (credentials, clientAddress) =>
      authenticate(db, environment, { credentials, clientAddress }),
    activeMerchant: (merchantId) => activeMerchant(db, merchantId),
    takeToken: (limit) => takeToken(db, limit),
    idempotency: {
      claim: (merchantId, claim) => claimIdempotencyKey(db, merchantId, claim),
      storeAnswer: (merchantId, keyHash, status, body) => storeAnswer(db, merchantId, keyHash, status, body),
      release: (merchantId, keyHash) => releaseClaim(db, merchantId, keyHash),
    },
  };
}
