/** A COMMIT of which the answer is lost: the next try finds what it has left before it checks anything against it. */
import { writePayment } from '../../src/payments/acceptance/write-payment';
import type { PaymentDraft } from '../../src/payments/rail/draft';
import type { Database } from '../../src/store/database';
import { insertMerchant } from '../store/rows';
import { createTestDatabase, type TestDatabase } from '../support/services';
import { callOf, draft, fakeContext } from './fakes';

describe('a payment whose COMMIT was not answered', () => {
  let test: TestDatabase;
  let merchantId: string;
  beforeAll(async () => {
    test = await createTestDatabase();
    merchantId = await insertMerchant(test.db);
  });
  afterAll(() => test.drop());

  /** The first transaction is committed, or rolled back, and nobody hears of it. */
  function loses(db: Database, how: 'answer' | 'transaction'): Database {
    let isLost = false;
    const transaction = async (work: (trx: unknown) => Promise<unknown>): Promise<unknown> => {
      if (isLost) return db.transaction(work);
      isLost = true;
      await db.transaction(async (trx) => {
        await work(trx);
        if (how === 'transaction') throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
      });
      throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    };
    return new Proxy(db, {
      get: (target, name) => (name === 'transaction' ? transaction : (Reflect.get(target, name) as unknown)),
    });
  }

  async function write(how: 'answer' | 'transaction') {
    let checks = 0;
    const checked: PaymentDraft = {
      ...draft,
      check() {
        checks += 1;
        return Promise.resolve();
      },
    };
    const context = fakeContext(loses(test.db, how));
    const { payment_id } = await writePayment(context, await callOf(test.db, merchantId), checked);
    return { checks, rows: await test.db('payments').where({ payment_id }).select('state') };
  }

  it('is not checked against itself', async () => {
    expect(await write('answer')).toEqual({ checks: 1, rows: [{ state: 'received' }] });
  });

  it('is checked and written again where nothing was committed', async () => {
    expect(await write('transaction')).toEqual({ checks: 2, rows: [{ state: 'received' }] });
  });
});
