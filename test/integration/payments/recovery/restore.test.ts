/** A restored database: no payment that may have been submitted since is submitted again. */
import { randomUUID } from 'node:crypto';
import { releasePayout } from '../../../../src/controls/holds';
import { resumePayouts, pausePayouts } from '../../../../src/controls/pauses';
import { recordAction, type RecordLine } from '../../../../src/users/audit-log';
import { sweeperAges, createSweeper } from '../../../../src/payments/recovery/sweeper';
import {
  beginRestore,
  endRestore,
  findRestore,
  restoreProgress,
} from '../../../../src/payments/recovery/restore';
import { submitPayment } from '../../../../src/payments/submit/submit-payment';
import { cancelQueued } from '../../../../src/payments/resolve/cancel';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { keepStatement } from '../../../../src/reconciliation/keep-statement';
import { compare, reconcile } from '../../../../src/reconciliation/reconcile';
import { bringStatement } from '../../../../src/reconciliation/statement-source';
import { noRows } from '../../../../src/rails/momo/providers/pawapay/statement';
import { statusBody } from '../../../../src/rails/momo/responses';
import type { Database } from '../../../../src/store/database';
import type { UnmatchedReceiptRow, PaymentRow } from '../../../../src/store/tables';
import { expectClean, railsOfEnv } from '../../../support/expect-clean';
import {
  file,
  format as loudpay,
  line,
  patiently,
  period,
  type Written,
} from '../../../support/reconciliation/statement-support';
import { insertPayment } from '../../../support/store/rows';
import { fakeEngine, type FakeContext } from '../../../support/payments/fakes';
import { outgoingStage, setAside } from '../payout-on-hold';
import { asOurs } from '../../../support/own-rows';

