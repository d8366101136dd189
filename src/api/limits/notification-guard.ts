/**
 * Keeps forged notifications from being looked into for ever. Only those that came to nothing count, so that no proven
 * one is lost however many a provider sends; a signature, a challenge or a secret token proves one, and an address that has proven one is forgiven ten times as many.
 */
import { PaymentError } from '../../domain/errors';
import { addressBlock } from '../../domain/ip-address';
import { createAddressLimiter, perMinute } from './address-limiter';

const futilePerMinute = 600;
const forgivenTimes = 10;
const provenAddressesMax = 1_000;
/**
 * Customers who share a carrier's address come back once each, and reload. Whoever has made an hour's worth of orders, of
 * 60 a minute, can come back 180 times a second uncounted, which is a tenth of one connection to the database.
 */
const returnsPerMinute = 3;

export interface NotificationGuard {
  /** @throws PaymentError RATE_LIMITED, before anything is read. */
  admit(address: string): void;
  /** It was somebody's who knows more than a stranger can. */
  proven(address: string): void;
  /** It came to nothing. */
  futile(address: string): void;
  /** A browser came back from a payment that exists: futile from when on it does so more often than a customer. */
  returned(address: string, paymentId: string): void;
}

export function createNotificationGuard(): NotificationGuard {
  const strangers = createAddressLimiter(perMinute(futilePerMinute));
  const providers = createAddressLimiter(perMinute(futilePerMinute * forgivenTimes));
  const returns = createAddressLimiter(perMinute(returnsPerMinute));
  const known = new Set<string>();
  const limiterOf = (block: string) => (known.has(block) ? providers : strangers);
  const futile = (address: string) => {
    const block = addressBlock(address);
    limiterOf(block).take(block);
  };
  return {
    admit(address) {
      const block = addressBlock(address);
      const decision = limiterOf(block).look(block);
      if (!decision.allowed) {
        throw new PaymentError('RATE_LIMITED', { retryAfterSeconds: decision.retryAfterSeconds });
      }
    },
    proven(address) {
      const block = addressBlock(address);
      known.delete(block);
      known.add(block);
      const [longestUnheard] = known;
      if (known.size > provenAddressesMax && longestUnheard !== undefined) known.delete(longestUnheard);
    },
    futile,
    returned(address, paymentId) {
      if (!returns.take(paymentId).allowed) futile(address);
    },
  };
}
