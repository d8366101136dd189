/**
 * The network of a number by its first digits, used only when the provider's lookup cannot be reached. Numbers can be
 * ported, so this is a guess, and merchants may set the provider themselves. Data as of November 2026.
 */
const networkByPrefix: Record<string, readonly string[]> = {
  MTN_MOMO_ZMB: ['26076', '26096', '26056'],
  AIRTEL_OAPI_ZMB: ['26077', '26097', '26057'],
  ZAMTEL_ZMB: ['26075', '26095', '26055'],
  MPESA_KEN: [
    '25470',
    '25471',
    '25472',
    '25479',
    '25411',
    '254740',
    '254741',
    '254742',
    '254743',
    '254745',
    '254746',
    '254748',
  ],
  MTN_MOMO_UGA: ['25677', '25678', '25676', '25639'],
  AIRTEL_OAPI_UGA: ['25670', '25675', '25674'],
  VODACOM_TZA: ['25574', '25575', '25576'],
  AIRTEL_TZA: ['25568', '25569', '25578'],
  TIGO_TZA: ['25565', '25567', '25571'],
  MTN_MOMO_RWA: ['25078', '25079'],
  AIRTEL_RWA: ['25072', '25073'],
  MTN_MOMO_GHA: ['23324', '23354', '23355', '23359', '23353'],
  VODAFONE_GHA: ['23320', '23350'],
  AIRTELTIGO_GHA: ['23326', '23327', '23356', '23357'],
};

/** @param digits the number with its country code, without `+`. */
export function networkByDigits(digits: string): string | undefined {
  let longest = 0;
  let found: string | undefined;
  for (const [network, prefixes] of Object.entries(networkByPrefix)) {
    for (const prefix of prefixes) {
      if (digits.startsWith(prefix) && prefix.length > longest) {
        longest = prefix.length;
        found = network;
      }
    }
  }
  return found;
}
