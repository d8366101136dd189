import { randomUUID } from 'node:crypto';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { eventNamed, inboxOf, denial, sendEvent, webhookPath } from '../../../support/rails/walletpay/events';
import {
  decide,
  canPayOut,
  newOrder,
  newPayout,
  paidOrder,
  stored,
  notifiedOf,
} from '../../../support/rails/walletpay/payments';

const reported = (status: string) => ({ status: 200, body: { success: true, status } });

/** The sandbox accepts unsigned events (specification); their effect is the same: they trigger a query. */
describe('POST /api/v1/walletpay/webhook, unsigned', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 100 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    await canPayOut(stack, merchant);
  });
  afterAll(async () => {
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  describe('200 processed', () => {
    it('captures an approved order, once, and stores the event', async () => {
      const order = await newOrder(stack, merchant, { amount: '7.07' });
      await decide(provider, order, 'approve_and_close');
      const event = eventNamed('CHECKOUT.ORDER.APPROVED', { id: order.token, status: 'APPROVED' });
      expect(await sendEvent(stack, event)).toEqual(reported('processed'));
      await notifiedOf(merchant, order.id, 'Completed');
      await atRest(stack.db, order.id);
      expect(await sendEvent(stack, event)).toEqual(reported('duplicate'));
      expect(await sendEvent(stack, { ...event, event_type: 'PAYMENT.CAPTURE.DENIED' })).toEqual(
        reported('duplicate'),
      );
      expect(await creditsOf(stack.db, order.id)).toEqual([707n]);
      expect(await inboxOf(stack, event)).toMatchObject({ state: 'applied', payment_id: order.id });
    });

    it('stores one of twenty concurrent ones', async () => {
      const order = await newOrder(stack, merchant);
      const event = eventNamed('CHECKOUT.ORDER.APPROVED', { id: order.token });
      const answers = await Promise.all(Array.from({ length: 20 }, () => sendEvent(stack, event)));
      expect(answers.filter(({ body }) => JSON.stringify(body).includes('processed'))).toHaveLength(1);
      expect(answers.filter(({ body }) => JSON.stringify(body).includes('duplicate'))).toHaveLength(19);
    });

    it('trusts none of its content: only the provider’s own answer counts', async () => {
      const order = await newOrder(stack, merchant);
      const lies = [
        eventNamed('PAYMENT.CAPTURE.COMPLETED', {
          id: '3C679366HH908993F',
          status: 'COMPLETED',
          amount: { currency_code: 'USD', value: '1000000.00' },
          custom_id: order.id,
          supplementary_data: { related_ids: { order_id: order.token } },
        }),
        eventNamed('PAYMENT.CAPTURE.DENIED', { id: '3C679366HH908993F', custom_id: order.id }),
        eventNamed('PAYMENT.CAPTURE.REFUNDED', { id: '1JU08902781691411', custom_id: order.id }),
      ];
      for (const lie of lies) expect(await sendEvent(stack, lie)).toEqual(reported('processed'));
      await atRest(stack.db, order.id);
      await stored(stack, order.id, { state: 'pending', provider_receipt: null });
      expect(await creditsOf(stack.db, order.id)).toEqual([]);
      for (const lie of lies) expect(await inboxOf(stack, lie)).toMatchObject({ state: 'ignored' });
    });

    it('never changes one payment by another’s event', async () => {
      const [order, approved] = [await newOrder(stack, merchant), await newOrder(stack, merchant)];
      await decide(provider, approved, 'approve_and_close');
      const mixed = eventNamed('CHECKOUT.ORDER.APPROVED', {
        id: approved.token,
        purchase_units: [{ custom_id: order.id }],
      });
      expect(await sendEvent(stack, mixed)).toEqual(reported('processed'));
      await atRest(stack.db, order.id);
      await stored(stack, order.id, { state: 'pending' });
    });

    it('triggers a query for an order whose approval was withdrawn, which stays open for another', async () => {
      const order = await newOrder(stack, merchant);
      const resource = { order_id: order.token, purchase_units: [{ reference_id: 'default' }] };
      const event = eventNamed('CHECKOUT.PAYMENT-APPROVAL.REVERSED', resource);
      expect(await sendEvent(stack, event)).toEqual(reported('processed'));
      expect(await inboxOf(stack, event)).toMatchObject({ payment_id: order.id });
      await atRest(stack.db, order.id);
      await stored(stack, order.id, { state: 'pending' });
      await decide(provider, order, 'approve_and_close');
      await stored(stack, order.id, { state: 'succeeded' });
    });

    it('finds a refunded order by the link to its capture', async () => {
      const order = await paidOrder(stack, merchant, provider);
      await stored(stack, order.id, { state: 'succeeded', provider_receipt: order.captureId });
      const href = `https://api-m.paypal.com/v2/payments/captures/${order.captureId}`;
      const event = eventNamed('PAYMENT.CAPTURE.REFUNDED', { id: 'R1', links: [{ rel: 'up', href }] });
      expect(await sendEvent(stack, event)).toEqual(reported('processed'));
      expect(await inboxOf(stack, event)).toMatchObject({ payment_id: order.id });
    });

    it.each([
      'CHECKOUT.ORDER.APPROVED',
      'PAYMENT.CAPTURE.COMPLETED',
      'PAYMENT.CAPTURE.PENDING',
      'PAYMENT.CAPTURE.DENIED',
      'PAYMENT.CAPTURE.DECLINED',
      'PAYMENT.CAPTURE.REFUNDED',
      'PAYMENT.CAPTURE.REVERSED',
    ])('finds the order of %s by our own id', async (type) => {
      const order = await newOrder(stack, merchant);
      const names = { custom_id: order.id, invoice_id: order.id };
      const resource = type.startsWith('CHECKOUT') ? { purchase_units: [names] } : names;
      const event = eventNamed(type, { ...resource, status: 'X' });
      expect(await sendEvent(stack, event)).toEqual(reported('processed'));
      expect(await inboxOf(stack, event)).toMatchObject({ payment_id: order.id });
    });

    it.each([
      ...['SUCCESS', 'FAILED', 'UNCLAIMED'].map((end) => `PAYOUTS.PAYMENT.${end}`),
      ...[
        'SUCCEEDED',
        'FAILED',
        'UNCLAIMED',
        'RETURNED',
        'HELD',
        'BLOCKED',
        'CANCELED',
        'REFUNDED',
        'DENIED',
      ].map((end) => `PAYMENT.PAYOUTS-ITEM.${end}`),
      ...['SUCCESS', 'PROCESSING', 'DENIED'].map((end) => `PAYMENT.PAYOUTSBATCH.${end}`),
    ])('finds the payout of %s by our own id and by its batch', async (type) => {
      const id = await newPayout(stack, merchant, { recipient_email: 'held@example.org' });
      const { provider_reference: batchId } = await stored(stack, id, {});
      const isBatch = type.includes('BATCH');
      const byName = isBatch
        ? { batch_header: { sender_batch_header: { sender_batch_id: `po-${id}` } } }
        : { payout_item: { sender_item_id: `po-${id}` }, transaction_status: 'X' };
      const byBatch = isBatch
        ? { batch_header: { payout_batch_id: batchId } }
        : { payout_batch_id: batchId, transaction_status: 'X' };
      for (const resource of [byName, byBatch]) {
        const event = eventNamed(type, resource);
        expect(await sendEvent(stack, event)).toEqual(reported('processed'));
        expect(await inboxOf(stack, event)).toMatchObject({ payment_id: id });
      }
    });

    it('stores an event of an unknown payment', async () => {
      const event = eventNamed('PAYMENT.CAPTURE.COMPLETED', {
        id: '3C679366HH908993F',
        custom_id: randomUUID(),
        supplementary_data: { related_ids: { order_id: '5O190127TN364715T' } },
      });
      expect(await sendEvent(stack, event)).toEqual(reported('processed'));
      expect(await inboxOf(stack, event)).toMatchObject({ state: 'parked', payment_id: null });
      expect(await sendEvent(stack, event)).toEqual(reported('duplicate'));
    });
  });

  describe('200 ignored', () => {
    it.each([
      'CUSTOMER.MANAGED-ACCOUNT.CREATED',
      'PAYMENT.CAPTURE.',
      'constructor',
      '__proto__',
      'x'.repeat(500),
    ])('stores an event with another name without an effect: %#', async (type) => {
      const event = eventNamed(type, { id: 'D-1' });
      expect(await sendEvent(stack, event)).toEqual(reported('ignored'));
      expect(await inboxOf(stack, event)).toMatchObject({ state: 'ignored', payment_id: null });
      expect(await sendEvent(stack, event)).toEqual(reported('duplicate'));
    });
  });

  describe('400', () => {
    it.each([
      '',
      '{',
      '[]',
      'null',
      '7',
      '"WH-1"',
      '{}',
      '{"id":7,"event_type":"CHECKOUT.ORDER.APPROVED"}',
      '{"id":"","event_type":"CHECKOUT.ORDER.APPROVED"}',
      '{"id":"WH-1"}',
      '{"id":"WH-1","event_type":["CHECKOUT.ORDER.APPROVED"]}',
      '{"__proto__":{"id":"WH-1","event_type":"CHECKOUT.ORDER.APPROVED"}}',
      `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    ])('rejects a body that is no event: %#', async (text) => {
      const { status, body } = await sendEvent(stack, text);
      expect([status, body]).toEqual([400, denial('INVALID_EVENT', 'Not an event')]);
    });
  });

  it.each([
    null,
    [],
    'text',
    7,
    { id: { $ne: 1 }, purchase_units: 'x', custom_id: ['a'] },
    { id: "' OR 1=1 --", custom_id: "' OR 1=1 --", invoice_id: '\0' },
    { id: 'x'.repeat(5_000), purchase_units: [null], links: [null, { rel: 'up', href: 7 }] },
    { batch_header: null, payout_item: 'po-', payout_batch_id: {}, sender_batch_id: 'po-é💸' },
  ])('accepts any resource without harm: %#', async (resource) => {
    for (const type of [
      'CHECKOUT.ORDER.APPROVED',
      'PAYMENT.CAPTURE.REFUNDED',
      'PAYMENT.PAYOUTSBATCH.SUCCESS',
      'PAYOUTS.PAYMENT.FAILED',
    ]) {
      const event = eventNamed(type, resource);
      expect(await sendEvent(stack, event)).toEqual(reported('processed'));
      expect(await inboxOf(stack, event)).toMatchObject({ state: 'parked' });
    }
  });

  it('413: rejects more than 64 kB unread', async () => {
    const event = eventNamed('CHECKOUT.ORDER.APPROVED', { text: 'x'.repeat(64 * 1024) });
    expect((await sendEvent(stack, event)).status).toBe(413);
  });

  it('405: accepts only POST', async () => {
    const response = await fetch(`${stack.apiUrl}${webhookPath}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
