/** Whatever is lost, killed or at once: the money of a refund moves once, or not at all. */
import { randomUUID } from 'node:crypto';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf, openCasesOf, webhooksOf } from '../../../support/payment-story';
import { eventNamed, sendEvent } from '../../../support/rails/walletpay/events';
import { newRefund, stored, toldOf, walletPurse } from '../../../support/rails/walletpay/payment-story';
import { openRefundStage, told, type RefundStage } from './refund-stage';

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
      await toldOf(own, id, 'Success');
      await stored(on.stack, order.id, { refunded_minor: '1000', given_back_minor: '0' });
      expect(await walletPurse(on.stack, own)).toEqual({ free: 1_500n, reserved: 0n });
    });

    it('when its order is looked at before its own answer is known', async () => {
      const [own, order] = await on.seller();
      // Whoever sends it hears nothing, and the order cannot be asked for it either.
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
      await toldOf(own, id, 'Success');
      await stored(on.stack, order.id, { refunded_minor: '1000', given_back_minor: '0' });
      expect(await creditsOf(on.stack.db, order.id)).toEqual([2_500n]);
    });

    it('when a worker died between the provider’s answer and what we write of it', async () => {
      const [own, order] = await on.seller();
      const first = await newRefund(on.stack, own, order, '5.21');
      await on.pending(first);
      const id = await newRefund(on.stack, own, order, '10.00');
      // What such a death has left behind for a minute, of a refund whose turn has not come yet.
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
      await toldOf(own, id, 'Success');
      await on.provider.advance(61 * second);
      await toldOf(own, first, 'Success');
      await stored(on.stack, order.id, { refunded_minor: '1521', given_back_minor: '0' });
      expect(await walletPurse(on.stack, own)).toEqual({ free: 979n, reserved: 0n });
    });

    it('when the provider gives back by itself what a refund waits for: it fails, and sets nothing aside any more', async () => {
      const [own, order] = await on.seller();
      const first = await newRefund(on.stack, own, order, '5.21');
      await on.pending(first);
      const waiting = await newRefund(on.stack, own, order, '10.00');
      await on.provider.tell(`captures/${order.captureId}`, { action: 'refund', amount: '15.00' });
      await stored(on.stack, order.id, { given_back_minor: '1500', refunded_minor: '0' });
      expect(told(await on.refund({ transaction_id: order.id, amount: '0.01' }, own))).toEqual([
        400,
        'REFUND_EXCEEDS_REMAINDER',
      ]);
      await on.provider.advance(61 * second);
      await toldOf(own, first, 'Success');
      expect((await toldOf(own, waiting, 'Failed')).body).toMatchObject({
        failure_code: 'REFUND_EXCEEDS_REMAINDER',
      });
      await stored(on.stack, order.id, { given_back_minor: '1500', refunded_minor: '521' });
      expect(await walletPurse(on.stack, own)).toEqual({ free: 479n, reserved: 0n });
      // And the other way round: what is left of it may still go back either way.
      await on.provider.tell(`captures/${order.captureId}`, { action: 'refund' });
      await stored(on.stack, order.id, { given_back_minor: '1979', refunded_minor: '521' });
      expect(await walletPurse(on.stack, own)).toEqual({ free: 0n, reserved: 0n });
      await atRest(on.stack.db, order.id);
      expect((await webhooksOf(on.stack.db, order.id)).map(({ refunded_total: total }) => total)).toEqual([
        undefined,
        15,
        20.21,
        25,
      ]);
    });

    it('when many ask at once: no more goes back than was paid', async () => {
      const [own, order] = await on.seller();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          on.refund({ transaction_id: order.id, amount: '5.00' }, own, { 'Idempotency-Key': randomUUID() }),
        ),
      );
      const taken = answers.filter(({ status }) => status === 200);
      expect(taken).toHaveLength(5);
      for (const { body } of taken) await toldOf(own, String(body['transaction_id']), 'Success');
      await stored(on.stack, order.id, { refunded_minor: '2500' });
    });
  });

  it('waits while the provider does, and succeeds when its event tells', async () => {
    const [own, order] = await on.seller();
    const id = await newRefund(on.stack, own, order, '5.21');
    await on.pending(id);
    expect(await on.statusOf(own, id)).toMatchObject({ status: 'Pending', is_final: false });
    // What the order shows meanwhile is nothing that the provider gave back by itself.
    await sendEvent(on.stack, eventNamed('PAYMENT.CAPTURE.PENDING', { id: order.captureId }));
    await atRest(on.stack.db, order.id);
    await on.provider.advance(61 * second);
    await toldOf(own, id, 'Success');
    await atRest(on.stack.db, order.id);
    expect(await on.statusesOf(order.id)).toEqual(['Completed', 'Refunded']);
    expect(await walletPurse(on.stack, own)).toEqual({ free: 1_979n, reserved: 0n });
  });

  describe('a refund that fails', () => {
    it('after it has waited gives back to the wallet what was set aside, and leaves its order as it was', async () => {
      const [own, order] = await on.seller();
      const id = await newRefund(on.stack, own, order, '5.22');
      await on.pending(id);
      expect(await walletPurse(on.stack, own)).toEqual({ free: 1_978n, reserved: 522n });
      await on.provider.advance(61 * second);
      expect((await toldOf(own, id, 'Failed')).body).toMatchObject({ failure_code: 'REFUND_FAILED' });
      expect(await walletPurse(on.stack, own)).toEqual({ free: 2_500n, reserved: 0n });
      await atRest(on.stack.db, order.id);
      expect(await on.statusesOf(order.id)).toEqual(['Completed']);
      // It may be asked for anew.
      await toldOf(own, await newRefund(on.stack, own, order), 'Success');
    });

    it('and was made all the same, as its event tells, is a case, and is booked with its order', async () => {
      const [own, order] = await on.seller();
      const id = await on.refusedLater(own, order, '5.23');
      await toldOf(own, id, 'Failed');
      await waitFor(
        async () => {
          const { next_check_at: at } = await getPaymentOrThrow(on.stack.db, order.id);
          return at !== null && at.getTime() > Date.now() ? true : undefined;
        },
        { what: 'the look at the order that follows its end', timeoutMs: 40_000 },
      );
      // What the first sending under its key was refused for is repeated under it for ever.
      expect(await on.sendByHand(id, order, '5.00', randomUUID())).toBe(201);
      await stored(on.stack, order.id, { given_back_minor: '500', refunded_minor: '0' });
      await waitFor(async () => (await openCasesOf(on.stack.db, id)).includes('late_success') || undefined, {
        what: 'a case of its refund',
        timeoutMs: 40_000,
      });
      await atRest(on.stack.db, id);
      expect(await walletPurse(on.stack, own)).toEqual({ free: 2_000n, reserved: 0n });
    });

    it('for lack of money at the provider is an operator’s case', async () => {
      const [own, order] = await on.seller();
      const id = await on.refusedLater(own, order, '5.23');
      expect((await toldOf(own, id, 'Failed')).body).toMatchObject({
        failure_code: 'PROVIDER_ACCOUNT_REFUSED',
        failure_message: 'The provider refused our account; operators have been told',
      });
      expect(await openCasesOf(on.stack.db, id)).toEqual(['account_refused']);
      expect(await walletPurse(on.stack, own)).toEqual({ free: 2_500n, reserved: 0n });
    });
  });
});
