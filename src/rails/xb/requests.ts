import Joi from 'joi';
import { noted } from '../../rail-kit/description';
import { amountField, currencyField, optionalText, refuse } from '../../rail-kit/fields';
import { xbCurrencies, type XbCurrency } from './settings';

const countryOf: Record<XbCurrency, string> = { UGX: 'UG', TZS: 'TZ' };
/** The same countries in ISO 3166 alpha-3. */
export const alpha3Of: Record<XbCurrency, string> = { UGX: 'UGA', TZS: 'TZA' };

/** Fields of the Kenyan endpoint, rejected here so that no merchant relies on them. */
const notHere = Joi.any()
  .forbidden()
  .messages({ 'any.unknown': '{#label} is not accepted on this endpoint' });

/** The body of POST /api/v1/xb/stk_push (specification, Endpoints and Limits). */
export const xbPushBody = Joi.object({
  currency: currencyField(xbCurrencies).required().description('UGX or TZS'),
  phone_number: Joi.any()
    .empty(Joi.valid(null, ''))
    .required()
    .meta(noted({ type: 'string', pattern: '^\\d{9,13}$' }, ['INVALID_PHONE_NUMBER']))
    .description('The phone number: only digits, with the country code')
    .example('256700000789')
    .custom((value: unknown, helpers) => {
      const text = typeof value === 'string' ? value : '';
      if (!/^\d{9,13}$/.test(text)) {
        return refuse(
          helpers,
          'must be 9 to 13 digits with the country code, such as 256700000789',
          'INVALID_PHONE_NUMBER',
        );
      }
      return text;
    }),
  amount: amountField({
    currency: { field: 'currency', among: xbCurrencies },
    min: '500',
    max: '5000000',
    wholeUnits: true,
  }).required(),
  api_ref: optionalText(200).description('Your reference. Default: the service creates one').example('INV-1'),
  country: optionalText(2)
    .meta(noted({ enum: Object.values(countryOf) }))
    .description('UG for UGX and TZ for TZS. Default: derived from the currency')
    .custom((value: string, helpers) => {
      const siblings = (helpers.state.ancestors as Record<string, unknown>[])[0];
      const currency = siblings?.['currency'];
      const expected = currency === 'UGX' || currency === 'TZS' ? countryOf[currency] : undefined;
      return expected === undefined || value === expected
        ? value
        : refuse(helpers, `must be ${expected} for this currency`);
    }),
  order_id: notHere,
  transaction_desc: notHere,
  metadata: notHere,
});

/** `payment_id`: answers that know nothing more of a payment, such as a 504, contain it. */
export const xbStatusQuery = Joi.object({
  invoice_id: optionalText(40)
    .description('The invoice, from the answer to its request')
    .example('AGND63RMIF5Y3HSSN4FBWLB5JY'),
  api_ref: optionalText(200, 'known').description('Or your reference').example('INV-1'),
  payment_id: optionalText(36)
    .description('Or the payment, from an error')
    .example('01890a5d-ac96-774b-bcce-b302099a8057'),
}).or('invoice_id', 'api_ref', 'payment_id');

export interface XbPushInput {
  currency: XbCurrency;
  phone_number: string;
  amount: bigint;
  api_ref?: string;
  country?: string;
}

export function countryFor({ country, currency }: XbPushInput): string {
  return country ?? countryOf[currency];
}
