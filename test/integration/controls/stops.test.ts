/** The kill switch: payments of a paused account are on hold in every process. Each continues once, automatically. */
import { barrierNow } from '../../../src/controls/payout-barrier';
import { findPayoutPauses, resumePayouts, pausePayouts } from '../../../src/controls/pauses';
import { createPayment } from '../../../src/payments/create/create-payment';
import { createBulk } from '../../../src/payments/create/bulk/create-bulk';
import { submitPayment } from '../../../src/payments/submit/submit-payment';
import type { Operation } from '../../../src/rail-kit/rail';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { cancelQueued } from '../../../src/payments/resolve/cancel';
import { statusBody } from '../../../src/rails/momo/responses';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { callOf, draft, fakeEngine, lostLongAgo, type FakeContext } from '../../support/payments/fakes';
import { floatOf, outgoingStage, setAside } from '../payments/payout-on-hold';
import { insertMerchant, insertPayment } from '../../support/store/rows';

const on = outgoingStage();
let db: Database;
let context: FakeContext;
let operation: Operation;
beforeEach(() => {
  ({ db, context, operation } = on);
});
afterEach(async () => {
  for (const { merchant_id, rail, country } of await findPayoutPauses(db))
    await resumePayouts(
      db,
      { merchantId: merchant_id ?? undefined, rail: rail ?? undefined, country: country ?? undefined },
      { by: 'baraka' },
    );
});

const amina = { by: 'amina', reason: 'a key was stolen', withRefunds: false };
const rowOf = (id: string) => getPaymentOrThrow(db, id);
const attemptsOf = async (id: string) =>
  (await db('attempts').where({ payment_id: id }).orderBy('n')).map(({ state }) => state);
const payout = (changes: Partial<PaymentRow> = {}) => insertPayment(db, { kind: 'payout', ...changes });
const waits = { kind: 'try_again', why: 'paused by amina: a key was stolen' };
const goesOn = { kind: 'done', initiation: { state: 'pending' } };

