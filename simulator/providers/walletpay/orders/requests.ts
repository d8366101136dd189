/** Reads the bodies of orders and refunds; the first error is reported. */
import type { CallResponse } from '../../../calls';
import { isHttpUrl, isRecord, recordOf, textOf, type Fields } from '../../../fields';
import { denial, refusedFor, type Detail } from '../errors';
import { decimalsOf, readAmount, type Amount } from '../money';
import type { Order, Refund } from './orders';

export type Read<T> = { value: T } | { refused: CallResponse };

/** The values of a valid order. */
export interface OrderRequest extends Pick<
  Order,
  | 'amount'
  | 'referenceId'
  | 'description'
  | 'customId'
  | 'invoiceId'
  | 'brandName'
  | 'returnUrl'
  | 'cancelUrl'
> {
  /** With a payment source, the buyer's link is called payer-action; otherwise approve. */
  hasPaymentSource: boolean;
}

const UNIT = "/purchase_units/@reference_id=='default'";
const TEXTS: readonly [wire: string, max: number][] = [
  ['reference_id', 256],
  ['description', 127],
  ['custom_id', 127],
  ['invoice_id', 127],
];

export function readOrderRequest(body: unknown): Read<OrderRequest> {
  if (!isRecord(body)) return missing('/');
  const { intent, purchase_units: units } = body;
  if (intent === undefined) return missing('/intent');
  if (intent !== 'CAPTURE') return invalid('/intent', intent, 'INVALID_PARAMETER_VALUE');
  if (!Array.isArray(units) || units.length === 0) return missing('/purchase_units');
  if (units.length > 1) return invalid('/purchase_units', units.length, 'INVALID_ARRAY_MAX_ITEMS');

  const unit = recordOf(units[0]);
  const wrong = wrongText(unit, TEXTS, UNIT);
  if (wrong) return wrong;
  const amount = readMoney(unit['amount'], `${UNIT}/amount`);
  if ('refused' in amount) return amount;

  const paypal = recordOf(body['payment_source'])['paypal'];
  const context = recordOf(recordOf(paypal)['experience_context'] ?? body['application_context']);
  for (const name of ['return_url', 'cancel_url']) {
    const value = context[name];
    if (value !== undefined && !isHttpUrl(value))
      return invalid(`/${name}`, value, 'INVALID_PARAMETER_SYNTAX');
  }
  return {
    value: {
      amount: amount.value,
      referenceId: textOf(unit['reference_id']) || 'default',
      ...optional(unit, 'description', 'description'),
      ...optional(unit, 'custom_id', 'customId'),
      ...optional(unit, 'invoice_id', 'invoiceId'),
      ...optional(context, 'brand_name', 'brandName'),
      ...optional(context, 'return_url', 'returnUrl'),
      ...optional(context, 'cancel_url', 'cancelUrl'),
      hasPaymentSource: paypal !== undefined,
    },
  };
}

/** The request of a refund (PayPal, Payments v2, `refund_request`): with its own names, if any. */
export interface RefundRequest extends Pick<Refund, 'customId' | 'invoiceId' | 'note'> {
  amount?: Amount;
}

const REFUND_TEXTS: readonly [wire: string, max: number][] = [
  ['custom_id', 127],
  ['invoice_id', 127],
  ['note_to_payer', 255],
];

/** An empty body, or one without an amount, refunds the remainder. */
export function readRefundRequest(body: unknown): Read<RefundRequest> {
  const fields = recordOf(body);
  const wrong = wrongText(fields, REFUND_TEXTS, '');
  if (wrong) return wrong;
  const reported = {
    ...optional(fields, 'custom_id', 'customId'),
    ...optional(fields, 'invoice_id', 'invoiceId'),
    ...optional(fields, 'note_to_payer', 'note'),
  };
  if (fields['amount'] === undefined) return { value: reported };
  const read = readMoney(fields['amount'], '/amount');
  return 'refused' in read ? read : { value: { amount: read.value, ...reported } };
}

function wrongText(
  fields: Fields,
  texts: readonly [wire: string, max: number][],
  path: string,
): { refused: CallResponse } | undefined {
  for (const [name, max] of texts) {
    const value = fields[name];
    const isRight = value === undefined || (typeof value === 'string' && value !== '' && value.length <= max);
    if (!isRight) return invalid(`${path}/${name}`, value, 'INVALID_STRING_LENGTH');
  }
  return undefined;
}

function readMoney(value: unknown, field: string): Read<Amount> {
  if (!isRecord(value)) return missing(field);
  const { currency_code: currency, value: decimal } = value;
  if (currency === undefined) return missing(`${field}/currency_code`);
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    return invalid(`${field}/currency_code`, currency, 'INVALID_STRING_LENGTH');
  }
  if (decimal === undefined) return missing(`${field}/value`);
  if (typeof decimal !== 'string' || !/^\d{1,12}(\.\d+)?$/.test(decimal)) {
    return invalid(`${field}/value`, decimal, 'INVALID_PARAMETER_SYNTAX');
  }
  const reported: Partial<Detail> = { location: 'body', value: decimal, field: `${field}/value` };
  if (decimalsOf(currency) === undefined) {
    return {
      refused: refusedFor('CURRENCY_NOT_SUPPORTED', {
        ...reported,
        value: currency,
        field: `${field}/currency_code`,
      }),
    };
  }
  const amount = readAmount(decimal, currency);
  if (!amount) return { refused: refusedFor('DECIMAL_PRECISION', reported) };
  return amount.minor === '0'
    ? { refused: refusedFor('CANNOT_BE_ZERO_OR_NEGATIVE', reported) }
    : { value: amount };
}

const descriptions = {
  MISSING_REQUIRED_PARAMETER: 'A required field / parameter is missing.',
  INVALID_PARAMETER_VALUE: 'The value of a field is invalid.',
  INVALID_PARAMETER_SYNTAX: 'The value of a field does not conform to the expected format.',
  INVALID_STRING_LENGTH: 'The value of a field is either too short or too long.',
  INVALID_ARRAY_MAX_ITEMS: 'The number of items in an array parameter is too large.',
};

function invalid(field: string, value: unknown, issue: keyof typeof descriptions): { refused: CallResponse } {
  const reported: Detail = {
    field,
    ...(value !== undefined && { value: textOf(value) }),
    location: 'body',
    issue,
    description: descriptions[issue],
  };
  return { refused: denial('INVALID_REQUEST', [reported]) };
}

const missing = (field: string) => invalid(field, undefined, 'MISSING_REQUIRED_PARAMETER');

function optional<K extends string>(fields: Fields, wire: string, name: K): Partial<Record<K, string>> {
  const value = fields[wire];
  return typeof value === 'string' ? ({ [name]: value } as Record<K, string>) : {};
}
