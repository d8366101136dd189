/** The database statements of a payment: each is a round trip, and the database reaches its limit first. */
import { v7 as uuid } from 'uuid';
import { createSweeper, claimLateChecks } from '../../../../src/payments/recovery/sweeper';
import { storeNotification } from '../../../../src/payments/resolve/inbox';
import { submitPayment } from '../../../../src/payments/submit/submit-payment';
import { railsOf } from '../../../../src/rail-kit/context';
import { getPaymentOrThrow, getWithUnread } from '../../../../src/payments/read/payments';
import type { Database } from '../../../../src/store/database';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { fakeContext, fakeEngine, type FakeContext } from '../../../support/payments/fakes';

let database: TestDatabase;
let db: Database;
let context: FakeContext;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
beforeEach(() => {
  context = fakeContext(db);
});
afterAll(() => database.drop());

/** The verb of each statement from now on. */
function listen(): { verbs: string[]; stop(): void } {
  const verbs: string[] = [];
  const note = ({ sql }: { sql: string }) => {
    verbs.push(/\w+/.exec(sql)?.[0].toUpperCase() ?? '');
  };
  db.on('query', note);
  return { verbs, stop: () => db.removeListener('query', note) };
}
const sent = async (work: () => Promise<unknown>): Promise<string[]> => {
  const { verbs, stop } = listen();
  await work();
  stop();
  return verbs;
};

describe("a provider's answer", () => {
  it('is stored with its attempt and changes its payment in one statement', async () => {
    const paymentId = await insertPayment(db);
    const operation = context.rails.get('stk').operations.deposit;
    let after = { verbs: [] as string[], stop: () => undefined as unknown };
    context.rails.get('stk').operations.deposit = {
      ...operation,
      initiate() {
        after = listen();
        return Promise.resolve({ kind: 'accepted', providerReference: `ws_CO_${uuid()}` });
      },
    } as never;
    await submitPayment(context, paymentId);
    after.stop();
    const written = ['UPDATE', 'INSERT', 'INSERT'];
    expect(after.verbs).toEqual(['BEGIN', ...written, 'COMMIT']);
    const attempts = await db('attempts').where({ payment_id: paymentId });
    expect([(await getPaymentOrThrow(db, paymentId)).state, attempts]).toMatchObject([
      'pending',
      [{ state: 'accepted', answered_at: expect.any(Date) }],
    ]);
  });
});

describe('a review', () => {
  it('reads a payment and its updates in one statement, with the same result as in two', async () => {
    const paymentId = await insertPayment(db, { details: { colour: 'blue' } });
    const read = async () => {
      let found: Awaited<ReturnType<typeof getWithUnread>> | undefined;
      expect(await sent(async () => (found = await getWithUnread(db, paymentId)))).toEqual(['SELECT']);
      const rows = db('inbox').where({ payment_id: paymentId, state: 'new' }).orderBy('inbox_id');
      expect(found).toEqual({ payment: await getPaymentOrThrow(db, paymentId), inbox: await rows });
      return found?.inbox.length;
    };
    expect(await read()).toBe(0);
    for (const text of ['one', 'two', 'three']) {
      await storeNotification(context, 'stk', '127.0.0.1', {
        ...{ kind: 'take', isProven: true, eventKey: text, body: JSON.stringify({ kind: 'open', text }) },
        payment: { payment_id: paymentId, workflow_id: `stk-push/${paymentId}` },
        acknowledgement: { status: 200, body: {} },
      });
    }
    expect(await read()).toBe(3);
    await db('inbox').where({ payment_id: paymentId }).limit(1).update({ state: 'applied' });
    expect(await read()).toBe(2);
  });

  it('of a missing payment fails', async () => {
    await expect(getWithUnread(db, uuid())).rejects.toThrow('does not exist');
  });
});

describe('a round of the sweeper without due payments', () => {
  it('starts no transaction, however many rails there are', async () => {
    const [stk] = context.rails.all;
    if (!stk) throw new Error('there is no rail');
    await db('payments').update({ next_check_at: new Date(Date.now() + 3_600_000) });
    const engine = fakeEngine(() => Promise.resolve('late'));
    const round = (names: string[]) =>
      sent(() =>
        createSweeper(
          { ...context, rails: railsOf(names.map((name) => ({ ...stk, name }))) },
          engine,
        ).sweep(),
      );
    const one = await round(['stk']);
    expect(new Set(one)).toEqual(new Set(['SELECT']));
    expect(await round(['stk', 'momo', 'xb', 'walletpay', 'cardproc'])).toEqual(one);
    expect(await sent(() => claimLateChecks(db, 'stk'))).toEqual(['SELECT']);
  });
});
