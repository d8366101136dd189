/** Whether callbacks come, as it is told from what is written anyway. */
import {
  countsSince,
  keyOf,
  keepRefusals,
  refusalsSince,
} from '../../../../src/payments/resolve/callbacks/counts';
import * as samples from '../../../../src/payments/resolve/callbacks/samples';
import { watchCallbacks } from '../../../../src/payments/recovery/watch-callbacks';
import type { Transaction } from '../../../../src/store/database';
import { insertOpenPayments } from '../../../support/store/rows';
import { rowsRead } from '../../../support/store/rows-read';
import { callbackStage, settledMs } from '../callback-stage';

const first = { afterMs: -200 };
const { on, ended, several, health, watchAgain, longAgo } = callbackStage();

async function counted() {
  const counts = await countsSince(on.database.db, new Date(Date.now() - 3_600_000));
  return counts.get(keyOf({ rail: 'stk', account: 'stk', kind: 'deposit' }));
}

describe('a callback that is expected', () => {
  it('has come where it told first, and where it came soon after we had asked', async () => {
    await ended(first);
    await ended({ afterMs: 4_000 });
    await ended({ afterMs: 100_000 });
    await ended(undefined);
    expect(await health()).toMatchObject({ expected: '4', come: '3', missed_in_a_row: 1, come_in_a_row: 0 });
    expect(await counted()).toMatchObject({ expected: 4, come: 3, toldFirst: 1 });
  });

  it('is waited for, for two minutes', async () => {
    await ended(undefined, { agoMs: 60_000 });
    expect(await health()).toBeUndefined();
  });

  it.each([
    ['nobody told of', { cause: 'deadline', to: 'timed_out' as const }],
    ['was refused at once', { cause: 'refused', to: 'failed' as const }],
    ['has only gone on', { cause: 'query', to: 'processing' as const }],
    ['was given back after it had been paid', { from: 'succeeded' as const, to: 'refunded' as const }],
  ])('is none of a payment that %s', async (_what, how) => {
    await ended(undefined, how);
    expect(await health()).toBeUndefined();
  });

  it('is none of ends that its provider does not tell of', async () => {
    const { deposit } = on.context.rails.get('stk').operations;
    if (deposit) deposit.notifiesOf = ['succeeded'];
    await ended(undefined, { to: 'failed' });
    expect(await health()).toBeUndefined();
  });
});

describe('what does not count as a callback', () => {
  it.each([
    ['comes too late', { afterMs: settledMs - 10_000 }],
    ['says nothing of the outcome', { ...first, says: { kind: 'open' } }],
    ['cannot be read', { ...first, says: 'no finding' as never, changes: { body: '{' } }],
    [
      'nobody vouches for, and the provider did not confirm',
      { ...first, changes: { follow_at: new Date() } },
    ],
    ['matches no payment', { ...first, changes: { payment_id: null, state: 'parked' as const } }],
  ])('is what %s', async (_what, told) => {
    await ended(told);
    expect(await health()).toMatchObject({ expected: '1', come: '0' });
  });

  it('is the answer to a question of ours', async () => {
    const { deposit } = on.context.rails.get('stk').operations;
    if (deposit) deposit.answersUs = () => true;
    await ended(first);
    expect(await health()).toMatchObject({ expected: '1', come: '0' });
  });

  it('counts all the same once the provider, asked because of it, has confirmed it', async () => {
    await ended({ ...first, changes: { follow_at: new Date(), state: 'applied' } });
    expect(await health()).toMatchObject({ expected: '1', come: '1' });
  });
});

describe('callbacks of a provider', () => {
  it('have stopped after five payments in a row without one, and are back after three with one', async () => {
    await several(6, first);
    expect(await health()).toMatchObject({ verdict: 'healthy' });
    await several(4);
    expect((await health())?.verdict).not.toBe('stopped');
    await several(1);
    expect(await health()).toMatchObject({ verdict: 'stopped', missed_in_a_row: 5 });
    await several(2, first);
    expect(await health()).toMatchObject({ verdict: 'stopped' });
    await several(1, first);
    expect(await health()).toMatchObject({ verdict: 'late', come_in_a_row: 3 });
  });

  it('are not made to look well by a stranger who sends forged ones', async () => {
    await several(5, { ...first, changes: { follow_at: new Date(), state: 'ignored' } });
    expect(await health()).toMatchObject({ verdict: 'stopped' });
    await several(5, { ...first, changes: { payment_id: null, state: 'parked' } });
    expect(await health()).toMatchObject({ verdict: 'stopped', missed_in_a_row: 10 });
  });

  it('are late where half of them come after half a minute', async () => {
    await several(6, { afterMs: 45_000 });
    expect(await health()).toMatchObject({ verdict: 'late', come: '6' });
  });
});

describe('who watches', () => {
  it('counts each payment once, however many workers do', async () => {
    await several(8, first);
    await longAgo();
    await Promise.all(Array.from({ length: 4 }, () => watchCallbacks(on.context)));
    await watchAgain();
    expect(await health()).toMatchObject({ expected: '8', come: '8' });
  });

  it('leaves it to who did it a moment ago', async () => {
    expect(await watchCallbacks(on.context)).toBeUndefined();
  });

  it('adds up what API processes have refused', async () => {
    const { db } = on.database;
    await Promise.all([
      keepRefusals(db, new Map([['stk', 3]])),
      keepRefusals(db, new Map([['stk', 4]])),
      keepRefusals(db, new Map([['momo', 1]])),
    ]);
    const refused = await refusalsSince(db, new Date(Date.now() - 60_000));
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
      (trx: Transaction) => samples.noticesOf(trx, ids),
    ])
      expect(await rowsRead(db, query)).toBeLessThan(50);
  });
});
