/** Reads a client's request. The first invalid field is reported, by its name. */
import { isHttpUrl, isRecord, recordOf, textOf, type Fields } from '../../fields';
import type { Registration } from './notification';

export type RedirectMode = 'TOP_WINDOW' | 'PARENT_WINDOW';

export interface OrderRequest {
  /** The client's own id, which is never accepted twice. */
  merchantReference: string;
  currency: string;
  /** Hundredths. */
  amountCents: number;
  description: string;
  callbackUrl: string;
  cancellationUrl?: string;
  notificationId: string;
  redirectMode: RedirectMode;
  phone?: string;
  email?: string;
}

export interface RefundRequest {
  confirmationCode: string;
  amountCents: number;
}

/** What is invalid, in the provider's words. */
export interface Refused {
  code: string;
  message: string;
}
export type Read<T> = { value: T } | { refused: Refused };

/** Returns what is invalid about a value, if anything. */
type Check = (value: unknown) => string | undefined;
type Checks = readonly (readonly [field: string, check: Check])[];

const ID_MAX = 50;
const DESCRIPTION_MAX = 100;
const TEXT_MAX = 255;
/** A hundred million, more than any of the currencies needs. */
const AMOUNT_MAX_CENTS = 100_000_000_00;
const REDIRECT_MODES: readonly unknown[] = ['TOP_WINDOW', 'PARENT_WINDOW'];
const IPN_TYPES: readonly unknown[] = ['GET', 'POST'];
/** Currencies that no account can use: the processor cannot settle them. */
const NOT_ENABLED: readonly unknown[] = ['CUP', 'IRR', 'KPW', 'SYP'];
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

const isAbsent = (value: unknown) => value === undefined || value === null || value === '';
const optional =
  (check: Check): Check =>
  (value) =>
    isAbsent(value) ? undefined : check(value);
const when =
  (isRight: (value: unknown) => boolean, fault: string): Check =>
  (value) =>
    isRight(value) ? undefined : fault;
const matching = (pattern: RegExp, fault: string) =>
  when((value) => typeof value === 'string' && pattern.test(value), fault);
const textUpTo = (max: number) =>
  when(
    (value) => typeof value === 'string' && value.trim() !== '' && value.length <= max,
    `must be a text of at most ${String(max)} characters`,
  );
const address = when(isHttpUrl, 'must be an http or https address');
const amount = when((value) => centsOf(value) > 0, 'must be a number above 0 with at most 2 decimals');

const orderChecks: Checks = [
  ['id', matching(/^[\w.:-]+$/, 'must consist of letters, digits, - _ . and :')],
  ['id', textUpTo(ID_MAX)],
  [
    'currency',
    when((value) => typeof value === 'string' && CURRENCIES.has(value), 'must be an ISO currency'),
  ],
  ['currency', when((value) => !NOT_ENABLED.includes(value), 'is not enabled for this account')],
  ['amount', amount],
  ['description', textUpTo(DESCRIPTION_MAX)],
  ['callback_url', address],
  ['cancellation_url', optional(address)],
  ['notification_id', textUpTo(TEXT_MAX)],
  [
    'redirect_mode',
    optional(when((value) => REDIRECT_MODES.includes(value), 'must be TOP_WINDOW or PARENT_WINDOW')),
  ],
  ['branch', optional(textUpTo(TEXT_MAX))],
  ['language', optional(textUpTo(TEXT_MAX))],
  ['terms_and_conditions_id', optional(textUpTo(TEXT_MAX))],
  ['billing_address', when(isRecord, 'must be an object')],
];
const billingChecks: Checks = [
  ['phone_number', optional(matching(/^\+?\d{9,15}$/, 'must be digits, with the country code'))],
  ['email_address', optional(matching(/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/, 'must be an e-mail address'))],
  ['country_code', optional(matching(/^[A-Za-z]{2}$/, 'must be the two letters of a country'))],
  ...['first_name', 'middle_name', 'last_name', 'line_1', 'line_2', 'city', 'postal_code', 'zip_code'].map(
    (field) => [field, optional(textUpTo(TEXT_MAX))] as const,
  ),
  ['state', optional(textUpTo(3))],
];
const registrationChecks: Checks = [
  ['url', address],
  ['ipn_notification_type', when((value) => IPN_TYPES.includes(value), 'must be GET or POST')],
];
const refundChecks: Checks = [
  ['confirmation_code', textUpTo(TEXT_MAX)],
  ['amount', amount],
  ['username', textUpTo(TEXT_MAX)],
  ['remarks', textUpTo(TEXT_MAX)],
];

export function readOrderRequest(body: unknown): Read<OrderRequest> {
  const fields = recordOf(body);
  const billing = recordOf(fields['billing_address']);
  const { phone_number: phone, email_address: email } = billing;
  const refused =
    firstFault(fields, orderChecks) ??
    (isAbsent(phone) && isAbsent(email)
      ? wrong('billing_address needs a phone_number or an email_address')
      : firstFault(billing, billingChecks, 'billing_address.')) ??
    limitFault(fields['amount']);
  if (refused) return { refused };
  return {
    value: {
      merchantReference: textOf(fields['id']),
      currency: textOf(fields['currency']),
      amountCents: centsOf(fields['amount']),
      description: textOf(fields['description']),
      callbackUrl: textOf(fields['callback_url']),
      ...(!isAbsent(fields['cancellation_url']) && { cancellationUrl: textOf(fields['cancellation_url']) }),
      notificationId: textOf(fields['notification_id']),
      redirectMode: fields['redirect_mode'] === 'PARENT_WINDOW' ? 'PARENT_WINDOW' : 'TOP_WINDOW',
      ...(!isAbsent(phone) && { phone: textOf(phone) }),
      ...(!isAbsent(email) && { email: textOf(email) }),
    },
  };
}

export function readRegistration(body: unknown): Read<Pick<Registration, 'url' | 'type'>> {
  const fields = recordOf(body);
  const refused = firstFault(fields, registrationChecks);
  if (refused) return { refused };
  return {
    value: {
      url: textOf(fields['url']),
      type: fields['ipn_notification_type'] === 'GET' ? 'GET' : 'POST',
    },
  };
}

export function readRefund(body: unknown): Read<RefundRequest> {
  const fields = recordOf(body);
  const refused = firstFault(fields, refundChecks);
  if (refused) return { refused };
  const { confirmation_code: code, amount: wanted } = fields;
  return { value: { confirmationCode: textOf(code), amountCents: centsOf(wanted) } };
}

function wrong(message: string): Refused {
  return { code: 'invalid_api_request_parameters', message };
}

function firstFault(fields: Fields, checks: Checks, prefix = ''): Refused | undefined {
  for (const [field, check] of checks) {
    const fault = check(fields[field]);
    if (fault !== undefined) return wrong(`${prefix}${field} ${fault}`);
  }
  return undefined;
}

function limitFault(value: unknown): Refused | undefined {
  return centsOf(value) > AMOUNT_MAX_CENTS
    ? { code: 'maximum_amount_limit_exceeded', message: 'amount is above the limit of the account' }
    : undefined;
}

/** A number, or its text; 0 for anything else. */
function centsOf(value: unknown): number {
  const text = textOf(value);
  return /^\d{1,12}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : 0;
}
