import { review } from '../../../../src/payments/resolve/review';
import { storeNotification } from '../../../../src/payments/resolve/inbox';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { Finding } from '../../../../src/domain/outcome';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';

describe('one look at a payment', () => {
  let database: TestDatabase;
  let context: FakeContext;
  /** The notifications that were read, each as often as it was. */
  let readings: string[];
  beforeEach(async () => {
    database = await createTestDatabase();
    context = fakeContext(database.db);
    readings = [];
    const deposit = context.rails.get('stk').operations.deposit;
    if (!deposit) throw new Error('the rail takes no deposits');
    deposit.readNotification = ({ inbox_id: id, body }) => {
      readings.push(id);
      return JSON.parse(body) as Finding;
    };
  });
  afterEach(() => database.drop());

  /** A pending payment of which these were reported. @returns it, and what its notifications are called. */
  async function told(
    changes: Partial<PaymentRow>,
    findings: Finding[],
  ): Promise<{ paymentId: string; inboxIds: string[] }> {
    const paymentId = await insertPayment(database.db, { state: 'pending', ...changes });
    await tell(paymentId, findings);
    const rows = await database.db('inbox').where({ payment_id: paymentId }).orderBy('inbox_id');
    return { paymentId, inboxIds: rows.map(({ inbox_id: id }) => id) };
  }

  async function tell(paymentId: string, findings: Finding[]): Promise<void> {
    const payment = await getPaymentOrThrow(database.db, paymentId);
    for (const finding of findings) {
      const body = JSON.stringify(finding);
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

  const lookAt = (paymentId: string) =>
    review(context, {
      paymentId,
      cause: 'notification',
      patient: true,
      ask: (_rail, call) => call(),
    });

  const failed = (providerReference: string): Finding => ({
    kind: 'failed',
    code: '1',
    text: 'insufficient balance',
    providerReference,
  });

  it('reads each notification once, whatever is asked because of it', async () => {
    const { paymentId, inboxIds } = await told({ provider_reference: 'ref-1' }, [
      failed('ref-1'),
      { kind: 'unknown', text: 'never seen' },
    ]);
    await lookAt(paymentId);
    expect(readings).toEqual(inboxIds);
  });

  it('reads each once where they name what the provider is asked about', async () => {
    const named = ['ref-1', 'ref-2', 'ref-3'].map(failed);
    const { paymentId, inboxIds } = await told({ provider_reference: null }, named);
    context.provider.finding = failed('ref-2');
    await lookAt(paymentId);
    expect(readings).toEqual(inboxIds);
    expect(await getPaymentOrThrow(database.db, paymentId)).toMatchObject({
      state: 'failed',
      provider_reference: 'ref-2',
    });
  });

  describe('where the reference was lost', () => {
    const forgedBefore = (look: number) => [1, 2, 3, 4, 5].map((n) => failed(`forged-${look}-${n}`));
    beforeEach(() => {
      const deposit = context.rails.get('stk').operations.deposit;
      if (!deposit) throw new Error('the rail takes no deposits');
      deposit.retrieveStatus = ({ provider_reference: asked }) =>
        Promise.resolve(asked === 'true' ? failed('true') : { kind: 'unknown', text: 'no such payment' });
      // However slow the machine is: a failure that nobody confirms for so long is dealt with as it stands.
      deposit.policy = { ...deposit.policy, confirmDelaysMs: [600_000] };
    });
    const isFound = async (paymentId: string) =>
      (await getPaymentOrThrow(database.db, paymentId)).provider_reference === 'true';

    it('finds the true one though five forged ones come before each look', async () => {
      const { paymentId } = await told({ provider_reference: null }, [...forgedBefore(0), failed('true')]);
      let looks = 0;
      for (; looks < 10; looks += 1) {
        await lookAt(paymentId);
        if (await isFound(paymentId)) break;
        await tell(paymentId, forgedBefore(looks + 1));
      }
      expect(looks).toBeLessThan(3);
    });

    it('asks about what has just come in the next look, though five forged ones wait', async () => {
      const { paymentId } = await told({ provider_reference: null }, forgedBefore(0));
      await lookAt(paymentId);
      await tell(paymentId, [failed('true')]);
      await lookAt(paymentId);
      expect(await isFound(paymentId)).toBe(true);
    });
  });
});
