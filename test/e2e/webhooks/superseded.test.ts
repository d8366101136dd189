/**
 * A status that a later one of the same payment has replaced is not sent any more: on each rail, to the merchant's own
 * address and to additional endpoints, even on request. A change with an amount of its own is always sent.
 */
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import type { PaymentState } from '../../../src/domain/payment';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { replayWebhooks } from '../../../src/webhooks/outbox';
import type { PaymentRow } from '../../../src/store/tables';
import * as cardproc from '../../support/rails/cardproc/payments';
import * as momo from '../../support/rails/momo/payments';
import { simulatorControl } from '../../support/rails/simulator-control';
import * as stk from '../../support/rails/stk/payments';
import * as walletpay from '../../support/rails/walletpay/payments';
import * as xb from '../../support/rails/xb/payments';
import { call } from '../../support/merchant-client';
import { ended } from '../../support/payments/timeline';
import { sharedStack } from '../../support/shared-stack';
import type { Stack, TestMerchant } from '../../support/stack';
import { startReceiver, type ReceivedWebhook, type WebhookReceiver } from '../../support/webhook-receiver';

let stack: Stack;
const receivers: WebhookReceiver[] = [];
beforeAll(async () => {
  stack = await sharedStack({ timeScale: 20 });
});
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await stack.stop();
});

const timeoutMs = 60_000;
const idOf = ({ headers }: ReceivedWebhook) => headers['webhook-id'] ?? '';

interface Endpoint {
  path: string;
  receiver: WebhookReceiver;
}

async function addEndpoint(merchant: TestMerchant, types?: string): Promise<Endpoint> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const { status, body } = await call(stack, merchant, 'POST', '/api/v1/webhook_endpoints', {
    url: receiver.url,
    ...(types !== undefined && { types }),
  });
  expect(status).toBe(200);
  const { endpoint_id: id } = body['endpoint'] as { endpoint_id: string };
  return { path: `/api/v1/webhook_endpoints/${id}`, receiver };
}

/** The merchant's server rejects everything from now on, or accepts it. */
function isUp(receiver: WebhookReceiver, up: boolean): void {
  receiver.answerWith((_request, response) => response.writeHead(up ? 200 : 503).end());
}

const webhooksOf = (id: string) => stack.db('outbox').where({ payment_id: id }).orderBy('webhook_id', 'asc');
const becomes = (id: string, ...states: PaymentState[]) => ended(stack.db, id, states);

/** Waits until the payment has no pending webhook. */
const allSettled = (id: string) =>
  waitFor(async () => (await webhooksOf(id)).every(({ state }) => state !== 'pending') || undefined, {
    what: `the webhooks of ${id} to be settled`,
    timeoutMs,
  });

interface Payments {
  /** Starts a payment in an earlier state; only `goOn` causes its later one. */
  begin(merchant: TestMerchant): Promise<string>;
  goOn(id: string): Promise<unknown>;
  earlier: PaymentState;
  later: PaymentState;
  /** The `sequence` in the rail's own status. */
  statusOf(merchant: TestMerchant, payment: PaymentRow): Promise<unknown>;
}

const sequenceAt = async (merchant: TestMerchant, path: string) => {
  const { status, body } = await call(stack, merchant, 'GET', path);
  expect(status).toBe(200);
  return body.data?.['sequence'] ?? body['sequence'];
};

