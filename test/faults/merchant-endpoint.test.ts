/** A merchant's server that is down, slow, endless, redirecting, or late with its answer. */
import { waitFor } from '../../tools/sandbox/services/wait-for';
import type { OutboxRow } from '../../src/store/tables';
import { accepted } from '../support/rails/stk/payments';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { startReceiver } from '../support/webhook-receiver';
import { everythingEndsWell } from './support/ending-well';
import { drip, endless } from './support/hostile-provider';
import { malipo } from './support/malipo';

/** The fourteen attempts of 72 hours take some ten seconds; only the worker's clock runs this fast. */
const deliveryTimeScale = 25_000;

/** The worker polls on its fast clock, before the customer can pay. This payment ends once, and has one webhook. */
const neverAnswers = '254700000703';

describe("a merchant's server", () => {
  let stack: Stack;
  const merchants: TestMerchant[] = [];
  const paymentIds: string[] = [];
  beforeAll(async () => {
    stack = await startStack({
      timeScale: 20,
      envOf: { worker: { MALIPO_SANDBOX_TIME_SCALE: String(deliveryTimeScale) } },
    });
  });
  afterAll(async () => {
    await everythingEndsWell(stack, { merchants, accepted: paymentIds });
    await stack.stop();
  });

  async function merchantCalled(name: string): Promise<TestMerchant> {
    const merchant = await stack.createMerchant(name);
    merchants.push(merchant);
    return merchant;
  }

  async function pay(merchant: TestMerchant): Promise<string> {
    const { payment_id: paymentId } = await accepted(stack, merchant, { phone_number: neverAnswers });
    paymentIds.push(paymentId);
    return paymentId;
  }

  function webhookOf(paymentId: string, state: OutboxRow['state']): Promise<OutboxRow> {
    return waitFor(() => stack.db('outbox').where({ payment_id: paymentId, state }).first(), {
      what: `the webhook of ${paymentId} to be ${state}`,
      timeoutMs: 60_000,
    });
  }

  const triesOf = ({ webhook_id }: OutboxRow) =>
    stack.db('webhook_deliveries').where({ webhook_id }).orderBy('delivery_id');
  const idsSeenBy = ({ receiver }: TestMerchant) =>
    receiver.received.map(({ headers }) => headers['webhook-id']);

  it('that is down for all fourteen attempts has a dead webhook, reported to operators, and gets it by a replay', async () => {
    const merchant = await merchantCalled('Closed Shop');
    merchant.receiver.answerWith((_request, response) => {
      response.statusCode = 503;
      response.end('closed');
    });
    const webhook = await webhookOf(await pay(merchant), 'dead');
    expect((await triesOf(webhook)).map(({ http_status: status }) => status)).toEqual(
      Array.from({ length: 14 }, () => 503),
    );
    expect(await stack.logs()).toContain('a webhook was not delivered and its attempts ended');
    expect(await malipo(stack, 'webhook', 'list', '--state', 'dead')).toContain(webhook.webhook_id);

    merchant.receiver.answerWith((_request, response) => response.end('open again'));
    await malipo(stack, 'webhook', 'replay', webhook.webhook_id);
    await webhookOf(webhook.payment_id, 'delivered');
    expect(new Set(idsSeenBy(merchant))).toEqual(new Set([webhook.webhook_id]));
  });

  it('that answers after the timeout gets the webhook again, with the same id', async () => {
    const merchant = await merchantCalled('Late Shop');
    merchant.receiver.answerWith((request, response) => {
      // The first answer comes after the caller has left.
      request.socket.once('close', () => response.end('ok'));
      merchant.receiver.answerWith((_request, next) => next.end('ok'));
    });
    const webhook = await webhookOf(await pay(merchant), 'delivered');
    expect(idsSeenBy(merchant)).toEqual([webhook.webhook_id, webhook.webhook_id]);
    expect((await triesOf(webhook)).map(({ http_status: status }) => status)).toEqual([null, 200]);
  });

  it('that answers a byte per second has ten seconds per attempt', async () => {
    const merchant = await merchantCalled('Dripping Shop');
    merchant.receiver.answerWith((_request, response) => {
      drip(response);
      merchant.receiver.answerWith((_next, answer) => answer.end('ok'));
    });
    const webhook = await webhookOf(await pay(merchant), 'delivered');
    const [first] = await triesOf(webhook);
    expect(first?.error).toContain('no complete answer within 10000 ms');
  });

  it('whose answer has no end is used for its status, and not read for long', async () => {
    const merchant = await merchantCalled('Endless Shop');
    merchant.receiver.answerWith((_request, response) => endless(response));
    const webhook = await webhookOf(await pay(merchant), 'delivered');
    const tries = await triesOf(webhook);
    expect(tries.map(({ http_status: status }) => status)).toEqual([200]);
    expect(tries[0]?.response_excerpt).toHaveLength(500);
  });

  it('that redirects us is not followed', async () => {
    const merchant = await merchantCalled('Moved Shop');
    const elsewhere = await startReceiver();
    merchant.receiver.answerWith((_request, response) => {
      response.writeHead(307, { location: elsewhere.url });
      response.end();
      merchant.receiver.answerWith((_next, answer) => answer.end('ok'));
    });
    const webhook = await webhookOf(await pay(merchant), 'delivered');
    expect((await triesOf(webhook)).map(({ http_status: status }) => status)).toEqual([307, 200]);
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });
});
