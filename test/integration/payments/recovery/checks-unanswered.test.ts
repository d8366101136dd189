/**
 * A reversal that a quick check has seen is booked in the end, even if the provider stops answering. A check that ends
 * without an answer is reported.
 */
import { storeNotification } from '../../../../src/payments/resolve/inbox';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { debited, paid } from '../dispute-stage';
import { day, lateChecksStage, minute, unknown } from '../late-checks-stage';

const { on, rowOf, check, inMs, change, dueAgain, reviewed, paidDaysAgo } = lateChecksStage();

const warnedDaysAgo = (daysAgo: number): Partial<PaymentRow> => ({
  details: JSON.stringify({ warned_at: new Date(Date.now() - daysAgo * day).toISOString() }) as never,
});

describe('a late check that has signalled its workflow, which gets no answer', () => {
  async function expectPutOff(id: string): Promise<void> {
    const { signals, state } = await rowOf(id);
    expect({ signals, state }).toEqual({ signals: 0, state: 'succeeded' });
    expect(await inMs(id)).toBeGreaterThan(3 * minute);
    expect(await inMs(id)).toBeLessThan(7 * minute);
  }

  it.each([
    ['the provider is silent', 7, {}],
    ['no place is free', 7, { isBusy: true }],
    ['the provider is silent on the last day', 180, {}],
    ['no place is free on the last day', 180, { isBusy: true }],
  ])('is postponed by minutes if %s, and the reversal is booked later', async (_where, daysAgo, how) => {
    const id = await paidDaysAgo(daysAgo);
    on.answer = () => debited(paid);
    await check();
    on.answer = () => unknown;
    expect(await reviewed(id, how)).toMatchObject({ state: 'succeeded', unanswered: true });
    await expectPutOff(id);
    on.answer = () => debited(paid);
    await dueAgain(id);
    await check();
    expect(on.engine.signalled).toEqual([id, id]);
    expect(await reviewed(id)).toMatchObject({ state: 'reversed' });
    expect(await rowOf(id)).toMatchObject({ returned_minor: paid.toString(), next_check_at: null });
  });

  it('is postponed, too, without a quick check after a warning', async () => {
    const id = await paidDaysAgo(3);
    const { deposit } = on.context.rails.get('stk').operations;
    Object.assign(deposit?.policy ?? {}, { afterWarningChecksMs: [day, 3 * day] });
    await change(id, warnedDaysAgo(1));
    await check();
    expect(on.engine.signalled).toEqual([id]);
    on.answer = () => unknown;
    await reviewed(id);
    await expectPutOff(id);
  });

  it('is not postponed longer by a review without a query', async () => {
    const id = await paidDaysAgo(7);
    await check();
    await change(id, { next_check_at: new Date(Date.now() + 5 * minute) });
    await storeNotification(on.context, 'stk', '127.0.0.1', {
      kind: 'take',
      isProven: true,
      eventKey: 'event',
      payment: { payment_id: id, workflow_id: `stk-push/${id}` },
      body: JSON.stringify({ kind: 'open' }),
      acknowledgement: { status: 200, body: {} },
    });
    const askedBefore = on.asked.length;
    expect(await reviewed(id)).toMatchObject({ state: 'succeeded', unanswered: false });
    expect(on.asked).toHaveLength(askedBefore);
    await expectPutOff(id);
  });

  it('ends if the provider cannot be queried', async () => {
    const id = await paidDaysAgo(7);
    await change(id, { provider_reference: null, signals: 1 });
    await reviewed(id);
    expect(on.asked).toEqual([]);
    expect(Math.round((await inMs(id)) / day)).toBe(23);
  });
});

describe('a late check that the provider does not answer for a long time', () => {
  const hour = 60 * minute;
  const openCases = () =>
    on.database.db('cases').where({ reason: 'check_unanswered' }).whereNull('closed_at');
  beforeEach(async () => {
    on.answer = () => unknown;
    await on.database.db('cases').delete();
  });

  it('ends if the provider was queried for it, and not if it was only queried for others', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => paidDaysAgo(15)));
    const warned = await paidDaysAgo(15);
    await change(warned, { ...warnedDaysAgo(2), next_check_at: new Date(Date.now() - 1) });
    expect(await check()).toMatchObject({ signalled: 1 });
    expect(on.engine.signalled).toEqual([warned]);
    expect(on.asked.length).toBeLessThan(10);
    for (const id of ids) {
      const nextMs = await inMs(id);
      if (on.asked.includes(id)) expect(Math.round(nextMs / day)).toBe(15);
      else expect([nextMs > 4 * hour, nextMs < 8 * hour]).toEqual([true, true]);
    }
    const [found, ...others] = await openCases();
    expect(others).toEqual([]);
    expect(found).toMatchObject({ payment_id: null, times: on.asked.length });
    for (const id of on.asked) expect(found?.detail).toContain(id);
  });

  it('is only postponed between two scheduled checks, if a refund of it has just ended', async () => {
    const id = await paidDaysAgo(20);
    const refund = { kind: 'refund', parent_id: id, state: 'failed', is_final: 1 } as const;
    await insertPayment(on.database.db, {
      ...refund,
      merchant_id: on.merchantId,
      finished_at: new Date(),
      next_check_at: null,
    });
    await check();
    expect(on.asked).toEqual([id]);
    expect([(await inMs(id)) > 3 * minute, (await inMs(id)) < 7 * minute]).toEqual([true, true]);
    expect(await openCases()).toEqual([]);
  });

  const allGone = { state: 'reversed', returned_minor: paid.toString(), confirmed_minor: paid.toString() };
  it('is repeated less and less often if no scheduled check has passed', async () => {
    const id = await paidDaysAgo(3);
    await change(id, allGone as Partial<PaymentRow>);
    await check();
    expect([(await inMs(id)) > 4 * hour, (await inMs(id)) < 8 * hour]).toEqual([true, true]);
  });

  it.each([
    ['the last of all', 188, { signals: 0 }],
    ['of what has wholly gone back', 8, allGone],
  ])('becomes an operator’s case when it ends without an answer: %s', async (_which, daysAgo, changes) => {
    const id = await paidDaysAgo(daysAgo);
    await change(id, changes as Partial<PaymentRow>);
    await check();
    expect(await rowOf(id)).toMatchObject({ next_check_at: null });
    expect(await openCases()).toMatchObject([{ detail: `of rail stk: ${id}`, times: 1 }]);
  });

  it.each([
    ['is given up in a review of what was warned of', warnedDaysAgo(9), {}, 1],
    ['is not given up where no place was free to ask', warnedDaysAgo(9), { isBusy: true }, 0],
    ['is not given up where a glance has just been answered', { signals: 0 }, {}, 0],
  ])('%s', async (_what, changes, how, cases) => {
    const id = await paidDaysAgo(188);
    await change(id, changes);
    on.answer = () => debited(paid);
    await check();
    expect(on.engine.signalled).toEqual([id]);
    on.answer = () => unknown;
    await reviewed(id, how);
    expect((await rowOf(id)).next_check_at === null).toBe(cases === 1);
    expect(await openCases()).toHaveLength(cases);
  });
});
