import { X509Certificate } from 'node:crypto';
import type { ReceivedCallback } from '../../support/simulator/callback-receiver';
import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { credentials } from '../../support/simulator/credentials';
import { authorityOf, certUrlOf, headerOf, isInTime, isSigned, leadsTo, pem } from './signed-events';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench();
});
afterEach(() => bench.stop());

const authority = () => authorityOf(bench.walletpay.origin);
const isTrusted = (event: ReceivedCallback) => leadsTo(authority(), event);

/** The only event of an approved order. */
async function oneEvent(behave?: string): Promise<ReceivedCallback> {
  const { walletpay, receiver } = bench;
  if (behave !== undefined) await walletpay.next({ call: 'callback', behave });
  await walletpay.approved();
  await walletpay.advance(10_000);
  const event = receiver.received.at(-1);
  if (!event) throw new Error('no event came');
  return event;
}

describe('an event', () => {
  it('is an envelope around its resource', async () => {
    const { walletpay, receiver } = bench;
    const { orderId, captureId } = await walletpay.captured('12.50', { custom_id: 'tx-91aa' });
    await walletpay.advance(10_000);
    const event = receiver.received[1];
    const id = String(event?.body['id']);
    const self = `${walletpay.origin}/v1/notifications/webhooks-events/${id}`;
    const { body: capture } = await walletpay.get(`/v2/payments/captures/${captureId}`);
    expect(event?.path).toBe('/in/walletpay');
    expect(event?.contentType).toBe('application/json');
    expect(event?.body).toEqual({
      id: expect.stringMatching(/^WH-[A-Z0-9]{17}-[A-Z0-9]{17}$/),
      event_version: '1.0',
      create_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      resource_type: 'capture',
      resource_version: '2.0',
      event_type: 'PAYMENT.CAPTURE.COMPLETED',
      summary: 'Payment completed for 12.50 USD',
      resource: capture,
      links: [
        { href: self, rel: 'self', method: 'GET' },
        { href: `${self}/resend`, rel: 'resend', method: 'POST' },
      ],
    });
    expect(capture).toMatchObject({ supplementary_data: { related_ids: { order_id: orderId } } });
    expect((await walletpay.get(`/v1/notifications/webhooks-events/${id}`)).body).toEqual(event?.body);
  });

  it('of a payout batch contains none of its items', async () => {
    const { walletpay, receiver } = bench;
    const { batchId } = await walletpay.payout();
    await walletpay.advance(10_000);
    const batch = receiver.received.at(-1)?.body;
    expect(batch).toMatchObject({
      resource_type: 'payouts',
      event_type: 'PAYMENT.PAYOUTSBATCH.SUCCESS',
      resource: { batch_header: { payout_batch_id: batchId, batch_status: 'SUCCESS' } },
    });
    expect(batch?.['resource']).not.toHaveProperty('items');
    expect(receiver.received[1]?.body).toMatchObject({
      resource_type: 'payouts_item',
      resource: { payout_batch_id: batchId, transaction_status: 'SUCCESS' },
    });
  });
});

