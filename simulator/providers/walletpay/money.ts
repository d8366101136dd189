/** Amounts in the wire's format, and in whole minor units for calculations. */

/** The provider's currencies, with their decimals on the wire. KES, UGX and TZS are not among them. */
const decimals: Readonly<Record<string, 0 | 2>> = {
  ...{ AUD: 2, BRL: 2, CAD: 2, CHF: 2, CNY: 2, CZK: 2, DKK: 2, EUR: 2, GBP: 2, HKD: 2, HUF: 0, ILS: 2 },
  ...{ JPY: 0, MXN: 2, MYR: 2, NOK: 2, NZD: 2, PHP: 2, PLN: 2, SEK: 2, SGD: 2, THB: 2, TWD: 0, USD: 2 },
};

export interface Amount {
  currency: string;
  /** In the currency's minor units; a string, because the journal is JSON. */
  minor: string;
}

export function decimalsOf(currency: string): 0 | 2 | undefined {
  return Object.hasOwn(decimals, currency) ? decimals[currency] : undefined;
}

/** @returns undefined if the text is not an amount with at most the currency's decimals */
export function readAmount(value: string, currency: string): Amount | undefined {
  const places = decimalsOf(currency);
  const [, units = '', fraction = ''] = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(value) ?? [];
  if (places === undefined || units === '' || fraction.length > places) return undefined;
  return amountOf(currency, BigInt(`${units}${fraction.padEnd(places, '0')}`));
}

export const amountOf = (currency: string, minor: bigint): Amount => ({ currency, minor: String(minor) });

export function valueOf({ currency, minor }: Amount): string {
  if (decimalsOf(currency) === 0) return minor;
  const digits = minor.padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** With two places for every currency, as the books store it. */
export function bookedValueOf(amount: Amount): string {
  return decimalsOf(amount.currency) === 0 ? `${amount.minor}.00` : valueOf(amount);
}

/** In the format of orders and captures. */
export const wireMoney = (amount: Amount) => ({
  currency_code: amount.currency,
  value: valueOf(amount),
});

/** In the format of payouts. */
export const wirePayoutMoney = (amount: Amount) => ({ currency: amount.currency, value: valueOf(amount) });

/** 3.49 % and a fixed part, as for a cross-border sale; never more than the amount. */
export function feeOf({ currency, minor }: Amount): Amount {
  const amount = BigInt(minor);
  const fee = (amount * 349n) / 10_000n + 49n;
  return amountOf(currency, fee < amount ? fee : amount);
}

export function minus(amount: Amount, ...taken: readonly Amount[]): Amount {
  return amountOf(
    amount.currency,
    taken.reduce((left, { minor }) => left - BigInt(minor), BigInt(amount.minor)),
  );
}

export function sum(currency: string, amounts: readonly Amount[]): Amount {
  return amountOf(
    currency,
    amounts.reduce((total, { minor }) => total + BigInt(minor), 0n),
  );
}
