import type { SettingsReader } from '../../settings';

export interface WalletpaySettings {
  /** Without both, no access token is issued. */
  clientId: string;
  clientSecret: string;
  /** Of the merchant's registered webhook; part of the signed text. */
  webhookId: string;
  /** Set once per account; without it no events are sent. */
  webhookUrl?: string;
  /** Where the buyer goes if an order does not say it. */
  returnUrl?: string;
  cancelUrl?: string;
  /** How long an event takes, in virtual time. */
  soonMs: number;
}

export function readWalletpaySettings(reader: SettingsReader): WalletpaySettings {
  const webhookUrl = reader.url('WALLETPAY_WEBHOOK_URL');
  const returnUrl = reader.url('WALLETPAY_RETURN_URL');
  const cancelUrl = reader.url('WALLETPAY_CANCEL_URL');
  return {
    clientId: reader.text('WALLETPAY_CLIENT_ID', ''),
    clientSecret: reader.text('WALLETPAY_CLIENT_SECRET', ''),
    webhookId: reader.text('WALLETPAY_WEBHOOK_ID', ''),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(returnUrl !== undefined && { returnUrl }),
    ...(cancelUrl !== undefined && { cancelUrl }),
    soonMs: reader.number('MALIPO_SIMULATOR_WALLETPAY_DELAY_MS', 2_000, { min: 0, max: 60_000 }),
  };
}
