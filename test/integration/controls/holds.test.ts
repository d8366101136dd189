/** A payout that waits by itself: nothing is sent before it is released, or its time is over. */
import { listWaiting, releasePayout } from '../../../src/controls/holds';
import { initiate } from '../../../src/payments/submit/initiate';
import type { Operation } from '../../../src/rail-kit/rail';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { cancelQueued } from '../../../src/payments/resolve/cancel';
import { statusBody } from '../../../src/rails/momo/responses';
import type { Database } from '../../../src/store/database';
import type { PayoutHoldRow } from '../../../src/store/tables';
import type { FakeContext } from '../../support/payments/fakes';
import { floatOf, outgoingStage, setAside } from '../payments/held-payout';
import { insertPayment } from '../../support/store/rows';

const on = outgoingStage();
let db: Database;
let context: FakeContext;
let operation: Operation;
beforeEach(() => {
  ({ db, context, operation } = on);
});

const amina = { by: 'amina', note: 'the recipient was called' };
const hour = 3_600_000;
const attemptsOf = async (id: string) => (await db('attempts').where({ payment_id: id })).length;
async function held(changes: Partial<PayoutHoldRow> = {}): Promise<string> {
  const { payment_id: id } = await setAside(db, await insertPayment(db, { kind: 'payout' }));
  await db('payout_holds').insert({
    ...{ payment_id: id, reason: 'new_recipients_per_day', limit_id: null },
    ...{ held_at: new Date(), until_at: null, ...changes },
  } as never);
  return id;
}
const waiting = async () => (await listWaiting(db, 1_000)).map(({ payment_id: id }) => id);

it('waits, says why, and goes on once when an operator releases it, and no second one can', async () => {
  const id = await held();
  expect(await initiate(context, id)).toMatchObject({
    kind: 'try_again',
    why: 'new recipients per day: it waits until an operator releases it',
  });
  expect(statusBody(await getPaymentOrThrow(db, id))).toMatchObject({
    status: 'ENQUEUED',
    cancellable: true,
    hold_reason: 'NEW_RECIPIENTS_PER_DAY',
  });
  expect([await attemptsOf(id), context.provider.initiated]).toEqual([0, []]);
  expect(await waiting()).toContain(id);
  const both = await Promise.all([
    releasePayout(db, id, amina),
    releasePayout(db, id, { ...amina, by: 'baraka' }),
  ]);
  expect(both.map(({ kind }) => kind).sort()).toEqual(['released', 'released_before']);
  expect(await waiting()).not.toContain(id);
  await Promise.all([initiate(context, id), initiate(context, id)]);
  expect(context.provider.initiated).toEqual([id]);
  expect(await db('audit_log').where({ subject_id: id }).pluck('action')).toEqual(['payout.release']);
});

it('goes on by itself once its time is over', async () => {
  const id = await held({ reason: 'first_payment_cooldown', until_at: new Date(Date.now() + hour) });
  expect(await initiate(context, id)).toMatchObject({ kind: 'try_again' });
  expect(statusBody(await getPaymentOrThrow(db, id))).toMatchObject({
    hold_reason: 'FIRST_PAYMENT_COOLDOWN',
  });
  await db('payout_holds').where({ payment_id: id }).update({ until_at: new Date() });
  expect(await waiting()).not.toContain(id);
  expect(await initiate(context, id)).toMatchObject({ initiation: { state: 'pending' } });
});

it('does not go on because its row says so: without a line of the log, or with a time where there is none', async () => {
  const ids = [
    await held({ released_by: 'amina', released_at: new Date() }),
    await held({ until_at: new Date(Date.now() - hour) }),
  ];
  for (const id of ids)
    expect(await initiate(context, id)).toMatchObject({
      why: 'new recipients per day: it waits until an operator releases it',
    });
  expect(context.provider.initiated).toEqual([]);
});

it('may be called off, and is then not released', async () => {
  const id = await held();
  await initiate(context, id);
  operation.cancel = () => Promise.resolve('too_late');
  expect(await cancelQueued(context, id)).toBe('cancelled');
  expect(await floatOf(db, await getPaymentOrThrow(db, id))).toEqual([125_000n, 0n]);
  expect(await releasePayout(db, id, amina)).toEqual({ kind: 'ended', state: 'cancelled' });
  expect(await waiting()).not.toContain(id);
});

it('is given up after 72 h: it has failed, its merchant has his money, and it is not released', async () => {
  const id = await held();
  await initiate(context, id);
  const created_at = new Date(Date.now() - 72 * hour - 1);
  await db('payments').where({ payment_id: id }).update({ created_at });
  expect(await initiate(context, id)).toMatchObject({ initiation: { state: 'failed' } });
  expect(await floatOf(db, await getPaymentOrThrow(db, id))).toEqual([125_000n, 0n]);
  expect(await releasePayout(db, id, amina)).toEqual({ kind: 'ended', state: 'failed' });
  expect([await attemptsOf(id), context.provider.initiated]).toEqual([0, []]);
});

it('is released, cancelled or sent, however close these come: never both cancelled and sent', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => held()));
  for (const id of ids) await initiate(context, id);
  operation.cancel = () => Promise.resolve('too_late');
  for (const id of ids) {
    const [, , cancellation] = await Promise.all([
      releasePayout(db, id, amina),
      initiate(context, id),
      cancelQueued(context, id),
    ]);
    const isSent = context.provider.initiated.includes(id);
    expect([id, isSent && cancellation === 'cancelled']).toEqual([id, false]);
  }
});

it('that never was held is not released', async () => {
  const id = await insertPayment(db, { kind: 'payout' });
  expect(await releasePayout(db, id, amina)).toEqual({ kind: 'not_held' });
  expect(await releasePayout(db, 'nobody', amina)).toEqual({ kind: 'not_held' });
});
