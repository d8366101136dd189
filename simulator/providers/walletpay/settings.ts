import type { SettingsReader } from '../../settings';

export interface WalletpaySettings {
  /** Without both, no access token is given to anybody. */
  clientId: string;
  clientSecret: string;
  /** Of the webhook that the merchant has registered; part of what is signed. */
  webhookId: string;
  /** Set once per account; without it nothing is told. */
  webhookUrl?: string;
  /** Where the buyer goes when an order does not say it. */
  returnUrl?: string;
  cancelUrl?: string;
  /** How long an event takes after what it tells, in virtual time. */
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
