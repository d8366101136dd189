import { setTimeout as delay } from 'node:timers/promises';
import { PaymentError } from '../../domain/errors';
import type { Currency } from '../../domain/money';
import type { AskWorker } from '../../domain/provider-questions';

/**
 * The currencies of the provider's networks, in all its countries. The provider's list says which network has which.
 */
export const momoCurrencies = [
  ...(['CDF', 'ETB', 'GHS', 'KES', 'LSL', 'MWK', 'MZN', 'NGN', 'RWF', 'SLE'] as const),
  ...(['TZS', 'UGX', 'USD', 'XAF', 'XOF', 'ZMW'] as const),
] satisfies readonly Currency[];

export type NetworkOperation = 'deposit' | 'payout' | 'refund';
export type NetworkStatus = 'OPERATIONAL' | 'DELAYED' | 'CLOSED';

/** The limits of a network for one operation. Amounts are decimal texts, as the provider publishes them. */
export interface OperationLimits {
  minAmount: string;
  maxAmount: string;
  decimals: 0 | 2;
  status: NetworkStatus;
}

/** One mobile-money network of one country, in one currency. */
export interface Network {
  /** The provider code that merchants use, such as `MTN_MOMO_ZMB`. */
  provider: string;
  providerName: string;
  /** ISO 3166 alpha-3. */
  country: string;
  countryName: string;
  currency: Currency;
  requiresRedirect: boolean;
  requiresPreauth: boolean;
  operations: Partial<Record<NetworkOperation, OperationLimits>>;
}

export type Prediction = { kind: 'network'; provider: string } | { kind: 'invalid_number' | 'unknown' };

/** The networks that the provider serves now. */
export interface NetworkDirectory {
  /**
   * Cached for five minutes, or for `maxAgeMs` (milliseconds) when an old answer would reject a payment.
   * @throws PaymentError PROVIDER_UNAVAILABLE when no list was ever read.
   */
  list(maxAgeMs?: number): Promise<Network[]>;
  /** The network of a number, in digits. `unknown`: the provider did not answer. */
  predict(phoneDigits: string): Promise<Prediction>;
}

const keptMs = 5 * 60_000;
/** While the provider cannot be reached, the old list is used and the next read is this soon. */
const retryMs = 10_000;

interface DirectorySource extends Pick<NetworkDirectory, 'predict'> {
  /** @returns undefined where there was no answer. */
  read(): Promise<Network[] | undefined>;
}

/** Caches the list for five minutes, because limits and outages change. */
export function cachedDirectory(timeScale: number, { read, predict }: DirectorySource): NetworkDirectory {
  let held: { networks: Network[]; readAt: number; until: number } | undefined;
  let asking: Promise<Network[]> | undefined;

  async function refresh(): Promise<Network[]> {
    const networks = await read();
    if (networks) {
      held = { networks, readAt: performance.now(), until: performance.now() + keptMs / timeScale };
      return networks;
    }
    if (!held) throw new PaymentError('PROVIDER_UNAVAILABLE', { retryAfterSeconds: 5 });
    held.until = performance.now() + retryMs / timeScale;
    return held.networks;
  }

  return {
    async list(maxAgeMs = keptMs) {
      const isYoung = held && performance.now() < Math.min(held.until, held.readAt + maxAgeMs / timeScale);
      if (held && isYoung) return held.networks;
      asking ??= refresh().finally(() => (asking = undefined));
      return asking;
    },
    predict,
  };
}

// The portal has no key of the provider, so it asks a worker for the same.

type Question = { kind: 'networks' } | { kind: 'predictions'; phones: string[] };

/** Numbers that are looked up within this time share a question. */
const gatheringMs = 5;

/** The directory of a process without the provider's key. */
export function askedDirectory(ask: AskWorker, timeScale: number): NetworkDirectory {
  let silentUntil = 0;
  /** After a question without an answer, none is asked for a while: a long list of payouts would wait for each. */
  async function about(question: Question): Promise<unknown> {
    if (performance.now() < silentUntil) return undefined;
    const answer = await ask({ kind: 'rail', rail: 'momo', about: question });
    if (answer === undefined) silentUntil = performance.now() + retryMs;
    return answer;
  }
  let gathered: { phones: string[]; answers: Promise<Prediction[]> } | undefined;

  function gather() {
    const phones: string[] = [];
    const answers = delay(gatheringMs).then(async () => {
      gathered = undefined;
      return ((await about({ kind: 'predictions', phones })) ?? []) as Prediction[];
    });
    return { phones, answers };
  }

  return cachedDirectory(timeScale, {
    read: async () => (await about({ kind: 'networks' })) as Network[] | undefined,
    async predict(phoneDigits) {
      gathered ??= gather();
      const place = gathered.phones.push(phoneDigits) - 1;
      return (await gathered.answers)[place] ?? { kind: 'unknown' };
    },
  });
}

/** Answers such a question in a process that has the key. */
export async function answerFrom(directory: NetworkDirectory, about: unknown): Promise<unknown> {
  const question = about as Question;
  return question.kind === 'networks'
    ? directory.list(0)
    : Promise.all(question.phones.map((phone) => directory.predict(phone)));
}
