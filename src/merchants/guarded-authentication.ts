/**
 * Authentication that a flood of wrong keys cannot exhaust. Failures are counted by address, and all together. Beyond a
 * limit only keys that exist are looked into any more: a merchant whose address is an attacker's too still gets in.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { PaymentError } from '../domain/errors';
import { digestOf, isApiKey } from './api-keys';
import type { Credentials, ProvenMerchant } from './authenticate';
import { addressBlock } from '../domain/ip-address';
import type { RateLimitDecision } from './rate-limit';

export type Authenticate = (credentials: Credentials, clientAddress: string) => Promise<ProvenMerchant>;

interface FailureLimiter {
  take(name: string): RateLimitDecision;
  look(name: string): RateLimitDecision;
}

export interface AuthenticationGuards {
  /** For credentials that were right before. */
  known: Authenticate;
  /** For all others: what they cost must be nothing that the known ones need. */
  unknown: Authenticate;
  /** Failures of one address. */
  failures: FailureLimiter;
  /** Failures of one address with one key: whoever attacks a merchant from its own address meets this. */
  keyFailures: FailureLimiter;
  /** Failures of everybody. */
  allFailures: FailureLimiter;
  /** Which of these API keys exist and have not been revoked, in one question. */
  findKeys(keys: string[]): Promise<string[]>;
}

const provenMax = 10_000;
/** However many ask, the database is asked this often, about so many keys at most. */
const askEveryMs = 100;
const askedAtOnceMax = 1_000;

export function guardAuthentication(guards: AuthenticationGuards): Authenticate {
  const { known, unknown, failures, keyFailures, allFailures } = guards;
  /** Digests of credentials: whoever reads our memory finds nothing to use. */
  const proven = new Set<string>();
  const exists = keyDirectory(guards.findKeys);

  async function admit(block: string, apiKey: string): Promise<void> {
    const [ofAddress, ofAll] = [failures.look(block), allFailures.look('')];
    if (ofAddress.allowed && ofAll.allowed) return;
    const ofKey = keyFailures.look(pairOf(block, apiKey));
    if (ofKey.allowed && (await exists(apiKey))) return;
    // When all keys are looked into again: from there, and by all together.
    const retryAfterSeconds = Math.max(secondsOf(ofAddress), secondsOf(ofAll));
    throw new PaymentError('RATE_LIMITED', { retryAfterSeconds, detail: 'too many wrong credentials' });
  }

  return async (credentials, clientAddress) => {
    const name = digestOf(`${credentials.apiKey}\n${credentials.apiSecret}`).toString('base64');
    const block = addressBlock(clientAddress);
    const wasProven = proven.has(name);
    if (!wasProven) await admit(block, credentials.apiKey);
    try {
      const merchant = await (wasProven ? known : unknown)(credentials, clientAddress);
      proven.delete(name);
      proven.add(name);
      const [oldest] = proven;
      if (proven.size > provenMax && oldest !== undefined) proven.delete(oldest);
      return merchant;
    } catch (error) {
      // What is told to somebody who has proven the secret, such as a suspended account, is no failure.
      if (error instanceof PaymentError && error.status === 401) {
        proven.delete(name);
        failures.take(block);
        keyFailures.take(pairOf(block, credentials.apiKey));
        allFailures.take('');
      }
      throw error;
    }
  };
}

const secondsOf = (decision: RateLimitDecision) => (decision.allowed ? 0 : decision.retryAfterSeconds);

/** A caller may write a long key; what is remembered of it is short. */
const pairOf = (block: string, apiKey: string) => `${block} ${apiKey.slice(0, 40)}`;

/** Whether a key exists; only asked under attack, and then for all who wait in one question. */
function keyDirectory(findKeys: (keys: string[]) => Promise<string[]>): (key: string) => Promise<boolean> {
  let waiting = new Set<string>();
  let asking: Promise<ReadonlySet<string>> | undefined;
  async function ask(): Promise<ReadonlySet<string>> {
    await delay(askEveryMs);
    const keys = [...waiting];
    waiting = new Set();
    asking = undefined;
    return new Set(await findKeys(keys));
  }
  return async (key) => {
    if (!isApiKey(key) || waiting.size >= askedAtOnceMax) return false;
    waiting.add(key);
    asking ??= ask();
    return (await asking).has(key);
  };
}
