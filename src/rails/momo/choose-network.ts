import { PaymentError, invalid } from '../../domain/errors';
import { parseAmount } from '../../domain/money';
import type { Network, NetworkDirectory, NetworkOperation, OperationLimits } from './network';
import { networkByDigits } from './prefixes';
import { faultOfPhone, fitOf, type TransferInput } from './requests';

export interface ChosenNetwork {
  network: Network;
  /** True if the network was found by the phone number and not named by the merchant. */
  predicted: boolean;
}

/**
 * The network of a transfer, with its limits checked. A payout through a delayed network is allowed: it queues.
 * A number that does not fit the numbering plan we know is the provider's to judge.
 * @throws PaymentError COUNTRY_NOT_SUPPORTED, INVALID_PHONE_NUMBER, PROVIDER_NOT_FOUND, UNSUPPORTED_CURRENCY, INVALID_AMOUNT,
 * AMOUNT_OUT_OF_RANGE, PREAUTH_CODE_REQUIRED, PROVIDER_TEMPORARILY_UNAVAILABLE.
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
  const fit = fitOf(input.phone_number);
  const prediction =
    predicted || fit !== 'valid' ? await directory.predict(digits) : ({ kind: 'unknown' } as const);
  const isInvalid = fit === 'odd' ? prediction.kind !== 'network' : prediction.kind === 'invalid_number';
  if (fit !== 'valid' && isInvalid) {
    const message = `phone_number ${faultOfPhone(input.phone_number, input.country)}`;
    throw invalid([{ field: 'phone_number', message }], 'INVALID_PHONE_NUMBER');
  }
  const found = prediction.kind === 'network' ? prediction.provider : networkByDigits(digits);
  const provider = input.provider ?? found;
  const known = ofCountry.filter((candidate) => candidate.provider === provider);
  if (known.length === 0) {
    const message = predicted
      ? 'No provider of the country was found for this phone_number; set the field provider'
      : 'provider is not a provider of this country';
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

/** The maximal age of a network's closed status, in milliseconds, to reject a payment. */
const rejectionMaxAgeMs = 2_000;

/** A closed network is looked up again: it may have reopened since the list was read. */
export async function asItIsNow(
  directory: NetworkDirectory,
  listed: Network,
  operation: NetworkOperation,
): Promise<Network> {
  if (isTaking(listed.operations[operation], operation)) return listed;
  const { provider, currency } = listed;
  const networks = await directory.list(rejectionMaxAgeMs);
  return networks.find((now) => now.provider === provider && now.currency === currency) ?? listed;
}

function isTaking(limits: OperationLimits | undefined, operation: NetworkOperation): boolean {
  return limits?.status === 'OPERATIONAL' || (limits?.status === 'DELAYED' && operation !== 'deposit');
}

export function checkLimits(network: Network, operation: NetworkOperation, amountMinor: bigint): void {
  const limits = network.operations[operation];
  if (!limits) {
    throw invalid(
      [{ field: 'provider', message: `this provider does not support ${operation}s` }],
      'PROVIDER_NOT_FOUND',
    );
  }
  if (!isTaking(limits, operation)) {
    throw new PaymentError('PROVIDER_TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 60 });
  }
  const { currency } = network;
  const unit = parseAmount('1', currency) ?? 1n;
  if (limits.decimals === 0 && amountMinor % unit !== 0n) {
    throw invalid([{ field: 'amount', message: 'amount must be whole for this provider' }], 'INVALID_AMOUNT');
  }
  // The rest of a deposit may be below the minimum, and can be refunded all the same.
  if (operation === 'refund') return;
  const min = parseAmount(limits.minAmount, currency) ?? 0n;
  const max = parseAmount(limits.maxAmount, currency);
  if (amountMinor < min || (max !== undefined && amountMinor > max)) {
    const message = `amount must be between ${limits.minAmount} and ${limits.maxAmount} ${currency} for this provider`;
    throw invalid([{ field: 'amount', message }], 'AMOUNT_OUT_OF_RANGE');
  }
}
