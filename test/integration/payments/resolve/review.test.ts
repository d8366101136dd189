import { review } from '../../../../src/payments/resolve/review';
import { storeNotification } from '../../../../src/payments/resolve/inbox';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { ProviderResult } from '../../../../src/domain/outcome';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';

describe('a review of a payment', () => {
  let database: TestDatabase;
  let context: FakeContext;
  /** The read notifications, each as often as it was read. */
  let readings: string[];
  beforeEach(async () => {
    database = await createTestDatabase();
    context = fakeContext(database.db);
    readings = [];
    const deposit = context.rails.get('stk').operations.deposit;
    if (!deposit) throw new Error('the rail takes no deposits');
    deposit.readNotification = ({ inbox_id: id, body }) => {
      readings.push(id);
      return JSON.parse(body) as ProviderResult;
    };
  });
  afterEach(() => database.drop());

  /** A pending payment with these notifications. @returns it, and the ids of its notifications. */
  async function reported(
    changes: Partial<PaymentRow>,
    providerResults: ProviderResult[],
  ): Promise<{ paymentId: string; inboxIds: string[] }> {
    const paymentId = await insertPayment(database.db, { state: 'pending', ...changes });
    await notify(paymentId, providerResults);
    const rows = await database.db('inbox').where({ payment_id: paymentId }).orderBy('inbox_id');
    return { paymentId, inboxIds: rows.map(({ inbox_id: id }) => id) };
  }

  async function notify(paymentId: string, providerResults: ProviderResult[]): Promise<void> {
    const payment = await getPaymentOrThrow(database.db, paymentId);
    for (const providerResult of providerResults) {
      const body = JSON.stringify(providerResult);
      const acknowledgement = { status: 200, body: {} };
      await storeNotification(context, 'stk', '127.0.0.1', {
        kind: 'take',
        isProven: true,
        eventKey: body,
        body,
        payment,
        acknowledgement,
      });
    }
  }

  const checkAt = (paymentId: string) =>
    review(context, {
      paymentId,
      cause: 'notification',
      patient: true,
      ask: (_rail, call) => call(),
    });

  const failed = (providerReference: string): ProviderResult => ({
    kind: 'failed',
    code: '1',
    text: 'insufficient balance',
    providerReference,
  });

  it('reads each notification once, whatever queries it causes', async () => {
    const { paymentId, inboxIds } = await reported({ provider_reference: 'ref-1' }, [
      failed('ref-1'),
      { kind: 'unknown', text: 'never seen' },
    ]);
    await checkAt(paymentId);
    expect(readings).toEqual(inboxIds);
  });

  it('reads each once if they name the reference that is queried', async () => {
    const named = ['ref-1', 'ref-2', 'ref-3'].map(failed);
    const { paymentId, inboxIds } = await reported({ provider_reference: null }, named);
    context.provider.providerResult = failed('ref-2');
    await checkAt(paymentId);
    expect(readings).toEqual(inboxIds);
    expect(await getPaymentOrThrow(database.db, paymentId)).toMatchObject({
      state: 'failed',
      provider_reference: 'ref-2',
    });
  });

  describe('if the reference was lost', () => {
    const forgedBefore = (check: number) => [1, 2, 3, 4, 5].map((n) => failed(`forged-${check}-${n}`));
    beforeEach(() => {
      const deposit = context.rails.get('stk').operations.deposit;
      if (!deposit) throw new Error('the rail takes no deposits');
      deposit.retrieveStatus = ({ provider_reference: asked }) =>
        Promise.resolve(asked === 'true' ? failed('true') : { kind: 'unknown', text: 'no such payment' });
      // However slow the machine is: a failure that stays unconfirmed for this long is used as it is.
      deposit.policy = { ...deposit.policy, confirmDelaysMs: [600_000] };
    });
    const isFound = async (paymentId: string) =>
      (await getPaymentOrThrow(database.db, paymentId)).provider_reference === 'true';

    it('finds the authentic one among five forged ones before each review', async () => {
      const { paymentId } = await reported({ provider_reference: null }, [
        ...forgedBefore(0),
        failed('true'),
      ]);
      let checks = 0;
      for (; checks < 10; checks += 1) {
        await checkAt(paymentId);
        if (await isFound(paymentId)) break;
        await notify(paymentId, forgedBefore(checks + 1));
      }
      expect(checks).toBeLessThan(3);
    });

    it('queries the latest one in the next review, behind five forged ones', async () => {
      const { paymentId } = await reported({ provider_reference: null }, forgedBefore(0));
      await checkAt(paymentId);
      await notify(paymentId, [failed('true')]);
      await checkAt(paymentId);
      expect(await isFound(paymentId)).toBe(true);
    });
  });
});
