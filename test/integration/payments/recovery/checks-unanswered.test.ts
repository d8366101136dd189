/** What was seen in a glance is booked in the end, however silent the provider is; and what is given up is told. */
import { storeNotification } from '../../../../src/payments/resolve/inbox';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { gone, paid } from '../contested-stage';
import { day, lateChecksStage, minute, unknown } from '../late-checks-stage';

const { on, rowOf, look, inMs, change, dueAgain, reviewed, paidDaysAgo } = lateChecksStage();

const warnedDaysAgo = (daysAgo: number): Partial<PaymentRow> => ({
  details: JSON.stringify({ warned_at: new Date(Date.now() - daysAgo * day).toISOString() }) as never,
});

describe('a later look that has woken its workflow, and is left unanswered there', () => {
  async function expectPutOff(id: string): Promise<void> {
    const { wakes, state } = await rowOf(id);
    expect({ wakes, state }).toEqual({ wakes: 0, state: 'succeeded' });
    expect(await inMs(id)).toBeGreaterThan(3 * minute);
    expect(await inMs(id)).toBeLessThan(7 * minute);
  }

  it.each([
    ['the provider is silent', 7, {}],
    ['no place is free', 7, { isBusy: true }],
    ['the provider is silent on the last day', 180, {}],
    ['no place is free on the last day', 180, { isBusy: true }],
  ])('is put off for minutes where %s, and the reversal is booked later', async (_where, daysAgo, how) => {
    const id = await paidDaysAgo(daysAgo);
    on.answer = () => gone(paid);
    await look();
    on.answer = () => unknown;
    expect(await reviewed(id, how)).toMatchObject({ state: 'succeeded', unanswered: true });
    await expectPutOff(id);
    on.answer = () => gone(paid);
    await dueAgain(id);
    await look();
    expect(on.engine.woken).toEqual([id, id]);
    expect(await reviewed(id)).toMatchObject({ state: 'reversed' });
    expect(await rowOf(id)).toMatchObject({ given_back_minor: paid.toString(), next_check_at: null });
  });

  it('is put off, too, where nobody glances because it was warned of', async () => {
    const id = await paidDaysAgo(3);
    const { deposit } = on.context.rails.get('stk').operations;
    Object.assign(deposit?.policy ?? {}, { afterWarningChecksMs: [day, 3 * day] });
    await change(id, warnedDaysAgo(1));
    await look();
    expect(on.engine.woken).toEqual([id]);
    on.answer = () => unknown;
    await reviewed(id);
    await expectPutOff(id);
  });

  it('is not put off for longer by a review that asks nobody', async () => {
    const id = await paidDaysAgo(7);
    await look();
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

  it('is over where nobody can be asked', async () => {
    const id = await paidDaysAgo(7);
    await change(id, { provider_reference: null, wakes: 1 });
    await reviewed(id);
    expect(on.asked).toEqual([]);
    expect(Math.round((await inMs(id)) / day)).toBe(23);
  });
});

describe('a later look that the provider leaves unanswered for long', () => {
  const hour = 60 * minute;
  const openCases = () => on.database.db('cases').where({ reason: 'look_unanswered' }).whereNull('closed_at');
  beforeEach(async () => {
    on.answer = () => unknown;
    await on.database.db('cases').delete();
  });

  it('is given up where it was asked about, and never where others were', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => paidDaysAgo(15)));
    const warned = await paidDaysAgo(15);
    await change(warned, { ...warnedDaysAgo(2), next_check_at: new Date(Date.now() - 1) });
    expect(await look()).toMatchObject({ woken: 1 });
    expect(on.engine.woken).toEqual([warned]);
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

  it('is no more than put off between two scheduled checks, where a refund of it has just ended', async () => {
    const id = await paidDaysAgo(20);
    const refund = { kind: 'refund', parent_id: id, state: 'failed', is_final: 1 } as const;
    await insertPayment(on.database.db, {
      ...refund,
      merchant_id: on.merchantId,
      finished_at: new Date(),
      next_check_at: null,
    });
    await look();
    expect(on.asked).toEqual([id]);
    expect([(await inMs(id)) > 3 * minute, (await inMs(id)) < 7 * minute]).toEqual([true, true]);
    expect(await openCases()).toEqual([]);
  });

  const allGone = { state: 'reversed', given_back_minor: paid.toString(), confirmed_minor: paid.toString() };
  it('is asked about ever more rarely where no scheduled check has passed', async () => {
    const id = await paidDaysAgo(3);
    await change(id, allGone as Partial<PaymentRow>);
    await look();
    expect([(await inMs(id)) > 4 * hour, (await inMs(id)) < 8 * hour]).toEqual([true, true]);
  });

  it.each([
    ['the last of all', 188, { wakes: 0 }],
    ['of what has wholly gone back', 8, allGone],
  ])('is a person’s question once it is given up for good: %s', async (_which, daysAgo, changes) => {
    const id = await paidDaysAgo(daysAgo);
    await change(id, changes as Partial<PaymentRow>);
    await look();
    expect(await rowOf(id)).toMatchObject({ next_check_at: null });
    expect(await openCases()).toMatchObject([{ detail: `of rail stk: ${id}`, times: 1 }]);
  });

  it.each([
    ['is given up in a review of what was warned of', warnedDaysAgo(9), {}, 1],
    ['is not given up where no place was free to ask', warnedDaysAgo(9), { isBusy: true }, 0],
    ['is not given up where a glance has just been answered', { wakes: 0 }, {}, 0],
  ])('%s', async (_what, changes, how, cases) => {
    const id = await paidDaysAgo(188);
    await change(id, changes);
    on.answer = () => gone(paid);
    await look();
    expect(on.engine.woken).toEqual([id]);
    on.answer = () => unknown;
    await reviewed(id, how);
    expect((await rowOf(id)).next_check_at === null).toBe(cases === 1);
    expect(await openCases()).toHaveLength(cases);
  });
});
