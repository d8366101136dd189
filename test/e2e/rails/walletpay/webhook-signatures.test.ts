import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { walletpayNotifications } from '../../../../src/rails/walletpay/notifications';
import type { RailApi } from '../../../../src/rail-kit/rail';
import { expectClean } from '../../../support/expect-clean';
import { creditsOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { eventNamed, inboxOf, denial, sendEvent } from '../../../support/rails/walletpay/events';
import {
  decide,
  eventTaken,
  eventsOf,
  newOrder,
  stored,
  notifiedOf,
} from '../../../support/rails/walletpay/payments';

const second = 1_000;

describe('POST /api/v1/walletpay/webhook, signed', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    // No query of ours is due while the test runs: only events can report.
    stack = await startStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
  });
  afterAll(async () => {
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const answersTo = async (id: string) =>
    (await eventsOf(provider, id)).flatMap(({ answer }) => answer?.status ?? []);

  it('accepts events that the provider has signed', async () => {
    const order = await newOrder(stack, merchant);
    await decide(provider, order, 'approve_and_close');
    await provider.advance(3 * second);
    await notifiedOf(merchant, order.id, 'Completed');
    await eventTaken(provider, order.token, 'CHECKOUT.ORDER.APPROVED');
  });

  describe('401', () => {
    it('rejects an event with an invalid signature, with the common error body, and stores nothing', async () => {
      const order = await newOrder(stack, merchant);
      await decide(provider, order, 'approve_and_close');
      const event = eventNamed('CHECKOUT.ORDER.APPROVED', { id: order.token });
      const headers = { 'paypal-transmission-sig': 'AAAA' };
      expect(await sendEvent(stack, event, headers)).toEqual({
        status: 401,
        body: denial('INVALID_SIGNATURE', 'Invalid signature'),
      });
      expect(await inboxOf(stack, event)).toBeUndefined();
    });

    it.each([
      'bad_signature',
      'foreign_cert_url',
      'expired_cert',
      'untrusted_cert',
      'changed_body',
      'missing_header',
    ])('rejects %s, and accepts a correctly signed event', async (behave) => {
      const order = await newOrder(stack, merchant);
      await provider.next({ call: 'callback', behave, where: { order_id: order.token } });
      await decide(provider, order, 'approve_and_close');
      await provider.advance(3 * second);
      await waitFor(async () => (await answersTo(order.token)).includes(401) || undefined, {
        what: 'the refusal',
        timeoutMs: 20_000,
      });
      await stored(stack, order.id, { state: 'pending' });
      expect(await stack.db('inbox').where({ payment_id: order.id })).toEqual([]);
      await provider.notify('events', {
        event_type: 'CHECKOUT.ORDER.APPROVED',
        resource_type: 'checkout-order',
        resource: { id: order.token },
      });
      await notifiedOf(merchant, order.id, 'Completed');
      expect(await creditsOf(stack.db, order.id)).toEqual([2_500n]);
    });
  });

  it('503: requests another delivery when the signature cannot be checked now', async () => {
    const [, route] = walletpayNotifications({} as RailApi, () =>
      Promise.resolve({ kind: 'unknown', why: 'the certificate cannot be had' }),
    );
    const received = await route?.receive({
      params: {},
      query: {},
      headers: {},
      rawBody: Buffer.from(JSON.stringify(eventNamed('CHECKOUT.ORDER.APPROVED', {}))),
      clientAddress: '127.0.0.1',
    });
    expect(received).toMatchObject({ kind: 'refuse', error: { code: 'SERVICE_UNAVAILABLE', status: 503 } });
  });
});