const histories: Record<string, Payments> = {
  'an STK payment that timed out, and was paid after all': {
    async begin(merchant) {
      return (await stk.accepted(stack, merchant, { phone_number: '254700009600' })).payment_id;
    },
    async goOn(id) {
      const { provider_reference: prompt } = await getPaymentOrThrow(stack.db, id);
      await simulatorControl(stack.simulatorUrl, 'stk').decide(prompt ?? '', 'pay_late');
    },
    earlier: 'timed_out',
    later: 'succeeded',
    statusOf: (merchant, { payment_id: id }) =>
      sequenceAt(merchant, `/api/v1/stk_push/status?payment_id=${id}`),
  },
  'a cross-border payment that was processing, and is complete': {
    async begin(merchant) {
      const payment = await xb.accepted(stack, merchant, { phone_number: '256704000129' });
      return payment.payment_id;
    },
    async goOn(id) {
      const { provider_reference: invoice } = await getPaymentOrThrow(stack.db, id);
      await simulatorControl(stack.simulatorUrl, 'xb').notify(`invoices/${invoice ?? ''}`, { action: 'pay' });
    },
    earlier: 'processing',
    later: 'succeeded',
    statusOf: (merchant, { payment_id: id }) =>
      sequenceAt(merchant, `/api/v1/xb/stk_push/status?payment_id=${id}`),
  },
  'a mobile-money payout that was queued, and is paid': {
    async begin(merchant) {
      await momo.fund(stack, merchant, 100_000n);
      await momo.setNetwork(provider('momo'), 'AIRTEL_OAPI_ZMB', 'PAYOUT', 'DELAYED');
      return momo.accepted(stack, merchant, 'payout', momo.transferBody({ phone_number: '+260973000789' }));
    },
    goOn: () => momo.setNetwork(provider('momo'), 'AIRTEL_OAPI_ZMB', 'PAYOUT', 'OPERATIONAL'),
    earlier: 'queued',
    later: 'succeeded',
    statusOf: (merchant, { payment_id: id }) =>
      sequenceAt(merchant, `/api/v1/momo/status?transaction_id=${id}`),
  },
  'a wallet payout that nobody had claimed, and is claimed': {
    async begin(merchant) {
      await walletpay.canPayOut(stack, merchant);
      return walletpay.newPayout(stack, merchant, { recipient_email: 'unclaimed@example.org' });
    },
    goOn: (id) => provider('walletpay').notify(`items/${id}`, { action: 'claim' }),
    earlier: 'queued',
    later: 'succeeded',
    statusOf: (merchant, { payment_id: id }) =>
      sequenceAt(merchant, `/api/v1/walletpay/payout_status?payout_id=${id}`),
  },
  'a hosted order that failed, and was paid on the same page': {
    async begin(merchant) {
      const payment = await cardproc.accepted(stack, merchant);
      await cardproc.customer(provider('cardproc'), payment, 'fail');
      return payment.payment_id;
    },
    async goOn(id) {
      const payment = await getPaymentOrThrow(stack.db, id);
      await cardproc.customer(provider('cardproc'), payment, 'pay_card');
    },
    earlier: 'failed',
    later: 'succeeded',
    async statusOf(_merchant, { provider_reference: tracking }) {
      const { body } = await cardproc.post(stack, cardproc.statusPath, { order_tracking_id: tracking });
      return body['sequence'];
    },
  },
};

function provider(name: string) {
  return simulatorControl(stack.simulatorUrl, name);
}