const on = outgoingStage();
let db: Database;
let context: FakeContext;
beforeEach(() => {
  ({ db, context } = on);
});
afterEach(async () => {
  await end();
  await db('payout_pauses').update({ begun_at: new Date('2001-01-01') });
  await asOurs(db, 'payout_pauses', ...(await db('payout_pauses').pluck('pause_id')));
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
  const stopId = (await findRestore(db))?.stop.pause_id ?? '0';
  return endRestore(db, { stopId, by: 'amina', record: recording('restore.end') });
}
const payout = async (changes: Partial<PaymentRow> = {}): Promise<string> => {
  const id = await insertPayment(db, { kind: 'payout', phone_number: '+254708374149', ...changes });
  await setAside(db, id);
  return id;
};
const stateOf = async (id: string) => (await getPaymentOrThrow(db, id)).state;

/** Two lines of a statement match: their account is that of the only rail here. */
const format = { ...loudpay, payments: [{ rail: 'stk' }] };
async function reported(...lines: Partial<Written>[]): Promise<void> {
  const written = lines.map((each) =>
    line(randomUUID(), { kind: 'payout', amountMinor: '125000', phone: '254708374149', ...each }),
  );
  await reconcile(db, format, period(), file(written, randomUUID()));
}
async function forgotten(): Promise<void> {
  await db('unmatched_receipts').update({ found_at: new Date('2001-01-01') });
}

describe('started', () => {
  it('submits nothing, and marks payments without an attempt as possibly submitted', async () => {
    const [unbegun, waiting] = [await payout(), await payout({ details: { on_hold: 'PAYOUTS_STOPPED' } })];
    const deposit = await insertPayment(db, {});
    const old = { created_at: new Date(Date.now() - 2 * hour) };
    await db('payments').whereIn('payment_id', [unbegun, waiting, deposit]).update(old);
    expect(await begin()).toMatchObject({ kind: 'begun', presumed: 2 });
    expect(await begin()).toEqual({ kind: 'begun_before' });
    expect(await findRestore(db)).toMatchObject({ copiedAt });

    const engine = fakeEngine(() => Promise.resolve('late'));
    await createSweeper(context, engine, sweeperAges).sweep();
    // No payment is reported as "never started" if this is unknown.
    for (const id of [unbegun, deposit]) expect(await stateOf(id)).toBe('initiating');
    for (const id of [unbegun, waiting])
      expect(await submitPayment(context, id)).toMatchObject({ kind: 'try_again' });
    expect(await submitPayment(context, deposit)).toMatchObject({
      initiation: { answer: { kind: 'unknown' } },
    });
    expect(context.provider.initiated).toEqual([]);

    // Only its own end ends it.
    expect(await resumePayouts(db, {}, { by: 'amina' })).toEqual([]);
    expect(await end()).toHaveLength(1);
    // A payment that may have been submitted is looked up; the others continue.
    expect(await submitPayment(context, unbegun)).toMatchObject({
      initiation: { answer: { kind: 'unknown' } },
    });
    await submitPayment(context, waiting);
    expect(context.provider.initiated).toEqual([waiting]);
    await expectClean({ db });
  });

  it.each(['api', 'worker'] as const)('is rejected while a process of %s runs, and says so', async (kind) => {
    // A worker updates its row every five seconds.
    const seen = db.raw('UTC_TIMESTAMP(3) - INTERVAL 6 SECOND') as never;
    await db('processes').insert({ process_id: randomUUID(), seen_at: seen, kind, knows: '001-baseline' });
    expect(await begin()).toEqual({ kind: 'in_use', running: [{ kind, knows: '001-baseline', count: 1 }] });
    await db('processes').delete();
    expect(await findRestore(db)).toBeUndefined();
  });

  it('ends no other pause, and no other pause ends it', async () => {
    await pausePayouts(db, {}, { by: 'baraka', reason: 'a key was stolen', withRefunds: false });
    await begin();
    expect(await end()).toHaveLength(1);
    const id = await payout();
    expect(await submitPayment(context, id)).toMatchObject({ why: 'paused by baraka: a key was stolen' });
    expect(await resumePayouts(db, {}, { by: 'baraka' })).toHaveLength(1);
  });
});

describe('payments of the restored copy', () => {
  const longAgo = { created_at: new Date(Date.now() - 80 * hour) };
  const held = { ...longAgo, details: { on_hold: 'PAYOUTS_STOPPED' } };
  beforeEach(forgotten);

  it('on hold neither end as "never sent" nor can be cancelled before this is known', async () => {
    const [repaid, quiet] = [await payout(held), await payout({ ...held, phone_number: '+254700000001' })];
    await begin();
    const waits = async (id: string, why: string) => {
      expect(await submitPayment(context, id)).toMatchObject({
        kind: 'try_again',
        why: expect.stringContaining(why),
      });
      expect(await cancelQueued(context, id)).toBe('too_late');
      const payment = await getPaymentOrThrow(db, id);
      expect(payment.state).toBe('received');
      expect(statusBody(payment)).toMatchObject({ status: 'ENQUEUED', cancellable: false });
    };
    for (const id of [repaid, quiet]) await waits(id, 'paused by restore to the past');
    await reported({});
    await end();
    await waits(repaid, 'looks paid');
    expect(await db('payout_holds').where({ payment_id: repaid }).first()).toMatchObject({
      released_at: null,
    });
    // According to the statements it was not paid: it is as late as before.
    expect(await submitPayment(context, quiet)).toMatchObject({
      kind: 'done',
      initiation: { state: 'failed' },
    });
    expect(context.provider.initiated).toEqual([]);
    await expectClean({ db });
  });

  it('requested after the restore can be cancelled as usual', async () => {
    await begin();
    const id = await payout({ details: held.details });
    expect(await cancelQueued(context, id)).toBe('cancelled');
  });

  it('marked as not sent may have been sent since', async () => {
    const ids = [await payout(), await payout({ details: held.details })];
    context.provider.acceptances.push(
      ...ids.map(() => ({ kind: 'not_sent', text: 'nobody answered' }) as const),
    );
    for (const id of ids) expect(await submitPayment(context, id)).toMatchObject({ kind: 'try_again' });
    // Long enough ago that no process can be submitting it.
    const sent = { sent_at: new Date(Date.now() - 40_000) };
    await db('attempts').whereIn('payment_id', ids).update(sent);
    expect(await begin()).toMatchObject({ presumed: 2 });
    context.provider.initiated.length = 0;
    for (const id of ids) {
      expect(await cancelQueued(context, id)).toBe('too_late');
      expect(await submitPayment(context, id)).toMatchObject({ kind: 'try_again' });
    }
    await end();
    for (const id of ids)
      expect(await submitPayment(context, id)).toMatchObject({ initiation: { answer: { kind: 'unknown' } } });
    expect(context.provider.initiated).toEqual([]);
    await expectClean({ db });
  });
});

describe('ended', () => {
  beforeEach(async () => {
    await forgotten();
    await begin();
  });

  const sent = async (changes: Partial<PaymentRow> = {}): Promise<boolean> => {
    const id = await payout(changes);
    await submitPayment(context, id);
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
  ])('puts a payout on hold that looks like one of the lost time: %s', async (_how, written, changes) => {
    await reported(written);
    await end();
    const id = await payout(changes);
    expect(await submitPayment(context, id)).toMatchObject({
      kind: 'try_again',
      why: 'looks paid: on hold until an operator releases it',
    });
    expect(statusBody(await getPaymentOrThrow(db, id))).toMatchObject({
      status: 'ENQUEUED',
      hold_reason: 'LOOKS_PAID',
      cancellable: true,
    });
    expect(context.provider.initiated).toEqual([]);
    await releasePayout(db, id, { by: 'amina', note: 'they want it twice' });
    await submitPayment(context, id);
    expect(context.provider.initiated).toEqual([id]);
  });

  it('releases all others', async () => {
    await reported({});
    await end();
    expect(await sent({ phone_number: '+254700000001' })).toBe(true);
    expect(await sent({ requested_minor: '125100', instructed_minor: '125100' })).toBe(true);
    expect(await sent({ kind: 'refund' })).toBe(true);
  });

  it('still holds after an unmatched receipt was assigned, and not if our books have it', async () => {
    await reported({});
    await end();
    const of = async (state: UnmatchedReceiptRow['state']) =>
      db('unmatched_receipts')
        .where('found_at', '>', new Date('2002-01-01'))
        .update({ state, closed_at: new Date() });
    await of('assigned');
    expect(await sent()).toBe(false);
    await of('explained');
    expect(await sent()).toBe(true);
  });

  it('deletes the data when no Idempotency-Key of that time exists any more', async () => {
    await reported({});
    await end();
    expect(await sent()).toBe(false);
    await db('payout_pauses').update({ begun_at: new Date(Date.now() - 31 * 24 * hour) });
    expect(await sent()).toBe(true);
  });
});

