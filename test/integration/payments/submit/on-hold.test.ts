/** Payments on hold while their account was paused, and their outcomes. */
import { cancelQueued } from '../../../../src/payments/resolve/cancel';
import { closeCase, openCase } from '../../../../src/controls/cases';
import { submitPayment } from '../../../../src/payments/submit/submit-payment';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { Operation } from '../../../../src/rail-kit/rail';
import { findStops } from '../../../../src/payments/submit/stopped-accounts';
import { createSweeper, sweeperAges } from '../../../../src/payments/recovery/sweeper';
import { statusBody } from '../../../../src/rails/momo/responses';
import type { Database } from '../../../../src/store/database';
import { insertPayment } from '../../../support/store/rows';
import { fakeEngine, type FakeContext } from '../../../support/payments/fakes';
import { floatOf, outgoingStage, setAside } from '../payout-on-hold';

const on = outgoingStage();
let db: Database;
let context: FakeContext;
let deposit: Operation;
beforeEach(() => {
  ({ db, context, operation: deposit } = on);
  deposit.cancel = () => Promise.resolve('too_late');
});

const rowOf = (id: string) => getPaymentOrThrow(db, id);
const attemptsOf = async (id: string) =>
  (await db('attempts').where({ payment_id: id }).orderBy('n')).map(({ state }) => state);

async function stop(): Promise<void> {
  const unknownToProvider = await insertPayment(db, { state: 'pending' });
  await openCase(db, unknownToProvider, { reason: 'unknown_to_provider', detail: 'NOT_FOUND', stops: 'stk' });
  asAnotherProcess();
}
async function lift(): Promise<void> {
  for (const { caseId } of await findStops(db)) await closeCase(db, caseId, 'amina', 'mended');
  asAnotherProcess();
}
/** A process that has not read the paused accounts yet. */
function asAnotherProcess(): void {
  context.db = db.withUserParams({});
}

const payout = async () => setAside(db, await insertPayment(db, { kind: 'payout' }));

describe('a payout on hold', () => {
  afterEach(() => lift());

  it.each([
    ['never tried', []],
    ['tried, and not got through', ['not_sent']],
  ])('%s, is cancelled by its merchant, whose money is returned, and is never sent', async (_how, before) => {
    const payment = await payout();
    const { payment_id: id } = payment;
    if (before.length > 0) {
      context.provider.acceptances = [{ kind: 'not_sent', text: 'ECONNREFUSED' }];
      await submitPayment(context, id);
    }
    expect(statusBody(await rowOf(id))).toMatchObject({ cancellable: false });
    await stop();
    expect(await submitPayment(context, id)).toMatchObject({ kind: 'try_again' });
    expect(statusBody(await rowOf(id))).toMatchObject({ cancellable: true });
    expect(await floatOf(db, payment)).toEqual([0n, 125_000n]);

    expect(await cancelQueued(context, id)).toBe('cancelled');
    expect(await cancelQueued(context, id)).toBe('cancelled');
    expect(await floatOf(db, payment)).toEqual([125_000n, 0n]);
    expect(statusBody(await rowOf(id))).toMatchObject({ cancellable: false, is_final: true });
    expect(await db('outbox').where({ payment_id: id })).toHaveLength(1);
    const begun = context.provider.initiated.length;
    await lift();
    expect(await submitPayment(context, id)).toMatchObject({
      kind: 'done',
      initiation: { state: 'cancelled' },
    });
    expect(context.provider.initiated).toHaveLength(begun);
    expect(await attemptsOf(id)).toEqual(before);
  });

  it("that was submitted since has the provider's result", async () => {
    const { payment_id: id } = await payout();
    await stop();
    await submitPayment(context, id);
    await lift();
    deposit.initiate = () => Promise.reject(new Error('the process ended'));
    await expect(submitPayment(context, id)).rejects.toThrow('the process ended');
    expect(await cancelQueued(context, id)).toBe('too_late');
    expect(await attemptsOf(id)).toEqual(['sent']);
    expect(await rowOf(id)).toMatchObject({ is_final: 0 });
  });

  it('is retried as patiently as a bulk once it continues: a burst of rejections does not end it', async () => {
    const { payment_id: id } = await payout();
    await stop();
    await submitPayment(context, id);
    await lift();
    context.provider.acceptances = [{ kind: 'not_sent', text: '429' }];
    for (let n = 0; n < 10; n += 1)
      expect(await submitPayment(context, id)).toMatchObject({ kind: 'try_again' });
    context.provider.acceptances = [];
    expect(await submitPayment(context, id)).toMatchObject({ initiation: { state: 'pending' } });
  });

  it('is either cancelled or sent, however close both are', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => payout()));
    await stop();
    for (const { payment_id: id } of all) await submitPayment(context, id);
    await lift();
    for (const { payment_id: id } of all) {
      const [, cancellation] = await Promise.all([submitPayment(context, id), cancelQueued(context, id)]);
      const isSent = context.provider.initiated.includes(id);
      expect([id, cancellation === 'cancelled']).toEqual([id, !isSent]);
      expect((await rowOf(id)).state === 'cancelled').toBe(!isSent);
    }
  });
});

describe('a deposit on hold', () => {
  afterEach(() => lift());
  const ago = (ms: number) => new Date(Date.now() - ms);
  async function heldBack(ageMs: number): Promise<string> {
    const id = await insertPayment(db);
    await stop();
    expect(await submitPayment(context, id)).toMatchObject({ kind: 'try_again' });
    // No process read the pauses again while the account was paused.
    await lift();
    await db('payments')
      .where({ payment_id: id })
      .update({ created_at: ago(ageMs) });
    return id;
  }

  it('that is resumed only after the pause, and after its time, does not reach its customer', async () => {
    const id = await heldBack(16_000);
    expect(await submitPayment(context, id)).toMatchObject({
      kind: 'done',
      initiation: {
        state: 'failed',
        answer: { kind: 'refused', publicCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE' },
      },
    });
    expect(await attemptsOf(id)).toEqual([]);
    expect(context.provider.initiated).toEqual([]);
  });

  it('in time reaches the customer', async () => {
    const id = await heldBack(1_000);
    expect(await submitPayment(context, id)).toMatchObject({ initiation: { state: 'pending' } });
    expect(context.provider.initiated).toEqual([id]);
  });

  it('that is never resumed is ended by the sweeper', async () => {
    const id = await heldBack(sweeperAges.giveUpAfterMs + 1_000);
    await db('payments')
      .where({ payment_id: id })
      .update({ next_check_at: ago(1_000) });
    await createSweeper(
      context,
      fakeEngine(() => Promise.resolve('late')),
    ).sweep();
    expect(await rowOf(id)).toMatchObject({ state: 'failed', failure_code: 'NOT_STARTED' });
  });

  it('that did not reach the provider is not sent again after its time', async () => {
    context.provider.acceptances = [{ kind: 'not_sent', text: 'ECONNREFUSED' }];
    const id = await insertPayment(db);
    await submitPayment(context, id);
    await stop();
    await submitPayment(context, id);
    await lift();
    await db('payments')
      .where({ payment_id: id })
      .update({ created_at: ago(16_000) });
    expect(await submitPayment(context, id)).toMatchObject({ initiation: { state: 'failed' } });
    expect(await attemptsOf(id)).toEqual(['not_sent']);
  });
});