describe('the signature', () => {
  it('is made with a certificate of the simulator’s own authority, in the provider’s name', async () => {
    const event = await oneEvent();
    expect(headerOf(event, 'auth-algo')).toBe('SHA256withRSA');
    expect(headerOf(event, 'transmission-id')).toMatch(/^[\da-f-]{36}$/);
    expect(Math.abs(Date.now() - Date.parse(headerOf(event, 'transmission-time')))).toBeLessThan(MINUTE);
    expect(certUrlOf(event)).toMatch(
      new RegExp(
        `^${bench.walletpay.origin}/v1/notifications/certs/CERT-[\\da-f]{8}-[\\da-f]{8}-[\\da-f]{8}$`,
      ),
    );
    expect(await isSigned(event)).toBe(true);
    expect(await isTrusted(event)).toBe(true);
    expect(await isInTime(event)).toBe(true);
    const alone = await pem(certUrlOf(event));
    expect(alone.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
    const { subject, ca, subjectAltName } = new X509Certificate(alone);
    expect(subject.split('\n')).toEqual(
      expect.arrayContaining(['CN=messageverificationcerts.paypal.com', 'O=PayPal\\, Inc.']),
    );
    expect([ca, (await authority()).ca]).toEqual([false, true]);
    expect(subjectAltName).toBe('DNS:messageverificationcerts.paypal.com');
  });

  it('does not match another body, not even with one more byte', async () => {
    const event = await oneEvent();
    expect(await isSigned({ ...event, text: `${event.text} ` })).toBe(false);
  });

  it('passes the provider’s own verification call', async () => {
    const { walletpay } = bench;
    const event = await oneEvent();
    const fields = {
      auth_algo: headerOf(event, 'auth-algo'),
      cert_url: certUrlOf(event),
      transmission_id: headerOf(event, 'transmission-id'),
      transmission_sig: headerOf(event, 'transmission-sig'),
      transmission_time: headerOf(event, 'transmission-time'),
      webhook_id: credentials.WALLETPAY_WEBHOOK_ID,
      webhook_event: event.body,
    };
    const check = async (changes = {}) =>
      (await walletpay.send('/v1/notifications/verify-webhook-signature', { ...fields, ...changes })).body;
    expect(await check()).toEqual({ verification_status: 'SUCCESS' });
    expect(await check({ webhook_id: 'WH-OTHER' })).toEqual({ verification_status: 'FAILURE' });
    expect(await check({ webhook_event: {} })).toEqual({ verification_status: 'FAILURE' });
    expect(await check({ cert_url: `${walletpay.origin}/v1/notifications/certs/CERT-1` })).toEqual({
      verification_status: 'FAILURE',
    });
    expect(await check({ transmission_sig: undefined, webhook_event: undefined })).toMatchObject({
      name: 'VALIDATION_ERROR',
      details: [{ field: '/transmission_sig' }, { field: '/webhook_event' }],
    });
  });

  it('only certificates of the simulator are served', async () => {
    const { origin } = bench.walletpay;
    for (const path of ['certs/nothing.pem', 'certs/..%2Fca.pem', 'v1/notifications/certs/CERT-1']) {
      expect((await fetch(`${origin}/${path}`)).status).toBe(404);
    }
  });
});

describe('scenario 15: signatures that are wrong on purpose', () => {
  it('bad_signature: of another text', async () => {
    const event = await oneEvent('bad_signature');
    expect([await isSigned(event), await isTrusted(event)]).toEqual([false, true]);
  });

  it('changed_body: another body than the signed one, with a better result', async () => {
    const { walletpay, receiver } = bench;
    await walletpay.next({
      call: 'callback',
      behave: 'changed_body',
      where: { event_type: 'PAYMENT.CAPTURE.DENIED' },
    });
    await walletpay.captured('12.01');
    await walletpay.advance(10_000);
    const event = receiver.received[1] as ReceivedCallback;
    expect(event.body).toMatchObject({
      event_type: 'PAYMENT.CAPTURE.COMPLETED',
      resource: { status: 'COMPLETED' },
    });
    expect(await isSigned(event)).toBe(false);
  });

  it('foreign_cert_url: a host that only looks like the provider’s', async () => {
    const { hostname } = new URL(certUrlOf(await oneEvent('foreign_cert_url')));
    expect(hostname).toBe('api.paypal.com.attacker.example');
  });

  it('expired_cert: a valid signature of the right authority, with an expired certificate', async () => {
    const event = await oneEvent('expired_cert');
    expect([await isSigned(event), await isTrusted(event), await isInTime(event)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('untrusted_cert: a valid signature, not expired, of an unknown authority', async () => {
    const event = await oneEvent('untrusted_cert');
    expect([await isSigned(event), await isTrusted(event), await isInTime(event)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('orphan_cert: a valid signature, not expired, and no address serves the issuer’s certificate', async () => {
    const event = await oneEvent('orphan_cert');
    const certificate = new X509Certificate(await pem(certUrlOf(event)));
    expect([await isSigned(event), await isInTime(event)]).toEqual([true, true]);
    expect(certificate.infoAccess).toBeUndefined();
    expect(certificate.checkIssued(await authority())).toBe(false);
  });

  it('missing_header: without the signature', async () => {
    const { headers } = await oneEvent('missing_header');
    expect(headers).not.toHaveProperty('paypal-transmission-sig');
    expect(headers).toHaveProperty('paypal-transmission-id');
  });

  it('forge: two forged events arrive before the genuine one', async () => {
    await oneEvent('forge');
    const [bad, foreign, right] = bench.receiver.received as [
      ReceivedCallback,
      ReceivedCallback,
      ReceivedCallback,
    ];
    expect(bench.receiver.received).toHaveLength(3);
    expect(await isSigned(bad)).toBe(false);
    expect(certUrlOf(foreign)).toContain('attacker.example');
    expect([await isSigned(right), await isTrusted(right)]).toEqual([true, true]);
  });
});

describe('delivery', () => {
  it('is retried twenty-five more times over three days, with the same id and a new signature', async () => {
    const { walletpay, receiver } = bench;
    receiver.answerWith(503);
    await walletpay.approved();
    await walletpay.advance(4 * DAY);
    expect(receiver.received).toHaveLength(26);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    expect(new Set(receiver.received.map((event) => headerOf(event, 'transmission-id'))).size).toBe(26);
    expect(await isSigned(receiver.received.at(-1) as ReceivedCallback)).toBe(true);
  });

  it('is not retried once it is acknowledged', async () => {
    const { walletpay, receiver } = bench;
    receiver.answerWith(500);
    await walletpay.approved();
    await walletpay.advance(2 * MINUTE);
    receiver.answerWith(200);
    await walletpay.advance(4 * DAY);
    const tries = receiver.received.length;
    expect(tries).toBeGreaterThan(1);
    expect(tries).toBeLessThan(5);
  });

  it('can be dropped, delayed, or repeated ten times, for one type of event', async () => {
    const { walletpay, receiver } = bench;
    const reported = () => receiver.received.map(({ body }) => body['event_type']);
    const rule = (behave: string, type: string, more = {}) =>
      walletpay.next({ call: 'callback', behave, where: { event_type: type }, ...more });
    await rule('drop', 'CHECKOUT.ORDER.APPROVED');
    await rule('duplicate', 'PAYMENT.CAPTURE.COMPLETED');
    await walletpay.captured();
    await walletpay.advance(MINUTE);
    expect(reported()).toEqual(Array<string>(10).fill('PAYMENT.CAPTURE.COMPLETED'));
  });

  it('can arrive before the answer to the capture, and to the payout', async () => {
    const { walletpay, receiver } = bench;
    await walletpay.next({ call: 'callback', behave: 'reorder' });
    await walletpay.captured();
    const types = () => receiver.received.map(({ body }) => body['event_type']);
    expect(types()).toContain('PAYMENT.CAPTURE.COMPLETED');
    await walletpay.next({ call: 'callback', behave: 'reorder' });
    await walletpay.payout();
    expect(types()).toContain('PAYMENT.PAYOUTSBATCH.SUCCESS');
  });

  it('of any type can be requested, more than once', async () => {
    const { walletpay, receiver } = bench;
    const { body } = await walletpay.control<{ event_id: string }>('events', {
      event_type: 'CUSTOMER.DISPUTE.CREATED',
      resource_type: 'dispute',
      resource: { dispute_id: 'PP-D-1' },
    });
    await walletpay.control(`events/${body.event_id}`, { action: 'resend' });
    const [first, second] = receiver.received as [ReceivedCallback, ReceivedCallback];
    expect(first.body).toMatchObject({
      id: body.event_id,
      event_type: 'CUSTOMER.DISPUTE.CREATED',
      resource: { dispute_id: 'PP-D-1' },
    });
    expect(second.text).toBe(first.text);
    expect([await isSigned(first), await isSigned(second)]).toEqual([true, true]);
    expect(
      (await walletpay.send(`/v1/notifications/webhooks-events/${body.event_id}/resend`, {})).status,
    ).toBe(202);
    expect(receiver.received).toHaveLength(3);
    expect((await walletpay.control('events', { event_type: 'X' })).status).toBe(400);
  });
});

it('after a restart the same authority signs with the same certificate', async () => {
  const first = await oneEvent();
  const [root, url] = [await authority(), new URL(certUrlOf(first)).pathname];
  await bench.restart();
  expect((await authority()).fingerprint256).toBe(root.fingerprint256);
  const second = await oneEvent();
  expect(new URL(certUrlOf(second)).pathname).toBe(url);
});
