/** The languages of the portal, and money and moments as people of each write them. */
import { exponentOf, formatAmount, type Currency } from '../domain/money';

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

/** The languages of the portal, and how a text of the catalogue is filled in. */
export const languages = ['en', 'sw'] as const;
export type Language = (typeof languages)[number];

export function isLanguage(text: string): text is Language {
  return (languages as readonly string[]).includes(text);
}

export function languageOf(text: string): Language {
  return isLanguage(text) ? text : 'en';
}

/** `{name}` becomes what is given under that name. */
export function fill(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
