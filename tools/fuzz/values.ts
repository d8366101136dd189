/** Values for the fields of requests: valid ones, and hostile ones. */
import type { Chance } from './random';
import { placeholder } from './request';

type Make = (chance: Chance, canary: string) => unknown;

/** By field; if rails differ, by the beginning of the path first. */
const sound: Record<string, Make> = {
  amount: (c) => c.pick([10, 25.5, 1250, '100.00', 99]),
  currency: () => 'KES',
  phone_number: (c) => c.pick(['254708374149', '254700000701', '254700000705', '0708374149']),
  email_address: () => 'payer@example.com',
  email: () => 'payer@example.com',
  recipient_email: () => 'receiver@example.com',
  callback_url: () => 'https://shop.example/done',
  cancellation_url: () => 'https://shop.example/gone',
  merchant_id: (c) => placeholder('merchant', c.below(2)),
  metadata: (c, canary) => ({ note: canary, list: [1, { deep: c.word(4) }] }),
  payment_id: (c) => placeholder('id', c.below(400)),
  transaction_id: (c) => placeholder('id', c.below(400)),
  invoice_id: (c) => placeholder('id', c.below(400)),
  payout_id: (c) => placeholder('id', c.below(400)),
  walletpay_order_id: (c) => placeholder('id', c.below(400)),
  order_tracking_id: (c) => placeholder('id', c.below(400)),
  token: (c) => placeholder('id', c.below(400)),
  preauth_code: (c) => c.word(6),
  provider: () => undefined,
  country: () => undefined,
  billing_address: () => ({ phone_number: '254712345678', first_name: 'Asha' }),
  merchant_ref: (_c, canary) => canary,
  code: (c) => c.word(16),
};

const soundOn: [prefix: string, fields: Record<string, Make>][] = [
  [
    '/api/v1/momo/',
    {
      currency: () => 'ZMW',
      country: () => 'ZMB',
      phone_number: (c) => c.pick(['+260763456789', '+260763456001', '+260973456789']),
      amount: (c) => c.pick(['10.00', 25, '15.50']),
    },
  ],
  [
    '/api/v1/xb/',
    {
      currency: () => 'UGX',
      phone_number: () => '256772123456',
      amount: () => 20_000,
      order_id: () => undefined,
      metadata: () => undefined,
      transaction_desc: () => undefined,
    },
  ],
  ['/api/v1/walletpay/', { currency: () => 'USD', amount: (c) => c.pick([5, '12.50', 30]) }],
];

/** A valid value. Fields without an entry are texts. */
export function soundValue(
  path: string,
  field: string,
  type: string,
  chance: Chance,
  canary: string,
): unknown {
  const own = soundOn.find(([prefix]) => path.startsWith(prefix))?.[1][field];
  const make = own ?? sound[field];
  if (make) return make(chance, canary);
  return type === 'number' ? chance.below(1_000) : `${canary} ${chance.word(4)}`;
}

const hostileTexts = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e\u200b',
  '😀😀😀',
  "'; DROP TABLE payments; --",
  '../../etc/passwd',
  '{{7*7}}',
  '%s%n%d',
  '__proto__',
  'null',
  'NaN',
  '1e999',
  '-0',
  '0x10',
  '1,000.00',
  '10.999',
  'http://127.0.0.1:1/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  '٣٤٥',
  '4111 1111 1111 1111',
  '018f0000-0000-7000-8000-000000000000',
  '2026-02-30T25:61:61Z',
  '\r\nX-Injected: 1',
] as const;

const hostileNumbers = [0, -1, 0.001, 1e21, 9007199254740993, -0, 1e-9, 150_000.01, 99_999_999_999_999];

const units = ['a', 'é', '😀', '\u0000', '"', '\\', 'secret', '=', '4', '[', ' '] as const;
/** At the limits of columns and bodies. */
const lengths = [36, 40, 50, 51, 127, 254, 500, 501, 1_001, 4_097, 20_000] as const;

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Any value, containing the canary if it is a text. */
export function hostileValue(chance: Chance, canary: string): unknown {
  const kinds: Make[] = [
    (c) => `${canary}${c.pick(hostileTexts)}`,
    (c) => c.pick(hostileTexts),
    (c) => c.pick(hostileNumbers),
    (c) => canary + c.pick(units).repeat(c.pick(lengths)),
    () => null,
    (c) => c.oneIn(2),
    () => [canary],
    () => ({ [canary]: canary }),
    () => ({ $gt: '', toString: canary }),
    (c) => deep(c.pick([3, 18, 19, 21])),
    () => undefined,
    (c) => ({ value: c.word(4), isLosslessNumber: true }),
    () => Array.from({ length: 200 }, () => canary),
  ];
  return chance.pick(kinds)(chance, canary);
}
