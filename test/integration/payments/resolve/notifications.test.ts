/** Whether notifications arrive, judged from stored data. */
import {
  countsSince,
  keyOf,
  storeDenials,
  denialsSince,
} from '../../../../src/payments/resolve/notifications/counts';
import * as samples from '../../../../src/payments/resolve/notifications/samples';
import { watchCallbacks } from '../../../../src/payments/recovery/watch-notifications';
import type { Transaction } from '../../../../src/store/database';
import { insertOpenPayments } from '../../../support/store/rows';
import { rowsRead } from '../../../support/store/rows-read';
import { callbackStage, settledMs } from '../notification-stage';

const first = { afterMs: -200 };
const { on, ended, several, health, watchAgain, longAgo } = callbackStage();

async function counted() {
  const counts = await countsSince(on.database.db, new Date(Date.now() - 3_600_000));
  return counts.get(keyOf({ rail: 'stk', account: 'stk', kind: 'deposit' }));
}

describe('an expected notification', () => {
  it('has arrived if it came first, or soon after our own query', async () => {
    await ended(first);
    await ended({ afterMs: 4_000 });
    await ended({ afterMs: 100_000 });
    await ended(undefined);
    expect(await health()).toMatchObject({
      expected: '4',
      received: '3',
      missed_in_a_row: 1,
      received_in_a_row: 0,
    });
    expect(await counted()).toMatchObject({ expected: 4, received: 3, reportedFirst: 1 });
  });

  it('is awaited for two minutes', async () => {
    await ended(undefined, { agoMs: 60_000 });
    expect(await health()).toBeUndefined();
  });

  it.each([
    ['nobody told of', { cause: 'deadline', to: 'timed_out' as const }],
    ['was refused at once', { cause: 'refused', to: 'failed' as const }],
    ['has only gone on', { cause: 'query', to: 'processing' as const }],
    ['was given back after it had been paid', { from: 'succeeded' as const, to: 'refunded' as const }],
  ])('does not exist for a payment that %s', async (_what, how) => {
    await ended(undefined, how);
    expect(await health()).toBeUndefined();
  });

  it('does not exist for ends that its provider does not notify of', async () => {
    const { deposit } = on.context.rails.get('stk').operations;
    if (deposit) deposit.notifiesOf = ['succeeded'];
    await ended(undefined, { to: 'failed' });
    expect(await health()).toBeUndefined();
  });
});

describe('does not count if it', () => {
  it.each([
    ['comes too late', { afterMs: settledMs - 10_000 }],
    ['says nothing of the outcome', { ...first, says: { kind: 'open' } }],
    ['cannot be read', { ...first, says: 'no finding' as never, changes: { body: '{' } }],
    [
      'nobody vouches for, and the provider did not confirm',
      { ...first, changes: { follow_at: new Date() } },
    ],
    ['matches no payment', { ...first, changes: { payment_id: null, state: 'parked' as const } }],
  ])('is %s', async (_what, reported) => {
    await ended(reported);
    expect(await health()).toMatchObject({ expected: '1', received: '0' });
  });

  it('is an answer to our own query', async () => {
    const { deposit } = on.context.rails.get('stk').operations;
    if (deposit) deposit.answersUs = () => true;
    await ended(first);
    expect(await health()).toMatchObject({ expected: '1', received: '0' });
  });

  it("counts all the same once the provider's answer to the resulting query has confirmed it", async () => {
    await ended({ ...first, changes: { follow_at: new Date(), state: 'applied' } });
    expect(await health()).toMatchObject({ expected: '1', received: '1' });
  });
});

describe('notifications of a provider', () => {
  it('have stopped after five payments in a row without one, and resumed after three with one', async () => {
    await several(6, first);
    expect(await health()).toMatchObject({ verdict: 'healthy' });
    await several(4);
    expect((await health())?.verdict).not.toBe('stopped');
    await several(1);
    expect(await health()).toMatchObject({ verdict: 'stopped', missed_in_a_row: 5 });
    await several(2, first);
    expect(await health()).toMatchObject({ verdict: 'stopped' });
    await several(1, first);
    expect(await health()).toMatchObject({ verdict: 'late', received_in_a_row: 3 });
  });

  it('are not counted when an attacker forges them', async () => {
    await several(5, { ...first, changes: { follow_at: new Date(), state: 'ignored' } });
    expect(await health()).toMatchObject({ verdict: 'stopped' });
    await several(5, { ...first, changes: { payment_id: null, state: 'parked' } });
    expect(await health()).toMatchObject({ verdict: 'stopped', missed_in_a_row: 10 });
  });

  it('are late if half of them arrive after half a minute', async () => {
    await several(6, { afterMs: 45_000 });
    expect(await health()).toMatchObject({ verdict: 'late', received: '6' });
  });
});

describe('the watch', () => {
  it('counts each payment once, with any number of workers', async () => {
    await several(8, first);
    await longAgo();
    await Promise.all(Array.from({ length: 4 }, () => watchCallbacks(on.context)));
    await watchAgain();
    expect(await health()).toMatchObject({ expected: '8', received: '8' });
  });

  it('does nothing if it ran a moment ago', async () => {
    expect(await watchCallbacks(on.context)).toBeUndefined();
  });

  it('sums up the rejections of all API processes', async () => {
    const { db } = on.database;
    await Promise.all([
      storeDenials(db, new Map([['stk', 3]])),
      storeDenials(db, new Map([['stk', 4]])),
      storeDenials(db, new Map([['momo', 1]])),
    ]);
    const refused = await denialsSince(db, new Date(Date.now() - 60_000));
    expect([...refused]).toEqual([
      ['momo', 1],
      ['stk', 7],
    ]);
  });

  it('reads a batch by index beside many other payments', async () => {
    const { db } = on.database;
    await insertOpenPayments(db, 20_000);
    await several(10, first);
    const ids = await db('payment_log').orderBy('log_id', 'desc').limit(10).pluck('payment_id');
    const last = await db('payment_log').orderBy('log_id', 'desc').offset(10).first('log_id');
    for (const query of [
      (trx: Transaction) => samples.logAfter(trx, last?.log_id ?? '', 500),
      (trx: Transaction) => samples.paymentsOf(trx, ids),
      (trx: Transaction) => samples.providerEventsOf(trx, ids),
    ])
      expect(await rowsRead(db, query)).toBeLessThan(50);
  });
});
