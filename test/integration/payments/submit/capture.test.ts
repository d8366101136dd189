import { capture } from '../../../../src/payments/submit/send-capture';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { operationOf } from '../../../../src/rail-kit/rail';
import type { ProviderResult } from '../../../../src/domain/outcome';
import type { AttemptRow } from '../../../../src/store/tables';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';

describe('the attempts of a capture', () => {
  let database: TestDatabase;
  let context: FakeContext;
  let paymentId: string;
  /** The keys in the requests, oldest first. */
  let keys: string[];
  let answers: ProviderResult[];
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    context = fakeContext(database.db);
    paymentId = await insertPayment(database.db, { state: 'pending' });
    keys = [];
    answers = [];
    const deposit = context.rails.get('stk').operations.deposit;
    if (!deposit) throw new Error('the rail takes no deposits');
    deposit.capture = async (_payment, { key }) => {
      keys.push(key);
      return answers.shift() ?? { kind: 'unknown', text: 'the line dropped' };
    };
  });
  afterAll(() => database.drop());

  const declined: ProviderResult = { kind: 'open', declined: true, text: 'INSTRUMENT_DECLINED' };
  const open: ProviderResult = { kind: 'open', text: 'capture PENDING' };
  const key = (n: number) => `${paymentId}-${String(n)}`;
  async function take(...reported: ProviderResult[]): Promise<void> {
    const payment = await getPaymentOrThrow(database.db, paymentId);
    for (const answer of reported) {
      answers.push(answer);
      await capture(
        context,
        operationOf(context.rails.get('stk'), { kind: 'deposit', provider: '' }),
        payment,
        {
          timeoutMs: 1_000,
          requestId: 'req-1',
        },
      );
    }
  }
  const stored = () =>
    database
      .db('attempts')
      .where({ payment_id: paymentId })
      .orderBy('n')
      .select('n', 'provider_key', 'state');
  /** As stored before each attempt had a key of its own. */
  const writtenBefore = (state: AttemptRow['state']) =>
    database.db('attempts').insert({
      payment_id: paymentId,
      n: 1,
      operation: 'capture',
      provider_key: paymentId,
      state,
      code: null,
      detail: null,
      sent_at: new Date(),
      answered_at: state === 'sent' ? null : new Date(),
    });

  it('have a key each: a declined key would be declined forever', async () => {
    await take(declined, declined, { kind: 'succeeded', code: 'COMPLETED', text: '' });
    expect(keys).toEqual([key(1), key(2), key(3)]);
    expect((await stored()).map(({ state }) => state)).toEqual(['refused', 'refused', 'accepted']);
  });

  it('are one while its result is unknown', async () => {
    await take({ kind: 'unknown', text: 'the line dropped' }, open, open);
    expect(keys).toEqual([key(1), key(1), key(1)]);
    expect(await stored()).toMatchObject([{ n: 1, provider_key: key(1), state: 'accepted' }]);
  });

  it('are the same for two concurrent captures', async () => {
    await Promise.all([take(open), take(open)]);
    expect(keys).toEqual([key(1), key(1)]);
  });

  it.each(['sent', 'unknown'] as const)(
    'started before they had keys, and %s, are repeated under the old name: they may have been accepted',
    async (state) => {
      await writtenBefore(state);
      await take({ kind: 'unknown', text: 'the line dropped' }, declined, open);
      expect(keys).toEqual([paymentId, paymentId, key(2)]);
    },
  );

  it('declined before they had keys are over, and one submission is open', async () => {
    await writtenBefore('accepted');
    await take(open);
    expect(keys).toEqual([key(2)]);
    expect(await stored()).toMatchObject([
      { n: 1, state: 'refused' },
      { n: 2, state: 'accepted' },
    ]);
  });
});
