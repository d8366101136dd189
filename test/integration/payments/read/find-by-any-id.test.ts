import { base32OfUuid } from '../../../../src/domain/base32';
import { createMerchant } from '../../../../src/merchants/merchants';
import { findByAnyId, phoneSpellings } from '../../../../src/payments/read/payments';
import { listPayments } from '../../../../src/payments/read/list-payments';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { box } from '../../../support/verify/books-support';

const spellings = [
  ...['0712345678', '254712345678', '+254712345678', '+254 712 345 678', '0712-345-678', '712345678'],
  ...['\u202A+254712345678\u202C', '00254712345678', '(0712) 345.678', '+254\u00A0712\u00A0345\u00A0678'],
  ...['+254 (0) 712 345 678', '2540712345678', "'0712345678", 'tel:+254712345678', '０７１２３４５６７８'],
];

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe('our id as others show it', () => {
  it.each([
    ["a cross-border payment's invoice_id", (id: string) => id],
    ["the provider's api_ref", (id: string) => `xb-${id}`],
    ['an order of the hosted checkout, with its attempt', (id: string) => `cp-${id}-2`],
    ['small letters', (id: string) => id.toLowerCase()],
  ])('finds its payment: %s', async (_what, shown) => {
    const { db } = test;
    const paymentId = await insertPayment(db);
    const found = await findByAnyId(db, ['stk'], shown(base32OfUuid(paymentId)));
    expect(found.map(({ payment_id: id }) => id)).toEqual([paymentId]);
  });
});

describe('a phone number', () => {
  it.each(spellings)(
    'written as %j finds payments on every rail, only of the own merchant',
    async (typed) => {
      const { db } = test;
      const merchant = async () => {
        const made = await createMerchant(db, box, { name: 'Duka', environment: 'sandbox' });
        return made.merchant_id;
      };
      const [own, other] = [await merchant(), await merchant()];
      const bare = await insertPayment(db, { merchant_id: own, phone_number: '254712345678' });
      const plus = await insertPayment(db, { merchant_id: own, phone_number: '+254712345678' });
      const theirs = await insertPayment(db, { merchant_id: other, phone_number: '254712345678' });
      await insertPayment(db, { merchant_id: own, phone_number: '254799990712' });
      const ids = (found: { payment_id: string }[]) => found.map(({ payment_id: id }) => id).sort();

      expect(ids(await findByAnyId(db, ['stk'], typed, own))).toEqual([bare, plus].sort());
      expect(ids(await findByAnyId(db, ['stk'], typed))).toEqual(
        expect.arrayContaining([bare, plus, theirs]),
      );
      const page = { before: undefined, limit: 25 };
      const { payments } = await listPayments(db, own, { phones: phoneSpellings(typed) }, page);
      expect(ids(payments)).toEqual([bare, plus].sort());
    },
  );

  it.each([
    ['0151345789', '2290151345789'],
    ['0712345678', '2250712345678'],
  ])('%s finds %s, if the 0 belongs to the number', (typed, stored) => {
    expect(phoneSpellings(typed)).toContain(stored);
  });

  it('that is invalid or incomplete finds nothing', async () => {
    for (const typed of [
      '0712',
      '12345678',
      'abc',
      '',
      '+',
      '1'.repeat(16),
      '254712345678x',
      ' '.repeat(500),
    ])
      expect(phoneSpellings(typed)).toEqual([]);
    const page = { before: undefined, limit: 25 };
    const merchant = await createMerchant(test.db, box, { name: 'Duka', environment: 'sandbox' });
    await insertPayment(test.db, { merchant_id: merchant.merchant_id, phone_number: '254712345678' });
    expect((await listPayments(test.db, merchant.merchant_id, { phones: [] }, page)).payments).toEqual([]);
  });

  it('is found by its index', async () => {
    const query = test
      .db('payments')
      .whereIn('phone_number', phoneSpellings('0712345678'))
      .toSQL()
      .toNative();
    const [rows] = (await test.db.raw(`EXPLAIN FORMAT=TRADITIONAL ${query.sql}`, [
      ...query.bindings,
    ])) as unknown as [{ possible_keys: string | null }[]];
    expect(rows[0]?.possible_keys).toContain('by_phone');
  });
});
