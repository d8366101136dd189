import { closeCase } from '../../../../src/controls/cases';
import { matchParked, storeNotification } from '../../../../src/payments/resolve/inbox';
import type { Rail } from '../../../../src/rail-kit/rail';
import type { Database } from '../../../../src/store/database';
import type { InboxRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';

describe('a notification that arrived before its payment could be found', () => {
  let database: TestDatabase;
  let db: Database;
  let context: FakeContext;
  /** The rail's matches. */
  let match: NonNullable<Rail['matchNotification']>;
  let asked: string[];
  beforeEach(async () => {
    database = await createTestDatabase();
    db = database.db;
    context = fakeContext(db);
    asked = [];
    match = () => Promise.resolve(undefined);
    context.rails.get('stk').matchNotification = (on, body) => {
      asked.push(body);
      return match(on, body);
    };
  });
  afterEach(() => database.drop());

  const park = (body = '{}', rail = 'stk') =>
    storeNotification(context, rail, '127.0.0.1', {
      kind: 'take',
      isProven: true,
      eventKey: body,
      body,
      acknowledgement: { status: 200, body: {} },
    });
  const kept = async (): Promise<InboxRow | undefined> => db('inbox').first();
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

  it('is assigned to its payment once that exists, and stays unread', async () => {
    await park();
    expect(await matchParked(context)).toBe(0);
    expect(await kept()).toMatchObject({ state: 'parked', payment_id: null });

    const paymentId = await insertPayment(db);
    match = () => Promise.resolve({ payment_id: paymentId, workflow_id: `stk-push/${paymentId}` });
    await db('inbox').update({ processed_at: minutesAgo(1) });
    expect(await matchParked(context)).toBe(1);
    expect(await kept()).toMatchObject({
      state: 'new',
      payment_id: paymentId,
      reason: null,
      processed_at: null,
    });
  });

  it('is matched once by concurrent processes, and then not for half a minute', async () => {
    await park();
    await matchParked(context);
    await matchParked(context);
    expect(asked).toEqual(['{}']);
  });

  it('ends after ten minutes, and one case for an operator lists all of them', async () => {
    await park('{"a":1}');
    await park('{"a":2}');
    const [one, two] = (await db('inbox').orderBy('inbox_id')).map(({ inbox_id }) => inbox_id);
    await db('inbox').update({ received_at: minutesAgo(11) });
    expect(await matchParked(context)).toBe(0);
    expect((await db('inbox')).map(({ state, reason }) => [state, reason])).toEqual([
      ['ignored', 'no payment matches'],
      ['ignored', 'no payment matches'],
    ]);
    const unmatched = { payment_id: null, reason: 'unmatched_notification' };
    expect(await db('cases')).toMatchObject([
      { ...unmatched, times: 2, detail: `of rail stk: inbox ${one}, inbox ${two}` },
    ]);
    // An attacker who sends thousands creates at most one long sentence.
    for (let n = 0; n < 200; n += 1) await park(`{"b":${n}}`);
    await db('inbox')
      .where({ state: 'parked' })
      .update({ received_at: minutesAgo(11) });
    for (let n = 0; n < 3; n += 1) await matchParked(context);
    const [long, ...others] = await db('cases');
    expect([long?.times, others]).toEqual([202, []]);
    expect(long?.detail.length).toBeLessThan(1_000);
    // Once it is closed, the next one opens another case.
    await closeCase(db, long?.case_id ?? '', 'amina', 'not ours');
    await park('{"c":1}');
    await db('inbox')
      .where({ state: 'parked' })
      .update({ received_at: minutesAgo(11) });
    await matchParked(context);
    expect((await db('cases').orderBy('case_id')).map(({ times }) => times)).toEqual([202, 1]);
  });

  it('has one case per rail', async () => {
    await park('{"a":1}');
    await park('{"a":2}', 'a rail of before');
    await db('inbox').update({ received_at: minutesAgo(11) });
    await matchParked(context);
    expect((await db('cases').orderBy('case_id')).map(({ detail }) => detail.split(':')[0])).toEqual([
      'of rail stk',
      'of rail a rail of before',
    ]);
  });

  it('is still found at its last attempt', async () => {
    const paymentId = await insertPayment(db);
    match = () => Promise.resolve({ payment_id: paymentId, workflow_id: `stk-push/${paymentId}` });
    await park();
    await db('inbox').update({ received_at: minutesAgo(60) });
    expect(await matchParked(context)).toBe(1);
    expect(await db('cases')).toEqual([]);
  });

  it('also becomes a case on a rail that matches nothing by itself', async () => {
    delete context.rails.get('stk').matchNotification;
    await park();
    await matchParked(context);
    expect(await kept()).toMatchObject({ state: 'parked' });
    await db('inbox').update({ received_at: minutesAgo(11), processed_at: null });
    await matchParked(context);
    expect(await kept()).toMatchObject({ state: 'ignored' });
    expect(await db('cases')).toMatchObject([{ reason: 'unmatched_notification', times: 1 }]);
  });
});
