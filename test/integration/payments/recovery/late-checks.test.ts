/** Looks at what was paid, weeks and months later: rows that are due, and no workflow that waits for them. */
import { setTimeout as delay } from 'node:timers/promises';
import { claimLateChecks } from '../../../../src/payments/recovery/sweeper';
import { storeNotification } from '../../../../src/payments/resolve/inbox';
import { insertPayment } from '../../../support/store/rows';
import { moveAlong } from '../../../support/verify/books-support';
import { gone, paid, succeeded } from '../contested-stage';
import { day, lateChecksStage, minute, unknown } from '../late-checks-stage';

describe('a look at what was paid', () => {
  const { on, rowOf, look, inMs, change, dueAgain, reviewed, paidDaysAgo, several } = lateChecksStage();

  it('is planned when it is paid, for the day itself', async () => {
    const id = await insertPayment(on.database.db, { merchant_id: on.merchantId });
    for (const state of ['initiating', 'pending', 'succeeded'] as const)
      await moveAlong(on.context, id, state);
    const { next_check_at: at, finished_at: since } = await rowOf(id);
    expect((at?.getTime() ?? 0) - (since?.getTime() ?? 0)).toBe(day);
    expect(await look()).toEqual({ looked: 0, woken: 0 });
  });

  it.each([
    [1, 6],
    [7, 23],
    [30, 150],
  ])('on day %i finds nothing, wakes nobody, and the next one is in %i days', async (daysAgo, nextInDays) => {
    const id = await paidDaysAgo(daysAgo);
    const before = await rowOf(id);
    expect(await look()).toEqual({ looked: 1, woken: 0 });
    expect([on.asked, on.engine.woken]).toEqual([[id], []]);
    expect(Math.round((await inMs(id)) / day)).toBe(nextInDays);
    const { next_check_at: _, ...rest } = await rowOf(id);
    expect(before).toMatchObject({ ...rest, woken_at: null });
    expect(await look()).toEqual({ looked: 0, woken: 0 });
  });

  it('is the last on day 180', async () => {
    const id = await paidDaysAgo(180);
    await look();
    expect([on.asked, (await rowOf(id)).next_check_at]).toEqual([[id], null]);
  });

  it.each([7, 30, 180])(
    'on day %i finds it taken back: its workflow asks, books and tells',
    async (daysAgo) => {
      const id = await paidDaysAgo(daysAgo);
      on.answer = () => gone(paid);
      expect(await look()).toEqual({ looked: 1, woken: 1 });
      expect(on.engine.woken).toEqual([id]);
      expect(await rowOf(id)).toMatchObject({ state: 'succeeded', given_back_minor: '0', wakes: 1 });
      expect(await reviewed(id)).toMatchObject({
        state: 'reversed',
        webhookIds: [expect.any(String)],
      });
      expect(await rowOf(id)).toMatchObject({
        state: 'reversed',
        given_back_minor: paid.toString(),
        next_check_at: null,
        wakes: 0,
      });
      expect(on.asked).toEqual([id, id]);
    },
  );

  it('leaves to its workflow what nobody has read, and what was warned of', async () => {
    const told = await paidDaysAgo(7);
    await storeNotification(on.context, 'stk', '127.0.0.1', {
      kind: 'take',
      isProven: true,
      eventKey: 'event',
      payment: { payment_id: told, workflow_id: `stk-push/${told}` },
      body: JSON.stringify({ kind: 'open' }),
      acknowledgement: { status: 200, body: {} },
    });
    const warned = await paidDaysAgo(7);
    await change(warned, {
      details: JSON.stringify({ warned_at: new Date().toISOString() }) as never,
    });
    expect(await look()).toEqual({ looked: 2, woken: 2 });
    expect([...on.engine.woken].sort()).toEqual([told, warned].sort());
    expect(on.asked).toEqual([]);
  });

  describe('that the provider leaves unanswered', () => {
    beforeEach(() => {
      on.answer = () => unknown;
    });

    it('is put off, the longer the longer it has been due, and not lost', async () => {
      const ids = await Promise.all([7, 8, 13].map((n) => paidDaysAgo(n)));
      await look();
      expect(on.engine.woken).toEqual([]);
      const minutes = await Promise.all(ids.map(async (id) => (await inMs(id)) / minute));
      // A quarter more or less, so that many that waited together do not come back together.
      const [first = NaN, second = NaN, last = NaN] = minutes;
      expect([first > 3.5, first < 6.5, second > 260, second < 460, last > 260, last < 460]).not.toContain(
        false,
      );
      expect(await rowOf(ids[0] ?? '')).toMatchObject({ wakes: 0 });
      on.answer = () => gone(paid);
      await dueAgain(ids[0] ?? '');
      await look();
      expect(on.engine.woken).toEqual([ids[0]]);
    });

    it('is given up after a week, for the next one', async () => {
      const id = await paidDaysAgo(15);
      await look();
      expect(Math.round((await inMs(id)) / day)).toBe(15);
    });

    it('is one of a few: all that wait for the same provider are put off with them', async () => {
      const ids = await several(30);
      expect((await look()).looked).toBeLessThan(10);
      expect(on.asked.length).toBeLessThan(10);
      for (const id of ids) expect(await inMs(id)).toBeGreaterThan(3 * minute);
      expect(await look()).toEqual({ looked: 0, woken: 0 });
    });

    it('is no reason to stop where others are answered', async () => {
      const ids = await several(12);
      on.answer = ({ payment_id }) => (ids.indexOf(payment_id) > 1 ? succeeded : unknown);
      expect((await look()).looked).toBe(12);
    });
  });

  it('is shared by workers: each payment is asked about once', async () => {
    const ids = await several(60);
    on.answer = () => delay(5, succeeded);
    await Promise.all([look(), look()]);
    await Promise.all([look(), look()]);
    expect([...on.asked].sort()).toEqual([...ids].sort());
  });

  it('that a worker had claimed when it was killed is due again a while later', async () => {
    const ids = await several(5);
    expect(await claimLateChecks(on.database.db, 'stk')).toHaveLength(5);
    expect(await look()).toEqual({ looked: 0, woken: 0 });
    for (const id of ids) expect(await inMs(id)).toBeLessThan(2 * minute);
    await Promise.all(ids.map(dueAgain));
    expect(await look()).toEqual({ looked: 5, woken: 0 });
    for (const id of ids) expect(await rowOf(id)).toMatchObject({ wakes: 0 });
  });

  it('that fails keeps nobody else from being looked at, and is a person’s question in the end', async () => {
    const [bad = '', ...others] = await several(6);
    on.answer = ({ payment_id }) => {
      if (payment_id === bad) throw new Error('a fault of ours');
      return succeeded;
    };
    await look();
    expect([...on.asked].sort()).toEqual([bad, ...others].sort());
    for (const id of others) expect(await inMs(id)).toBeGreaterThan(day);
    expect(await inMs(bad)).toBeGreaterThan(minute);
    await change(bad, { wakes: 12 });
    await dueAgain(bad);
    await look();
    const cases = await on.database.db('cases').where({ payment_id: bad });
    expect(cases.map(({ reason }) => reason)).toEqual(['stands_still']);
  });

  it('that is planned for at once while the provider is asked is not forgotten', async () => {
    const id = await paidDaysAgo(7);
    on.answer = async () => {
      await dueAgain(id);
      return succeeded;
    };
    await look();
    expect(await inMs(id)).toBeLessThan(0);
  });

  it('is another rail’s to do where it is another rail’s', async () => {
    const id = await paidDaysAgo(7);
    await change(id, { rail: 'momo' });
    expect(await look()).toEqual({ looked: 0, woken: 0 });
  });
});