describe('statements of the lost time', () => {
  beforeEach(async () => {
    Object.assign(context.rails.get('stk'), { statement: format });
    const [long, ago] = [new Date('2001-01-01'), new Date('2001-01-02')];
    await db('provider_statements').update({ covers_from: long, covers_to: ago, stored_at: ago });
    await forgotten();
  });
  const stand = async () => {
    const restore = await findRestore(db);
    if (!restore) throw new Error('it has begun');
    return restoreProgress(context, restore);
  };
  const missing = { rails: [{ rail: 'stk', provider: 'loudpay', isCovered: false }] };
  const brought = { rails: [{ isCovered: true }] };

  it('include its outgoing payments', async () => {
    await begin();
    expect(await stand()).toEqual({ ...missing, unmatchedReceipts: [] });
    await reported({});
    expect(await stand()).toMatchObject({
      ...brought,
      unmatchedReceipts: [{ kind: 'payout', amount_minor: '125000' }],
    });
  });

  it('cannot be from before the restore, whatever end they had', async () => {
    await reported({});
    await begin();
    expect(await stand()).toMatchObject(missing);
    await reported({});
    expect(await stand()).toMatchObject(brought);
    await db('payout_pauses')
      .whereNull('ended_at')
      .update({ begun_at: new Date(Date.now() + 60_000) });
    expect(await stand()).toMatchObject(missing);
    await db('provider_statements').update({ stored_at: new Date(Date.now() + 120_000) });
    expect(await stand()).toMatchObject(brought);
    await db('provider_statements').update({ covers_to: new Date() });
    expect(await stand()).toMatchObject(missing);
  });

  it('cover other wallets only if they were fetched: a file has one wallet', async () => {
    const account = { MOMO_BASE_URL: 'http://127.0.0.1:1', MOMO_TOKEN: 'token' };
    const env = { ...account, MALIPO_SANDBOX_TIME_SCALE: '1' };
    const { statement } = railsOfEnv(env, ['momo']).get('momo');
    if (!statement) throw new Error('momo has statements');
    const ofWallets = { ...statement, payments: format.payments };
    Object.assign(context.rails.get('stk'), { statement: ofWallets });
    await begin();
    const row = `${new Date().toISOString()},260763456789,${randomUUID()},12.50,KES,DEPOSIT`;
    const content = Buffer.from(`Creation Date,MSISDN,Transaction ID,Amount,Currency,Type\n${row}\n`);
    await reconcile(db, ofWallets, period(), { name: 'kes.csv', content });
    expect(await stand()).toMatchObject({ rails: [{ provider: 'pawapay', isCovered: false }] });

    const all = { kind: 'fetched', name: 'all.csv', content: Buffer.from(noRows), covers: period() } as const;
    await bringStatement(db, ofWallets, { fetch: () => Promise.resolve(all) }, all.covers, patiently);
    expect(await stand()).toMatchObject({ rails: [{ provider: 'pawapay', isCovered: true }] });
  });

  it('are complete only when each line is compared with our books', async () => {
    await begin();
    const lines = [line(randomUUID(), { kind: 'payout', amountMinor: '125000' })];
    await keepStatement(db, format, { ...file(lines, randomUUID()), ...period() });
    expect(await stand()).toEqual({ ...missing, unmatchedReceipts: [] });
    await compare(db, format, period());
    expect(await stand()).toMatchObject({ ...brought, unmatchedReceipts: [{ amount_minor: '125000' }] });
  });
});
