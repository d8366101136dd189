/** Reads a client's request. All errors of a body are reported at once, each under its field. */
import type { Request } from 'express';
import type { CallResponse } from '../../calls';
import { recordOf, textOf, type Fields } from '../../fields';
import { fieldErrors, invalidToken, notAuthenticated } from './answers';
import { currencies, isCurrency, type Currency, type Push } from './currencies';
import type { XbSettings } from './settings';

export interface CollectionRequest {
  currency: Currency;
  /** Hundredths, so that percentages are whole numbers. */
  valueCents: number;
  phone: string;
  apiRef?: string;
  name?: string;
  email?: string;
  host?: string;
  customerPays: boolean;
}

export type Read<T> = { value: T } | { refused: CallResponse };

const TEXT_MAX = 255;
const TARIFFS = ['BUSINESS-PAYS', 'CUSTOMER-PAYS'];

/** A call accepts any of these credentials; each credential that is sent must be valid. */
type Credential = 'secret' | 'publishable';

export function credentialFault(
  request: Request,
  accepted: readonly Credential[],
  { secretKey, publishableKey }: XbSettings,
): CallResponse | undefined {
  const authorization = request.get('authorization');
  const publishable = [request.get('intasend_public_api_key'), recordOf(request.body)['public_key']];
  const shown: [Credential, unknown, string][] = [
    ['secret', authorization, `Bearer ${secretKey}`],
    ...publishable.map((key): [Credential, unknown, string] => ['publishable', key, publishableKey]),
  ];
  const given = shown.filter(([, value]) => value !== undefined);
  if (given.some(([, value, right]) => value !== right)) return invalidToken();
  return given.some(([credential]) => accepted.includes(credential)) ? undefined : notAuthenticated();
}

export function readCollectionRequest(push: Push, body: unknown): Read<CollectionRequest> {
  const fields = recordOf(body);
  const { currency } = fields;
  const errors: Record<string, string[]> = {};
  const check = (field: string, fault: string | undefined) => {
    if (fault !== undefined) errors[field] = [fault];
  };
  check('currency', currencyFault(push, currency));
  check('amount', amountFault(fields['amount'], currency));
  check('phone_number', phoneFault(fields['phone_number'], currency));
  if (push === 'mpesa-stk-push') check('method', choiceFault(fields['method'], ['M-PESA']));
  check('mobile_tarrif', choiceFault(fields['mobile_tarrif'], TARIFFS));
  for (const field of ['api_ref', 'name', 'email', 'host']) check(field, textFault(fields[field]));
  if (Object.keys(errors).length > 0 || !isCurrency(currency)) return { refused: fieldErrors(errors) };

  return {
    value: {
      currency,
      valueCents: Math.round(Number(fields['amount']) * 100),
      phone: textOf(fields['phone_number']),
      ...optional(fields, 'api_ref', 'apiRef'),
      ...optional(fields, 'name', 'name'),
      ...optional(fields, 'email', 'email'),
      ...optional(fields, 'host', 'host'),
      customerPays: fields['mobile_tarrif'] === 'CUSTOMER-PAYS',
    },
  };
}

const REQUIRED = 'This field is required.';

function currencyFault(push: Push, value: unknown): string | undefined {
  if (value === undefined) return REQUIRED;
  const isTaken = isCurrency(value) && currencies[value].push === push;
  return isTaken ? undefined : `"${textOf(value)}" is not a valid choice.`;
}

function amountFault(value: unknown, currency: unknown): string | undefined {
  if (value === undefined) return REQUIRED;
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(textOf(value))) return 'A valid number is required.';
  if (!isCurrency(currency)) return undefined;
  const { decimals, min, max } = currencies[currency];
  const amount = Number(value);
  if (decimals === 0 && !Number.isInteger(amount))
    return `Ensure that there are no decimal places in ${currency}.`;
  if (amount < min) return `Ensure this value is greater than or equal to ${String(min)}.`;
  return amount > max ? `Ensure this value is less than or equal to ${String(max)}.` : undefined;
}

function phoneFault(value: unknown, currency: unknown): string | undefined {
  if (value === undefined) return REQUIRED;
  const right = /^\d{9,13}$/.test(textOf(value));
  if (!right) return 'Enter a valid phone number: digits only, with the country code.';
  if (!isCurrency(currency) || textOf(value).startsWith(currencies[currency].prefix)) return undefined;
  return `Enter a valid phone number: ${currency} is collected from +${currencies[currency].prefix}.`;
}

function choiceFault(value: unknown, choices: readonly string[]): string | undefined {
  return value === undefined || choices.includes(textOf(value))
    ? undefined
    : `"${textOf(value)}" is not a valid choice.`;
}

function textFault(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') return 'Not a valid string.';
  return value.length > TEXT_MAX
    ? `Ensure this field has no more than ${String(TEXT_MAX)} characters.`
    : undefined;
}

function optional<K extends string>(fields: Fields, wire: string, name: K): Partial<Record<K, string>> {
  const value = fields[wire];
  return typeof value === 'string' ? ({ [name]: value } as Record<K, string>) : {};
}
