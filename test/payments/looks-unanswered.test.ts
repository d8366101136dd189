/** What was seen in a glance is booked in the end, however often the provider is silent when the workflow asks. */
import { storeNotification } from '../../src/payments/evidence/inbox';
import { gone, paid } from './contested-stage';
import { day, laterLooksStage, minute, unknown } from './later-looks-stage';

describe('a later look that has woken its workflow, and is left unanswered there', () => {
  const { on, rowOf, look, inMs, change, dueAgain, reviewed, paidDaysAgo } = laterLooksStage();

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
    expect(await rowOf(id)).toMatchObject({ given_back_minor: paid.toString(), next_look_at: null });
  });

  it('is put off, too, where nobody glances because it was warned of', async () => {
    const id = await paidDaysAgo(3);
    const { deposit } = on.context.rails.get('stk').operations;
    Object.assign(deposit?.policy ?? {}, { afterWarningChecksMs: [day, 3 * day] });
    await change(id, {
      details: JSON.stringify({ warned_at: new Date(Date.now() - day).toISOString() }) as never,
    });
    await look();
    expect(on.engine.woken).toEqual([id]);
    on.answer = () => unknown;
    await reviewed(id);
    await expectPutOff(id);
  });

  it('is not put off for longer by a review that asks nobody', async () => {
    const id = await paidDaysAgo(7);
    await look();
    await change(id, { next_look_at: new Date(Date.now() + 5 * minute) });
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
