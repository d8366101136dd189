/** Every way of a payment or a voucher that deserves a saved history, run once. */
import { randomUUID } from 'node:crypto';
import { readConfig } from '../../../src/config';
import type { PaymentState } from '../../../src/domain/payment';
import { questionContext } from '../../../src/domain/provider-questions';
import { secretBox } from '../../../src/merchants/secrets';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import * as cardproc from '../../support/rails/cardproc/payments';
import * as momo from '../../support/rails/momo/payments';
import { accepted, push } from '../../support/rails/stk/payments';
import * as walletpay from '../../support/rails/walletpay/payments';
import * as xb from '../../support/rails/xb/payments';
import { paymentIdOf } from '../../support/merchant-client';
import { atRest, ended } from '../../support/payments/timeline';
import {
  advance,
  day,
  hour,
  minute,
  overOf,
  paidDeposit,
  paidPayout,
  queuedPayout,
  second,
  takenUpAgain,
  tale,
  unclaimedPayout,
  type Stage,
  type Tale,
} from './stage';
import { voucherTales } from './voucher-tales';

/** A push that ends by itself, twenty times as fast. */
function stk(phone: string, ends: PaymentState, webhookFailures = 0): Tale {
  return {
    timeScale: 20,
    async live({ stack, merchant, over }) {
      let left = webhookFailures;
      merchant.receiver.answerWith((_request, response) => {
        response.statusCode = left > 0 ? 500 : 200;
        left -= 1;
        response.end();
      });
      const id = paymentIdOf(await push(stack, merchant, { phone_number: phone }));
      await ended(stack.db, id, [ends]);
      await atRest(stack.db, id);
      return overOf(stack, over, id);
    },
  };
}

/** One run of a recurring job, as its schedule starts it. */
async function ranOnce({ stack, engine, over }: Stage, type: string, ...args: unknown[]): Promise<string> {
  const workflowId = `${type}/${randomUUID()}`;
  const taskQueue = stack.env['MALIPO_TASK_QUEUE'] ?? '';
  await engine.client.workflow.start(type, { taskQueue, workflowId, args });
  await over(workflowId);
  return workflowId;
}

