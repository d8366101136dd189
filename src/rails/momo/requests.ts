import Joi from 'joi';
import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { alpha2ToAlpha3, isCountryCode } from '../../domain/countries';
import { noted } from '../../rail-kit/description';
import { amountField, optionalText, refuse, requiredText } from '../../rail-kit/fields';
import { momoCurrencies } from './network';

/** ISO 4217, of the currencies that mobile money moves; whether the country uses it is checked against the network. */
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

/** Full international format: a national one cannot be safely expanded (specification, POST /api/v1/momo/deposit). */
const phone = Joi.any()
  .empty(Joi.valid(null, ''))
  .required()
  .meta(noted({ type: 'string', pattern: '^\\+[1-9]\\d{5,14}$' }, ['INVALID_PHONE_NUMBER']))
  .description('The full international number, of the country')
  .example('+260763456789')
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
    .description("The network's code; found by the number unless told")
    .example('MTN_MOMO_ZMB'),
};

export const depositBody = Joi.object({
  ...transfer,
  preauth_code: optionalText(36)
    .description('For networks with requires_preauth: the code that the customer was given')
    .example('3514'),
});
export const payoutBody = Joi.object(transfer);
export const transactionQuery = Joi.object({
  transaction_id: requiredText(36)
    .description('The transaction, as its acceptance names it')
    .example('01890a5d-ac96-774b-bcce-b302099a8057'),
});
export const providersQuery = Joi.object({
  country: optionalText(40)
    .meta(countryForm)
    .description('Of one country alone. ISO 3166 alpha-3')
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
