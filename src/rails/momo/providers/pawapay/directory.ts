import { countryName } from '../../../../domain/countries';
import { PaymentError } from '../../../../domain/errors';
import {
  momoCurrencies,
  type Network,
  type NetworkDirectory,
  type NetworkOperation,
  type NetworkStatus,
  type OperationLimits,
} from '../../network';
import type { Ask } from './ask';
import { recordOf } from './transaction';

const keptMs = 5 * 60_000;
/** While the provider cannot be reached the old list is used, and asked for again this soon. */
const retryMs = 10_000;

/** The provider's active configuration, kept for five minutes; limits and outages change while we run. */
export function networkDirectory(ask: Ask, timeScale: number): NetworkDirectory {
  let held: { networks: Network[]; readAt: number; until: number } | undefined;
  let asking: Promise<Network[]> | undefined;

  async function refresh(): Promise<Network[]> {
    const answer = await ask('conf', 'GET', '/v2/active-conf');
    const networks =
      answer.kind === 'answered' && answer.status === 200 ? networksOf(answer.json) : undefined;
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
    async predict(phoneDigits) {
      const answer = await ask('predict', 'POST', '/v2/predict-provider', { phoneNumber: phoneDigits });
      const provider = answer.kind === 'answered' ? recordOf(answer.json)['provider'] : undefined;
      return typeof provider === 'string' ? provider : undefined;
    },
  };
}

function networksOf(json: unknown): Network[] {
  return listOf(recordOf(json)['countries']).flatMap((country) =>
    listOf(country['providers']).flatMap((provider) =>
      listOf(provider['currencies']).flatMap((currency) => networkOf(country, provider, currency)),
    ),
  );
}

export const operationNames: Record<NetworkOperation, string> = {
  deposit: 'DEPOSIT',
  payout: 'PAYOUT',
  refund: 'REFUND',
};

function networkOf(
  country: Record<string, unknown>,
  provider: Record<string, unknown>,
  entry: Record<string, unknown>,
): Network[] {
  const code = textOf(provider['provider']);
  const alpha3 = textOf(country['country']);
  // A currency that nobody could ask for is not offered.
  const currency = momoCurrencies.find((code) => code === entry['currency']);
  if (currency === undefined) return [];
  const types = new Map(operationsIn(entry['operationTypes']));
  const authType = textOf(types.get('DEPOSIT')?.['authType']);
  const operations: Network['operations'] = {};
  for (const [ours, theirs] of Object.entries(operationNames)) {
    const limits = limitsOf(types.get(theirs));
    if (limits) operations[ours as NetworkOperation] = limits;
  }
  return [
    {
      provider: code,
      providerName: textOf(provider['displayName']) || code,
      country: alpha3,
      countryName: countryName(alpha3),
      currency,
      requiresRedirect: authType === 'REDIRECT_AUTH',
      requiresPreauth: authType === 'PREAUTH',
      operations,
    },
  ];
}

/**
 * What an account may do with a network, by name. The provider's own pages write it as an object, as a list of such
 * objects, and as a list of entries that name theirs (Merchant API v2, active configuration).
 */
export function operationsIn(value: unknown): [string, Record<string, unknown>][] {
  if (!Array.isArray(value)) {
    return Object.entries(recordOf(value)).map(([name, settings]) => [name, recordOf(settings)]);
  }
  return listOf(value).flatMap((entry) => {
    const name = textOf(entry['operationType']);
    return name === '' ? operationsIn(entry) : ([[name, entry]] as [string, typeof entry][]);
  });
}

function limitsOf(limits: Record<string, unknown> | undefined): OperationLimits | undefined {
  if (limits === undefined) return undefined;
  const status = textOf(limits['status']);
  return {
    // The second names are older, and still in the provider's samples.
    minAmount: textOf(limits['minAmount']) || textOf(limits['minTransactionLimit']) || '0',
    maxAmount: textOf(limits['maxAmount']) || textOf(limits['maxTransactionLimit']),
    decimals: limits['decimalsInAmount'] === 'NONE' ? 0 : 2,
    // A word we do not know is treated as closed: nothing is sent where it may not be taken.
    status: (['OPERATIONAL', 'DELAYED'].includes(status) ? status : 'CLOSED') as NetworkStatus,
  };
}

export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
