import type { SettingsReader } from '../../settings';

export interface XbSettings {
  secretKey: string;
  publishableKey: string;
  /** Sent unencrypted inside each webhook. */
  challenge: string;
  /** Signs each webhook, if the account has one. */
  webhookSecret?: string;
  /** Set once per account, never per request; without it no webhooks are sent. */
  webhookUrl?: string;
  /** How long a normal payer takes, in virtual time. */
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
