/** Money and moments as people of a language write them. */
import { exponentOf, formatAmount, type Currency } from '../domain/money';
import type { Language } from './language';

const tags = { en: 'en-KE', sw: 'sw-KE' } as const satisfies Record<Language, string>;

/** `KES 1,250.00`; exact however large, since the text of the decimal is formatted and no float. */
export function money(minor: bigint | string, currency: Currency, language: Language): string {
  const digits = exponentOf(currency);
  const format = new Intl.NumberFormat(tags[language], {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const text = formatAmount(BigInt(minor), currency) as `${number}`;
  // A space that does not break looks like one, and is not found by who types one.
  return format.format(text).replace(/\u00a0/g, ' ');
}

export function wholeNumber(n: number, language: Language): string {
  return new Intl.NumberFormat(tags[language]).format(n);
}

export function percent(share: number, language: Language): string {
  return new Intl.NumberFormat(tags[language], { style: 'percent', maximumFractionDigits: 1 }).format(share);
}

/** `31 Jan 2026, 11:00`, by the clock of the zone. */
export function moment(at: Date, zone: string, language: Language, withSeconds = false): string {
  return new Intl.DateTimeFormat(tags[language], {
    dateStyle: 'medium',
    timeStyle: withSeconds ? 'medium' : 'short',
    timeZone: zone,
    hourCycle: 'h23',
  }).format(at);
}

/** `Sat 31 Jan`: a day of a chart. */
export function shortDay(at: Date, zone: string, language: Language): string {
  return new Intl.DateTimeFormat(tags[language], {
    ...{ weekday: 'short', day: 'numeric', month: 'short', timeZone: zone },
  }).format(at);
}

/** `2026-01-31 08:00:00 UTC`: what stands behind a moment. */
export function utc(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
