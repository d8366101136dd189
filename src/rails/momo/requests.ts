import Joi from 'joi';
import {
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from 'libphonenumber-js/mobile';
import examples from 'libphonenumber-js/mobile/examples';
import { alpha2ToAlpha3, alpha3ToAlpha2, isCountryCode } from '../../domain/countries';
import { noted } from '../../rail-kit/description';
import { amountField, optionalText, refuse, requiredText } from '../../rail-kit/fields';
import { momoCurrencies } from './network';

/** ISO 4217, one of the currencies of mobile money. The network's record shows whether the country uses it. */
const currency = requiredText(40)
  .meta(noted({ enum: [...momoCurrencies] }, ['UNSUPPORTED_CURRENCY']))
  .description('One of the currencies of the country')
  .example('ZMW')
  .custom((code: string, helpers) =>
    (momoCurrencies as readonly string[]).includes(code)
      ? code
      : refuse(helpers, 'is not a currency of mobile money', 'UNSUPPORTED_CURRENCY'),
  );

const isCountry = (code: unknown) =>
  typeof code === 'string' && /^[A-Z]{3}$/.test(code) && isCountryCode(code);

const knownCountry = (code: string, helpers: Joi.CustomHelpers) =>
  isCountry(code)
    ? code
    : refuse(helpers, 'must be an ISO 3166 alpha-3 code such as ZMB', 'COUNTRY_NOT_SUPPORTED');

/** Pasted numbers often have them: the two marks of a phone's contact list, or a space that does not break. */
const invisible = /[\p{Cf}\p{Cc}\p{Zs}]/u;

/** With an example of the request's own country. */
export function faultOfPhone(text: string, country: unknown): string {
  const alpha2 = alpha2Of(country);
  const example = alpha2 && getExampleNumber(alpha2, examples)?.number;
  const form = `must be a valid number in the form ${example ?? '+260763456789'}`;
  return invisible.test(text) ? `contains a space or an invisible character; it ${form}` : form;
}

/** @returns undefined for a country without numbers, and for what is no country. */
function alpha2Of(country: unknown) {
  const alpha2 = isCountry(country) ? alpha3ToAlpha2(String(country)) : undefined;
  return alpha2 !== undefined && isSupportedCountry(alpha2) ? alpha2 : undefined;
}

/**
 * How a number of the right form fits the numbering plan that we know. `odd`: it has too few or too many digits. Plans
 * change: Benin had 8 digits until 2024-11-30, and its networks still accept them. So the provider judges first.
 */
export function fitOf(phone: string): 'valid' | 'possible' | 'odd' {
  const parsed = parsePhoneNumberFromString(phone);
  if (parsed?.isValid()) return 'valid';
  return parsed?.isPossible() ? 'possible' : 'odd';
}

/** Whether the number has the country's calling code, and is no number of another country with the same code. */
function isOfCountry(parsed: PhoneNumber, country: unknown): boolean {
  const alpha2 = alpha2Of(country);
  // A wrong country has a fault of its own.
  if (alpha2 === undefined) return true;
  if (parsed.isValid() && parsed.country !== undefined) return alpha2ToAlpha3(parsed.country) === country;
  return parsed.countryCallingCode === getCountryCallingCode(alpha2);
}

const phoneForm = /^\+[1-9]\d{5,14}$/;

/**
 * Full international format: a national number cannot be safely expanded (specification, POST /api/v1/momo/deposit).
 */
const phone = Joi.any()
  .empty(Joi.valid(null, ''))
  .required()
  .meta(noted({ type: 'string', pattern: phoneForm.source }, ['INVALID_PHONE_NUMBER']))
  .description('The phone number in full international format, of the given country')
  .example('+260763456789')
  .custom((value: unknown, helpers) => {
    const text = typeof value === 'string' ? value : '';
    const parsed = parsePhoneNumberFromString(text);
    const reported = (helpers.state.ancestors as Record<string, unknown>[])[0]?.['country'];
    // A lenient parser also reads `+260 0763…` as a number. Only the exact form that will be sent is accepted.
    if (!phoneForm.test(text) || parsed?.number !== text)
      return refuse(helpers, faultOfPhone(text, reported), 'INVALID_PHONE_NUMBER');
    if (!isOfCountry(parsed, reported))
      return refuse(helpers, 'is not a number of the country', 'INVALID_PHONE_NUMBER');
    return text;
  });

const countryForm = noted({ pattern: '^[A-Z]{3}$' }, ['COUNTRY_NOT_SUPPORTED']);
const aboutCountry = 'ISO 3166 alpha-3';

const transfer = {
  amount: amountField({ currency: { field: 'currency', among: momoCurrencies } }).required(),
  currency,
  phone_number: phone,
  country: requiredText(40).meta(countryForm).description(aboutCountry).example('ZMB').custom(knownCountry),
  account_reference: requiredText(500).description('Your reference').example('INV-1'),
  customer_message: optionalText(500, 'note').description('Shown to the customer').example('Invoice 1'),
  provider: optionalText(40)
    .description("The network's provider code. Default: detected from the phone number")
    .example('MTN_MOMO_ZMB'),
};

export const depositBody = Joi.object({
  ...transfer,
  preauth_code: optionalText(36)
    .description('For networks with requires_preauth: the code that the customer got from the wallet app')
    .example('3514'),
});
export const payoutBody = Joi.object(transfer);
export const transactionQuery = Joi.object({
  transaction_id: requiredText(36)
    .description('The transaction, from the answer to its request')
    .example('01890a5d-ac96-774b-bcce-b302099a8057'),
});
export const providersQuery = Joi.object({
  country: optionalText(40)
    .meta(countryForm)
    .description('Only this country. ISO 3166 alpha-3')
    .example('ZMB')
    .custom(knownCountry),
});

export interface TransferInput {
  amount: bigint;
  currency: string;
  phone_number: string;
  country: string;
  account_reference: string;
  customer_message?: string;
  provider?: string;
  preauth_code?: string;
}
