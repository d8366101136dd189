/**
 * Callers who prove nothing. Whatever they do costs a merchant with keys nothing: they are counted by their address
 * before anything is read, and what all of them together begin goes through turns that leave the way free for merchants.
 */
import { PaymentError } from '../../domain/errors';
import { addressBlock } from '../../domain/ip-address';
import type { Limit, RateLimitDecision } from '../../merchants/rate-limit';
import { createAddressLimiter, perMinute } from './address-limiter';
import { createTurns } from './turns';

/** Calls of any kind, of one address: they cost a little of one process. */
const callsPerMinute = 600;
/** What a merchant's call costs us comes first; from then on it mostly waits for its provider. */
const beginningMs = 250;

export interface StrangerSettings {
  /** Orders of one address, all API processes together. */
  ordersPerMinute: number;
  /** Orders of all strangers, begun by one API process. */
  allOrdersPerMinute: number;
}

export interface Strangers {
  /** @throws PaymentError RATE_LIMITED */
  admitCall(address: string): void;
  /**
   * Says whether an order would be worth reading, and counts nothing.
   * @throws PaymentError RATE_LIMITED
   */
  lookAtOrder(address: string): void;
  /**
   * Counts an order that is worth looking at, and says what else it has to fit into.
   * @throws PaymentError RATE_LIMITED. That says nothing of whether anything was started, which is not known of a request
   *   that may be a repetition.
   */
  admitOrder(address: string): Limit;
  /**
   * Waits for the turn of an order that a merchant can take: invented ones use up nothing of what all strangers share.
   * @throws PaymentError RATE_LIMITED, as `admitOrder`.
   */
  turnOf(address: string): Promise<void>;
  /** A merchant with keys begins something: strangers wait for a gap. @returns what to call when it is over. */
  merchantBegins(): () => void;
}

function pass(decision: RateLimitDecision): void {
  if (!decision.allowed) {
    throw new PaymentError('RATE_LIMITED', { retryAfterSeconds: decision.retryAfterSeconds });
  }
}

export function createStrangers({ ordersPerMinute, allOrdersPerMinute }: StrangerSettings): Strangers {
  const calls = createAddressLimiter(perMinute(callsPerMinute));
  const orders = createAddressLimiter(perMinute(ordersPerMinute));
  const beginning = new Set<{ at: number }>();
  const turns = createTurns({
    perMinute: allOrdersPerMinute,
    isBusy: () => [...beginning].some(({ at }) => performance.now() - at < beginningMs),
    askedBy: (block) => orders.recent(block),
  });
  return {
    admitCall(address) {
      pass(calls.take(addressBlock(address)));
    },
    lookAtOrder(address) {
      const block = addressBlock(address);
      pass(orders.look(block));
      turns.look(block);
    },
    admitOrder(address) {
      const block = addressBlock(address);
      // First in memory, where it costs nothing.
      pass(orders.take(block));
      return { bucket: `address:${block}`, ...perMinute(ordersPerMinute) };
    },
    turnOf: (address) => turns.take(addressBlock(address)),
    merchantBegins() {
      const one = { at: performance.now() };
      beginning.add(one);
      return () => void beginning.delete(one);
    },
  };
}
