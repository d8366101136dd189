/** Countries by ISO 3166. The package's own entry would load their names in eighty languages, and we use one. */
import { alpha2ToAlpha3, alpha3ToAlpha2, getName, isValid, registerLocale } from 'i18n-iso-countries/index';
import english from 'i18n-iso-countries/langs/en.json';

registerLocale(english);

export { alpha2ToAlpha3, alpha3ToAlpha2, isValid as isCountryCode };

/** @param alpha3 such as ZMB, which is also the result for a country without a name. */
export function countryName(alpha3: string): string {
  return getName(alpha3, english.locale) ?? alpha3;
}
