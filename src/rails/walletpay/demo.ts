/**
 * Wallet checkout: orders that a buyer approves, one of them partly refunded, and payouts to an e-mail address, one of
 * which the recipient does not claim.
 */
import {
  type DemoContext,
  minorOf,
  newReference,
  type PaymentResult,
  paymentResult,
  type RailDemo,
  type ReceivedWebhook,
} from '../../rail-kit/demo';

const rail = 'Wallet checkout';
const currency = 'USD';
const amounts = {
  returned: '20.00',
  refunded: '5.00',
  closed: '30.00',
  claimed: '15.00',
  unclaimed: '10.00',
  float: '50.00',
};

export const walletpayDemo: RailDemo = {
  rail,
  shows: 'paid, refunded, paid out, returned unclaimed',
  async run(context) {
    await context.operator.permit('can_payout');
    await context.operator.addFloat({ rail: 'walletpay', currency, amount: amounts.float });
    const [returned, closed, claimed, unclaimed] = await Promise.all([
      approveAndReturn(context),
      approveAndClose(context),
      payOutAndClaim(context),
      payOutUnclaimed(context),
    ]);
    claimed.gains.push({ account: 'float', currency, minor: minorOf(amounts.float, currency) });
    return [...returned, closed, claimed, await unclaimed.afterThirtyDays()];
  },
};

interface Order {
  orderId: string;
  walletOrderId: string;
  transactionId: string;
}

async function order({ api }: DemoContext, amount: string): Promise<Order> {
  const orderId = newReference();
  const { data } = await api.post('/api/v1/walletpay/create_order', { amount, currency, order_id: orderId });
  const { walletpay_order_id, transaction_id } = data as Record<string, unknown>;
  return { orderId, walletOrderId: String(walletpay_order_id), transactionId: String(transaction_id) };
}

async function approveAndReturn(context: DemoContext): Promise<PaymentResult[]> {
  const asked = await order(context, amounts.returned);
  await context.simulator.post(`/walletpay/orders/${asked.walletOrderId}`, { action: 'approve' });
  const query = new URLSearchParams({ token: asked.walletOrderId, order_id: asked.orderId });
  const { data } = await context.api.get(`/api/v1/walletpay/capture?${query.toString()}`);
  const captured = (data as Record<string, unknown>)['status'];
  const webhook = await ending(context, 'the order whose buyer returned', asked.transactionId);
  const paid = orderResult(context, asked, webhook, {
    what: `buyer approves ${amounts.returned} ${currency} and returns`,
    amount: amounts.returned,
    faults: [captured !== 'Completed' && `the capture answered ${String(captured)}`],
  });
  return [paid, await refund(context, asked)];
}

async function refund(context: DemoContext, { transactionId }: Order): Promise<PaymentResult> {
  const given = await context.api.post('/api/v1/walletpay/refund', {
    transaction_id: transactionId,
    amount: amounts.refunded,
  });
  const refundId = String(given['transaction_id']);
  const webhook = await context.simulator.hurry(ending(context, 'the refund', refundId));
  return paymentResult(context, {
    rail,
    what: `${amounts.refunded} ${currency} of it is refunded`,
    workflowId: `wallet-refund/${refundId}`,
    outcome: String(webhook.body['status']),
    expected: 'Success',
    webhooks: [webhook],
    gains: [{ account: 'wallet', currency, minor: -minorOf(amounts.refunded, currency) }],
  });
}

async function approveAndClose(context: DemoContext): Promise<PaymentResult> {
  const asked = await order(context, amounts.closed);
  const decided = { action: 'approve_and_close' };
  await context.simulator.post(`/walletpay/orders/${asked.walletOrderId}`, decided);
  const reported = ending(context, 'the order whose buyer closed the tab', asked.transactionId);
  return orderResult(context, asked, await context.simulator.hurry(reported), {
    what: `buyer approves ${amounts.closed} ${currency} and closes the tab`,
    amount: amounts.closed,
  });
}

function orderResult(
  context: DemoContext,
  { transactionId }: Order,
  webhook: ReceivedWebhook,
  { what, amount, faults = [] }: { what: string; amount: string; faults?: (string | false)[] },
): PaymentResult {
  return paymentResult(context, {
    rail,
    what,
    workflowId: `wallet-order/${transactionId}`,
    outcome: String(webhook.body['status']),
    expected: 'Completed',
    webhooks: [webhook],
    faults,
    gains: [{ account: 'wallet', currency, minor: minorOf(amount, currency) }],
  });
}

async function payOut(context: DemoContext, amount: string, recipient: string): Promise<string> {
  const { data } = await context.api.post('/api/v1/walletpay/create_payout', {
    amount,
    currency,
    recipient_email: recipient,
    order_id: newReference(),
    note: 'Malipo demo',
  });
  return String((data as Record<string, unknown>)['payout_id']);
}

async function payOutAndClaim(context: DemoContext): Promise<PaymentResult> {
  const payoutId = await payOut(context, amounts.claimed, mailbox('unclaimed'));
  await waitsForItsRecipient(context, payoutId);
  await context.simulator.post(`/walletpay/items/${payoutId}`, { action: 'claim' });
  const webhook = await context.simulator.hurry(ending(context, 'the claimed payout', payoutId));
  return paymentResult(context, {
    rail,
    what: `payout of ${amounts.claimed} ${currency}, claimed by its recipient`,
    workflowId: `wallet-payout/${payoutId}`,
    outcome: String(webhook.body['status']),
    expected: 'Success',
    webhooks: [webhook],
    gains: [{ account: 'float', currency, minor: -minorOf(amounts.claimed, currency) }],
  });
}

async function payOutUnclaimed(context: DemoContext): Promise<{ afterThirtyDays(): Promise<PaymentResult> }> {
  const recipient = mailbox('unclaimed-return');
  const payoutId = await payOut(context, amounts.unclaimed, recipient);
  await waitsForItsRecipient(context, payoutId);
  return {
    async afterThirtyDays() {
      await context.operator.advance('30d', payoutId);
      const reported = ending(context, 'the payout nobody claimed', payoutId);
      const webhook = await context.simulator.hurry(reported);
      const mails = await context.simulator.mailsTo(recipient);
      return paymentResult(context, {
        rail,
        what: `payout of ${amounts.unclaimed} ${currency} nobody claims, 30 days later`,
        workflowId: `wallet-payout/${payoutId}`,
        outcome: `${String(webhook.body['status'])} (${String(webhook.body['failure_code'])})`,
        expected: 'Failed (UNCLAIMED_RETURNED)',
        webhooks: [webhook],
        faults: [mails.length === 0 && 'the recipient got no mail'],
      });
    },
  };
}

/** The provider has reported that the payout is not claimed yet. */
async function waitsForItsRecipient({ api, simulator }: DemoContext, payoutId: string): Promise<void> {
  await simulator.until(async () => {
    const { data } = await api.get(`/api/v1/walletpay/payout_status?payout_id=${payoutId}`);
    return (data as Record<string, unknown>)['item_status'] === 'UNCLAIMED';
  });
}

function mailbox(name: string): string {
  return `${name}@${newReference().toLowerCase()}.example`;
}

/** The final status update of an order or a payout. */
function ending({ webhooks }: DemoContext, what: string, transactionId: string): Promise<ReceivedWebhook> {
  return webhooks.next(
    what,
    (body) => body['transaction_id'] === transactionId && body['status'] !== 'Pending',
  );
}
