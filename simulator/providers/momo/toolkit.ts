/** The read-only calls: networks, wallets, and the public keys of callbacks. */
import type { Request } from 'express';
import type { CallResponse } from '../../calls';
import { recordOf, textOf } from '../../fields';
import type { Account } from './account';
import { ok, denial } from './answers';
import { firstFault, required, text } from './checks';
import { failure } from './failures';
import { countries, type Country, type MobileProvider } from './network/countries';
import type { AvailabilityBoard } from './network/availability';
import type { Limits } from './network/limits';
import { predictProvider } from './network/numbers';
import { operationNames, type Operation } from './operations';
import { pinPromptText } from './pin-prompt';
import type { MomoSettings } from './settings';
import type { Wallets } from './wallets';

const COMPANY_NAME = 'Malipo Sandbox';

export interface ToolkitParts {
  settings: MomoSettings;
  account: Account;
  availability: AvailabilityBoard;
  wallets: Wallets;
}

export function openToolkit({ settings, account, availability, wallets }: ToolkitParts) {
  const configurationOf = (
    { provider, authType = 'PROVIDER_AUTH' }: MobileProvider,
    { min, max, decimals }: Limits,
    operation: Operation,
  ) => ({
    ...(operation === 'DEPOSIT' && { authType }),
    ...(operation === 'DEPOSIT' &&
      authType === 'PROVIDER_AUTH' && {
        pinPrompt: 'AUTOMATIC',
        pinPromptRevivable: true,
        pinPromptInstructions: pinPromptText,
      }),
    minAmount: min,
    maxAmount: max,
    decimalsInAmount: decimals,
    status: availability.of(provider, operation),
    callbackUrl: settings.callbackUrls[operation] ?? null,
  });
  const describe = (country: Country, wanted: readonly Operation[]) => ({
    country: country.code,
    prefix: country.prefix,
    displayName: { en: country.en, fr: country.fr },
    providers: country.providers.map((provider) => ({
      provider: provider.provider,
      displayName: provider.name,
      nameDisplayedToCustomer: COMPANY_NAME,
      logo: null,
      currencies: provider.money.map((limits) => ({
        currency: limits.currency,
        displayName: limits.symbol,
        operationTypes: Object.fromEntries(
          wanted.map((operation) => [operation, configurationOf(provider, limits, operation)]),
        ),
      })),
    })),
  });

  return {
    activeConfiguration(request: Request): CallResponse {
      const { signedRequestsOnly, signedCallbacks } = account.switches();
      return ok({
        companyName: COMPANY_NAME,
        signatureConfiguration: { signedRequestsOnly, signedCallbacks },
        countries: askedCountries(request).map((country) => describe(country, askedOperations(request))),
      });
    },
    availability(request: Request): CallResponse {
      return ok(
        askedCountries(request).map(({ code, providers }) => ({
          country: code,
          providers: providers.map(({ provider }) => ({
            provider,
            operationTypes: askedOperations(request).map((operation) => ({
              operationType: operation,
              status: availability.of(provider, operation),
            })),
          })),
        })),
      );
    },
    predict({ body }: Request): CallResponse {
      const fields = recordOf(body);
      const refused = firstFault(fields, [required('phoneNumber', text)]);
      if (refused) return denial(refused);
      const prediction = predictProvider(textOf(fields['phoneNumber']));
      return prediction ? ok(prediction) : denial(failure('INVALID_PHONE_NUMBER'));
    },
    walletBalances(request: Request): CallResponse {
      const asked = askedCountries(request).map(({ code }) => code);
      const balances = wallets.list().filter(({ country }) => asked.includes(country));
      return ok({ balances: balances.map((balance) => ({ ...balance, provider: '' })) });
    },
    publicKeys: (): CallResponse => ok(account.publicKeys()),
  };
}

/** Of `?country=ZMB`, or all; a country that is not simulated is an empty list. */
function askedCountries({ query }: Request): readonly Country[] {
  const { country } = query;
  return country === undefined ? countries : countries.filter(({ code }) => code === country);
}

function askedOperations({ query }: Request): readonly Operation[] {
  const { operationType } = query;
  return operationType === undefined
    ? operationNames
    : operationNames.filter((operation) => operation === operationType);
}
