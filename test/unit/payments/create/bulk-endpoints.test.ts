import Joi from 'joi';
import { bulkEndpoints, type BulkOf } from '../../../../src/payments/create/bulk/endpoints';
import type { Call } from '../../../../src/rail-kit/endpoint';
import { validateInput } from '../../../../src/rail-kit/fields';
import type { RailApi } from '../../../../src/rail-kit/rail';
import { payoutBody } from '../../../../src/rails/momo/requests';

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
  about: { answer: Joi.object(), errors: [] },
  drafting: () => () => Promise.reject(new Error('nothing is drafted here')),
  statusOf: () => '',
  rowBody: () => ({}),
  amountOf: () => '',
  envelope: (body) => body,
};

/** An API whose database is lost after the bulk was written, or before it could be looked up. */
function handle(api: Partial<RailApi>): Promise<unknown> {
  const db = (() => {
    throw lost;
  }) as unknown as RailApi['db'];
  const [post] = bulkEndpoints({ ...api, db } as RailApi, of);
  const call = { input: { order_id: 'PAYROLL', payouts: [row] }, merchant: {} } as unknown as Call;
  return Promise.resolve(post?.handle(call));
}

describe('a bulk whose database is lost', () => {
  it('after writing does not answer "nothing was started"', async () => {
    const acceptBulk = () => Promise.resolve({ bulk_id: 'b-1' } as never);
    await expect(handle({ acceptBulk })).rejects.toMatchObject({
      code: 'ACCEPTANCE_UNKNOWN',
      options: { extra: { bulk_id: 'b-1' } },
    });
  });

  it('before the lookup of an earlier request does not either', async () => {
    await expect(handle({ acceptBulk: () => Promise.reject(lost) })).rejects.toMatchObject({
      code: 'ACCEPTANCE_UNKNOWN',
    });
  });
});

describe('the rows of a bulk', () => {
  const card = '4242 4242 4242 4242';
  const schema = () => {
    const [post] = bulkEndpoints({} as RailApi, of);
    if (!post) throw new Error('there is no such endpoint');
    return post.input;
  };

  it('are validated only by their own schema: ignored fields are not checked', () => {
    const sent = { order_id: 'PAYROLL', payouts: [{ ...row, remark: card }] };
    expect(validateInput(schema(), sent)).toEqual(sent);
    expect(validateInput(of.row, { ...row, remark: card })).not.toHaveProperty('remark');
  });

  it('contain no card number in an accepted field', () => {
    expect(() => validateInput(of.row, { ...row, account_reference: card })).toThrow(/card number/);
    expect(() => validateInput(schema(), { order_id: card, payouts: [row] })).toThrow(/card number/);
  });
});
