/** Every operation of every rail that is interrupted at each of its boundaries. */
import { waitFor } from '../../../sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { customer, type CustomerAction } from '../../../../test/support/rails/cardproc/payments';
import { simulatorControl } from '../../../../test/support/rails/simulator-control';
import { capture } from '../../../../test/support/rails/walletpay/payments';
import type { TestRig } from '../support/test-rig';
import { accepted } from './accepted';
import { commands } from './commands';
import { decisions } from './decisions';
import type { Operation } from './operation';
import { others } from './others';

const paid = ['succeeded'] as const;
const failed = ['failed'] as const;

/** The payment, once its provider has an id for it: customers cannot act before. */
function named({ stack }: TestRig, id: string): Promise<PaymentRow & { provider_reference: string }> {
  return waitFor(
    async () => {
      const payment = await getPaymentOrThrow(stack.db, id);
      const { provider_reference } = payment;
      return provider_reference === null ? undefined : { ...payment, provider_reference };
    },
    { what: `the provider's reference of ${id}`, timeoutMs: 60_000, everyMs: 50 },
  );
}

async function checkedOut(rig: TestRig, id: string, action: CustomerAction): Promise<void> {
  await customer(simulatorControl(rig.stack.simulatorUrl, 'cardproc'), await named(rig, id), action);
}

const approves =
  (action: 'approve' | 'approve_and_close', captures = false) =>
  async (rig: TestRig, id: string): Promise<void> => {
    const { provider_reference: token, order_id: orderId, is_final } = await named(rig, id);
    if (is_final) return;
    const provider = simulatorControl(rig.stack.simulatorUrl, 'walletpay');
    await provider.notify(`orders/${token}`, { action });
    if (!captures) return;
    await waitFor(
      async () => {
        const order = { id, token, orderId: orderId ?? '', approvalUrl: '' };
        const answer = await capture(rig.stack, rig.merchant, order).catch(() => undefined);
        return answer?.status === 200 && answer.body.data?.status === 'Completed' ? true : undefined;
      },
      { what: `order ${id} to be captured`, timeoutMs: 60_000, everyMs: 100 },
    );
  };

export const operations: Operation[] = [
  accepted('stk/push', { what: 'an STK push', ends: paid }),
  accepted('stk/push-fails', {
    what: 'an STK push',
    changes: { phone_number: '254711223344' },
    ends: failed,
  }),
  accepted('stk/push-callback-lost', {
    what: 'an STK push',
    changes: { phone_number: '254700000701' },
    ends: paid,
    isNeverReported: true,
  }),
  accepted('stk/push-unanswered', {
    what: 'an STK push',
    changes: { phone_number: '254733445566' },
    ends: ['timed_out'],
  }),
  accepted('xb/push', { what: 'a cross-border push', ends: paid }),
  accepted('xb/push-fails', {
    what: 'a cross-border push',
    changes: { phone_number: '256700000049' },
    ends: failed,
  }),
  accepted('momo/deposit', { what: 'a momo deposit', ends: paid }),
  accepted('momo/deposit-fails', {
    what: 'a momo deposit',
    changes: { phone_number: '+260763000049' },
    ends: failed,
  }),
  accepted('momo/payout', { what: 'a momo payout', ends: paid }),
  accepted('momo/payout-fails', {
    what: 'a momo payout',
    changes: { phone_number: '+260764000089' },
    ends: failed,
  }),
  accepted('momo/refund', { what: 'a momo refund', ends: paid }),
  accepted('momo/bulk', { what: 'a momo bulk payout', ends: paid }),
  accepted('walletpay/order', {
    what: 'a wallet order',
    ends: paid,
    acts: approves('approve', true),
  }),
  accepted('walletpay/order-closed-page', {
    what: 'a wallet order',
    ends: paid,
    acts: approves('approve_and_close'),
  }),
  accepted('walletpay/refund', { what: 'a wallet refund', ends: paid }),
  accepted('walletpay/payout', { what: 'a wallet payout', ends: paid }),
  accepted('walletpay/payout-fails', {
    what: 'a wallet payout',
    changes: { recipient_email: 'failed@example.org' },
    ends: failed,
  }),
  accepted('walletpay/bulk', { what: 'a wallet bulk payout', ends: paid }),
  accepted('cardproc/hosted-order', {
    what: 'a hosted order',
    ends: paid,
    acts: (rig, id) => checkedOut(rig, id, 'pay_mobile'),
  }),
  accepted('cardproc/hosted-order-fails', {
    what: 'a hosted order',
    ends: failed,
    acts: (rig, id) => checkedOut(rig, id, 'fail'),
  }),
  accepted('cardproc/card-order', {
    what: 'a card order',
    ends: paid,
    acts: (rig, id) => checkedOut(rig, id, 'pay_card'),
  }),
  accepted('voucher/create', { what: 'a voucher', ends: [] }),
  accepted('voucher/redeem', { what: "a voucher's redemption", ends: [] }),
  ...others,
  ...commands,
  ...decisions,
];
