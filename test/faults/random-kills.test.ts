/** Payments under load while the API and the worker are killed at random. MALIPO_SEED repeats a run's choices. */
import { setTimeout as delay } from 'node:timers/promises';
import { getPaymentOrThrow } from '../../src/payments/read/payments';
import { chanceOf } from '../../tools/lab/chaos/support/random';
import { simulatorControl } from '../support/rails/simulator-control';
import { request } from '../support/described-request';
import { startStack, type OwnStack, type TestMerchant } from '../support/stack';
import { callbackUrlOf, everythingEndsWell, initiations, nothingIsOpen } from './support/ending-well';
import { comparedWithLog, startFeedReader } from './support/feed-reader';
import { inParallel, pushUntilAccepted } from './support/patient-merchant';

const seed = Number(process.env.MALIPO_SEED ?? Date.now() % 1_000_000);
const paymentsCount = 60;
const killsCount = 14;
const secondMs = 1_000;

/**
 * How a payer may behave, including the lost answer. Not the lost notification: if a kill loses the answer of the same
 * payment, only the provider's statement shows how it ended.
 */
const endings = ['254708374149', '254711223344', '254722334455', '254700000705', '254700000707'];

describe(`random kills of API and worker under load (MALIPO_SEED=${String(seed)})`, () => {
  const random = chanceOf(seed).next;
  let stack: OwnStack;
  let merchants: TestMerchant[];
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchants = [await stack.createMerchant(), await stack.createMerchant('Second Shop')];
  });
  afterAll(() => stack.stop());

  async function killNowAndThen(): Promise<void> {
    for (let kills = 0; kills < killsCount; kills += 1) {
      await delay(secondMs * (1 + random()));
      const victim = random() < 0.5 ? 'api' : 'worker';
      await stack.kill(victim);
      await stack.start(victim);
    }
  }

  /**
   * If the submission's answer and its notification both went to a dead process, the reference is unknown here. The
   * provider, contacted by an operator, repeats its notification.
   */
  async function repeatCallbacksOfUnknownPrompts(): Promise<number> {
    const unknown = await stack.db('payments').where({ state: 'timed_out', provider_reference: null });
    const sent = await simulatorControl(stack.simulatorUrl, 'stk').exchanges('callback');
    const lost = sent.filter(({ url }) =>
      unknown.some(({ callback_token: token }) => url.endsWith(`/${String(token)}`)),
    );
    for (const { url, body } of lost) {
      const answer = await request(url, { method: 'POST', body: JSON.stringify(body) });
      expect(answer.statusCode).toBe(200);
    }
    return lost.length;
  }

  it('loses no payment, credits none twice, prompts each payer once, and notifies every merchant', async () => {
    const feeds = merchants.map((merchant) => startFeedReader(stack, merchant));
    const killing = killNowAndThen();
    const pushed = await inParallel(paymentsCount, 6, (index) =>
      pushUntilAccepted(stack, merchants[index % 2] as TestMerchant, {
        phone_number: endings[index % endings.length],
      }),
    );
    await killing;
    await nothingIsOpen(stack.db, 120_000);
    await repeatCallbacksOfUnknownPrompts();
    const accepted = pushed.map(({ paymentId }) => paymentId);
    await everythingEndsWell(stack, { merchants, accepted });

    expect(new Set(accepted).size).toBe(paymentsCount);
    // The provider booked what we credited, payment by payment: `verify` compared both books.
    const asked = new Set((await initiations(stack.simulatorUrl)).map(callbackUrlOf));
    for (const id of accepted) {
      const { callback_token: token, state } = await getPaymentOrThrow(stack.db, id);
      const wasAsked = [...asked].some((url) => url.endsWith(`/${String(token)}`));
      // A kill between the stored attempt and the call leaves a payer without a prompt; that is a timeout, never a
      // second attempt.
      if (state !== 'timed_out') expect(wasAsked).toBe(true);
    }

    // A reader of the feed has every change once, and those of each payment in order.
    for (const [n, merchant] of merchants.entries()) {
      const events = (await feeds[n]?.finish()) ?? [];
      const table = await stack.db('events').where({ merchant_id: merchant.merchantId }).orderBy('position');
      expect(events.map(({ id }) => id)).toEqual(table.map(({ event_id: id }) => id));
      const { logged, read } = await comparedWithLog(stack, merchant, events);
      expect(read).toEqual(logged);
      const webhooks = await stack.db('outbox').where({ merchant_id: merchant.merchantId });
      const bodies = new Map(events.map(({ id, data }) => [id, data]));
      const reported = webhooks.map(({ webhook_id: id, body }) => [
        bodies.get(id),
        JSON.parse(body) as object,
      ]);
      for (const [event, webhook] of reported) expect(event).toEqual(webhook);
    }
  });
});
