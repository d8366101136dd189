/** A look that somebody else has planned while the provider was asked is kept: the answer knew nothing of its reason. */
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { review } from '../../../../src/payments/resolve/review';
import { contestedStage } from '../contested-stage';

describe('a look that is planned while the provider is asked', () => {
  const { on } = contestedStage();

  async function lookWhile(happens: () => Promise<unknown>): Promise<number | undefined> {
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

  it('stands; any other is planned anew', async () => {
    const soon = new Date();
    const deposit = () => on.database.db('payments').where({ payment_id: on.depositId });
    expect(await lookWhile(() => deposit().update({ next_check_at: soon }))).toBe(soon.getTime());
    expect(await lookWhile(() => Promise.resolve())).toBeGreaterThan(Date.now());
    await deposit().update({ next_check_at: null });
    expect(await lookWhile(() => Promise.resolve())).toBeGreaterThan(Date.now());
  });
});
