import type { RailSettings } from '../../../../rail-kit/rail';
import type { WalletpaySettings } from '../../settings';
import { paypalWallets } from './balances';
import { paypalCalls } from './calls';
import { paypalCheckups } from './checkups';
import { orderOperation } from './order-calls';
import { payoutOperation } from './payout-calls';
import { refundOperation } from './refund-calls';
import { transactionSearch } from './transaction-search';
import { webhookVerifier } from './webhook-signature';

export type { WebhookVerdict } from './webhook-signature';

/** PayPal: Orders v2 for money in, Payments v2 for money back, Payouts v1 for money out, and the events of all. */
export function paypalProvider(settings: WalletpaySettings, rail: RailSettings) {
  const begin = paypalCalls(settings, rail);
  return {
    order: orderOperation(begin, rail),
    payout: payoutOperation(begin, rail),
    refund: refundOperation(begin, rail),
    verifyWebhook: webhookVerifier(begin, settings, rail),
    wallets: paypalWallets(begin, settings.baseUrl),
    statementSource: transactionSearch(begin, rail.timeScale),
    checkups: (notificationUrl: string) => paypalCheckups(settings, begin, notificationUrl),
  };
}
