/** What the provider reports comes ten times, too early, too late, twice with different words, forged, or never. */
import { waitFor } from '../../src/ops/services/wait-for';
import { simulatorControl, type Exchange, type SimulatorControl } from '../rails/simulator-control';
import { accepted, atRest, creditsOf, ended, openCasesOf, webhooksOf } from '../rails/stk/payment-story';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';

jest.setTimeout(90_000);

const dayMs = 86_400_000;

describe('a callback', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
  });
  afterAll(async () => {
    await everythingEndsWell(stack, { merchants: [merchant] });
    await stack.stop();
  });

  const pushTo = (phone: string) => accepted(stack, merchant, { phone_number: phone });
  const spoil = (phone: string, behave: string): Promise<void> =>
    provider.next({ call: 'callback', behave, where: { phone_number: phone } });

  async function callbacksTo(token: string | null): Promise<Exchange[]> {
    const sent = await provider.exchanges('callback');
    return sent.filter(({ url }) => url.endsWith(`/${token ?? ''}`));
  }

  async function creditedOnce(paymentId: string): Promise<void> {
    await ended(stack.db, paymentId, ['succeeded']);
    await atRest(stack.db, paymentId);
    expect(await creditsOf(stack.db, paymentId)).toEqual([125_000n]);
  }

  it('that comes ten times at once is acknowledged ten times and credited once', async () => {
    await spoil('254715000001', 'duplicate');
    const payment = await pushTo('254715000001');
    await creditedOnce(payment.payment_id);
    const copies = await waitFor(
      async () => {
        const sent = await callbacksTo(payment.callback_token);
        return sent.length === 10 && sent.every(({ answer }) => answer) ? sent : undefined;
      },
      { what: 'ten answered callbacks', timeoutMs: 20_000 },
    );
    expect(copies.map(({ answer }) => answer?.status)).toEqual(copies.map(() => 200));
    expect(await stack.db('inbox').where({ payment_id: payment.payment_id })).toHaveLength(1);
    expect(await webhooksOf(stack.db, payment.payment_id)).toHaveLength(1);
  });

  it('that overtakes the answer to our own request is kept, and the late answer moves nothing back', async () => {
    await spoil('254715000002', 'reorder');
    const payment = await pushTo('254715000002');
    await creditedOnce(payment.payment_id);
    const log = await stack.db('payment_log').where({ payment_id: payment.payment_id }).orderBy('log_id');
    expect(log.map(({ to_state: to }) => to).at(-1)).toBe('succeeded');
    expect(log.filter(({ to_state: to }) => to === 'succeeded')).toHaveLength(1);
  });

  it('that says cancelled after another said paid changes nothing, and a person is told', async () => {
    const payment = await pushTo('254700000706');
    await creditedOnce(payment.payment_id);
    await waitFor(async () => (await openCasesOf(stack.db, payment.payment_id)).length > 0, {
      what: 'the case',
      timeoutMs: 20_000,
    });
    expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['contradictory_outcome']);
    expect((await webhooksOf(stack.db, payment.payment_id)).map(({ status }) => status)).toEqual(['Success']);
  });

  it('that is forged is refused, and the right one after it is taken', async () => {
    await spoil('254715000003', 'forge');
    const payment = await pushTo('254715000003');
    await creditedOnce(payment.payment_id);
    const sent = await provider.exchanges('callback');
    const forged = sent.filter(({ fault, answer }) => fault === 'forge' && answer !== undefined);
    expect(forged.map(({ answer }) => answer?.status)).toEqual([404, 400]);
    expect(await stack.db('inbox').where({ payment_id: payment.payment_id })).toHaveLength(1);
  });

  it('that comes three days late adds its receipt, and no second credit', async () => {
    await spoil('254715000004', 'drop');
    const payment = await pushTo('254715000004');
    await creditedOnce(payment.payment_id);
    expect((await ended(stack.db, payment.payment_id)).provider_receipt).toBeNull();

    await provider.advance(3 * dayMs);
    const [late] = await callbacksTo(payment.callback_token);
    const answer = await fetch(late?.url ?? '', { method: 'POST', body: JSON.stringify(late?.body) });
    expect(answer.status).toBe(200);
    const receipt = await waitFor(
      async () => (await ended(stack.db, payment.payment_id)).provider_receipt ?? undefined,
      { what: 'the receipt', timeoutMs: 20_000 },
    );
    expect(JSON.stringify(late?.body)).toContain(receipt);
    await creditedOnce(payment.payment_id);
  });

  it('that tells of success after a published timeout is credited and announced as a correction', async () => {
    const payment = await pushTo('254700000704');
    await ended(stack.db, payment.payment_id, ['timed_out']);
    await creditedOnce(payment.payment_id);
    expect(
      (await webhooksOf(stack.db, payment.payment_id)).map(({ status, correction }) => [status, correction]),
    ).toEqual([
      ['Timeout', undefined],
      ['Success', true],
    ]);
  });

  it('that is lost for ever is replaced by our own question', async () => {
    const paid = await pushTo('254700000701');
    const cancelled = await pushTo('254700000702');
    await creditedOnce(paid.payment_id);
    await ended(stack.db, cancelled.payment_id, ['cancelled']);
    expect(await creditsOf(stack.db, cancelled.payment_id)).toEqual([]);
  });
});
