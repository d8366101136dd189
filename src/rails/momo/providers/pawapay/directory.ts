import { countryName } from '../../../../domain/countries';
import {
  cachedDirectory,
  momoCurrencies,
  type Network,
  type NetworkDirectory,
  type NetworkOperation,
  type NetworkStatus,
  type OperationLimits,
} from '../../network';
import type { Ask } from './ask';
import { recordOf } from './transaction';

/** The provider's active configuration: limits and outages change, so it is cached for a short time only. */
export function networkDirectory(ask: Ask, timeScale: number): NetworkDirectory {
  return cachedDirectory(timeScale, {
    async read() {
      const answer = await ask('conf', 'GET', '/v2/active-conf');
      return answer.kind === 'answered' && answer.status === 200 ? networksOf(answer.json) : undefined;
    },
    async predict(phoneDigits) {
      const answer = await ask('predict', 'POST', '/v2/predict-provider', { phoneNumber: phoneDigits });
      if (answer.kind !== 'answered') return { kind: 'unknown' };
      const { provider, failureReason } = recordOf(answer.json);
      if (typeof provider === 'string') return { kind: 'network', provider };
      const { failureCode } = recordOf(failureReason);
      return { kind: failureCode === 'INVALID_PHONE_NUMBER' ? 'invalid_number' : 'unknown' };
    },
  });
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
  // A currency without support in this rail is not listed.
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
 * The permitted operations of a network, by name. The provider's own pages write them as an object, as a list of such
 * objects, and as a list of entries with names (Merchant API v2, active configuration).
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
    // An unknown status word counts as closed: nothing is sent to a network that may reject it.
    status: (['OPERATIONAL', 'DELAYED'].includes(status) ? status : 'CLOSED') as NetworkStatus,
  };
}

export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
