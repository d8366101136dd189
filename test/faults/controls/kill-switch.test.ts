/** What is held back on the running product: accepted, unheard of by the provider, paid once in the end. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { malipo } from '../support/malipo';
import {
  floatOf,
  fund,
  idOf,
  instructionsOf,
  post,
  shownAs,
  statusOf,
  toldOf,
  transferBody,
} from '../../support/rails/momo/payment-story';
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
const isHeldBack = (id: string) =>
  waitFor(
    async () =>
      (await stack.db('payments').where({ payment_id: id }).first('details'))?.details['held_back'] !==
      undefined,
    { what: `payment ${id} to be held back`, timeoutMs: 60_000 },
  );

/** As long as what has waited for ten minutes waits before it asks again, less what this test may take. */
const longMs = 40_000;

/** Of one that has waited for long: its next try is far ahead. */
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

it('what is asked for while payouts are stopped waits, whoever is killed meanwhile, and is paid once afterwards', async () => {
  const other = await stack.createMerchant();
  await fund(stack, other, 10_000n);
  await malipo(stack, 'stop', 'payouts', ...scope(), '--reason', 'a key was stolen', '--as', 'amina');
  // Whoever accepts knows it as of a second ago; until then a merchant would wait for what is not begun.
  await waitFor(
    async () => (await (await fetch(`${stack.opsUrl}/metrics`)).text()).includes('payout_stops 1'),
    { what: 'the API to know of the stop', timeoutMs: 60_000 },
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
  for (const each of ids) await isHeldBack(each);
  await stack.kill('worker');
  await stack.start('worker');

  const paid = idOf(await post(stack, other, 'payout', transferBody()));
  await toldOf(other, paid, 'Success');
  const cancelled = await post(stack, merchant, 'cancel_payout', { transaction_id: dropped });
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'CANCELLED']);
  await toldOf(merchant, dropped, 'Cancelled');
  for (const each of ids) {
    expect((await statusOf(stack, merchant, each)).body).toMatchObject({
      status: 'ENQUEUED',
      is_final: false,
      cancellable: true,
      hold_reason: 'PAYOUTS_STOPPED',
    });
  }
  for (const each of [...ids, dropped]) expect(await instructionsOf(provider, each)).toEqual([]);
  expect(await malipo(stack, 'payment', 'show', id)).toContain('PAYOUTS_STOPPED');

  await malipo(stack, 'start', 'payouts', ...scope(), '--as', 'baraka');
  for (const each of ids) await toldOf(merchant, each, 'Success');
  for (const each of ids) expect(await instructionsOf(provider, each)).toHaveLength(1);
  await shownAs(stack, merchant, id, { status: 'COMPLETED', hold_reason: undefined });
  const { reserved } = await floatOf(stack, merchant);
  expect(reserved).toBe(0n);
});

it('a first payment to a stranger is accepted and waits until an operator releases it', async () => {
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
  await toldOf(careful, small, 'Success');
  expect(await instructionsOf(provider, id)).toEqual([]);
  expect(await malipo(stack, 'hold', 'list')).toContain(id);
  await waitsLong(id);
  const released = Date.now();
  await malipo(stack, 'release', id, '--note', 'the recipient was called', '--as', 'amina');
  await toldOf(careful, id, 'Success');
  expect(Date.now() - released).toBeLessThan(longMs);
  expect(await instructionsOf(provider, id)).toHaveLength(1);
});

it('what was stopped is woken when payouts are started, and need not be waited for', async () => {
  const patient = await stack.createMerchant();
  await fund(stack, patient, 10_000n);
  await malipo(stack, 'stop', 'payouts', '--merchant', patient.merchantId, '--reason', 'a test');
  const id = idOf(await post(stack, patient, 'payout', transferBody()));
  await isHeldBack(id);
  await waitsLong(id);
  const started = Date.now();
  const said = await malipo(stack, 'start', 'payouts', '--merchant', patient.merchantId);
  expect(said).toContain('goes on by itself at once');
  await toldOf(patient, id, 'Success');
  expect(Date.now() - started).toBeLessThan(longMs);
  expect(await instructionsOf(provider, id)).toHaveLength(1);
});