describe('while payouts are paused', () => {
  it('a payout is on hold without an attempt, shows the reason, and is sent once after the resume', async () => {
    const id = await payout();
    await pausePayouts(db, {}, amina);
    for (let tries = 0; tries < 3; tries += 1) expect(await submitPayment(context, id)).toMatchObject(waits);
    expect(await rowOf(id)).toMatchObject({ state: 'received', signals: 0 });
    expect(statusBody(await rowOf(id))).toMatchObject({
      status: 'ENQUEUED',
      payment_status: 'Processing',
      is_final: false,
      cancellable: true,
      hold_reason: 'PAYOUTS_STOPPED',
    });
    expect(await attemptsOf(id)).toEqual([]);
    await resumePayouts(db, {}, { by: 'baraka' });
    expect(await submitPayment(context, id)).toMatchObject(goesOn);
    expect(await submitPayment(context, id)).toMatchObject(goesOn);
    expect(context.provider.initiated).toEqual([id]);
    expect(statusBody(await rowOf(id))).not.toHaveProperty('hold_reason');
  });

  it('deposits continue, and refunds too unless they are paused as well', async () => {
    await pausePayouts(db, {}, amina);
    const [deposit, refund, later] = [
      await insertPayment(db),
      await insertPayment(db, { kind: 'refund' }),
      await insertPayment(db, { kind: 'refund' }),
    ];
    expect(await submitPayment(context, deposit)).toMatchObject({ kind: 'done' });
    expect(await submitPayment(context, refund)).toMatchObject({ kind: 'done' });
    await pausePayouts(db, {}, { ...amina, withRefunds: true });
    expect(await submitPayment(context, later)).toMatchObject(waits);
    expect(context.provider.initiated).toEqual([deposit, refund]);
  });

  it.each([
    ['merchant', (merchantId: string) => ({ merchantId }), {}],
    ['rail', () => ({ rail: 'stk' }), { rail: 'other' }],
    ['country', () => ({ country: 'KEN' }), { details: { country: 'UGA' } }],
    ['rail and country', () => ({ rail: 'stk', country: 'KEN' }), { details: {} }],
  ])('of one %s, payouts of another continue', async (_which, scopeOf, another) => {
    const { operations } = context.rails.get('stk');
    context.rails.all.push({ ...context.rails.get('stk'), name: 'other', operations });
    const get = context.rails.get;
    context.rails.get = (name) => (name === 'other' ? get('stk') : get(name));
    const merchantId = await insertMerchant(db);
    await pausePayouts(db, scopeOf(merchantId), amina);
    const held = await payout({ merchant_id: merchantId, details: { country: 'KEN' } });
    const free = await payout({ details: { country: 'KEN' }, ...another });
    expect(await submitPayment(context, held)).toMatchObject(waits);
    expect(await submitPayment(context, free)).toMatchObject(goesOn);
  });

  it('a payout can be cancelled, and its reserve is released', async () => {
    const payment = await setAside(db, await payout());
    await pausePayouts(db, {}, amina);
    await submitPayment(context, payment.payment_id);
    expect(await floatOf(db, payment)).toEqual([0n, 125_000n]);
    operation.cancel = () => Promise.resolve('too_late');
    expect(await cancelQueued(context, payment.payment_id)).toBe('cancelled');
    await resumePayouts(db, {}, { by: 'baraka' });
    expect(await submitPayment(context, payment.payment_id)).toMatchObject({
      initiation: { state: 'cancelled' },
    });
    expect(await floatOf(db, payment)).toEqual([125_000n, 0n]);
    expect(context.provider.initiated).toEqual([]);
  });

  it('a payout that may have been sent is neither recovered nor sent again', async () => {
    const id = await payout();
    operation.initiate = () => Promise.reject(new Error('the process ended'));
    await expect(submitPayment(context, id)).rejects.toThrow('the process ended');
    await lostLongAgo(db, id);
    const recovered: string[] = [];
    operation.recover = ({ payment_id: each }) => {
      recovered.push(each);
      return Promise.resolve({ kind: 'accepted', providerReference: each });
    };
    await pausePayouts(db, {}, amina);
    expect(await submitPayment(context, id)).toMatchObject(waits);
    expect([recovered, await attemptsOf(id)]).toEqual([[], ['sent']]);
    expect(statusBody(await rowOf(id))).toMatchObject({ cancellable: false, status: 'ACCEPTED' });
    await resumePayouts(db, {}, { by: 'baraka' });
    expect(await submitPayment(context, id)).toMatchObject(goesOn);
    expect([recovered, await attemptsOf(id)]).toEqual([[id], ['accepted']]);
  });

  it.each([
    ['during the pause', true],
    ['also when the next try comes after the resume', false],
  ])(
    'a payout fails after 72 h, %s: its reserve is released and its merchant is notified',
    async (_when, isStopped) => {
      const payment = await setAside(db, await payout());
      const { payment_id: id } = payment;
      await pausePayouts(db, {}, amina);
      await submitPayment(context, id);
      const asked = (hours: number) => ({ created_at: new Date(Date.now() - hours * 3_600_000) });
      await db('payments').where({ payment_id: id }).update(asked(71.9));
      expect(await submitPayment(context, id)).toMatchObject({ kind: 'try_again', afterMs: 60_000 });
      await db('payments').where({ payment_id: id }).update(asked(72.1));
      if (!isStopped) await resumePayouts(db, {}, { by: 'baraka' });
      expect(await submitPayment(context, id)).toMatchObject({
        kind: 'done',
        initiation: { state: 'failed', webhookIds: [expect.any(String)], answer: { kind: 'accepted' } },
      });
      expect(await rowOf(id)).toMatchObject({
        failure_code: 'NOT_RELEASED',
        result_text: expect.stringContaining('on hold for more than 72 h') as unknown,
      });
      expect(await floatOf(db, payment)).toEqual([125_000n, 0n]);
      expect([await attemptsOf(id), context.provider.initiated]).toEqual([[], []]);
    },
  );
});

