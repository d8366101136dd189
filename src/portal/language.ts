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
