import Joi from 'joi';
import type { Currency } from '../../domain/money';
import { isMailAddress } from '../../mail/enqueue-mail';
import { noted } from '../../rail-kit/description';
import {
  amountField,
  anyCurrencyField,
  objectField,
  optionalText,
  refuse,
  requiredText,
} from '../../rail-kit/fields';
import { faultOfReturnUrl } from './return-url';

/** The processor shows less than this. The rest is cut, not rejected. */
const descriptionLengthMax = 2000;
const nameLengthMax = 100;
const mailLengthMax = 254;

const phone = Joi.any()
  .empty(Joi.valid(null, ''))
  .meta(noted({ type: 'string', pattern: '^254\\d{9}$' }, ['INVALID_PHONE_NUMBER']))
  .description("The customer's phone number")
  .example('254712345678')
  .custom((value: unknown, helpers) =>
    typeof value === 'string' && /^254\d{9}$/.test(value)
      ? value
      : refuse(helpers, 'must be 254 and nine more digits, such as 254712345678', 'INVALID_PHONE_NUMBER'),
  );
const mail = optionalText(mailLengthMax)
  .meta(noted({ format: 'email' }))
  .description("The customer's e-mail address")
  .example('amina@example.com')
  .custom((text: string, helpers) =>
    isMailAddress(text) ? text : refuse(helpers, 'must be a valid e-mail address'),
  );
const returnUrl = optionalText(descriptionLengthMax)
  .description(
    "The merchant's page to which the browser returns; it must be on a registered host of the merchant",
  )
  .example('https://shop.example/paid')
  .custom((text: string, helpers) => {
    const fault = faultOfReturnUrl(text);
    return fault === undefined ? text : refuse(helpers, fault);
  });
const merchantId = requiredText(36)
  .description("The merchant's id")
  .example('01890a5d-ac96-774b-bcce-b302099a8057');
const shown = requiredText(descriptionLengthMax, 'note')
  .description('Shown on the payment page, at most its first 100 characters')
  .example('Invoice 1');
const firstName = "The customer's first name";
const lastName = "The customer's last name";

/** The body of POST /api/v2/initiate.php (specification, Endpoints). */
export const initiateBody = Joi.object({
  merchant_id: merchantId,
  order_id: requiredText(500).description('Your reference').example('ORDER-1'),
  amount: amountField({ currency: { field: 'currency' } }).required(),
  currency: anyCurrencyField().required(),
  description: shown,
  phone_number: phone.required(),
  email_address: mail.required(),
  first_name: requiredText(nameLengthMax).description(firstName).example('Amina'),
  last_name: requiredText(nameLengthMax).description(lastName).example('Otieno'),
  callback_url: returnUrl,
});

/** The body of POST /api/cardproc/submit_order.php (specification, Endpoints and Limits). */
export const submitOrderBody = Joi.object({
  merchant_id: merchantId,
  merchant_ref: requiredText(50)
    .meta(noted({ pattern: '^[A-Za-z0-9_.:-]+$' }))
    .description('Your reference')
    .example('ORDER-1')
    .custom((text: string, helpers) =>
      /^[A-Za-z0-9_.:-]+$/.test(text)
        ? text
        : refuse(helpers, 'must consist of letters, digits, - _ . and :'),
    ),
  amount: amountField({ currency: { field: 'currency', fallback: 'KES' } }).required(),
  currency: anyCurrencyField().description('An ISO 4217 currency code. Default: KES'),
  description: shown,
  callback_url: returnUrl.required(),
  billing_address: objectField({
    phone_number: phone,
    email_address: mail,
    first_name: optionalText(nameLengthMax).description(firstName).example('Amina'),
    last_name: optionalText(nameLengthMax).description(lastName).example('Otieno'),
  })
    .or('email_address', 'phone_number')
    .required(),
  cancellation_url: returnUrl,
});

/** The body of POST /api/cardproc/transaction_status.php. */
export const transactionStatusBody = Joi.object({
  order_tracking_id: requiredText(120)
    .description('The order, from the answer to its request')
    .example('b945e4af-80a5-4ec1-8706-e03f8332fb04'),
});

export interface Billing {
  phone_number?: string;
  email_address?: string;
  first_name?: string;
  last_name?: string;
}

interface OrderInput {
  amount: bigint;
  description: string;
}

export interface InitiateInput extends OrderInput, Required<Billing> {
  order_id: string;
  currency: Currency;
  callback_url?: string;
}

export interface SubmitOrderInput extends OrderInput {
  merchant_ref: string;
  currency?: Currency;
  callback_url: string;
  billing_address: Billing;
  cancellation_url?: string;
}
