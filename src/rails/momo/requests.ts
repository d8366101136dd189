import Joi from 'joi';
import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { alpha2ToAlpha3, isCountryCode } from '../../domain/countries';
import { amountField, optionalText, refuse, requiredText } from '../../payments/rail/fields';
import { momoCurrencies } from './network';

/** ISO 4217, of the currencies that mobile money moves; whether the country uses it is checked against the network. */
const currency = requiredText(40).custom((code: string, helpers) =>
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

/** Full international format: a national one cannot be safely expanded (specification, POST /api/v1/momo/deposit). */
const phone = Joi.any()
  .empty(Joi.valid(null, ''))
  .required()
  .custom((value: unknown, helpers) => {
    const text = typeof value === 'string' ? value : '';
    const parsed = parsePhoneNumberFromString(text);
    // Read leniently, `+260 0763…` is a number too; it is taken only as it will be sent.
    if (!parsed?.isValid() || !parsed.country || parsed.number !== text) {
      return refuse(helpers, 'must be a valid number in the form +260763456789', 'INVALID_PHONE_NUMBER');
    }
    // A country that is none says so itself.
    const told = (helpers.state.ancestors as Record<string, unknown>[])[0]?.['country'];
    if (isCountry(told) && alpha2ToAlpha3(parsed.country) !== told) {
      return refuse(helpers, 'is not a number of the country', 'INVALID_PHONE_NUMBER');
    }
    return text;
  });

const transfer = {
  amount: amountField({ currency: { field: 'currency', among: momoCurrencies } }).required(),
  currency,
  phone_number: phone,
  country: requiredText(40).custom(knownCountry),
  account_reference: requiredText(500),
  customer_message: optionalText(500),
  provider: optionalText(40),
};

export const depositBody = Joi.object({ ...transfer, preauth_code: optionalText(36) });
export const payoutBody = Joi.object(transfer);
export const transactionQuery = Joi.object({ transaction_id: requiredText(36) });
export const providersQuery = Joi.object({ country: optionalText(40).custom(knownCountry) });

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
