/** The languages of the portal, and the format of money and times in each. */
import { exponentOf, formatAmount, type Currency } from '../domain/money';

const tags = { en: 'en-KE', sw: 'sw-KE' } as const satisfies Record<Language, string>;

/** `KES 1,250.00`. It formats the decimal text, not a float, so large amounts stay exact. */
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
  // A search for a normal space would not find a no-break space.
  return format.format(text).replace(/\u00a0/g, ' ');
}

export function wholeNumber(n: number, language: Language): string {
  return new Intl.NumberFormat(tags[language]).format(n);
}

export function percent(share: number, language: Language): string {
  return new Intl.NumberFormat(tags[language], { style: 'percent', maximumFractionDigits: 1 }).format(share);
}

/** `31 Jan 2026, 11:00` in the time zone. */
export function moment(at: Date, zone: string, language: Language, withSeconds = false): string {
  return new Intl.DateTimeFormat(tags[language], {
    dateStyle: 'medium',
    timeStyle: withSeconds ? 'medium' : 'short',
    timeZone: zone,
    hourCycle: 'h23',
  }).format(at);
}

/** `Sat 31 Jan`, for a day of a chart. */
export function shortDay(at: Date, zone: string, language: Language): string {
  return new Intl.DateTimeFormat(tags[language], {
    ...{ weekday: 'short', day: 'numeric', month: 'short', timeZone: zone },
  }).format(at);
}

/** `2026-01-31 08:00:00 UTC`, the tooltip of a time. */
export function utc(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export const languages = ['en', 'sw'] as const;
export type Language = (typeof languages)[number];

export function isLanguage(text: string): text is Language {
  return (languages as readonly string[]).includes(text);
}

export function languageOf(text: string): Language {
  return isLanguage(text) ? text : 'en';
}

/** Replaces `{name}` with the value of that name. */
export function fill(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
