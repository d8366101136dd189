import { PaymentError, invalid } from '../../domain/errors';
import { parseAmount } from '../../domain/money';
import type { Network, NetworkDirectory, NetworkOperation, OperationLimits } from './network';
import { networkByDigits } from './prefixes';
import type { TransferInput } from './requests';

export interface ChosenNetwork {
  network: Network;
  /** True when it was looked up by the phone number rather than named by the merchant. */
  predicted: boolean;
}

/**
 * The network of a transfer, with its limits checked. A payout through a delayed network is let through: it queues.
 * @throws PaymentError COUNTRY_NOT_SUPPORTED, PROVIDER_NOT_FOUND, UNSUPPORTED_CURRENCY, INVALID_AMOUNT,
 *   AMOUNT_OUT_OF_RANGE, PREAUTH_CODE_REQUIRED, PROVIDER_TEMPORARILY_UNAVAILABLE.
 */
export async function chooseNetwork(
  directory: NetworkDirectory,
  input: TransferInput,
  operation: 'deposit' | 'payout',
): Promise<ChosenNetwork> {
  const ofCountry = (await directory.list()).filter(({ country }) => country === input.country);
  if (ofCountry.length === 0) {
    const message = 'No provider serves this country';
    throw invalid([{ field: 'country', message }], 'COUNTRY_NOT_SUPPORTED');
  }
  const digits = input.phone_number.slice(1);
  const predicted = input.provider === undefined;
  const provider = input.provider ?? (await directory.predict(digits)) ?? networkByDigits(digits);
  const known = ofCountry.filter((candidate) => candidate.provider === provider);
  if (known.length === 0) {
    const message = predicted
      ? 'No provider of the country could be found for this phone_number; name one as provider'
      : 'provider is not one of the country';
    throw invalid([{ field: 'provider', message }], 'PROVIDER_NOT_FOUND');
  }
  const listed = known.find(({ currency }) => currency === input.currency);
  if (!listed) {
    const message = `currency must be ${known.map(({ currency }) => currency).join(' or ')} for this provider`;
    throw invalid([{ field: 'currency', message }], 'UNSUPPORTED_CURRENCY');
  }
  const network = await asItIsNow(directory, listed, operation);
  checkLimits(network, operation, input.amount);
  if (operation === 'deposit' && network.requiresPreauth && input.preauth_code === undefined) {
    const message = 'preauth_code is required for this provider';
    throw invalid([{ field: 'preauth_code', message }], 'PREAUTH_CODE_REQUIRED');
  }
  return { network, predicted };
}

/** How old, in milliseconds, the news may be that a network takes nothing. */
const refusalMaxAgeMs = 2_000;

/** A network that is said to take nothing is looked up anew: it may have come back since the list was read. */
export async function asItIsNow(
  directory: NetworkDirectory,
  listed: Network,
  operation: NetworkOperation,
): Promise<Network> {
  if (isTaking(listed.operations[operation], operation)) return listed;
  const { provider, currency } = listed;
  const networks = await directory.list(refusalMaxAgeMs);
  return networks.find((now) => now.provider === provider && now.currency === currency) ?? listed;
}

function isTaking(limits: OperationLimits | undefined, operation: NetworkOperation): boolean {
  return limits?.status === 'OPERATIONAL' || (limits?.status === 'DELAYED' && operation !== 'deposit');
}

export function checkLimits(network: Network, operation: NetworkOperation, amountMinor: bigint): void {
  const limits = network.operations[operation];
  if (!limits) {
    throw invalid([{ field: 'provider', message: `provider does no ${operation}s` }], 'PROVIDER_NOT_FOUND');
  }
  if (!isTaking(limits, operation)) {
    throw new PaymentError('PROVIDER_TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 60 });
  }
  const { currency } = network;
  const unit = parseAmount('1', currency) ?? 1n;
  if (limits.decimals === 0 && amountMinor % unit !== 0n) {
    throw invalid([{ field: 'amount', message: 'amount must be whole for this provider' }], 'INVALID_AMOUNT');
  }
  // What is left of a deposit may be less than the least amount, and is given back all the same.
  if (operation === 'refund') return;
  const min = parseAmount(limits.minAmount, currency) ?? 0n;
  const max = parseAmount(limits.maxAmount, currency);
  if (amountMinor < min || (max !== undefined && amountMinor > max)) {
    const message = `amount must be between ${limits.minAmount} and ${limits.maxAmount} ${currency} for this provider`;
    throw invalid([{ field: 'amount', message }], 'AMOUNT_OUT_OF_RANGE');
  }
}