describe('a request for a payout', () => {
  const out = { ...draft, kind: 'payout' as const };
  it('is accepted, is on hold, and is answered at once', async () => {
    const merchantId = await insertMerchant(db);
    const call = await callOf(db, merchantId);
    await pausePayouts(db, { merchantId }, amina);
    const engine = fakeEngine(() => Promise.reject(new Error('nobody waits for it to be begun')));
    const { payment, answer } = await createPayment(context, engine, call, out);
    expect(answer).toBe('late');
    expect(engine.signalled).toEqual([payment.payment_id]);
    expect(payment.answered_at).not.toBeNull();
    expect(statusBody(payment)).toMatchObject({ status: 'ENQUEUED', hold_reason: 'PAYOUTS_STOPPED' });
    const drafts = () => Promise.resolve([out, out]);
    const bulk = await createBulk(context, engine, call, { rail: 'stk', orderId: 'B-1', body: '[]', drafts });
    const rows = await db('bulk_rows').where({ bulk_id: bulk.bulk_id }).pluck('payment_id');
    for (const id of [payment.payment_id, ...rows])
      expect(await submitPayment(context, id)).toMatchObject(waits);
    await resumePayouts(db, { merchantId }, { by: 'baraka' });
    for (const id of [payment.payment_id, ...rows])
      expect(await submitPayment(context, id)).toMatchObject(goesOn);
  });
});

describe('a pause', () => {
  it('follows every attempt that is being written, and precedes all others', async () => {
    const before = await payout();
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const writing = db.transaction(async (trx) => {
      expect(await barrierNow(trx, await rowOf(before))).toBeUndefined();
      isAsked();
      await held;
      await trx('payment_log').insert({
        payment_id: before,
        from_state: 'received',
        to_state: 'initiating',
        cause: 'attempt',
        evidence: null,
        at: new Date(),
      });
    });
    await asked;
    let isStopped = false;
    const stopping = pausePayouts(db, {}, amina).then(() => (isStopped = true));
    // A later submission waits for the pause.
    const after = payout().then((id) => submitPayment(context, id));
    expect(isStopped).toBe(false);
    letGo();
    await Promise.all([writing, stopping]);
    expect(await after).toBeDefined();
    const logged = await db('payment_log').where({ payment_id: before }).first('log_id');
    const [stop] = await findPayoutPauses(db);
    expect(Number(stop?.begun_log_id)).toBeGreaterThanOrEqual(Number(logged?.log_id));
  });

  it('among a hundred submissions allows none after it, and each payout is sent once after the resume', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => payout()));
    const begun = ids.map(async (id, n) => {
      await new Promise((resolve) => setTimeout(resolve, n));
      return submitPayment(context, id);
    });
    await Promise.any(begun);
    await pausePayouts(db, {}, amina);
    const written = await db('attempts').whereIn('payment_id', ids).pluck('payment_id');
    const answers = await Promise.all(begun);
    expect(await db('attempts').whereIn('payment_id', ids).pluck('payment_id')).toHaveLength(written.length);
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(written.length);
    expect([...context.provider.initiated].sort()).toEqual([...written].sort());
    await resumePayouts(db, {}, { by: 'baraka' });
    await Promise.all(ids.map((id) => submitPayment(context, id)));
    expect([...context.provider.initiated].sort()).toEqual([...ids].sort());
  });

  it('ends with the resume of exactly its own scope, and stays stored', async () => {
    const merchantId = await insertMerchant(db);
    const narrow = await pausePayouts(db, { merchantId }, amina);
    await pausePayouts(db, {}, amina);
    const again = await pausePayouts(db, {}, { ...amina, reason: 'another reason' });
    expect(await resumePayouts(db, { rail: 'stk' }, { by: 'baraka' })).toEqual([]);
    expect(await resumePayouts(db, {}, { by: 'baraka' })).toHaveLength(2);
    expect((await findPayoutPauses(db)).map(({ pause_id: id }) => id)).toEqual([narrow]);
    expect(await db('payout_pauses').where({ pause_id: again }).first()).toMatchObject({
      reason: 'another reason',
      begun_by: 'amina',
      ended_by: 'baraka',
      ended_at: expect.any(Date) as unknown,
    });
  });
});
