/** A payout that is on hold by a rule: it is not sent before its release or its time. */
import { listWaiting, releasePayout } from '../../../src/controls/holds';
import { submitPayment } from '../../../src/payments/submit/submit-payment';
import type { Operation } from '../../../src/rail-kit/rail';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { cancelQueued } from '../../../src/payments/resolve/cancel';
import { statusBody } from '../../../src/rails/momo/responses';
import type { Database } from '../../../src/store/database';
import type { PayoutHoldRow } from '../../../src/store/tables';
import type { FakeContext } from '../../support/payments/fakes';
import { floatOf, outgoingStage, setAside } from '../payments/payout-on-hold';
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

it('shows the reason, and is sent once after one operator releases it; a second release does nothing', async () => {
  const id = await held();
  expect(await submitPayment(context, id)).toMatchObject({
    kind: 'try_again',
    why: 'new recipients per day: on hold until an operator releases it',
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
  await Promise.all([submitPayment(context, id), submitPayment(context, id)]);
  expect(context.provider.initiated).toEqual([id]);
  expect(await db('audit_log').where({ subject_id: id }).pluck('action')).toEqual(['payout.release']);
});

it('is sent after its time', async () => {
  const id = await held({ reason: 'first_payment_cooldown', until_at: new Date(Date.now() + hour) });
  expect(await submitPayment(context, id)).toMatchObject({ kind: 'try_again' });
  expect(statusBody(await getPaymentOrThrow(db, id))).toMatchObject({
    hold_reason: 'FIRST_PAYMENT_COOLDOWN',
  });
  await db('payout_holds').where({ payment_id: id }).update({ until_at: new Date() });
  expect(await waiting()).not.toContain(id);
  expect(await submitPayment(context, id)).toMatchObject({ initiation: { state: 'pending' } });
});

it('is not sent because of a forged row: without an audit line, or with a time that its reason does not have', async () => {
  const ids = [
    await held({ released_by: 'amina', released_at: new Date() }),
    await held({ until_at: new Date(Date.now() - hour) }),
  ];
  for (const id of ids)
    expect(await submitPayment(context, id)).toMatchObject({
      why: 'new recipients per day: on hold until an operator releases it',
    });
  expect(context.provider.initiated).toEqual([]);
});

it('can be cancelled, and cannot be released afterwards', async () => {
  const id = await held();
  await submitPayment(context, id);
  operation.cancel = () => Promise.resolve('too_late');
  expect(await cancelQueued(context, id)).toBe('cancelled');
  expect(await floatOf(db, await getPaymentOrThrow(db, id))).toEqual([125_000n, 0n]);
  expect(await releasePayout(db, id, amina)).toEqual({ kind: 'ended', state: 'cancelled' });
  expect(await waiting()).not.toContain(id);
});

it('fails after 72 h: the reserve is released, and the hold can no longer be', async () => {
  const id = await held();
  await submitPayment(context, id);
  const created_at = new Date(Date.now() - 72 * hour - 1);
  await db('payments').where({ payment_id: id }).update({ created_at });
  expect(await submitPayment(context, id)).toMatchObject({ initiation: { state: 'failed' } });
  expect(await floatOf(db, await getPaymentOrThrow(db, id))).toEqual([125_000n, 0n]);
  expect(await releasePayout(db, id, amina)).toEqual({ kind: 'ended', state: 'failed' });
  expect([await attemptsOf(id), context.provider.initiated]).toEqual([0, []]);
});

it('is released, cancelled or sent in any order, but never both cancelled and sent', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => held()));
  for (const id of ids) await submitPayment(context, id);
  operation.cancel = () => Promise.resolve('too_late');
  for (const id of ids) {
    const [, , cancellation] = await Promise.all([
      releasePayout(db, id, amina),
      submitPayment(context, id),
      cancelQueued(context, id),
    ]);
    const isSent = context.provider.initiated.includes(id);
    expect([id, isSent && cancellation === 'cancelled']).toEqual([id, false]);
  }
});

it('a payout that was never on hold cannot be released', async () => {
  const id = await insertPayment(db, { kind: 'payout' });
  expect(await releasePayout(db, id, amina)).toEqual({ kind: 'not_held' });
  expect(await releasePayout(db, 'nobody', amina)).toEqual({ kind: 'not_held' });
});
