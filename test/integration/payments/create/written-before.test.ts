/** A COMMIT whose answer is lost: the next attempt finds the written row before it checks for duplicates. */
import { writePayment } from '../../../../src/payments/create/write-payment';
import type { PaymentDraft } from '../../../../src/rail-kit/draft';
import { insertMerchant } from '../../../support/store/rows';
import { cutTransaction } from '../../../support/cut-transaction';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { callOf, draft, fakeContext } from '../../../support/payments/fakes';

describe('a payment whose COMMIT got no answer', () => {
  let test: TestDatabase;
  let merchantId: string;
  beforeAll(async () => {
    test = await createTestDatabase();
    merchantId = await insertMerchant(test.db);
  });
  afterAll(() => test.drop());

  async function write(moment: 'before' | 'after') {
    let checks = 0;
    const checked: PaymentDraft = {
      ...draft,
      check() {
        checks += 1;
        return Promise.resolve();
      },
    };
    const context = fakeContext(cutTransaction(test.db, { nth: 1, moment, how: 'lost' }));
    const { payment_id } = await writePayment(context, await callOf(test.db, merchantId), checked);
    return { checks, rows: await test.db('payments').where({ payment_id }).select('state') };
  }

  it('is not compared with itself', async () => {
    expect(await write('after')).toEqual({ checks: 1, rows: [{ state: 'received' }] });
  });

  it('is checked and written again if nothing was committed', async () => {
    expect(await write('before')).toEqual({ checks: 2, rows: [{ state: 'received' }] });
  });
});
