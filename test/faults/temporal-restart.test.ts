/** Temporal is killed under load, and restarts first with its data, and then without: a private server. */
import { Client, Connection } from '@temporalio/client';
import { waitFor } from '../../tools/sandbox/services/wait-for';
import { simulatorControl, type SimulatorControl } from '../support/rails/simulator-control';
import * as cardproc from '../support/rails/cardproc/payments';
import { accepted, atRest, creditsOf, ended } from '../support/rails/stk/payments';
import type { PaymentRow } from '../../src/store/tables';
import { expectClean } from '../support/expect-clean';
import { call, stkPush, type ApiAnswer } from '../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';
import { malipo } from './support/malipo';
import { ownTemporal } from './support/own-services';
import { inParallel, pushUntilAccepted } from './support/patient-merchant';

describe('kill -9 of Temporal', () => {
  let temporal: Awaited<ReturnType<typeof ownTemporal>>;
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    temporal = await ownTemporal();
    // A payer's decision must arrive within half a minute, while servers stop on a possibly busy machine.
    stack = await startStack({ timeScale: 2, temporalAddress: temporal.address });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
  });
  afterAll(async () => {
    await stack.stop();
    await temporal.end();
  });

  const push = (): Promise<ApiAnswer> => call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush());

  it('is answered with 503 and Retry-After, while callbacks are stored and read later', async () => {
    const waiting = await accepted(stack, merchant, { phone_number: '254714001600' });
    await temporal.kill();
    const ready = await fetch(`${stack.opsUrl}/readyz`);
    expect(ready.status).toBe(503);
    expect((await fetch(`${stack.opsUrl}/servez`)).status).toBe(200);

    const refusing = push();
    await provider.decide(waiting.provider_reference ?? '', 'pay');
    const callback = await waitFor(
      async () => (await provider.exchanges('callback')).find(({ answer }) => answer !== undefined),
      { what: 'the callback to be answered', timeoutMs: 20_000 },
    );
    expect(callback.answer?.status).toBe(200);
    const refused = await refusing;
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);

    await temporal.start();
    await ended(stack.db, waiting.payment_id, ['succeeded']);
    expect(await creditsOf(stack.db, waiting.payment_id)).toEqual([125_000n]);
    await everythingEndsWell(stack, { merchants: [merchant], accepted: [waiting.payment_id] });
  });

  it('loses no payment under load', async () => {
    let begun = 0;
    const load = inParallel(24, 4, async () => {
      const { paymentId } = await pushUntilAccepted(stack, merchant);
      begun += 1;
      return paymentId;
    });
    await waitFor(async () => begun > 5, { what: 'some payments', timeoutMs: 60_000 });
    await temporal.kill();
    await temporal.start();
    const ids = await load;
    await everythingEndsWell(stack, { merchants: [merchant], accepted: ids });
    expect(new Set(ids).size).toBe(24);
  });

  it('resumes every unfinished payment with `malipo resume` after a loss of its data', async () => {
    const waiting = await inParallel(3, 3, (index) =>
      accepted(stack, merchant, { phone_number: `25471400${index + 2}600` }),
    );
    const before = await knownRuns();
    await temporal.kill();
    // One has no notification, so that only a status check can find the result.
    await provider.next({
      call: 'callback',
      behave: 'drop',
      times: 2,
      where: { phone_number: '254714002600' },
    });
    for (const { provider_reference: reference } of waiting) await provider.decide(reference ?? '', 'pay');
    await temporal.startEmpty();
    // A notification at this moment starts its payment's workflow again by itself, in another run.
    const after = await knownRuns();
    expect(before.length).toBeGreaterThanOrEqual(waiting.length);
    expect(after.filter((run) => before.includes(run))).toEqual([]);

    await malipo(stack, 'resume');
    for (const { payment_id: id } of waiting) await ended(stack.db, id, ['succeeded']);
    await everythingEndsWell(stack, {
      merchants: [merchant],
      accepted: waiting.map(({ payment_id: id }) => id),
    });
  });

  describe('after a loss of its data, and of the provider’s report about a final payment', () => {
    const lateBuyer = '254714009600';
    let late: PaymentRow[];
    let hosted: PaymentRow;
    const checkout = () => simulatorControl(stack.simulatorUrl, 'cardproc');
    beforeAll(async () => {
      const other = await stack.createMerchant();
      late = await Promise.all(
        [merchant, other].map((each) => accepted(stack, each, { phone_number: lateBuyer })),
      );
      hosted = await cardproc.accepted(stack, merchant);
      await cardproc.customer(checkout(), hosted, 'pay_card');
      await ended(stack.db, hosted.payment_id, ['succeeded']);
      await atRest(stack.db, hosted.payment_id);
      await provider.advance(61_000);
      for (const { payment_id: id } of late) await ended(stack.db, id, ['timed_out'], 60_000);
      for (const { payment_id: id } of late) await atRest(stack.db, id);

      await temporal.kill();
      await temporal.startEmpty();
      await checkout().next({ call: 'callback', behave: 'drop' });
      await cardproc.customer(checkout(), hosted, 'reverse');
      await provider.next({
        call: 'callback',
        behave: 'drop',
        times: 2,
        where: { phone_number: lateBuyer },
      });
      for (const { provider_reference: reference } of late)
        await provider.decide(reference ?? '', 'pay_late');
    });

    it('the sweeper finds it by itself once the check is overdue', async () => {
      const [first] = late;
      await stack
        .db('payments')
        .where({ payment_id: first?.payment_id ?? '' })
        .update({ next_check_at: new Date() });
      await ended(stack.db, first?.payment_id ?? '', ['succeeded']);
    });

    it('`malipo resume` restores the watch, the late success is credited; a row has the reversal debited', async () => {
      const [, second] = late;
      const { payment_id: id } = hosted;
      // To the day after the success, which is half as long here, of its scheduled check.
      await malipo(stack, 'sandbox', 'advance', '13h');
      await malipo(stack, 'resume');
      await ended(stack.db, second?.payment_id ?? '', ['succeeded']);
      await ended(stack.db, id, ['reversed']);
      expect(await creditsOf(stack.db, id)).toEqual([150_000n, -150_000n]);
      for (const { payment_id } of late) expect(await creditsOf(stack.db, payment_id)).toEqual([125_000n]);
      await atRest(stack.db, id);
      await stack.db('cases').where({ payment_id: id }).update({ closed_at: new Date(), open_key: null });
      await expectClean(stack);
    });
  });

  async function knownRuns(): Promise<string[]> {
    const connection = await Connection.connect({ address: temporal.address });
    try {
      const found: string[] = [];
      for await (const { runId } of new Client({ connection }).workflow.list()) found.push(runId);
      return found;
    } finally {
      await connection.close();
    }
  }
});
