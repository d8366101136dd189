/** The kill switch: what is stopped waits, whichever process would send it, and goes on once and by itself. */
import { barrierNow } from '../../../src/controls/gate';
import { findPayoutStops, startPayouts, stopPayouts } from '../../../src/controls/stops';
import { acceptPayment } from '../../../src/payments/create/accept-payment';
import { acceptBulk } from '../../../src/payments/create/bulk/accept-bulk';
import { initiate } from '../../../src/payments/submit/initiate';
import type { Operation } from '../../../src/rail-kit/rail';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { cancelQueued } from '../../../src/payments/resolve/cancel';
import { statusBody } from '../../../src/rails/momo/responses';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { callOf, draft, fakeEngine, lostLongAgo, type FakeContext } from '../../support/payments/fakes';
import { floatOf, outgoingStage, setAside } from '../payments/held-payout';
import { insertMerchant, insertPayment } from '../../support/store/rows';

const on = outgoingStage();
let db: Database;
let context: FakeContext;
let operation: Operation;
beforeEach(() => {
  ({ db, context, operation } = on);
});
afterEach(async () => {
  for (const { merchant_id, rail, country } of await findPayoutStops(db))
    await startPayouts(
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
const waits = { kind: 'try_again', why: 'stopped by amina: a key was stolen' };
const goesOn = { kind: 'done', initiation: { state: 'pending' } };

describe('while payouts are stopped', () => {
  it('one waits without an attempt, says why, and goes on once when they are started', async () => {
    const id = await payout();
    await stopPayouts(db, {}, amina);
    for (let tries = 0; tries < 3; tries += 1) expect(await initiate(context, id)).toMatchObject(waits);
    expect(await rowOf(id)).toMatchObject({ state: 'received', wakes: 0 });
    expect(statusBody(await rowOf(id))).toMatchObject({
      status: 'ENQUEUED',
      payment_status: 'Processing',
      is_final: false,
      cancellable: true,
      hold_reason: 'PAYOUTS_STOPPED',
    });
    expect(await attemptsOf(id)).toEqual([]);
    await startPayouts(db, {}, { by: 'baraka' });
    expect(await initiate(context, id)).toMatchObject(goesOn);
    expect(await initiate(context, id)).toMatchObject(goesOn);
    expect(context.provider.initiated).toEqual([id]);
    expect(statusBody(await rowOf(id))).not.toHaveProperty('hold_reason');
  });

  it('what comes in goes on, and what goes back, unless refunds are stopped with them', async () => {
    await stopPayouts(db, {}, amina);
    const [deposit, refund, later] = [
      await insertPayment(db),
      await insertPayment(db, { kind: 'refund' }),
      await insertPayment(db, { kind: 'refund' }),
    ];
    expect(await initiate(context, deposit)).toMatchObject({ kind: 'done' });
    expect(await initiate(context, refund)).toMatchObject({ kind: 'done' });
    await stopPayouts(db, {}, { ...amina, withRefunds: true });
    expect(await initiate(context, later)).toMatchObject(waits);
    expect(context.provider.initiated).toEqual([deposit, refund]);
  });

  it.each([
    ['merchant', (merchantId: string) => ({ merchantId }), {}],
    ['rail', () => ({ rail: 'stk' }), { rail: 'other' }],
    ['country', () => ({ country: 'KEN' }), { details: { country: 'UGA' } }],
    ['rail and country', () => ({ rail: 'stk', country: 'KEN' }), { details: {} }],
  ])('of one %s, those of another go on', async (_which, scopeOf, another) => {
    const { operations } = context.rails.get('stk');
    context.rails.all.push({ ...context.rails.get('stk'), name: 'other', operations });
    const get = context.rails.get;
    context.rails.get = (name) => (name === 'other' ? get('stk') : get(name));
    const merchantId = await insertMerchant(db);
    await stopPayouts(db, scopeOf(merchantId), amina);
    const held = await payout({ merchant_id: merchantId, details: { country: 'KEN' } });
    const free = await payout({ details: { country: 'KEN' }, ...another });
    expect(await initiate(context, held)).toMatchObject(waits);
    expect(await initiate(context, free)).toMatchObject(goesOn);
  });

  it('one may be called off, and its money is free again', async () => {
    const payment = await setAside(db, await payout());
    await stopPayouts(db, {}, amina);
    await initiate(context, payment.payment_id);
    expect(await floatOf(db, payment)).toEqual([0n, 125_000n]);
    operation.cancel = () => Promise.resolve('too_late');
    expect(await cancelQueued(context, payment.payment_id)).toBe('cancelled');
    await startPayouts(db, {}, { by: 'baraka' });
    expect(await initiate(context, payment.payment_id)).toMatchObject({ initiation: { state: 'cancelled' } });
    expect(await floatOf(db, payment)).toEqual([125_000n, 0n]);
    expect(context.provider.initiated).toEqual([]);
  });

  it('one that may have been sent before is neither looked for nor sent again', async () => {
    const id = await payout();
    operation.initiate = () => Promise.reject(new Error('the process ended'));
    await expect(initiate(context, id)).rejects.toThrow('the process ended');
    await lostLongAgo(db, id);
    const recovered: string[] = [];
    operation.recover = ({ payment_id: each }) => {
      recovered.push(each);
      return Promise.resolve({ kind: 'accepted', providerReference: each });
    };
    await stopPayouts(db, {}, amina);
    expect(await initiate(context, id)).toMatchObject(waits);
    expect([recovered, await attemptsOf(id)]).toEqual([[], ['sent']]);
    expect(statusBody(await rowOf(id))).toMatchObject({ cancellable: false, status: 'ACCEPTED' });
    await startPayouts(db, {}, { by: 'baraka' });
    expect(await initiate(context, id)).toMatchObject(goesOn);
    expect([recovered, await attemptsOf(id)]).toEqual([[id], ['accepted']]);
  });

  it.each([
    ['while they are', true],
    ['though nobody asked until they were started', false],
  ])('one is given up after 72 h, %s: its merchant has his money and is told', async (_when, isStopped) => {
    const payment = await setAside(db, await payout());
    const { payment_id: id } = payment;
    await stopPayouts(db, {}, amina);
    await initiate(context, id);
    const asked = (hours: number) => ({ created_at: new Date(Date.now() - hours * 3_600_000) });
    await db('payments').where({ payment_id: id }).update(asked(71.9));
    expect(await initiate(context, id)).toMatchObject({ kind: 'try_again', afterMs: 60_000 });
    await db('payments').where({ payment_id: id }).update(asked(72.1));
    if (!isStopped) await startPayouts(db, {}, { by: 'baraka' });
    expect(await initiate(context, id)).toMatchObject({
      kind: 'done',
      initiation: { state: 'failed', webhookIds: [expect.any(String)], answer: { kind: 'accepted' } },
    });
    expect(await rowOf(id)).toMatchObject({
      failure_code: 'NOT_RELEASED',
      result_text: expect.stringContaining('given up after 72 h') as unknown,
    });
    expect(await floatOf(db, payment)).toEqual([125_000n, 0n]);
    expect([await attemptsOf(id), context.provider.initiated]).toEqual([[], []]);
  });
});

describe('a request for a payout', () => {
  const out = { ...draft, kind: 'payout' as const };
  it('is accepted, waits, and is answered at once', async () => {
    const merchantId = await insertMerchant(db);
    const call = await callOf(db, merchantId);
    await stopPayouts(db, { merchantId }, amina);
    const engine = fakeEngine(() => Promise.reject(new Error('nobody waits for it to be begun')));
    const { payment, answer } = await acceptPayment(context, engine, call, out);
    expect(answer).toBe('late');
    expect(engine.woken).toEqual([payment.payment_id]);
    expect(payment.answered_at).not.toBeNull();
    expect(statusBody(payment)).toMatchObject({ status: 'ENQUEUED', hold_reason: 'PAYOUTS_STOPPED' });
    const drafts = () => Promise.resolve([out, out]);
    const bulk = await acceptBulk(context, engine, call, { rail: 'stk', orderId: 'B-1', body: '[]', drafts });
    const rows = await db('bulk_rows').where({ bulk_id: bulk.bulk_id }).pluck('payment_id');
    for (const id of [payment.payment_id, ...rows]) expect(await initiate(context, id)).toMatchObject(waits);
    await startPayouts(db, { merchantId }, { by: 'baraka' });
    for (const id of [payment.payment_id, ...rows]) expect(await initiate(context, id)).toMatchObject(goesOn);
  });
});

describe('a stop', () => {
  it('comes after every attempt that is being written, and before every other', async () => {
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
    const stopping = stopPayouts(db, {}, amina).then(() => (isStopped = true));
    // Whoever asks from now on waits for it.
    const after = payout().then((id) => initiate(context, id));
    expect(isStopped).toBe(false);
    letGo();
    await Promise.all([writing, stopping]);
    expect(await after).toBeDefined();
    const logged = await db('payment_log').where({ payment_id: before }).first('log_id');
    const [stop] = await findPayoutStops(db);
    expect(Number(stop?.begun_log_id)).toBeGreaterThanOrEqual(Number(logged?.log_id));
  });

  it('among a hundred that are begun at once lets none go after it, and none twice in the end', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => payout()));
    const begun = ids.map(async (id, n) => {
      await new Promise((resolve) => setTimeout(resolve, n));
      return initiate(context, id);
    });
    await Promise.any(begun);
    await stopPayouts(db, {}, amina);
    const written = await db('attempts').whereIn('payment_id', ids).pluck('payment_id');
    const answers = await Promise.all(begun);
    expect(await db('attempts').whereIn('payment_id', ids).pluck('payment_id')).toHaveLength(written.length);
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(written.length);
    expect([...context.provider.initiated].sort()).toEqual([...written].sort());
    await startPayouts(db, {}, { by: 'baraka' });
    await Promise.all(ids.map((id) => initiate(context, id)));
    expect([...context.provider.initiated].sort()).toEqual([...ids].sort());
  });

  it('ends with the start of exactly what it names, and is kept', async () => {
    const merchantId = await insertMerchant(db);
    const narrow = await stopPayouts(db, { merchantId }, amina);
    await stopPayouts(db, {}, amina);
    const again = await stopPayouts(db, {}, { ...amina, reason: 'another reason' });
    expect(await startPayouts(db, { rail: 'stk' }, { by: 'baraka' })).toEqual([]);
    expect(await startPayouts(db, {}, { by: 'baraka' })).toHaveLength(2);
    expect((await findPayoutStops(db)).map(({ stop_id: id }) => id)).toEqual([narrow]);
    expect(await db('payout_stops').where({ stop_id: again }).first()).toMatchObject({
      reason: 'another reason',
      begun_by: 'amina',
      ended_by: 'baraka',
      ended_at: expect.any(Date) as unknown,
    });
  });
});
