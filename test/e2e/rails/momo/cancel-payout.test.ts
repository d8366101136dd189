import { v4 as uuidV4 } from 'uuid';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import type { ApiAnswer } from '../../../support/merchant-client';
import { startStack, type OwnStack, type TestMerchant } from '../../../support/stack';
import { verifySignature } from '../../../support/webhook-receiver';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { atRest, ended, openCasesOf } from '../../../support/payments/timeline';
import {
  accepted,
  callbacksOf,
  floatOf,
  fund,
  isoUtc,
  paidDeposit,
  post,
  setNetwork,
  shownAs,
  notifiedOf,
  transferBody,
} from '../../../support/rails/momo/payments';
import { fieldsOfMomoWebhooks } from '../../../support/webhook-fields';

describe('POST /api/v1/momo/cancel_payout', () => {
  let stack: OwnStack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'momo');
    engine = await connectEngine(stack);
    await setNetwork(provider, 'AIRTEL_OAPI_ZMB', 'PAYOUT', 'DELAYED');
    await fund(stack, merchant, 100_000_000n);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const cancel = (id: unknown, as = merchant): Promise<ApiAnswer> =>
    post(stack, as, 'cancel_payout', { transaction_id: id });
  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const tooLate = [409, 'PAYOUT_NOT_CANCELLABLE'];
  let numbers = 0;
  /** A payout through the delayed network, to a number of its own. */
  const queued = (as = merchant, changes: Record<string, unknown> = {}): Promise<string> => {
    numbers += 1;
    const phone_number = `+26077301${String(numbers).padStart(4, '0')}`;
    return accepted(stack, as, 'payout', transferBody({ phone_number, ...changes }));
  };
  const phoneOf = async (id: string) => (await getPaymentOrThrow(stack.db, id)).phone_number?.slice(1) ?? '';
  const cancellationsAskedFor = async (id: string) =>
    (await provider.exchanges('cancel')).filter(({ url }) => url.includes(id)).length;

  describe('200', () => {
    it('cancels a queued payout: its fields, and the amount back in the float', async () => {
      const payer = await stack.createMerchant();
      await fund(stack, payer, 10_000n);
      const id = await queued(payer);
      expect(await floatOf(stack, payer)).toEqual({ free: 7_450n, reserved: 2_550n });
      const answer = await cancel(id, payer);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        transaction_id: id,
        type: 'payout',
        status: 'CANCELLED',
        is_final: true,
        message: 'Payout cancelled; the amount was returned to your float',
      });
      expect(await floatOf(stack, payer)).toEqual({ free: 10_000n, reserved: 0n });
    });

    it('notifies the merchant by callback, once, without a failure', async () => {
      const id = await queued(merchant, { account_reference: 'CANCELLED-1' });
      await cancel(id);
      const callback = await notifiedOf(merchant, id, 'Cancelled');
      expect(callback.body).toEqual({
        ...fieldsOfMomoWebhooks,
        transaction_id: id,
        type: 'payout',
        status: 'Cancelled',
        provider: 'AIRTEL_OAPI_ZMB',
        country: 'ZMB',
        currency: 'ZMW',
        requested_amount: '25.50',
        amount: '0.00',
        phone_number: `+${await phoneOf(id)}`,
        provider_transaction_id: '',
        account_reference: 'CANCELLED-1',
        failure_code: null,
        failure_message: null,
        timestamp: expect.stringMatching(isoUtc),
      });
      verifySignature(callback, merchant.webhookSecret);
      await atRest(stack.db, id);
      expect(callbacksOf(merchant, id).map(({ body }) => body['status'])).toEqual([
        'Processing',
        'Cancelled',
      ]);
      expect(await openCasesOf(stack.db, id)).toEqual([]);
    });

    it('answers a repeat the same, and sends one request to the provider', async () => {
      const id = await queued();
      const first = await cancel(id);
      const again = await cancel(id);
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(await cancellationsAskedFor(id)).toBe(1);
    });

    it('ten at once cancel once', async () => {
      const payer = await stack.createMerchant();
      await fund(stack, payer, 10_000n);
      const id = await queued(payer);
      const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(id, payer)));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
      expect(await floatOf(stack, payer)).toEqual({ free: 10_000n, reserved: 0n });
      await notifiedOf(payer, id, 'Cancelled');
      expect(callbacksOf(payer, id)).toHaveLength(2);
    });

    it.each([
      ['the provider takes it and its answer is lost', 'act_then_drop'],
      ['the provider takes it and answers 500', 'act_then_500'],
      ['the connection breaks before the provider has heard it', 'drop'],
      ['the provider answers 500 and does nothing', '500'],
    ])('even when %s', async (_what, behave) => {
      const id = await queued();
      const where = { phone_number: await phoneOf(id) };
      await provider.next({ call: 'cancel', behave, where });
      expect((await cancel(id)).status).toBe(200);
      expect(await ended(stack.db, id)).toMatchObject({ state: 'cancelled' });
    });

    it('even when its callback is lost: the provider is queried', async () => {
      const id = await queued();
      await provider.next({ call: 'callback', behave: 'drop', where: { phone_number: await phoneOf(id) } });
      expect((await cancel(id)).status).toBe(200);
    });
  });

  describe('400', () => {
    it.each([undefined, null, '', '  ', 7, true, ['x'], 'x'.repeat(37)])(
      'rejects the transaction_id %j',
      async (id) => {
        const answer = await cancel(id);
        expect([answer.status, answer.body.details?.map(({ field }) => field)]).toEqual([
          400,
          ['transaction_id'],
        ]);
      },
    );
  });

  describe('404', () => {
    it("answers the same for another merchant's payout as for an unknown one, and cancels nothing", async () => {
      const id = await queued();
      const other = await stack.createMerchant();
      const withoutIds = ({ body }: ApiAnswer) => ({
        ...body,
        request_id: '',
        timestamp: '',
        timestamp_utc: '',
      });
      const [theirs, none] = [await cancel(id, other), await cancel(uuidV4(), other)];
      expect([reported(theirs), reported(none)]).toEqual(
        Array.from({ length: 2 }, () => [404, 'PAYMENT_NOT_FOUND']),
      );
      expect(withoutIds(theirs)).toEqual(withoutIds(none));
      expect(await cancellationsAskedFor(id)).toBe(0);
      expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({ state: 'queued' });
    });

    it('finds no deposit and no refund', async () => {
      const deposit = await paidDeposit(stack, merchant);
      const refund = await accepted(stack, merchant, 'refund', { transaction_id: deposit });
      for (const id of [deposit, refund])
        expect(reported(await cancel(id))).toEqual([404, 'PAYMENT_NOT_FOUND']);
    });
  });

  describe('409', () => {
    it('a payout that was never queued is in progress', async () => {
      const id = await accepted(stack, merchant, 'payout', transferBody({ phone_number: '+260763000129' }));
      expect(reported(await cancel(id))).toEqual(tooLate);
      await shownAs(stack, merchant, id, { status: 'PROCESSING', is_final: false, cancellable: false });
      expect(reported(await cancel(id))).toEqual(tooLate);
    });

    it('a queued payout whose network is back is too late, and is paid', async () => {
      await setNetwork(provider, 'ZAMTEL_ZMB', 'PAYOUT', 'DELAYED');
      const id = await accepted(stack, merchant, 'payout', transferBody({ phone_number: '+260753000129' }));
      await setNetwork(provider, 'ZAMTEL_ZMB', 'PAYOUT', 'OPERATIONAL');
      const answer = await cancel(id);
      expect(reported(answer)).toEqual(tooLate);
      expect(answer.body.error).toBe('The payout can no longer be cancelled');
      await shownAs(stack, merchant, id, { status: 'PROCESSING' });
    });

    it.each([
      ['succeeded', '+260763000789', 'Success'],
      ['failed', '+260763000089', 'Failed'],
    ])('a payout that %s has ended, and stays so', async (state, phone_number, status) => {
      const id = await accepted(stack, merchant, 'payout', transferBody({ phone_number }));
      await notifiedOf(merchant, id, status);
      await atRest(stack.db, id);
      const { workflow_id: workflowId } = await getPaymentOrThrow(stack.db, id);
      const handle = engine.client.workflow.getHandle(workflowId);
      await handle.result();
      const before = await handle.describe();
      expect(reported(await cancel(id))).toEqual(tooLate);
      expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({ state });
      // Nothing was started for it.
      expect((await handle.describe()).runId).toBe(before.runId);
    });

    it('while the result is unknown: in progress, and the amount stays reserved', async () => {
      const payer = await stack.createMerchant();
      await fund(stack, payer, 2_550n);
      const id = await queued(payer);
      const where = { phone_number: await phoneOf(id) };
      await provider.next({ call: 'callback', behave: 'drop', where });
      await provider.next({ call: 'status', behave: '500', times: 1_000, where });
      expect(reported(await cancel(id, payer))).toEqual([409, 'CANCELLATION_IN_PROGRESS']);
      expect(await floatOf(stack, payer)).toEqual({ free: 0n, reserved: 2_550n });
      await fetch(`${stack.simulatorUrl}/control/reset`, { method: 'POST' });
      expect((await cancel(id, payer)).status).toBe(200);
      await notifiedOf(payer, id, 'Cancelled');
      expect(await floatOf(stack, payer)).toEqual({ free: 2_550n, reserved: 0n });
    });

    it.each(['drop', '500'])(
      'while the provider does not receive it (%s): no final answer, and a repeat cancels later',
      async (behave) => {
        const id = await queued();
        const key = { 'Idempotency-Key': uuidV4() };
        const keyed = () => post(stack, merchant, 'cancel_payout', { transaction_id: id }, key);
        await provider.next({
          call: 'cancel',
          behave,
          times: 1_000,
          where: { phone_number: await phoneOf(id) },
        });
        expect(reported(await keyed())).toEqual([409, 'CANCELLATION_IN_PROGRESS']);
        const sent = await cancellationsAskedFor(id);
        expect(sent).toBeGreaterThan(1);
        expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({ state: 'queued' });
        await fetch(`${stack.simulatorUrl}/control/reset`, { method: 'POST' });
        expect((await keyed()).status).toBe(200);
        expect(await cancellationsAskedFor(id)).toBe(sent + 1);
        expect((await keyed()).headers.get('idempotent-replayed')).toBe('true');
      },
    );

    it('without a worker: in progress, and decided once one is back', async () => {
      const id = await queued();
      await stack.kill('worker');
      try {
        expect(reported(await cancel(id))).toEqual([409, 'CANCELLATION_IN_PROGRESS']);
      } finally {
        await stack.start('worker');
      }
      const answer = await waitFor(
        async () => {
          const next = await cancel(id);
          return next.status === 200 ? next : undefined;
        },
        { what: 'the payout to be cancelled', timeoutMs: 40_000, everyMs: 500 },
      );
      expect(answer.body).toMatchObject({ status: 'CANCELLED', is_final: true });
    });
  });
});
