/** Finds the provider of a phone number, and the country of a provider. */
import { countries, type Country, type MobileProvider } from './countries';

const homes = new Map<string, { country: Country; provider: MobileProvider }>();
for (const country of countries) {
  for (const provider of country.providers) homes.set(provider.provider, { country, provider });
}

/** @param code as on the wire, such as MTN_MOMO_ZMB */
export function findProvider(code: string): { country: Country; provider: MobileProvider } | undefined {
  return homes.get(code);
}

/** Digits only, with the country's prefix. The network is not checked: numbers move between networks. */
export function isNumberOf({ prefix, digits }: Country, phone: string): boolean {
  return /^\d+$/.test(phone) && phone.startsWith(prefix) && digits.includes(phone.length - prefix.length);
}

export interface Prediction {
  country: string;
  provider: string;
  phoneNumber: string;
}

/** @param written as users write it, with +, spaces or dashes */
export function predictProvider(written: string): Prediction | undefined {
  const phone = written.replace(/^\s*\+|[\s().-]/g, '');
  const country = countries.find((candidate) => isNumberOf(candidate, phone));
  if (!country) return undefined;
  const national = phone.slice(country.prefix.length);
  const [best] = country.providers
    .flatMap(({ provider, prefixes }) => prefixes.map((prefix) => ({ provider, prefix })))
    .filter(({ prefix }) => national.startsWith(prefix))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  return best && { country: country.code, provider: best.provider, phoneNumber: phone };
}
