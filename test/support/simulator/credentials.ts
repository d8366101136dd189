import { testCredentials } from '../sandbox/test-credentials';

/** The credentials that the simulator expects, and the clients of these tests send. */
export const credentials = {
  ...testCredentials(),
  STK_CONSUMER_KEY: 'test-consumer-key',
  STK_CONSUMER_SECRET: 'test-consumer-secret',
  STK_PASSKEY: 'test-passkey',
  STK_SHORTCODE: '174379',
  MOMO_TOKEN: 'test-momo-token',
  XB_SECRET_KEY: 'ISSecretKey_test_1',
  XB_PUBLISHABLE_KEY: 'ISPubKey_test_1',
  XB_CHALLENGE: 'test-challenge',
  WALLETPAY_CLIENT_ID: 'test-client-id',
  WALLETPAY_CLIENT_SECRET: 'test-client-secret',
  WALLETPAY_WEBHOOK_ID: 'WH-TEST-4JH86294D6297924G',
  CARDPROC_CONSUMER_KEY: 'test-checkout-key',
  CARDPROC_CONSUMER_SECRET: 'test-checkout-secret',
};

/** Addresses that a merchant sets once at the provider, not in each request. */
export const callbackSettings = (receiverUrl: string) => ({
  MOMO_CALLBACK_DEPOSIT_URL: `${receiverUrl}/in/momo/deposits`,
  MOMO_CALLBACK_PAYOUT_URL: `${receiverUrl}/in/momo/payouts`,
  MOMO_CALLBACK_REFUND_URL: `${receiverUrl}/in/momo/refunds`,
  XB_WEBHOOK_URL: `${receiverUrl}/in/xb`,
  WALLETPAY_WEBHOOK_URL: `${receiverUrl}/in/walletpay`,
});
