import type { SettingsReader } from '../../settings';

export interface StkSettings {
  consumerKey: string;
  consumerSecret: string;
  passkey: string;
  shortcode: string;
  /** The initiator of status queries; without one none are allowed. */
  initiator: string;
  securityCredential: string;
  /** How long a normal payer takes, in virtual time. */
  soonMs: number;
}

export function readStkSettings(reader: SettingsReader): StkSettings {
  return {
    consumerKey: reader.text('STK_CONSUMER_KEY'),
    consumerSecret: reader.text('STK_CONSUMER_SECRET'),
    passkey: reader.text('STK_PASSKEY'),
    shortcode: reader.text('STK_SHORTCODE'),
    initiator: reader.text('STK_INITIATOR', ''),
    securityCredential: reader.text('STK_SECURITY_CREDENTIAL', ''),
    soonMs: reader.number('MALIPO_SIMULATOR_STK_DELAY_MS', 2_000, { min: 0, max: 60_000 }),
  };
}
