import type { SettingsReader } from '../../settings';

export interface XbSettings {
  secretKey: string;
  publishableKey: string;
  /** Travels in the clear inside each webhook. */
  challenge: string;
  /** Signs each webhook, where the account has one. */
  webhookSecret?: string;
  /** Set once per account, never per request; without it nothing is told. */
  webhookUrl?: string;
  /** How long a payer who does not hesitate takes, in virtual time. */
  soonMs: number;
}

export function readXbSettings(reader: SettingsReader): XbSettings {
  const webhookUrl = reader.url('XB_WEBHOOK_URL');
  const webhookSecret = reader.text('XB_WEBHOOK_SECRET', '');
  return {
    secretKey: reader.text('XB_SECRET_KEY'),
    publishableKey: reader.text('XB_PUBLISHABLE_KEY'),
    challenge: reader.text('XB_CHALLENGE'),
    ...(webhookSecret !== '' && { webhookSecret }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    soonMs: reader.number('MALIPO_SIMULATOR_XB_DELAY_MS', 3_000, { min: 0, max: 60_000 }),
  };
}
