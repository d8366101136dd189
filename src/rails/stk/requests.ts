import Joi from 'joi';
import { invalid, type PaymentError } from '../../domain/errors';
import { floorToWholeUnits, formatAmount } from '../../domain/money';
import type { PaymentDraft } from '../../rail-kit/draft';
import { noted } from '../../rail-kit/description';
import {
  amountField,
  currencyField,
  metadataField,
  optionalText,
  refuse,
  requiredText,
} from '../../rail-kit/fields';
import type { MerchantRow } from '../../store/tables';

/**
 * The body of POST /api/v1/stk_push (specification, Endpoints).
 * @param amountMax whole shillings; the minimum is 10.
 */
/** The same forms as `kenyanPhone`; spaces are ignored. */
const phonePattern = '^ *((\\+ *)?2 *5 *4|0) *[17]( *\\d){8} *$';

export const stkPushBody = (amountMax: number) =>
  Joi.object({
    phone_number: Joi.any()
      .empty(Joi.valid(null, ''))
      .required()
      .meta(noted({ type: 'string', pattern: phonePattern }, ['INVALID_PHONE_NUMBER']))
      .description('A Kenyan mobile number: 254712345678, 0712345678, 0112345678 or +254712345678')
      .example('254708374149')
      .custom((value: unknown, helpers) => {
        const phone = typeof value === 'string' ? kenyanPhone(value) : undefined;
        return (
          phone ??
          refuse(helpers, 'must be a Kenyan mobile number such as 254712345678', 'INVALID_PHONE_NUMBER')
        );
      }),
    amount: amountField({
      currency: { field: 'currency', fallback: 'KES', among: ['KES'] },
      min: '10.00',
      max: `${String(amountMax)}.00`,
      exactlyTwoDecimals: true,
    }).required(),
    account_reference: requiredText(500)
      .description("Your reference. The customer's prompt shows its first 12 characters")
      .example('INV-1'),
    order_id: optionalText(1000).description('Another reference of yours').example('ORDER-1'),
    transaction_desc: requiredText(500, 'note')
      .description('The purpose of the payment, which the customer sees')
      .example('Invoice'),
    metadata: metadataField(),
    // Not a field of this endpoint. But a UGX or TZS request that is sent here must not become a KES payment.
    currency: currencyField(['KES']).description('Optional'),
  });

/** The query of GET /api/v1/stk_push/status. */
export const stkStatusQuery = Joi.object({
  payment_id: requiredText(36)
    .description('The payment, from the answer to its request')
    .example('01890a5d-ac96-774b-bcce-b302099a8057'),
});

interface StkPushInput {
  phone_number: string;
  amount: bigint;
  account_reference: string;
  order_id?: string;
  transaction_desc: string;
  metadata?: string;
}

/**
 * `07…`, `01…`, `+254…` and embedded spaces become `254XXXXXXXXX` (specification, STK push). The network accepts
 * numbers that begin with 7 or 1 after the country code.
 */
export function kenyanPhone(text: string): string | undefined {
  const digits = /^(?:\+?254|0)([17]\d{8})$/.exec(text.replaceAll(' ', ''))?.[1];
  return digits === undefined ? undefined : `254${digits}`;
}

/** For merchants who prefer an error to a prompt with a lower amount. */
function refusedCents(wholeMinor: bigint): PaymentError {
  const [below, above] = [wholeMinor, wholeMinor + 100n].map((minor) => formatAmount(minor, 'KES'));
  const message = `amount must be in whole shillings, such as ${below ?? ''} or ${above ?? ''}`;
  return invalid([{ field: 'amount', message }], 'INVALID_AMOUNT');
}

export function draftOf(
  input: Record<string, unknown>,
  { stk_cents: whenCents }: Pick<MerchantRow, 'stk_cents'>,
  callbackToken: string,
): PaymentDraft {
  const body = input as unknown as StkPushInput;
  const instructedMinor = floorToWholeUnits(body.amount, 'KES');
  if (whenCents === 'refuse' && instructedMinor !== body.amount) throw refusedCents(instructedMinor);
  return {
    rail: 'stk',
    kind: 'deposit',
    provider: 'daraja',
    currency: 'KES',
    requestedMinor: body.amount,
    instructedMinor,
    accountReference: body.account_reference,
    phoneNumber: body.phone_number,
    sameness: { counterparty: body.phone_number, reference: body.account_reference },
    callbackToken,
    details: { transaction_desc: body.transaction_desc },
    ...(body.order_id === undefined ? {} : { orderId: body.order_id }),
    ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
  };
}