export const tales: Record<string, Tale> = {
  'stk-succeeded': stk('254708374149', 'succeeded'),
  'stk-failed': stk('254711223344', 'failed'),
  'stk-timed-out-then-paid': stk('254700000704', 'succeeded'),
  'stk-refused': stk('254700000709', 'failed'),
  'stk-webhook-retried': stk('254708374149', 'succeeded', 1),

  'stk-asked-patiently': tale(async ({ stack, merchant, provider, engine, over }) => {
    const payment = await accepted(stack, merchant, { phone_number: '254700000703' });
    await provider('stk').next({ call: 'query', behave: 'delay', ms: 6_000 });
    await engine.advance(payment, 5 * minute);
    await ended(stack.db, payment.payment_id, ['timed_out']);
    await engine.advance(payment, 73 * hour);
    return overOf(stack, over, payment.payment_id);
  }),

  'stk-asked-while-its-webhook-is-refused': tale(async ({ stack, merchant, engine, over }) => {
    merchant.receiver.answerWith((_request, response) => {
      response.statusCode = 500;
      setTimeout(() => response.end(), 200);
    });
    const payment = await accepted(stack, merchant, { phone_number: '254700000703' });
    // Past its deadline and its first late check at once: the provider is queried during the webhook's delivery.
    await engine.advance(payment, 16 * minute);
    await engine.checkNow(payment);
    merchant.receiver.answerWith((_request, response) => response.end());
    await engine.advance(payment, 73 * hour);
    return overOf(stack, over, payment.payment_id);
  }),

  'momo-deposit-succeeded': tale(async (stage) => overOf(stage.stack, stage.over, await paidDeposit(stage))),

  'momo-payout-succeeded': tale(async ({ stack, merchant, provider, over }) => {
    await momo.fund(stack, merchant, 2_550n);
    const id = await momo.accepted(stack, merchant, 'payout', momo.transferBody());
    await provider('momo').advance(10 * second);
    await momo.notifiedOf(merchant, id, 'Success');
    return overOf(stack, over, id);
  }),

  'momo-payout-still-queued': tale(async (stage) => {
    const id = await queuedPayout(stage);
    await advance(stage, id, 31 * second);
    return (await getPaymentOrThrow(stage.stack.db, id)).workflow_id;
  }),

  'momo-payout-paid-after-waiting': tale(async (stage) => {
    const { stack, merchant, provider, over } = stage;
    const id = await queuedPayout(stage);
    await momo.setNetwork(provider('momo'), 'MTN_MOMO_ZMB', 'PAYOUT', 'OPERATIONAL');
    await provider('momo').advance(minute);
    await momo.notifiedOf(merchant, id, 'Success');
    return overOf(stack, over, id);
  }),

  'momo-payout-taken-up-again': tale(async (stage) => {
    const id = await queuedPayout(stage);
    await takenUpAgain(stage, id);
    await advance(stage, id, minute);
    return (await getPaymentOrThrow(stage.stack.db, id)).workflow_id;
  }),

  'momo-payout-cancelled-by-its-merchant': tale(async (stage) => {
    const { stack, merchant, over } = stage;
    const id = await queuedPayout(stage);
    await momo.post(stack, merchant, 'cancel_payout', { transaction_id: id });
    await momo.notifiedOf(merchant, id, 'Cancelled');
    return overOf(stack, over, id);
  }),

  'momo-payout-given-up': tale(async (stage) => {
    const id = await queuedPayout(stage);
    await advance(stage, id, 59 * minute);
    await stage.engine.advance(await getPaymentOrThrow(stage.stack.db, id), minute);
    await momo.notifiedOf(stage.merchant, id, 'Cancelled');
    return overOf(stage.stack, stage.over, id);
  }),

  'momo-payout-overdue': tale(async (stage) => {
    const id = await queuedPayout(stage);
    await stage.engine.advance(await getPaymentOrThrow(stage.stack.db, id), 73 * hour);
    await momo.notifiedOf(stage.merchant, id, 'Cancelled');
    return overOf(stage.stack, stage.over, id);
  }),

  'momo-payout-given-up-in-vain': tale(async (stage) => {
    const phone_number = '+260763000501';
    const id = await queuedPayout(stage, { phone_number });
    const where = { phone_number: phone_number.slice(1) };
    await stage.provider('momo').next({ call: 'cancel', behave: '500', times: 100, where });
    await advance(stage, id, hour);
    await advance(stage, id, minute);
    return (await getPaymentOrThrow(stage.stack.db, id)).workflow_id;
  }),

  'momo-payout-given-up-again': tale(async (stage) => {
    const phone_number = '+260763000502';
    const id = await queuedPayout(stage, { phone_number });
    const where = { phone_number: phone_number.slice(1) };
    await stage.provider('momo').next({ call: 'cancel', behave: 'drop', times: 5, where });
    await advance(stage, id, hour);
    await advance(stage, id, 6 * minute);
    await momo.notifiedOf(stage.merchant, id, 'Cancelled');
    return overOf(stage.stack, stage.over, id);
  }),

  'momo-refund-succeeded': tale(async (stage) => {
    const { stack, merchant, provider, over } = stage;
    const deposit = await paidDeposit(stage);
    const id = await momo.accepted(stack, merchant, 'refund', { transaction_id: deposit });
    await ended(stack.db, id, ['pending', 'succeeded']);
    await provider('momo').advance(10 * second);
    await ended(stack.db, id, ['succeeded']);
    return overOf(stack, over, id);
  }),

  'wallet-refund-succeeded': tale(async ({ stack, merchant, provider, over }) => {
    const order = await walletpay.paidOrder(stack, merchant, provider('walletpay'));
    const id = await walletpay.newRefund(stack, merchant, order, '5.21');
    await ended(stack.db, id, ['pending']);
    await provider('walletpay').advance(minute + second);
    await ended(stack.db, id, ['succeeded']);
    return overOf(stack, over, id);
  }),

  'wallet-order-paid': tale(async (stage) => {
    const { stack, merchant, provider, over } = stage;
    const { id } = await walletpay.paidOrder(stack, merchant, provider('walletpay'));
    for (const days of [1, 6]) await advance(stage, id, days * day);
    await stage.engine.advance(await getPaymentOrThrow(stack.db, id), 180 * day);
    return overOf(stack, over, id);
  }),

  'wallet-order-still-watched': tale(async (stage) => {
    const { stack, merchant, provider } = stage;
    const { id } = await walletpay.paidOrder(stack, merchant, provider('walletpay'));
    await advance(stage, id, day);
    return (await getPaymentOrThrow(stack.db, id)).workflow_id;
  }),

  'wallet-payout-succeeded': tale(async (stage) => {
    const { stack, engine, over } = stage;
    const id = await paidPayout(stage);
    await engine.advance(await getPaymentOrThrow(stack.db, id), 180 * day);
    return overOf(stack, over, id);
  }),

  'wallet-payout-still-watched': tale(async (stage) => {
    const id = await paidPayout(stage);
    await advance(stage, id, day);
    return (await getPaymentOrThrow(stage.stack.db, id)).workflow_id;
  }),

  'wallet-payout-returned': tale(async (stage) => {
    const { stack, merchant, provider, engine, over } = stage;
    const id = await paidPayout(stage);
    await advance(stage, id, day);
    await provider('walletpay').notify(`items/${id}`, { action: 'reverse' });
    await engine.advance(await getPaymentOrThrow(stack.db, id), 6 * day);
    await walletpay.notifiedOf(merchant, id, 'Failed');
    return overOf(stack, over, id);
  }),

  'wallet-payout-still-unclaimed': tale(async (stage) => {
    const id = await unclaimedPayout(stage);
    await advance(stage, id, 15 * minute);
    return (await getPaymentOrThrow(stage.stack.db, id)).workflow_id;
  }),

  'wallet-payout-unclaimed': tale(async (stage) => {
    const { stack, merchant, engine, over } = stage;
    const id = await unclaimedPayout(stage);
    for (const days of [3, 11, 13]) await advance(stage, id, days * day);
    await engine.advance(await getPaymentOrThrow(stack.db, id), 3 * day);
    await walletpay.notifiedOf(merchant, id, 'Failed');
    return overOf(stack, over, id);
  }),

  'hosted-order-reversed': tale(async (stage) => {
    const { stack, merchant, provider, over } = stage;
    const payment = await cardproc.accepted(stack, merchant);
    const { payment_id: id } = payment;
    await cardproc.customer(provider('cardproc'), payment, 'pay_card');
    await ended(stack.db, id, ['succeeded']);
    await atRest(stack.db, id);
    await provider('cardproc').next({ call: 'callback', behave: 'drop' });
    await cardproc.customer(provider('cardproc'), payment, 'reverse');
    await stage.engine.advance(payment, day);
    await ended(stack.db, id, ['reversed']);
    return overOf(stack, over, id);
  }),

  'hosted-order-taken-up-again': tale(async (stage) => {
    const { stack, merchant, provider, over } = stage;
    const payment = await cardproc.accepted(stack, merchant);
    const { payment_id: id } = payment;
    await takenUpAgain(stage, id);
    await cardproc.customer(provider('cardproc'), payment, 'pay_card');
    await ended(stack.db, id, ['succeeded']);
    return overOf(stack, over, id);
  }),

  'hosted-order-still-open': tale(async (stage) => {
    const { payment_id: id, workflow_id: workflowId } = await cardproc.accepted(stage.stack, stage.merchant);
    await advance(stage, id, 90 * second);
    return workflowId;
  }),

  'xb-push-succeeded': tale(async ({ stack, merchant, provider, over }) => {
    const { payment_id: id } = await xb.accepted(stack, merchant);
    await provider('xb').advance(60 * second);
    await ended(stack.db, id, ['succeeded']);
    await atRest(stack.db, id);
    return overOf(stack, over, id);
  }),

  'statement-of-a-night': tale((stage) => ranOnce(stage, 'reconciliation', { rail: 'walletpay' })),
  'old-rows-pruned': tale((stage) => ranOnce(stage, 'prune')),
  'books-verified': tale((stage) => ranOnce(stage, 'verify')),
  'floats-checked': tale((stage) => ranOnce(stage, 'floatCheck')),
  'provider-asked': tale((stage) => {
    const question = JSON.stringify({ kind: 'rail', rail: 'momo', about: { kind: 'networks' } });
    const box = secretBox(readConfig(stage.stack.env).secretKeys);
    const asked = { rail: 'momo', encrypted: box.encrypt(question, questionContext), timeoutMs: 20_000 };
    return ranOnce(stage, 'providerQuestion', asked);
  }),
  'rates-refreshed': tale((stage) => ranOnce(stage, 'exchangeRates')),

  ...voucherTales,
};
