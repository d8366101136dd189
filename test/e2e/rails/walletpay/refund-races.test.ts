/** With lost answers, killed workers and concurrent requests, the money of a refund moves once or not at all. */
import { randomUUID } from 'node:crypto';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf, openCasesOf, webhooksOf } from '../../../support/payments/timeline';
import { eventNamed, sendEvent } from '../../../support/rails/walletpay/events';
import { newRefund, stored, notifiedOf, walletPurse } from '../../../support/rails/walletpay/payments';
import { openRefundStage, reported, type RefundStage } from './refund-stage';

const second = 1_000;
const day = 86_400_000;

describe('a refund of an order', () => {
  let on: RefundStage;
  beforeAll(async () => {
    on = await openRefundStage();
  });
  afterAll(async () => {
    await expectClean({ ...on.stack, simulatorUrl: on.stack.simulatorUrl });
    await on.stack.stop();
  });

  describe('money moves once', () => {
    it.each([
      ['once, with its connection', { behave: 'act_then_drop', times: 1 }],
      ['again and again', { behave: 'act_then_500', times: 3 }],
      ['again and again, and nothing was done', { behave: '500', times: 3 }],
    ])('when the answer is lost %s', async (_what, fault) => {
      const [own, order] = await on.seller();
      await on.provider.next({ call: 'refund', ...fault, where: { order_id: order.token } });
      const id = await newRefund(on.stack, own, order, '10.00');
      await notifiedOf(own, id, 'Success');
      await stored(on.stack, order.id, { refunded_minor: '1000', returned_minor: '0' });
      expect(await walletPurse(on.stack, own)).toEqual({ free: 1_500n, reserved: 0n });
    });

    it('when its order is checked before its own answer is known', async () => {
      const [own, order] = await on.seller();
      // The submission gets no answer, and the order cannot be queried for it either.
      const where = { order_id: order.token };
      await on.provider.next({ call: 'refund', behave: 'act_then_500', times: 2, where });
      await on.provider.next({
        call: 'callback',
        behave: 'delay',
        ms: day,
        where: { event_type: 'PAYMENT.CAPTURE.REFUNDED' },
      });
      const id = await newRefund(on.stack, own, order, '10.00');
      await sendEvent(
        on.stack,
        eventNamed('PAYMENT.CAPTURE.REFUNDED', {
          id: 'UNKNOWN',
          supplementary_data: { related_ids: { order_id: order.token } },
        }),
      );
      await notifiedOf(own, id, 'Success');
      await stored(on.stack, order.id, { refunded_minor: '1000', returned_minor: '0' });
      expect(await creditsOf(on.stack.db, order.id)).toEqual([2_500n]);
    });

    it('when a worker died between the provider’s answer and our write of it', async () => {
      const [own, order] = await on.seller();
      const first = await newRefund(on.stack, own, order, '5.21');
      await on.pending(first);
      const id = await newRefund(on.stack, own, order, '10.00');
      // The state after such a death for a minute, of a queued refund.
      expect(await on.sendByHand(id, order, '10.00')).toBe(201);
      await on.stack.db.transaction(async (trx) => {
        await trx('payments').where({ payment_id: id, state: 'received' }).update({ state: 'initiating' });
        await trx('payment_log').insert({
          payment_id: id,
          from_state: 'received',
          to_state: 'initiating',
          cause: 'attempt',
          evidence: null,
          at: new Date(),
        });
        await trx('attempts').insert({
          payment_id: id,
          n: 1,
          operation: 'initiate',
          provider_key: id,
          state: 'sent',
          code: null,
          detail: null,
          sent_at: new Date(Date.now() - 60_000),
          answered_at: null,
        });
      });
      await notifiedOf(own, id, 'Success');
      await on.provider.advance(61 * second);
      await notifiedOf(own, first, 'Success');
      await stored(on.stack, order.id, { refunded_minor: '1521', returned_minor: '0' });
      expect(await walletPurse(on.stack, own)).toEqual({ free: 979n, reserved: 0n });
    });

    it('when the provider itself refunds money that a queued refund needs: it fails, and its reserve is released', async () => {
      const [own, order] = await on.seller();
      const first = await newRefund(on.stack, own, order, '5.21');
      await on.pending(first);
      const waiting = await newRefund(on.stack, own, order, '10.00');
      await on.provider.notify(`captures/${order.captureId}`, { action: 'refund', amount: '15.00' });
      await stored(on.stack, order.id, { returned_minor: '1500', refunded_minor: '0' });
      expect(reported(await on.refund({ transaction_id: order.id, amount: '0.01' }, own))).toEqual([
        400,
        'REFUND_EXCEEDS_REMAINDER',
      ]);
      await on.provider.advance(61 * second);
      await notifiedOf(own, first, 'Success');
      expect((await notifiedOf(own, waiting, 'Failed')).body).toMatchObject({
        failure_code: 'REFUND_EXCEEDS_REMAINDER',
      });
      await stored(on.stack, order.id, { returned_minor: '1500', refunded_minor: '521' });
      expect(await walletPurse(on.stack, own)).toEqual({ free: 479n, reserved: 0n });
      // And the reverse: the rest may still be refunded either way.
      await on.provider.notify(`captures/${order.captureId}`, { action: 'refund' });
      await stored(on.stack, order.id, { returned_minor: '1979', refunded_minor: '521' });
      expect(await walletPurse(on.stack, own)).toEqual({ free: 0n, reserved: 0n });
      await atRest(on.stack.db, order.id);
      expect((await webhooksOf(on.stack.db, order.id)).map(({ refunded_total: total }) => total)).toEqual([
        undefined,
        15,
        20.21,
        25,
      ]);
    });

    it('with many concurrent requests: never more than was paid is refunded', async () => {
      const [own, order] = await on.seller();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          on.refund({ transaction_id: order.id, amount: '5.00' }, own, { 'Idempotency-Key': randomUUID() }),
        ),
      );
      const taken = answers.filter(({ status }) => status === 200);
      expect(taken).toHaveLength(5);
      for (const { body } of taken) await notifiedOf(own, String(body['transaction_id']), 'Success');
      await stored(on.stack, order.id, { refunded_minor: '2500' });
    });
  });

  it('stays pending while the provider does, and succeeds with its event', async () => {
    const [own, order] = await on.seller();
    const id = await newRefund(on.stack, own, order, '5.21');
    await on.pending(id);
    expect(await on.statusOf(own, id)).toMatchObject({ status: 'Pending', is_final: false });
    // The pending refund in the order is not one of the provider's own.
    await sendEvent(on.stack, eventNamed('PAYMENT.CAPTURE.PENDING', { id: order.captureId }));
    await atRest(on.stack.db, order.id);
    await on.provider.advance(61 * second);
    await notifiedOf(own, id, 'Success');
    await atRest(on.stack.db, order.id);
    expect(await on.statusesOf(order.id)).toEqual(['Completed', 'Refunded']);
    expect(await walletPurse(on.stack, own)).toEqual({ free: 1_979n, reserved: 0n });
  });

  describe('a refund that fails', () => {
    it('after it was pending returns its reserve to the wallet, and leaves its order unchanged', async () => {
      const [own, order] = await on.seller();
      const id = await newRefund(on.stack, own, order, '5.22');
      await on.pending(id);
      expect(await walletPurse(on.stack, own)).toEqual({ free: 1_978n, reserved: 522n });
      await on.provider.advance(61 * second);
      expect((await notifiedOf(own, id, 'Failed')).body).toMatchObject({ failure_code: 'REFUND_FAILED' });
      expect(await walletPurse(on.stack, own)).toEqual({ free: 2_500n, reserved: 0n });
      await atRest(on.stack.db, order.id);
      expect(await on.statusesOf(order.id)).toEqual(['Completed']);
      // It may be requested again.
      await notifiedOf(own, await newRefund(on.stack, own, order), 'Success');
    });

    it('and was made all the same, as its event reports, opens a case, and is booked with its order', async () => {
      const [own, order] = await on.seller();
      const id = await on.refusedLater(own, order, '5.23');
      await notifiedOf(own, id, 'Failed');
      await waitFor(
        async () => {
          const { next_check_at: at } = await getPaymentOrThrow(on.stack.db, order.id);
          return at !== null && at.getTime() > Date.now() ? true : undefined;
        },
        { what: 'the look at the order that follows its end', timeoutMs: 40_000 },
      );
      // The rejection of the first submission with its key is repeated for this key permanently.
      expect(await on.sendByHand(id, order, '5.00', randomUUID())).toBe(201);
      await stored(on.stack, order.id, { returned_minor: '500', refunded_minor: '0' });
      await waitFor(async () => (await openCasesOf(on.stack.db, id)).includes('late_success') || undefined, {
        what: 'a case of its refund',
        timeoutMs: 40_000,
      });
      await atRest(on.stack.db, id);
      expect(await walletPurse(on.stack, own)).toEqual({ free: 2_000n, reserved: 0n });
    });

    it('for lack of money at the provider opens a case', async () => {
      const [own, order] = await on.seller();
      const id = await on.refusedLater(own, order, '5.23');
      expect((await notifiedOf(own, id, 'Failed')).body).toMatchObject({
        failure_code: 'PROVIDER_ACCOUNT_REFUSED',
        failure_message: 'The provider rejected our account; operators have been notified',
      });
      expect(await openCasesOf(on.stack.db, id)).toEqual(['account_refused']);
      expect(await walletPurse(on.stack, own)).toEqual({ free: 2_500n, reserved: 0n });
    });
  });
});
