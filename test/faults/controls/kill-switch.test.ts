/** Payouts on hold in the running product: accepted, unknown to the provider, paid once in the end. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { malipo } from '../support/malipo';
import {
  floatOf,
  fund,
  idOf,
  submissionsOf,
  post,
  shownAs,
  statusOf,
  notifiedOf,
  transferBody,
} from '../../support/rails/momo/payments';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import { expectClean } from '../../support/expect-clean';
import { call } from '../../support/merchant-client';
import { startStack, type OwnStack, type TestMerchant } from '../../support/stack';
import { connectEngine, type TestEngine } from '../../support/workflows/temporal-client';

let stack: OwnStack;
let provider: SimulatorControl;
let merchant: TestMerchant;
let engine: TestEngine;
beforeAll(async () => {
  stack = await startStack({ timeScale: 20 });
  engine = await connectEngine(stack);
  provider = simulatorControl(stack.simulatorUrl, 'momo');
  merchant = await stack.createMerchant();
  await fund(stack, merchant, 100_000n);
});
afterAll(async () => {
  await engine.close();
  await expectClean(stack);
  await stack.stop();
});

const scope = () => ['--merchant', merchant.merchantId, '--rail', 'momo'];
const isOnHold = (id: string) =>
  waitFor(
    async () =>
      (await stack.db('payments').where({ payment_id: id }).first('details'))?.details['on_hold'] !==
      undefined,
    { what: `payment ${id} to be held back`, timeoutMs: 60_000 },
  );

/** As long as the interval of a payment that has been on hold for ten minutes, minus this test's time. */
const longMs = 40_000;

/** For a payment that has been on hold for long: its next attempt is far ahead. */
async function waitsLong(id: string): Promise<void> {
  await stack
    .db('payments')
    .where({ payment_id: id })
    .update({ created_at: new Date(Date.now() - 600_000) });
  const { workflow_id: workflowId } = await getPaymentOrThrow(stack.db, id);
  await waitFor(
    async () => {
      const { raw } = await engine.client.workflow.getHandle(workflowId).describe();
      const next = raw.pendingActivities?.[0]?.scheduledTime;
      return Number(next?.seconds ?? 0) * 1_000 > Date.now() + longMs;
    },
    { what: `payment ${id} to wait for long`, timeoutMs: 60_000 },
  );
}

it('a payout requested during a pause is on hold, also after kills, and is paid once afterwards', async () => {
  const other = await stack.createMerchant();
  await fund(stack, other, 10_000n);
  await malipo(stack, 'payouts', 'pause', ...scope(), '--reason', 'a key was stolen', '--as', 'amina');
  // The API knows it as of a second ago; until then a merchant would wait for a start that does not come.
  await waitFor(
    async () =>
      (await (await fetch(`${stack.opsUrl}/metrics`)).text()).includes(
        'malipo_payout_pauses{environment="sandbox"} 1',
      ),
    { what: 'the API to know of the pause', timeoutMs: 60_000 },
  );
  const waiting = await post(stack, merchant, 'payout', transferBody());
  expect(waiting.body).toMatchObject({
    status: 'ENQUEUED',
    cancellable: true,
    hold_reason: 'PAYOUTS_STOPPED',
  });
  const [id, dropped] = [idOf(waiting), idOf(await post(stack, merchant, 'payout', transferBody()))];
  const bulk = await call(stack, merchant, 'POST', '/api/v1/momo/bulk_payout', {
    order_id: `STOPPED-${id}`,
    payouts: [transferBody()],
  });
  const [row] = bulk.body['payouts'] as { transaction_id: string }[];
  const ids = [id, row?.transaction_id ?? ''];
  for (const each of ids) await isOnHold(each);
  await stack.kill('worker');
  await stack.start('worker');

  const paid = idOf(await post(stack, other, 'payout', transferBody()));
  await notifiedOf(other, paid, 'Success');
  const cancelled = await post(stack, merchant, 'cancel_payout', { transaction_id: dropped });
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'CANCELLED']);
  await notifiedOf(merchant, dropped, 'Cancelled');
  for (const each of ids) {
    expect((await statusOf(stack, merchant, each)).body).toMatchObject({
      status: 'ENQUEUED',
      is_final: false,
      cancellable: true,
      hold_reason: 'PAYOUTS_STOPPED',
    });
  }
  for (const each of [...ids, dropped]) expect(await submissionsOf(provider, each)).toEqual([]);
  expect(await malipo(stack, 'payment', 'show', id)).toContain('PAYOUTS_STOPPED');

  await malipo(stack, 'payouts', 'resume', ...scope(), '--as', 'baraka');
  for (const each of ids) await notifiedOf(merchant, each, 'Success');
  for (const each of ids) expect(await submissionsOf(provider, each)).toHaveLength(1);
  await shownAs(stack, merchant, id, { status: 'COMPLETED', hold_reason: undefined });
  const { reserved } = await floatOf(stack, merchant);
  expect(reserved).toBe(0n);
});

it('a first payment to a new recipient is accepted, and on hold until an operator releases it', async () => {
  const careful = await stack.createMerchant();
  await fund(stack, careful, 10_000n);
  const about = ['--merchant', careful.merchantId, '--currency', 'ZMW', '--reason', 'time to object'];
  const above = ['--amount', '10.00', '--cooldown', '24h'];
  await malipo(stack, 'limit', 'set', 'first_payment_cooldown', ...about, ...above);
  const answer = await post(stack, careful, 'payout', transferBody());
  expect(answer.body).toMatchObject({ status: 'ENQUEUED', hold_reason: 'FIRST_PAYMENT_COOLDOWN' });
  const [id, small] = [
    idOf(answer),
    idOf(await post(stack, careful, 'payout', transferBody({ amount: '5.00' }))),
  ];
  await notifiedOf(careful, small, 'Success');
  expect(await submissionsOf(provider, id)).toEqual([]);
  expect(await malipo(stack, 'hold', 'list')).toContain(id);
  await waitsLong(id);
  const released = Date.now();
  await malipo(stack, 'hold', 'release', id, '--note', 'the recipient was called', '--as', 'amina');
  await notifiedOf(careful, id, 'Success');
  expect(Date.now() - released).toBeLessThan(longMs);
  expect(await submissionsOf(provider, id)).toHaveLength(1);
});

it('a paused payout continues when payouts are resumed', async () => {
  const patient = await stack.createMerchant();
  await fund(stack, patient, 10_000n);
  await malipo(stack, 'payouts', 'pause', '--merchant', patient.merchantId, '--reason', 'a test');
  const id = idOf(await post(stack, patient, 'payout', transferBody()));
  await isOnHold(id);
  await waitsLong(id);
  const started = Date.now();
  const output = await malipo(stack, 'payouts', 'resume', '--merchant', patient.merchantId);
  expect(output).toContain('continue by themselves at once');
  await notifiedOf(patient, id, 'Success');
  expect(Date.now() - started).toBeLessThan(longMs);
  expect(await submissionsOf(provider, id)).toHaveLength(1);
});
