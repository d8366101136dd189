/** A database that was brought back as it was before: nothing that may have gone out since goes out once more. */
import { randomUUID } from 'node:crypto';
import { releasePayout } from '../../../../src/controls/holds';
import { startPayouts, stopPayouts } from '../../../../src/controls/stops';
import { recordAction, type RecordLine } from '../../../../src/users/audit-log';
import { sweeperAges, createSweeper } from '../../../../src/payments/recovery/sweeper';
import { beginRestore, endRestore, findRestore, standOf } from '../../../../src/payments/recovery/restore';
import { initiate } from '../../../../src/payments/submit/initiate';
import { cancelQueued } from '../../../../src/payments/resolve/cancel';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { keepStatement } from '../../../../src/reconciliation/keep-statement';
import { compare, reconcile } from '../../../../src/reconciliation/reconcile';
import { statusBody } from '../../../../src/rails/momo/responses';
import type { Database } from '../../../../src/store/database';
import type { OrphanRow, PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import {
  file,
  format as loudpay,
  line,
  period,
  type Written,
} from '../../../support/reconciliation/statement-support';
import { insertPayment } from '../../../support/store/rows';
import { fakeEngine, type FakeContext } from '../../../support/payments/fakes';
import { outgoingStage, setAside } from '../held-payout';
import { asOurs } from '../../../support/own-rows';

const on = outgoingStage();
let db: Database;
let context: FakeContext;
beforeEach(() => {
  ({ db, context } = on);
});
afterEach(async () => {
  await end();
  await db('payout_stops').update({ begun_at: new Date('2001-01-01') });
  await asOurs(db, 'payout_stops', ...(await db('payout_stops').pluck('stop_id')));
});

const hour = 3_600_000;
const copiedAt = new Date(Date.now() - 2 * hour);
const recording =
  (action: string): RecordLine =>
  (trx, done) =>
    recordAction(trx, { by: 'amina', action, ...done });
const begin = () =>
  beginRestore(context, copiedAt, { reason: 'the disk is gone', record: recording('restore.begin') });
async function end() {
  const stopId = (await findRestore(db))?.stop.stop_id ?? '0';
  return endRestore(db, { stopId, by: 'amina', record: recording('restore.end') });
}
const payout = async (changes: Partial<PaymentRow> = {}): Promise<string> => {
  const id = await insertPayment(db, { kind: 'payout', phone_number: '+254708374149', ...changes });
  await setAside(db, id);
  return id;
};
const stateOf = async (id: string) => (await getPaymentOrThrow(db, id)).state;

/** Two lines of a statement go together: the account they are booked against is that of the only rail here. */
const format = { ...loudpay, payments: [{ rail: 'stk' }] };
async function told(...lines: Partial<Written>[]): Promise<void> {
  const written = lines.map((each) =>
    line(randomUUID(), { kind: 'payout', amountMinor: '125000', phone: '254708374149', ...each }),
  );
  await reconcile(db, format, period(), file(written, randomUUID()));
}
async function forgotten(): Promise<void> {
  await db('orphans').update({ found_at: new Date('2001-01-01') });
}

describe('begun', () => {
  it('sends nothing, and says of what had not been begun that it may have been', async () => {
    const [unbegun, waiting] = [await payout(), await payout({ details: { held_back: 'PAYOUTS_STOPPED' } })];
    const deposit = await insertPayment(db, {});
    const old = { created_at: new Date(Date.now() - 2 * hour) };
    await db('payments').whereIn('payment_id', [unbegun, waiting, deposit]).update(old);
    expect(await begin()).toMatchObject({ kind: 'begun', presumed: 2 });
    expect(await begin()).toEqual({ kind: 'begun_before' });
    expect(await findRestore(db)).toMatchObject({ copiedAt });

    const engine = fakeEngine(() => Promise.resolve('late'));
    await createSweeper(context, engine, sweeperAges).sweep();
    // Nobody says "never started" of what nobody knows.
    for (const id of [unbegun, deposit]) expect(await stateOf(id)).toBe('initiating');
    for (const id of [unbegun, waiting])
      expect(await initiate(context, id)).toMatchObject({ kind: 'try_again' });
    expect(await initiate(context, deposit)).toMatchObject({ initiation: { answer: { kind: 'unknown' } } });
    expect(context.provider.initiated).toEqual([]);

    // Only its own end ends it.
    expect(await startPayouts(db, {}, { by: 'amina' })).toEqual([]);
    expect(await end()).toHaveLength(1);
    // What may have been sent is looked for; what waited then goes on.
    expect(await initiate(context, unbegun)).toMatchObject({ initiation: { answer: { kind: 'unknown' } } });
    await initiate(context, waiting);
    expect(context.provider.initiated).toEqual([waiting]);
    await expectClean({ db });
  });

  it.each(['api', 'worker'] as const)('is refused while an %s runs, and says so', async (kind) => {
    // A worker says that it runs every five seconds.
    const seen = db.raw('UTC_TIMESTAMP(3) - INTERVAL 6 SECOND') as never;
    await db('processes').insert({ process_id: randomUUID(), seen_at: seen, kind, knows: '001-foundation' });
    expect(await begin()).toEqual({ kind: 'in_use', running: [{ kind, knows: '001-foundation', count: 1 }] });
    await db('processes').delete();
    expect(await findRestore(db)).toBeUndefined();
  });

  it('ends no stop of anybody else, and none of theirs ends it', async () => {
    await stopPayouts(db, {}, { by: 'baraka', reason: 'a key was stolen', withRefunds: false });
    await begin();
    expect(await end()).toHaveLength(1);
    const id = await payout();
    expect(await initiate(context, id)).toMatchObject({ why: 'stopped by baraka: a key was stolen' });
    expect(await startPayouts(db, {}, { by: 'baraka' })).toHaveLength(1);
  });
});

describe('what the copy had', () => {
  const longAgo = { created_at: new Date(Date.now() - 80 * hour) };
  const held = { ...longAgo, details: { held_back: 'PAYOUTS_STOPPED' } };
  beforeEach(forgotten);

  it('as held back neither ends as "never sent" nor is called off before it is known', async () => {
    const [repaid, quiet] = [await payout(held), await payout({ ...held, phone_number: '+254700000001' })];
    await begin();
    const waits = async (id: string, why: string) => {
      expect(await initiate(context, id)).toMatchObject({
        kind: 'try_again',
        why: expect.stringContaining(why),
      });
      expect(await cancelQueued(context, id)).toBe('too_late');
      const payment = await getPaymentOrThrow(db, id);
      expect(payment.state).toBe('received');
      expect(statusBody(payment)).toMatchObject({ status: 'ENQUEUED', cancellable: false });
    };
    for (const id of [repaid, quiet]) await waits(id, 'stopped by restore to the past');
    await told({});
    await end();
    await waits(repaid, 'looks paid');
    expect(await db('payout_holds').where({ payment_id: repaid }).first()).toMatchObject({
      released_at: null,
    });
    // Nobody has paid it, as the statements know: it is as late as it was.
    expect(await initiate(context, quiet)).toMatchObject({ kind: 'done', initiation: { state: 'failed' } });
    expect(context.provider.initiated).toEqual([]);
    await expectClean({ db });
  });

  it('as asked for after the restore is called off as ever', async () => {
    await begin();
    const id = await payout({ details: held.details });
    expect(await cancelQueued(context, id)).toBe('cancelled');
  });

  it('as not sent may have been sent since', async () => {
    const ids = [await payout(), await payout({ details: held.details })];
    context.provider.acceptances.push(
      ...ids.map(() => ({ kind: 'not_sent', text: 'nobody answered' }) as const),
    );
    for (const id of ids) expect(await initiate(context, id)).toMatchObject({ kind: 'try_again' });
    // Long enough ago that no process can have it under way.
    const sent = { sent_at: new Date(Date.now() - 40_000) };
    await db('attempts').whereIn('payment_id', ids).update(sent);
    expect(await begin()).toMatchObject({ presumed: 2 });
    context.provider.initiated.length = 0;
    for (const id of ids) {
      expect(await cancelQueued(context, id)).toBe('too_late');
      expect(await initiate(context, id)).toMatchObject({ kind: 'try_again' });
    }
    await end();
    for (const id of ids)
      expect(await initiate(context, id)).toMatchObject({ initiation: { answer: { kind: 'unknown' } } });
    expect(context.provider.initiated).toEqual([]);
    await expectClean({ db });
  });
});

describe('over', () => {
  beforeEach(async () => {
    await forgotten();
    await begin();
  });

  const sent = async (changes: Partial<PaymentRow> = {}): Promise<boolean> => {
    const id = await payout(changes);
    await initiate(context, id);
    return context.provider.initiated.includes(id);
  };

  it.each<[string, Partial<Written>, Partial<PaymentRow>]>([
    ['with its number and amount', {}, {}],
    ['with its amount, where the provider names no number', { phone: '2547***149' }, {}],
    [
      'with about its amount, where it was converted',
      { amountMinor: '130000', currency: 'USD' },
      { instructed_currency: 'USD' },
    ],
  ])('holds back what looks like a payout of the lost time: %s', async (_how, written, changes) => {
    await told(written);
    await end();
    const id = await payout(changes);
    expect(await initiate(context, id)).toMatchObject({
      kind: 'try_again',
      why: 'looks paid: it waits until an operator releases it',
    });
    expect(statusBody(await getPaymentOrThrow(db, id))).toMatchObject({
      status: 'ENQUEUED',
      hold_reason: 'LOOKS_PAID',
      cancellable: true,
    });
    expect(context.provider.initiated).toEqual([]);
    await releasePayout(db, id, { by: 'amina', note: 'they want it twice' });
    await initiate(context, id);
    expect(context.provider.initiated).toEqual([id]);
  });

  it('lets go what does not', async () => {
    await told({});
    await end();
    expect(await sent({ phone_number: '+254700000001' })).toBe(true);
    expect(await sent({ requested_minor: '125100', instructed_minor: '125100' })).toBe(true);
    expect(await sent({ kind: 'refund' })).toBe(true);
  });

  it('goes on holding back when somebody has said whose that was, and not when our books have it', async () => {
    await told({});
    await end();
    const of = async (state: OrphanRow['state']) =>
      db('orphans').where('found_at', '>', new Date('2002-01-01')).update({ state, closed_at: new Date() });
    await of('claimed');
    expect(await sent()).toBe(false);
    await of('explained');
    expect(await sent()).toBe(true);
  });

  it('forgets it when no key of that time is kept any more', async () => {
    await told({});
    await end();
    expect(await sent()).toBe(false);
    await db('payout_stops').update({ begun_at: new Date(Date.now() - 31 * 24 * hour) });
    expect(await sent()).toBe(true);
  });
});

describe('what statements tell of the lost time', () => {
  beforeEach(async () => {
    Object.assign(context.rails.get('stk'), { statement: format });
    const [long, ago] = [new Date('2001-01-01'), new Date('2001-01-02')];
    await db('provider_statements').update({ covers_from: long, covers_to: ago, stored_at: ago });
    await forgotten();
  });
  const stand = async () => {
    const restore = await findRestore(db);
    if (!restore) throw new Error('it has begun');
    return standOf(context, restore);
  };
  const missing = { rails: [{ rail: 'stk', provider: 'loudpay', isCovered: false }] };
  const brought = { rails: [{ isCovered: true }] };

  it('and what went out in it', async () => {
    await begin();
    expect(await stand()).toEqual({ ...missing, orphans: [] });
    await told({});
    expect(await stand()).toMatchObject({
      ...brought,
      orphans: [{ kind: 'payout', amount_minor: '125000' }],
    });
  });

  it('is not told by one of before, whatever day it was said to end on', async () => {
    await told({});
    await begin();
    expect(await stand()).toMatchObject(missing);
    await told({});
    expect(await stand()).toMatchObject(brought);
    await db('payout_stops')
      .whereNull('ended_at')
      .update({ begun_at: new Date(Date.now() + 60_000) });
    expect(await stand()).toMatchObject(missing);
    await db('provider_statements').update({ stored_at: new Date(Date.now() + 120_000) });
    expect(await stand()).toMatchObject(brought);
    await db('provider_statements').update({ covers_to: new Date() });
    expect(await stand()).toMatchObject(missing);
  });

  it('is not told before each line is compared with our books', async () => {
    await begin();
    const lines = [line(randomUUID(), { kind: 'payout', amountMinor: '125000' })];
    await keepStatement(db, format, { ...file(lines, randomUUID()), ...period() });
    expect(await stand()).toEqual({ ...missing, orphans: [] });
    await compare(db, format, period());
    expect(await stand()).toMatchObject({ ...brought, orphans: [{ amount_minor: '125000' }] });
  });
});
