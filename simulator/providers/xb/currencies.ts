/** What can be collected where. Only M-PESA is documented; the other method names are a convention of this simulator. */
export const currencies = {
  KES: { prefix: '254', method: 'M-PESA', decimals: 2, min: 1, max: 999_999, receiptPrefix: 'KE' },
  UGX: {
    prefix: '256',
    method: 'MOBILE-MONEY-UG',
    decimals: 0,
    min: 500,
    max: 5_000_000,
    receiptPrefix: 'UG',
  },
  TZS: {
    prefix: '255',
    method: 'MOBILE-MONEY-TZ',
    decimals: 0,
    min: 500,
    max: 5_000_000,
    receiptPrefix: 'TZ',
  },
} as const;

export type Currency = keyof typeof currencies;

export function isCurrency(value: unknown): value is Currency {
  return typeof value === 'string' && Object.hasOwn(currencies, value);
}