describe.each(Object.entries(histories))('%s', (_title, history) => {
  let merchant: TestMerchant;
  let all: Endpoint;
  let earlierOnly: Endpoint;
  let id: string;
  let earlier = '';
  let later = '';

  it('is never sent after the receiver is back', async () => {
    merchant = await stack.createMerchant();
    all = await addEndpoint(merchant);
    const kind = history.earlier === 'queued' ? 'payout' : 'deposit';
    earlierOnly = await addEndpoint(merchant, `${kind}.${history.earlier}`);
    const down = [merchant.receiver, all.receiver, earlierOnly.receiver];
    for (const receiver of down) isUp(receiver, false);
    id = await history.begin(merchant);
    await becomes(id, history.earlier);
    await waitFor(async () => (await webhooksOf(id))[0]?.webhook_id, { what: 'a webhook', timeoutMs });
    earlier = (await webhooksOf(id))[0]?.webhook_id ?? '';
    await merchant.receiver.next((webhook) => idOf(webhook) === earlier, timeoutMs);
    await history.goOn(id);
    await becomes(id, history.later);
    later = (await webhooksOf(id)).at(-1)?.webhook_id ?? '';
    const before = down.map(({ received }) => received.length);
    for (const receiver of down) isUp(receiver, true);
    await merchant.receiver.next((webhook) => idOf(webhook) === later, timeoutMs);
    await all.receiver.next((webhook) => idOf(webhook) === later, timeoutMs);
    // An endpoint that only gets the earlier type has no later event.
    await waitFor(
      () =>
        Promise.resolve(earlierOnly.receiver.received.slice(before[2]).some((one) => idOf(one) === earlier)),
      { what: 'the earlier one', timeoutMs },
    );
    await allSettled(id);
    const since = (receiver: WebhookReceiver, n = 0) => receiver.received.slice(n).map(idOf);
    expect(since(merchant.receiver, before[0])).not.toContain(earlier);
    expect(since(all.receiver, before[1])).not.toContain(earlier);
  });

  it('is listed as superseded, and the feed has both', async () => {
    const { body } = await call(stack, merchant, 'GET', `/api/v1/webhooks?payment_id=${id}`);
    expect(body['webhooks']).toMatchObject([
      { webhook_id: later, state: 'delivered', superseded_by: null },
      { webhook_id: earlier, state: 'superseded', superseded_by: later, next_at: null },
    ]);
    const listed = await call(stack, merchant, 'GET', '/api/v1/webhooks?state=superseded');
    expect(listed.body['webhooks']).toMatchObject([{ webhook_id: earlier }]);
    const deliveries = await waitFor(
      async () => {
        const reported = await call(stack, merchant, 'GET', `${all.path}/deliveries?event_id=${earlier}`);
        const found = reported.body['deliveries'] as { superseded_by: string | null; delivered: boolean }[];
        return found.length > 0 ? found : undefined;
      },
      { what: 'what became of it at the endpoint', timeoutMs },
    );
    expect(deliveries[0]).toMatchObject({ superseded_by: later, delivered: false, http_status: null });
    const { body: feed } = await call(stack, merchant, 'GET', '/api/v1/events?limit=500');
    const ids = (feed['events'] as { id: string }[]).map((event) => event.id);
    expect(ids).toEqual(expect.arrayContaining([earlier, later]));
  });

  it('cannot be resent', async () => {
    const again = await call(stack, merchant, 'POST', `/api/v1/webhooks/${earlier}/resend`, {});
    expect([again.status, again.body.code]).toEqual([409, 'WEBHOOK_SUPERSEDED']);
    const there = await call(stack, merchant, 'POST', `${all.path}/resend`, { event_id: earlier });
    expect([there.status, there.body.code]).toEqual([409, 'WEBHOOK_SUPERSEDED']);
    expect(await replayWebhooks(stack.db, { webhookId: earlier })).toEqual([]);
    const elsewhere = await call(stack, merchant, 'POST', `${earlierOnly.path}/resend`, {
      event_id: earlier,
    });
    expect(elsewhere.status).toBe(200);
    const both = await call(stack, merchant, 'POST', `/api/v1/webhooks/${later}/resend`, {});
    expect(both.status).toBe(200);
  });

  it('has one sequence per change in webhook, event, status and list, and its type in the signed body', async () => {
    const payment = await getPaymentOrThrow(stack.db, id);
    const rows = await webhooksOf(id);
    const reported = rows.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    const [first, last] = [Number(reported[0]?.['sequence']), Number(reported.at(-1)?.['sequence'])];
    expect(first).toBeLessThan(last);
    // A later receipt raises it, too, and sends no webhook.
    const sequence = await history.statusOf(merchant, payment);
    expect(sequence).toBeGreaterThanOrEqual(last);
    expect((await call(stack, merchant, 'GET', `/api/v1/payments/${id}`)).body).toMatchObject({
      payment: { sequence },
    });
    const { body: list } = await call(stack, merchant, 'GET', '/api/v1/payments');
    expect(list['payments']).toMatchObject([{ payment_id: id, sequence }]);
    const { body: feed } = await call(stack, merchant, 'GET', '/api/v1/events?limit=500');
    const events = feed['events'] as { id: string; type: string; data: Record<string, unknown> }[];
    const numbers = events.map(({ data }) => Number(data['sequence']));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    for (const { type, data } of events) expect(data['event_type']).toBe(type);
    expect(events.find((event) => event.id === later)?.data).toMatchObject({ sequence: last });
    const sent = merchant.receiver.received.find((webhook) => idOf(webhook) === later);
    expect(sent?.body).toMatchObject({
      event_type: `${payment.kind}.${history.later}`,
      callback_type: sent?.headers['x-callback-type'],
    });
  });
});
