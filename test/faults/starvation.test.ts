/** Hanging callers delay only themselves. Shown by the order of events, not by their speed. */
import type { ServerResponse } from 'node:http';
import { waitFor } from '../../tools/sandbox/services/wait-for';
import { simulatorControl, type SimulatorControl } from '../support/rails/simulator-control';
import { accepted, ended, push } from '../support/rails/stk/payments';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';
import { inParallel } from './support/patient-merchant';

describe('payments of others', () => {
  let stack: Stack;
  let quick: TestMerchant;
  let stuck: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    quick = await stack.createMerchant('Quick Shop');
    stuck = await stack.createMerchant('Stuck Shop');
    provider = simulatorControl(stack.simulatorUrl, 'stk');
  });
  afterAll(() => stack.stop());

  const open = { is_final: 0 };
  const rowsOf = (merchant: TestMerchant) => stack.db('payments').where({ merchant_id: merchant.merchantId });
  const owedTo = (merchant: TestMerchant) =>
    stack.db('outbox').where({ merchant_id: merchant.merchantId, state: 'pending' });

  async function payAndNotify(count: number): Promise<void> {
    const before = quick.receiver.received.length;
    await inParallel(count, 5, () => accepted(stack, quick));
    await waitFor(async () => quick.receiver.received.length >= before + count || undefined, {
      what: `${count} webhooks of the quick merchant`,
      timeoutMs: 30_000,
    });
  }

  it('are submitted, paid and announced while a provider does not answer for a group of payers', async () => {
    const payers = Array.from({ length: 20 }, (_, n) => `2547180000${String(n).padStart(2, '0')}`);
    for (const phone of payers) {
      await provider.next({ call: 'initiate', behave: 'hang', where: { phone_number: phone } });
    }
    const hanging = payers.map((phone) => push(stack, stuck, { phone_number: phone }));
    await waitFor(
      async () => (await rowsOf(stuck).where({ state: 'initiating' })).length === 20 || undefined,
      {
        what: 'all of them to hang',
        timeoutMs: 20_000,
      },
    );
    await payAndNotify(10);
    expect(await rowsOf(stuck).where({ state: 'initiating' })).toHaveLength(20);
    await Promise.all(hanging);
  });

  it('are confirmed while a provider does not answer queries about others', async () => {
    const payers = Array.from({ length: 15 }, (_, n) => `2547180001${String(n).padStart(2, '0')}`);
    for (const phone of payers) {
      await provider.next({ call: 'query', behave: 'hang', times: 2, where: { phone_number: phone } });
    }
    const hanging = await inParallel(payers.length, 5, (n) =>
      accepted(stack, stuck, { phone_number: payers[n] }),
    );
    await payAndNotify(10);
    const unconfirmed = await rowsOf(stuck).where(open);
    expect(unconfirmed.length).toBeGreaterThan(0);
    for (const { payment_id: id } of hanging) await ended(stack.db, id, ['succeeded']);
  });

  it('are announced while a merchant with more webhooks than run at once answers none of them', async () => {
    const held: ServerResponse[] = [];
    stuck.receiver.answerWith((_request, response) => held.push(response));
    // A worker has sixty places.
    await inParallel(70, 10, () => accepted(stack, stuck));
    await waitFor(async () => held.length >= 4 || undefined, { what: 'held webhooks', timeoutMs: 30_000 });
    await payAndNotify(10);
    expect((await owedTo(stuck)).length).toBeGreaterThan(50);

    stuck.receiver.answerWith((_request, response) => response.end('ok'));
    for (const response of held) response.end('ok');
    await everythingEndsWell(stack, { merchants: [quick, stuck], timeoutMs: 90_000 });
  });
});
