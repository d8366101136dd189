/** Merchants with a paid order, and its refunds for a test. */
import { transferByHand } from '../../../../tools/sandbox/transfer-by-hand';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { ApiAnswer } from '../../../support/merchant-client';
import { webhooksOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import {
  simulatorControl,
  type Exchange,
  type SimulatorControl,
} from '../../../support/rails/simulator-control';
import {
  get,
  newRefund,
  paidOrder,
  post,
  ratesStored,
  notifiedOf,
  type Order,
} from '../../../support/rails/walletpay/payments';

export type PaidOrder = Order & { captureId: string };

export interface RefundStage {
  stack: Stack;
  provider: SimulatorControl;
  refund(
    body: Record<string, unknown>,
    as: TestMerchant,
    headers?: Record<string, string>,
  ): Promise<ApiAnswer>;
  /** A merchant of its own with one paid order of 25.00 USD. */
  seller(): Promise<[TestMerchant, PaidOrder]>;
  /**
   * Requests a refund that the provider rejects only after the merchant got its answer: an immediate rejection is in
   * the answer instead. @returns its transaction_id.
   */
  refusedLater(as: TestMerchant, order: PaidOrder, amount: string): Promise<string>;
  /** Waits until the provider has reported the refund as pending. */
  pending(id: string): Promise<unknown>;
  statusOf(as: TestMerchant, id: string): Promise<Record<string, unknown> | undefined>;
  /** A payment's webhooks, oldest first. */
  statusesOf(id: string): Promise<unknown[]>;
  sentFor(order: PaidOrder): Promise<Exchange[]>;
  /** Sends a refund to the provider as the adapter does, or with another key. */
  sendByHand(id: string, order: PaidOrder, value: string, key?: string): Promise<number>;
  spend(own: TestMerchant, amountMinor: bigint): Promise<unknown>;
}

export const reported = ({ status, body }: ApiAnswer) => [status, body.code];

export async function openRefundStage(): Promise<RefundStage> {
  const stack = await startStack({ timeScale: 60 });
  const provider = simulatorControl(stack.simulatorUrl, 'walletpay');
  await ratesStored(stack);
  return {
    stack,
    provider,
    refund: (body, as, headers = {}) => post(stack, as, 'refund', body, headers),
    async seller() {
      const own = await stack.createMerchant();
      const order = await paidOrder(stack, own, provider);
      await notifiedOf(own, order.id, 'Completed');
      return [own, order];
    },
    async refusedLater(as, order, amount) {
      await provider.next({ call: 'refund', behave: 'delay', ms: 3_000, where: { order_id: order.token } });
      return newRefund(stack, as, order, amount);
    },
    pending: (id) =>
      waitFor(
        async () =>
          (await getPaymentOrThrow(stack.db, id)).details['refund_status'] === 'PENDING' || undefined,
        { what: 'a pending refund', timeoutMs: 40_000 },
      ),
    statusOf: async (as, id) => (await get(stack, as, 'refund_status', { transaction_id: id })).body.data,
    statusesOf: async (id) => (await webhooksOf(stack.db, id)).map(({ status }) => status),
    sentFor: async ({ captureId }) =>
      (await provider.exchanges('refund')).filter(({ url }) => url.includes(captureId)),
    async sendByHand(id, { captureId }, value, key = `wp-refund-${id}`) {
      const { WALLETPAY_CLIENT_ID: client = '', WALLETPAY_CLIENT_SECRET: secret = '' } = stack.env;
      const at = stack.providerUrls.walletpay;
      const token = await fetch(`${at}/v1/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      const { access_token: bearer } = (await token.json()) as { access_token: string };
      const amount = { currency_code: 'USD', value };
      const sent = await fetch(`${at}/v2/payments/captures/${captureId}/refund`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          'paypal-request-id': key,
        },
        body: JSON.stringify({ amount, custom_id: id, invoice_id: id }),
      });
      return sent.status;
    },
    spend: (own, amountMinor) =>
      transferByHand(stack.db, {
        from: { class: 'wallet', merchantId: own.merchantId, currency: 'USD' },
        to: { class: 'bank', currency: 'USD' },
        amountMinor,
        reason: 'paid out to the merchant',
        whenShort: 'BALANCE_INSUFFICIENT',
      }),
  };
}
