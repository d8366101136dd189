/** A payout whose network never recovers is cancelled for its merchant after the configured time. */
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import { atRest, openCasesOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { malipo } from '../../../faults/support/malipo';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl } from '../../../support/rails/simulator-control';
import {
  accepted,
  callbacksOf,
  floatOf,
  fund,
  setNetwork,
  statusOf,
  notifiedOf,
  transferBody,
} from '../../../support/rails/momo/payments';

const timeScale = 20;
/** The number of cancellation requests to a provider that does not receive them. */
const sentAtOnce = 5;
/** In milliseconds of the sandbox. */
const hours = (n: number) => (n * 3_600_000) / timeScale;

describe.each([
  ['72 hours unless told', 72, {}],
  ['longer than payments are usually watched', 100, { MALIPO_ENQUEUED_MAX: '100' }],
])('a queued payout is cancelled after %s', (_what, enqueuedMax, env: Record<string, string>) => {
  let stack: Stack;
  let merchant: TestMerchant;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await startStack({ timeScale, env });
    merchant = await stack.createMerchant();
    engine = await connectEngine(stack);
    await setNetwork(simulatorControl(stack.simulatorUrl, 'momo'), 'MTN_MOMO_ZMB', 'PAYOUT', 'DELAYED');
    await fund(stack, merchant, 2_550n);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean(stack);
    await stack.stop();
  });

  it('and not before: then it is cancelled, reported and returned, without an operator', async () => {
    const begun = Date.now();
    const provider = simulatorControl(stack.simulatorUrl, 'momo');
    const id = await accepted(stack, merchant, 'payout', transferBody());
    const payment = await getPaymentOrThrow(stack.db, id);
    const asked = async () =>
      (await provider.exchanges('status')).filter(({ url }) => url.includes(id)).length;
    const quiet = async () => {
      const before = await asked();
      await engine.advance(payment, 0);
      return (await asked()) === before;
    };

    await engine.advance(payment, hours(enqueuedMax) - hours(0.2));
    await waitFor(quiet, { what: 'all questions that were due', timeoutMs: 60_000, everyMs: 500 });
    expect((await statusOf(stack, merchant, id)).body).toMatchObject({
      status: 'ENQUEUED',
      cancellable: true,
    });
    expect(await provider.exchanges('cancel')).toEqual([]);
    expect(await floatOf(stack, merchant)).toEqual({ free: 0n, reserved: 2_550n });

    // At exactly that time: an operator's case would open some minutes later.
    await engine.advance(payment, Math.max(1, hours(0.2) - (Date.now() - begun)));
    await notifiedOf(merchant, id, 'Cancelled');
    await atRest(stack.db, id);
    expect(callbacksOf(merchant, id).map(({ body }) => body['status'])).toEqual(['Processing', 'Cancelled']);
    expect(await floatOf(stack, merchant)).toEqual({ free: 2_550n, reserved: 0n });
    expect(await openCasesOf(stack.db, id)).toEqual([]);
    await engine.client.workflow.getHandle(payment.workflow_id).result();
  });

  /** Whole hours that pass both the cancellation time and the end of status checks. */
  const longerThanAll = Math.ceil(Math.max(72, enqueuedMax) / timeScale) + 1;

  async function isAbandoned(id: string): Promise<void> {
    await notifiedOf(merchant, id, 'Cancelled');
    await atRest(stack.db, id);
    expect(await floatOf(stack, merchant)).toEqual({ free: 2_550n, reserved: 0n });
    expect(await openCasesOf(stack.db, id)).toEqual([]);
    expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({ state: 'cancelled', next_check_at: null });
  }

  it('also if the clock passes that time and the end of status checks at once', async () => {
    const id = await accepted(stack, merchant, 'payout', transferBody());
    await malipo(stack, 'sandbox', 'advance', `${String(longerThanAll)}h`);
    await isAbandoned(id);
  });

  it.each(['drop', '500'])('repeatedly if the provider does not receive it (%s)', async (behave) => {
    const provider = simulatorControl(stack.simulatorUrl, 'momo');
    const id = await accepted(stack, merchant, 'payout', transferBody());
    const cancellations = async () =>
      (await provider.exchanges('cancel')).filter(({ url }) => url.includes(id)).length;
    await provider.next({ call: 'cancel', behave, times: sentAtOnce });
    await engine.advance(await getPaymentOrThrow(stack.db, id), hours(enqueuedMax));
    await isAbandoned(id);
    expect(await cancellations()).toBe(sentAtOnce + 1);
  });

  it('also if no process ran at that time, and its workflow is restarted afterwards', async () => {
    const id = await accepted(stack, merchant, 'payout', transferBody());
    const { workflow_id: workflowId } = await getPaymentOrThrow(stack.db, id);
    await engine.client.workflow.getHandle(workflowId).terminate('lost');
    await malipo(stack, 'sandbox', 'advance', `${String(longerThanAll)}h`);
    await malipo(stack, 'resume');
    await isAbandoned(id);
  });
});
