import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { eventsOf, canPayOut, payoutRequest } from '../../../support/rails/walletpay/payments';
import { simulatorControl } from '../../../support/rails/simulator-control';
import type { RailContract } from '../rail-contract';

/** The first part of the recipient's address decides the result of a payout. */
const mailboxes = { pays: 'ok', fails: 'failed' } as const;
const floatMinor = 10_000_000n;

/**
 * Payouts, which start and end by themselves; the provider drops repeats of their batch id. Orders, with actions of the
 * buyer and the merchant, are tested in the rail's own tests.
 */
export const contract: RailContract = {
  flows: {
    'a payout': {
      kind: 'payout',
      customer: (fate, n) =>
        fate === 'silent' ? undefined : `${mailboxes[fate]}@customer-${String(n)}.example`,
      row: (recipient) => ({ order_id: recipient }),
      where: (recipient) => ({ receiver: recipient }),
      async request(stack, merchant, recipient) {
        await canPayOut(stack, merchant, floatMinor);
        return {
          path: '/api/v1/walletpay/create_payout',
          body: payoutRequest({ recipient_email: recipient, order_id: recipient }),
        };
      },
    },
  },
  notifications: 3,
  notificationsAreTrusted: false,
  repeatsAreDropped: true,
  submission: 'payout',
  initiation: {
    hang: ['succeeded'],
    drop: ['succeeded'],
    '500': ['succeeded'],
    html: ['succeeded'],
    act_then_500: ['succeeded'],
    act_then_drop: ['succeeded'],
  },
  question: { call: 'payout_query', faults: ['hang', 'drop', '500', 'html', '429', '503', 'expired_token'] },
  silence: 'no_outcome',
  takeBack: ({ simulatorUrl }, payment) =>
    simulatorControl(simulatorUrl, 'walletpay').notify(`items/${payment.payment_id}`, { action: 'refund' }),
  async forgeFailure({ apiUrl }, payment) {
    const resource = {
      transaction_status: 'FAILED',
      payout_batch_id: payment.provider_reference,
      payout_item: { sender_item_id: `po-${payment.payment_id}` },
    };
    const event = { id: `WH-${payment.payment_id}`, event_type: 'PAYMENT.PAYOUTS-ITEM.FAILED', resource };
    const response = await fetch(`${apiUrl}/api/v1/walletpay/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    });
    return response.status;
  },
  async repeat({ simulatorUrl }, payment, withheld) {
    const provider = simulatorControl(simulatorUrl, 'walletpay');
    const id = String(withheld.body['id']);
    const before = (await eventsOf(provider, payment.payment_id)).length;
    await provider.notify(`events/${id}`, { action: 'resend' });
    const { answer } = await waitFor(
      async () =>
        (await eventsOf(provider, payment.payment_id))
          .slice(before)
          .find(({ body, answer: reported }) => body['id'] === id && reported !== undefined),
      { what: `event ${id} once more`, timeoutMs: 30_000 },
    );
    return answer?.status ?? 0;
  },
};
