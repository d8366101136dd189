/** A check that another process scheduled during the provider's query stays: the answer did not know its reason. */
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { review } from '../../../../src/payments/resolve/review';
import { disputeStage } from '../dispute-stage';

describe("a check that is scheduled during the provider's query", () => {
  const { on } = disputeStage();

  async function checkWhile(happens: () => Promise<unknown>): Promise<number | undefined> {
    await review(on.context, {
      paymentId: on.depositId,
      cause: 'check',
      patient: true,
      ask: async (_rail, call) => {
        await happens();
        return call();
      },
    });
    return (await getPaymentOrThrow(on.database.db, on.depositId)).next_check_at?.getTime();
  }

  it('stays; any other is rescheduled', async () => {
    const soon = new Date();
    const deposit = () => on.database.db('payments').where({ payment_id: on.depositId });
    expect(await checkWhile(() => deposit().update({ next_check_at: soon }))).toBe(soon.getTime());
    expect(await checkWhile(() => Promise.resolve())).toBeGreaterThan(Date.now());
    await deposit().update({ next_check_at: null });
    expect(await checkWhile(() => Promise.resolve())).toBeGreaterThan(Date.now());
  });
});
