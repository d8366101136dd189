/**
 * Callers who prove nothing. Whatever they do costs a merchant with keys nothing: they are counted by their address
 * before anything is read, and all of them together have a share of each process that is theirs alone.
 */
import { PaymentError } from '../domain/errors';
import { addressBlock } from '../merchants/ip-allow-list';
import type { Limit, RateLimitDecision } from '../merchants/rate-limit';
import { createAddressLimiter, perMinute } from './address-limiter';

/** Calls of any kind, of one address: they cost a little of one process. */
const callsPerMinute = 600;

export interface StrangerSettings {
  /** Orders of one address, all API processes together. */
  ordersPerMinute: number;
  /** Orders of all strangers, taken by one API process. */
  allOrdersPerMinute: number;
}

export interface Strangers {
  /** @throws PaymentError RATE_LIMITED */
  admitCall(address: string): void;
  /**
   * Counts an order that is worth looking at, and says what else it has to fit into.
   * @throws PaymentError RATE_LIMITED. That says nothing of whether anything was started, which is not known of a request
   *   that may be a repetition.
   */
  admitOrder(address: string): Limit;
  /**
   * Counts an order that a merchant can take: invented ones use up nothing of what all strangers share.
   * @throws PaymentError RATE_LIMITED, as `admitOrder`.
   */
  admitToShare(): void;
}

function pass(decision: RateLimitDecision): void {
  if (!decision.allowed) {
    throw new PaymentError('RATE_LIMITED', { retryAfterSeconds: decision.retryAfterSeconds });
  }
}

export function createStrangers({ ordersPerMinute, allOrdersPerMinute }: StrangerSettings): Strangers {
  const calls = createAddressLimiter(perMinute(callsPerMinute));
  const orders = createAddressLimiter(perMinute(ordersPerMinute));
  const allOrders = createAddressLimiter(perMinute(allOrdersPerMinute));
  return {
    admitCall(address) {
      pass(calls.take(addressBlock(address)));
    },
    admitOrder(address) {
      const block = addressBlock(address);
      // First in memory, where it costs nothing.
      pass(orders.take(block));
      return { bucket: `address:${block}`, ...perMinute(ordersPerMinute) };
    },
    admitToShare() {
      pass(allOrders.take(''));
    },
  };
}
