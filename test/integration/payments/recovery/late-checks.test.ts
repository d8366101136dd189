/** Checks of paid payments, weeks and months later: due rows, without a waiting workflow. */
import { setTimeout as delay } from 'node:timers/promises';
import { claimLateChecks } from '../../../../src/payments/recovery/sweeper';
import { storeNotification } from '../../../../src/payments/resolve/inbox';
import { insertPayment } from '../../../support/store/rows';
import { transitionTo } from '../../../support/verify/books-support';
import { debited, paid, succeeded } from '../dispute-stage';
import { day, lateChecksStage, minute, unknown } from '../late-checks-stage';

describe('a check of a paid payment', () => {
  const { on, rowOf, check, inMs, change, dueAgain, reviewed, paidDaysAgo, several } = lateChecksStage();

  it('is scheduled with the payment, for the same day', async () => {
    const id = await insertPayment(on.database.db, { merchant_id: on.merchantId });
    for (const state of ['initiating', 'pending', 'succeeded'] as const)
      await transitionTo(on.context, id, state);
    const { next_check_at: at, finished_at: since } = await rowOf(id);
    expect((at?.getTime() ?? 0) - (since?.getTime() ?? 0)).toBe(day);
    expect(await check()).toEqual({ checked: 0, signalled: 0 });
  });

  it.each([
    [1, 6],
    [7, 23],
    [30, 150],
  ])(
    'on day %i finds nothing, wakes no workflow, and the next one is in %i days',
    async (daysAgo, nextInDays) => {
      const id = await paidDaysAgo(daysAgo);
      const before = await rowOf(id);
      expect(await check()).toEqual({ checked: 1, signalled: 0 });
      expect([on.asked, on.engine.signalled]).toEqual([[id], []]);
      expect(Math.round((await inMs(id)) / day)).toBe(nextInDays);
      const { next_check_at: _, ...rest } = await rowOf(id);
      expect(before).toMatchObject({ ...rest, signalled_at: null });
      expect(await check()).toEqual({ checked: 0, signalled: 0 });
    },
  );

  it('is the last on day 180', async () => {
    const id = await paidDaysAgo(180);
    await check();
    expect([on.asked, (await rowOf(id)).next_check_at]).toEqual([[id], null]);
  });

  it.each([7, 30, 180])(
    'on day %i finds a reversal: its workflow queries, books and sends a webhook',
    async (daysAgo) => {
      const id = await paidDaysAgo(daysAgo);
      on.answer = () => debited(paid);
      expect(await check()).toEqual({ checked: 1, signalled: 1 });
      expect(on.engine.signalled).toEqual([id]);
      expect(await rowOf(id)).toMatchObject({ state: 'succeeded', returned_minor: '0', signals: 1 });
      expect(await reviewed(id)).toMatchObject({
        state: 'reversed',
        webhookIds: [expect.any(String)],
      });
      expect(await rowOf(id)).toMatchObject({
        state: 'reversed',
        returned_minor: paid.toString(),
        next_check_at: null,
        signals: 0,
      });
      expect(on.asked).toEqual([id, id]);
    },
  );

  it('leaves unread notifications and warnings to the workflow', async () => {
    const reported = await paidDaysAgo(7);
    await storeNotification(on.context, 'stk', '127.0.0.1', {
      kind: 'take',
      isProven: true,
      eventKey: 'event',
      payment: { payment_id: reported, workflow_id: `stk-push/${reported}` },
      body: JSON.stringify({ kind: 'open' }),
      acknowledgement: { status: 200, body: {} },
    });
    const warned = await paidDaysAgo(7);
    await change(warned, {
      details: JSON.stringify({ warned_at: new Date().toISOString() }) as never,
    });
    expect(await check()).toEqual({ checked: 2, signalled: 2 });
    expect([...on.engine.signalled].sort()).toEqual([reported, warned].sort());
    expect(on.asked).toEqual([]);
  });

  describe('without an answer of the provider', () => {
    beforeEach(() => {
      on.answer = () => unknown;
    });

    it('is postponed, longer the longer it has been due, and not lost', async () => {
      const ids = await Promise.all([7, 8, 13].map((n) => paidDaysAgo(n)));
      await check();
      expect(on.engine.signalled).toEqual([]);
      const minutes = await Promise.all(ids.map(async (id) => (await inMs(id)) / minute));
      // A quarter more or less, so that many that waited together do not retry together.
      const [first = NaN, second = NaN, last = NaN] = minutes;
      expect([first > 3.5, first < 6.5, second > 260, second < 460, last > 260, last < 460]).not.toContain(
        false,
      );
      expect(await rowOf(ids[0] ?? '')).toMatchObject({ signals: 0 });
      on.answer = () => debited(paid);
      await dueAgain(ids[0] ?? '');
      await check();
      expect(on.engine.signalled).toEqual([ids[0]]);
    });

    it('ends after a week, and the next one follows', async () => {
      const id = await paidDaysAgo(15);
      await check();
      expect(Math.round((await inMs(id)) / day)).toBe(15);
    });

    it('is one of a few: all others of the same provider are postponed with them', async () => {
      const ids = await several(30);
      expect((await check()).checked).toBeLessThan(10);
      expect(on.asked.length).toBeLessThan(10);
      for (const id of ids) expect(await inMs(id)).toBeGreaterThan(3 * minute);
      expect(await check()).toEqual({ checked: 0, signalled: 0 });
    });

    it('does not stop the checks of other providers', async () => {
      const ids = await several(12);
      on.answer = ({ payment_id }) => (ids.indexOf(payment_id) > 1 ? succeeded : unknown);
      expect((await check()).checked).toBe(12);
    });
  });

  it('is shared by workers: each payment is queried once', async () => {
    const ids = await several(60);
    on.answer = () => delay(5, succeeded);
    await Promise.all([check(), check()]);
    await Promise.all([check(), check()]);
    expect([...on.asked].sort()).toEqual([...ids].sort());
  });

  it('that a killed worker had claimed is due again later', async () => {
    const ids = await several(5);
    expect(await claimLateChecks(on.database.db, 'stk')).toHaveLength(5);
    expect(await check()).toEqual({ checked: 0, signalled: 0 });
    for (const id of ids) expect(await inMs(id)).toBeLessThan(2 * minute);
    await Promise.all(ids.map(dueAgain));
    expect(await check()).toEqual({ checked: 5, signalled: 0 });
    for (const id of ids) expect(await rowOf(id)).toMatchObject({ signals: 0 });
  });

  it('that fails delays no other payment, and becomes an operator’s case in the end', async () => {
    const [bad = '', ...others] = await several(6);
    on.answer = ({ payment_id }) => {
      if (payment_id === bad) throw new Error('a fault of ours');
      return succeeded;
    };
    await check();
    expect([...on.asked].sort()).toEqual([bad, ...others].sort());
    for (const id of others) expect(await inMs(id)).toBeGreaterThan(day);
    expect(await inMs(bad)).toBeGreaterThan(minute);
    await change(bad, { signals: 12 });
    await dueAgain(bad);
    await check();
    const cases = await on.database.db('cases').where({ payment_id: bad });
    expect(cases.map(({ reason }) => reason)).toEqual(['stands_still']);
  });

  it("that is scheduled during the provider's query is not lost", async () => {
    const id = await paidDaysAgo(7);
    on.answer = async () => {
      await dueAgain(id);
      return succeeded;
    };
    await check();
    expect(await inMs(id)).toBeLessThan(0);
  });

  it('is left to another rail’s code for another rail’s payment', async () => {
    const id = await paidDaysAgo(7);
    await change(id, { rail: 'momo' });
    expect(await check()).toEqual({ checked: 0, signalled: 0 });
  });
});
