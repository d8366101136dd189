import Joi from 'joi';
import { bulkEndpoints, type BulkOf } from '../../src/payments/acceptance/bulk/endpoints';
import type { Call } from '../../src/payments/rail/endpoint';
import type { RailApi } from '../../src/payments/rail/rail';
import { payoutBody } from '../../src/rails/momo/requests';

const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const row = {
  amount: '1.00',
  currency: 'ZMW',
  phone_number: '+260763000789',
  country: 'ZMB',
  account_reference: 'A',
};
const of: BulkOf = {
  rail: 'momo',
  row: payoutBody,
  about: { answer: Joi.object(), refusals: [] },
  drafting: () => () => Promise.reject(new Error('nothing is drafted here')),
  statusOf: () => '',
  rowBody: () => ({}),
  amountOf: () => '',
  envelope: (body) => body,
};

/** An API whose database is lost once the bulk was taken, or before it could be looked for. */
function handle(api: Partial<RailApi>): Promise<unknown> {
  const db = (() => {
    throw lost;
  }) as unknown as RailApi['db'];
  const [post] = bulkEndpoints({ ...api, db } as RailApi, of);
  const call = { input: { order_id: 'PAYROLL', payouts: [row] }, merchant: {} } as unknown as Call;
  return Promise.resolve(post?.handle(call));
}

describe('a bulk whose database is lost', () => {
  it('after it was taken is not called "nothing was started"', async () => {
    const acceptBulk = () => Promise.resolve({ bulk_id: 'b-1' } as never);
    await expect(handle({ acceptBulk })).rejects.toMatchObject({
      code: 'ACCEPTANCE_UNKNOWN',
      options: { extra: { bulk_id: 'b-1' } },
    });
  });

  it('before an earlier request could be looked for is not, either', async () => {
    await expect(handle({ acceptBulk: () => Promise.reject(lost) })).rejects.toMatchObject({
      code: 'ACCEPTANCE_UNKNOWN',
    });
  });
});
