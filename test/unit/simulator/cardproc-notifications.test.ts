import { randomUUID } from 'node:crypto';
import { startCardprocBench, type CardprocBench } from '../../support/simulator/cardproc-bench';
import { acknowledgement } from '../../support/simulator/ipn-receiver';

const INVALID = 0;

let bench: CardprocBench;
beforeEach(async () => {
  bench = await startCardprocBench();
});
afterEach(() => bench.stop());

/** Long enough for jobs that are due at once, too short for repetitions and late jobs. */
const settle = () => bench.client.advance(100);

describe('row 10: a notification that is answered wrongly', () => {
  it.each([
    ['not JSON', 200, () => 'OK'],
    ['status 500 with the right JSON', 200, (sent: Record<string, string>) => acknowledgement(sent, 500)],
    ['the right JSON in a 500', 500, (sent: Record<string, string>) => acknowledgement(sent)],
    [
      'about another order',
      200,
      (sent: Record<string, string>) => acknowledgement({ ...sent, OrderTrackingId: randomUUID() }),
    ],
  ])(
    '%s: is repeated every ten seconds, five more times, and control shows the answers',
    async (_what, status, say) => {
      const { client, ipn, reported } = bench;
      const reference = `cp-${randomUUID()}`;
      const trackingId = await client.order({ id: reference });
      const sent = {
        OrderTrackingId: trackingId,
        OrderMerchantReference: reference,
        OrderNotificationType: 'IPNCHANGE',
      };
      const answer = { status, body: say(sent) };
      ipn.answerWith(answer);
      await client.decide(trackingId, 'pay_card');
      const tries = [];
      for (const ms of [5_000, 10_000, 10_000, 10_000, 10_000, 10_000, 600_000]) {
        await client.advance(ms);
        tries.push(reported().length);
      }
      expect(tries).toEqual([1, 2, 3, 4, 5, 6, 6]);
      const answers = (await client.requests())
        .filter(({ call }) => call === 'callback')
        .map((exchange) => exchange['answer']);
      expect(answers).toEqual(Array(6).fill(answer));
    },
  );

  it('ends once it is answered rightly', async () => {
    const { client, ipn, reported } = bench;
    ipn.answerWith({ status: 200, body: '<p>OK</p>' });
    const trackingId = await client.order();
    await client.decide(trackingId, 'pay_card');
    await client.advance(15_000);
    expect(reported()).toHaveLength(2);
    ipn.answerWith();
    await client.advance(600_000);
    expect(reported()).toHaveLength(3);
  });
});

describe('row 13: forged notifications', () => {
  const forge = (fields: Record<string, unknown>) =>
    bench.client.post('/control/cardproc/notifications', fields);

  it('name an unpaid order, and change nothing', async () => {
    const { client, ipn } = bench;
    const reference = `cp-${randomUUID()}`;
    const trackingId = await client.order({ id: reference });
    expect((await forge({ order_tracking_id: trackingId })).status).toBe(200);
    await forge({ order_tracking_id: trackingId, merchant_reference: 'another' });
    expect(ipn.received.map(({ parameters }) => parameters['OrderMerchantReference'])).toEqual([
      reference,
      'another',
    ]);
    expect(await client.stateOf(trackingId)).toBe(INVALID);
    expect(await client.books()).toEqual({});
  });

  it('name an order that does not exist, and are sent to every registered address', async () => {
    const unknown = randomUUID();
    await forge({ order_tracking_id: unknown });
    expect(bench.reported()).toEqual([unknown]);
    expect((await forge({})).status).toBe(400);
  });

  it('are sent before a genuine one when a rule asks for it', async () => {
    const { client } = bench;
    await client.next({ call: 'callback', behave: 'forge' });
    const trackingId = await client.order();
    await client.decide(trackingId, 'pay_card');
    await settle();
    const [first, ...others] = bench.reported();
    expect(first).not.toBe(trackingId);
    expect(others).toEqual([trackingId, trackingId]);
    const [, second, third] = bench.ipn.received.map(
      ({ parameters }) => parameters['OrderMerchantReference'],
    );
    expect(second).toBe(`forged-${String(third)}`);
  });
});
