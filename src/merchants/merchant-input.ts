/** The settings of a merchant that an operator can change, and their columns. */
import Joi from 'joi';
import { IANAZone } from 'luxon';
import type { Environment } from '../config';
import { holdsCardNumber } from '../domain/card-number';
import { holdsControl } from '../domain/controls';
import { invalid } from '../domain/errors';
import type { MerchantRow } from '../store/tables';
import { faultOfUrl } from './allowed-url';
import { isAddressRange } from '../domain/ip-address';

/** An absent setting stays as it is; null or an empty text removes an address. */
export interface MerchantInput {
  name?: string | undefined;
  status?: string | undefined;
  /** The address for mobile money callbacks. */
  callbackUrl?: string | null | undefined;
  /** The address for all other webhooks. */
  webhookUrl?: string | null | undefined;
  returnUrl?: string | null | undefined;
  cancelUrl?: string | null | undefined;
  walletCurrency?: string | undefined;
  /** STK amounts with cents: `floor` asks the customer for the whole shillings, `refuse` answers 400. */
  stkCents?: string | undefined;
  permissions?: string[] | undefined;
  /** Addresses and CIDR blocks; empty admits every address. */
  ipAllow?: string[] | undefined;
  /** Hosts to which hosted checkout may redirect browsers, with the port if it is not the default. */
  checkoutHosts?: string[] | undefined;
  /**
   * The refill rate of the bucket of the STK and cross-border endpoints (requests per minute), and the bucket's size.
   */
  stkRate?: number | undefined;
  stkBurst?: number | undefined;
  /** The same for all other endpoints. */
  apiRate?: number | undefined;
  apiBurst?: number | undefined;
  /** Seconds within which the same payment is not created twice; 0 disables the check. */
  duplicateWindow?: number | undefined;
  /** Whether duplicate payments for the same reference are detected: `on` or `off`. */
  duplicateAlert?: string | undefined;
  /** The IANA name of the time zone of the merchant's users; an empty text for the deployment's time zone. */
  timeZone?: string | null | undefined;
}

const columns = {
  name: 'name',
  status: 'status',
  callbackUrl: 'callback_url',
  webhookUrl: 'webhook_url',
  returnUrl: 'return_url',
  cancelUrl: 'cancel_url',
  walletCurrency: 'wallet_currency',
  stkCents: 'stk_cents',
  permissions: 'permissions',
  ipAllow: 'ip_allow',
  checkoutHosts: 'checkout_hosts',
  stkRate: 'stk_rate',
  stkBurst: 'stk_burst',
  apiRate: 'api_rate',
  apiBurst: 'api_burst',
  duplicateWindow: 'duplicate_window_s',
  duplicateAlert: 'duplicate_alert',
  timeZone: 'time_zone',
} as const satisfies Record<keyof MerchantInput, keyof MerchantRow>;

function isHost(text: string): boolean {
  return URL.canParse(`https://${text}`) && new URL(`https://${text}`).host === text;
}

const url = Joi.string()
  .allow(null, '')
  .custom((text: string, helpers) => {
    const { environment } = helpers.prefs.context as { environment: Environment };
    const why = faultOfUrl(text, environment);
    return why === undefined ? text : helpers.error('url.refused', { why });
  });
const list = (item: Joi.StringSchema): Joi.ArraySchema => Joi.array().items(item).unique().max(100);
const addressRange = Joi.string().custom((text: string, helpers) =>
  isAddressRange(text) ? text : helpers.error('range.refused'),
);
const host = Joi.string()
  .lowercase()
  .custom((text: string, helpers) => (isHost(text) ? text : helpers.error('host.refused')));
const perMinute = Joi.number().integer().min(1).max(1_000_000);

const schema = Joi.object<MerchantInput>({
  name: Joi.string()
    .trim()
    .max(200)
    .custom((text: string, helpers) => {
      if (holdsControl(text)) return helpers.error('control.refused');
      return holdsCardNumber(text) ? helpers.error('card.refused') : text;
    }),
  status: Joi.string().valid('active', 'suspended', 'inactive'),
  callbackUrl: url,
  webhookUrl: url,
  returnUrl: url,
  cancelUrl: url,
  walletCurrency: Joi.string().valid('USD', 'KES', 'TZS', 'UGX'),
  stkCents: Joi.string().valid('floor', 'refuse'),
  permissions: list(Joi.string().valid('can_payout', 'is_admin')),
  ipAllow: list(addressRange),
  checkoutHosts: list(host),
  stkRate: perMinute,
  stkBurst: perMinute,
  apiRate: perMinute,
  apiBurst: perMinute,
  duplicateWindow: Joi.number().integer().min(0).max(86_400),
  duplicateAlert: Joi.string().valid('on', 'off'),
  timeZone: Joi.string()
    .allow(null, '')
    .max(64)
    .custom((text: string, helpers) => (IANAZone.isValidZone(text) ? text : helpers.error('zone.refused'))),
}).messages({
  'url.refused': '{#label} {#why}',
  'range.refused': '{#label} must be an IP address or a CIDR block',
  'zone.refused': '{#label} must be a time zone by its IANA name, such as Africa/Nairobi',
  'host.refused': '{#label} must be a host name, without scheme and path',
  'card.refused': '{#label} looks like a payment card number, which is never stored here',
  'control.refused': '{#label} must not contain control characters',
});

/** Lists are JSON texts on their way into the database. */
export type MerchantColumns = Partial<Record<(typeof columns)[keyof MerchantInput], string | number | null>>;

/**
 * Validates the input as a whole and converts it to columns.
 * @param required the fields that must be present.
 * @throws PaymentError VALIDATION_FAILED listing every fault.
 */
export function merchantColumns(
  input: MerchantInput,
  environment: Environment,
  required: (keyof MerchantInput)[] = [],
): MerchantColumns {
  const checked = schema
    .fork(required, (field) => field.required())
    .validate(input, {
      abortEarly: false,
      context: { environment },
      errors: { wrap: { label: false, array: false } },
    });
  if (checked.error)
    throw invalid(checked.error.details.map(({ path, message }) => ({ field: path.join('.'), message })));

  const entries = Object.entries(checked.value).filter(([, setting]) => setting !== undefined);
  return Object.fromEntries(
    entries.map(([field, setting]) => [
      columns[field as keyof MerchantInput],
      Array.isArray(setting) ? JSON.stringify(setting) : setting === '' ? null : setting,
    ]),
  );
}
