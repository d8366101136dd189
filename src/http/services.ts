import type { Config } from '../config';
import { authenticate } from '../merchants/authenticate';
import { activeMerchant } from '../merchants/merchants';
import { takeToken } from '../merchants/rate-limit';
import {
  claimIdempotencyKey,
  isKeyKnown,
  letClaimGo,
  releaseClaim,
  storeAnswer,
} from '../payments/idempotency';
import type { Database } from '../store/database';
import type { AppServices } from './app';

/**
 * What endpoints need from the database, bound to one.
 * @param processId whose claims are taken over once it is dead.
 */
export function databaseServices(
  db: Database,
  { environment }: Pick<Config, 'environment'>,
  processId: string,
): Pick<AppServices, 'authenticate' | 'activeMerchant' | 'takeToken' | 'idempotency'> {
  return {
    authenticate: (credentials, clientAddress) =>
      authenticate(db, environment, { credentials, clientAddress }),
    activeMerchant: (merchantId) => activeMerchant(db, merchantId),
    takeToken: (limit) => takeToken(db, limit),
    idempotency: {
      claim: (merchantId, claim) => claimIdempotencyKey(db, processId, merchantId, claim),
      isKnown: (merchantId, keyHash) => isKeyKnown(db, merchantId, keyHash),
      storeAnswer: (merchantId, claim, answer) => storeAnswer(db, merchantId, claim, answer),
      release: (merchantId, claim) => releaseClaim(db, merchantId, claim),
      letGo: (merchantId, claim) => letClaimGo(db, merchantId, claim),
    },
  };
}
