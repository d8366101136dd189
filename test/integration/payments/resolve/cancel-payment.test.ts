import type { Cancellation } from '../../../../src/domain/commands';
import { cancelPayment } from '../../../../src/payments/resolve/cancel';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext, fakeEngine } from '../../../support/payments/fakes';

describe('cancelling a payment', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  async function cancelling(
    state: PaymentRow['state'],
    cancel: () => Promise<Cancellation>,
    signalOrStart: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Cancellation> {
    const { db } = database;
    const payment = await getPaymentOrThrow(db, await insertPayment(db, { state: 'queued' }));
    const engine = { ...fakeEngine(() => Promise.resolve('late')), signalOrStart, cancel };
    const cancellation = async () => {
      await db('payments').where({ payment_id: payment.payment_id }).update({ state });
      return cancel();
    };
    return cancelPayment(fakeContext(db), { ...engine, cancel: cancellation }, payment);
  }
  const tooSlow = () => Promise.reject(new Error('4 DEADLINE_EXCEEDED'));

  it('has the result of its workflow', async () => {
    expect(await cancelling('queued', () => Promise.resolve('too_late'))).toBe('too_late');
  });

  it.each([
    ['queued', 'open'],
    ['cancelled', 'cancelled'],
    ['succeeded', 'too_late'],
  ] as const)('whose workflow does not answer in time, and that is %s: %s', async (state, expected) => {
    expect(await cancelling(state, tooSlow)).toBe(expected);
  });

  it('is rejected if the workflow cannot be reached', async () => {
    const down = () => Promise.reject(new Error('14 UNAVAILABLE'));
    await expect(cancelling('queued', tooSlow, down)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
    });
  });
});
