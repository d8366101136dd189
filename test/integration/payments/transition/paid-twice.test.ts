/** Who pays the same reference twice, as the transaction that settles the second payment finds it. */
import { dismissDuplicate } from '../../../../src/payments/transition/duplicate-payments';
import { duplicatesOf, duplicateTold } from '../../../../src/payments/read/duplicates';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { oldReferences } from '../../../../src/worker/prune/old-rows';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertMerchant, insertPayment } from '../../../support/store/rows';
import { expectClean } from '../../../support/expect-clean';
import { openCasesOf, webhooksOf } from '../../../support/payment-story';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { moveAlong, payOut } from '../../../support/verify/books-support';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';
import { asOurs } from '../../../support/own-rows';

const hoursAgo = (hours: number) => ({ created_at: new Date(Date.now() - hours * 3_600_000) });

/** A rail whose purchases are named, and which refunds. */
function contextOf({ db }: TestDatabase): FakeContext {
  const context = fakeContext(db);
  const { operations } = context.rails.get('stk');
  const { deposit } = operations;
  if (!deposit) throw new Error('the rail takes no deposits');
  operations.refund = { ...deposit, flow: 'disbursement' };
  operations.deposit = {
    ...deposit,
    purchase: {
      reference: ['order_id', 'account_reference'],
      mayBeAccount: 'account_reference',
      payer: 'phone_number',
    },
    tell: (payment) => ({ callbackType: 'STK-Push', endpoint: 'webhook_url', body: duplicateTold(payment) }),
    announces: ({ is_final }) => is_final === 1,
  };
  return context;
}

describe('a reference that is paid twice', () => {
  let database: TestDatabase;
  let context: FakeContext;
  let merchantId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await expectClean({ db: database.db });
    await database.drop();
  });
  beforeEach(async () => {
    context = contextOf(database);
    merchantId = await insertMerchant(database.db);
  });

  const settle = async (id: string) => {
    for (const state of ['initiating', 'pending', 'succeeded'] as const) await moveAlong(context, id, state);
  };
  /** A deposit of its own reference `ORDER-77`, asked for now, that waits to be paid. */
  const asked = (changes: Partial<PaymentRow> = {}) =>
    insertPayment(database.db, { merchant_id: merchantId, account_reference: 'ORDER-77', ...changes });
  async function paid(changes: Partial<PaymentRow> = {}): Promise<string> {
    const id = await asked(changes);
    await settle(id);
    return id;
  }
  /** What its merchant was told last, and what a person is asked. */
  async function told(id: string) {
    const webhooks = await webhooksOf(database.db, id);
    return { of: webhooks.at(-1)?.['possible_duplicate_of'], cases: await openCasesOf(database.db, id) };
  }
  const single = { of: undefined, cases: [] };
  const duplicateOf = (id: string) => ({ of: id, cases: ['paid_twice'] });
  const resolutionOf = async (id: string) =>
    (await database.db('cases').where({ payment_id: id, reason: 'paid_twice' }).first('resolution'))
      ?.resolution;
  const reverse = (id: string, givenBack = '125000') =>
    moveAlong(context, id, 'reversed', { changes: { given_back_minor: givenBack } });
  const refund = (depositId: string) =>
    payOut(context, {
      ...{ merchantId, kind: 'refund', rail: 'stk', amountMinor: 125_000n },
      with: { parent_id: depositId },
    });

  it('is told in the webhook of the second, and asked about with the evidence of both', async () => {
    const first = await paid({ phone_number: '254708374149' });
    const second = await paid({ phone_number: '+254708374149' });
    expect(await told(first)).toEqual(single);
    expect(await told(second)).toEqual(duplicateOf(first));
    const found = await database.db('cases').where({ payment_id: second }).first();
    expect(found?.detail).toMatch(
      /^ORDER-77: 1250\.00 KES by stk, payment \S+, asked at \S+, paid at \S+; then /,
    );
    expect(found?.detail).toContain(first);
    expect(found?.detail).toMatch(/the same payer$/);
    expect(found?.detail).not.toContain('374149');
  });

  it('is the same reference in other letters and blanks', async () => {
    const first = await paid({ account_reference: 'Order  77 ' });
    expect(await told(await paid({ account_reference: ' ORDER 77' }))).toEqual(duplicateOf(first));
    expect(await told(await paid({ account_reference: 'ORDER77' }))).toEqual(single);
  });

  it.each([
    ['another reference', { account_reference: 'ORDER-78' }],
    ['another amount', { requested_minor: '5000', instructed_minor: '5000' }],
    ['another currency', { currency: 'UGX', instructed_currency: 'UGX' }],
    ['13 hours between, under what may be an account', hoursAgo(13)],
    ['no reference', { account_reference: null }],
  ] as const)('is not found with %s', async (_what, changes) => {
    await paid();
    expect(await told(await paid(changes))).toEqual(single);
  });

  it('is found for three days under an order, and for half a day under what may be an account', async () => {
    await paid({ order_id: 'ORDER-77', account_reference: null, ...hoursAgo(73) });
    expect(await told(await paid())).toEqual(single);
    const account = { account_reference: 'METER-1' };
    const now = await paid(account);
    expect(await told(await paid({ ...account, ...hoursAgo(11) }))).toEqual(duplicateOf(now));
    const order = await paid({ order_id: 'ORDER-78', account_reference: null, ...hoursAgo(71) });
    expect(await told(await paid({ account_reference: 'ORDER-78' }))).toEqual(duplicateOf(order));
  });

  it("is not another merchant's", async () => {
    await paid();
    expect(await told(await paid({ merchant_id: await insertMerchant(database.db) }))).toEqual(single);
  });

  it('is not looked for where its merchant has switched it off', async () => {
    await database.db('merchants').where({ merchant_id: merchantId }).update({ paid_twice: 'off' });
    await asOurs(database.db, 'merchants', merchantId);
    await paid();
    expect(await told(await paid())).toEqual(single);
  });

  it('is no duplicate where both are parts of what was asked', async () => {
    const part = (confirmed: string) => ({ changes: { confirmed_minor: confirmed } });
    const first = await asked();
    for (const state of ['initiating', 'pending'] as const) await moveAlong(context, first, state);
    await moveAlong(context, first, 'succeeded', part('60000'));
    const rest = await asked();
    for (const state of ['initiating', 'pending'] as const) await moveAlong(context, rest, state);
    await moveAlong(context, rest, 'succeeded', part('65000'));
    expect(await told(rest)).toEqual(single);
    expect(await told(await paid())).toEqual(duplicateOf(first));
  });

  it('is no duplicate of what was taken back, or refunded, before', async () => {
    await reverse(await paid());
    const second = await paid();
    expect(await told(second)).toEqual(single);
    await moveAlong(context, await refund(second), 'succeeded');
    expect(await told(await paid())).toEqual(single);
  });

  it('asks nobody any more once the second was taken back', async () => {
    await paid();
    const second = await paid();
    await reverse(second, '1000');
    expect(await told(second)).toMatchObject({ cases: ['paid_twice'] });
    await reverse(second);
    expect(await openCasesOf(database.db, second)).toEqual([]);
    expect(await resolutionOf(second)).toBe('it went back to its payer');
  });

  it('asks nobody any more once the first was refunded, and not while the refund is under way', async () => {
    const first = await paid();
    const second = await paid();
    const back = await refund(first);
    expect(await openCasesOf(database.db, second)).toEqual(['paid_twice']);
    await moveAlong(context, back, 'succeeded');
    expect(await openCasesOf(database.db, second)).toEqual([]);
    expect(await resolutionOf(second)).toBe(`payment ${first} went back to its payer`);
  });

  it('asks again where the refund came back', async () => {
    await paid();
    const second = await paid();
    const back = await refund(second);
    await moveAlong(context, back, 'succeeded');
    await moveAlong(context, back, 'returned');
    expect(await openCasesOf(database.db, second)).toEqual(['paid_twice']);
  });

  it('asks again where a dispute was won for a part', async () => {
    await paid();
    const second = await paid();
    await reverse(second);
    await reverse(second, '100000');
    expect(await openCasesOf(database.db, second)).toEqual(['paid_twice']);
  });

  it('is found once the money of the first is here again, that was away when the second was settled', async () => {
    const first = await paid();
    const back = await refund(first);
    await moveAlong(context, back, 'succeeded');
    const second = await paid();
    expect(await told(second)).toEqual(single);
    await moveAlong(context, back, 'returned');
    expect(await openCasesOf(database.db, second)).toEqual(['paid_twice']);
    const { details } = await getPaymentOrThrow(database.db, second);
    expect(duplicateTold({ details })).toEqual({ possible_duplicate_of: first });
    const found = await database.db('cases').where({ payment_id: second }).first('detail');
    expect(found?.detail).toMatch(/^ORDER-77: 1250\.00 KES by stk, payment \S+, asked at .* then /);
  });

  it('is not asked about again where a person has called it none', async () => {
    const [first, second] = [await paid(), await paid()];
    const [found] = await duplicatesOf(database.db, second);
    if (!found) throw new Error('nobody was asked');
    await dismissDuplicate(database.db, found, { by: 'amina', reason: 'right' }, () => Promise.resolve());
    const back = await refund(first);
    await moveAlong(context, back, 'succeeded');
    await moveAlong(context, back, 'returned');
    expect(await openCasesOf(database.db, second)).toEqual([]);
  });

  it('is a duplicate of the next one where the first of three went back', async () => {
    const first = await paid();
    const [second, third] = [await paid(), await paid()];
    expect(await told(third)).toEqual(duplicateOf(first));
    await reverse(first);
    expect(await openCasesOf(database.db, second)).toEqual([]);
    expect(await openCasesOf(database.db, third)).toEqual(['paid_twice']);
    await reverse(second);
    expect(await openCasesOf(database.db, third)).toEqual([]);
  });

  it('is one duplicate where both are settled at the same moment', async () => {
    for (let n = 0; n < 5; n += 1) {
      const reference = { account_reference: `AT-ONCE-${String(n)}` };
      const ids = await Promise.all([1, 2, 3, 4].map(() => asked(reference)));
      for (const id of ids) {
        await moveAlong(context, id, 'initiating');
        await moveAlong(context, id, 'pending');
      }
      await Promise.all(ids.map((id) => moveAlong(context, id, 'succeeded')));
      const all = await Promise.all(ids.map(told));
      expect(all.filter(({ of }) => of === undefined)).toHaveLength(1);
      const first = ids[all.findIndex(({ of }) => of === undefined)];
      expect(new Set(all.map(({ of }) => of))).toEqual(new Set([undefined, first]));
    }
  });

  it('is an account that several people pay, and floods nobody', async () => {
    const donation = (n: number) => ({
      account_reference: 'donation',
      phone_number: `25470000000${String(n)}`,
    });
    const ids: string[] = [];
    for (let n = 0; n < 8; n += 1) ids.push(await paid(donation(n)));
    const all = await Promise.all(ids.map(told));
    expect(all.map(({ of }) => of)).toEqual([
      undefined,
      ids[0],
      ids[0],
      ...ids.slice(3).map(() => undefined),
    ]);
    expect(all.flatMap(({ cases }) => cases)).toEqual([]);
    expect(await resolutionOf(ids[1] ?? '')).toBe('the reference is an account');
    const back = await refund(ids[1] ?? '');
    await moveAlong(context, back, 'succeeded');
    await moveAlong(context, back, 'returned');
    expect(await openCasesOf(database.db, ids[1] ?? '')).toEqual([]);
    // Another process, which knows nothing of it.
    context = contextOf(database);
    expect(await told(await paid(donation(9)))).toEqual(single);
    expect(await database.db('paid_references').whereIn('payment_id', ids)).toHaveLength(3);
  });

  it('is an account after six payments of one payer, too', async () => {
    const ids: string[] = [];
    for (const asked of [0, 1, 2, 3, 4, 0, 0, 0]) {
      ids.push(await paid({ phone_number: '254708374149' }));
      expect((await Promise.all(ids.map(told))).flatMap((one) => one.cases)).toHaveLength(asked);
    }
  });

  it('is forgotten after 90 days, but for what a person is asked about', async () => {
    const [first, second] = [await paid(), await paid()];
    const other = await paid({ account_reference: 'OTHER' });
    const { created_at: longAgo } = hoursAgo(91 * 24);
    const age = async (ids: string[]) => {
      await database.db('payments').whereIn('payment_id', ids).update({ created_at: longAgo });
      await database.db('paid_references').whereIn('payment_id', ids).update({ paid_at: longAgo });
    };
    const left = () =>
      database.db('paid_references').whereIn('payment_id', [first, second, other]).pluck('payment_id');
    await age([first, second, other]);
    await oldReferences.takeSome(database.db);
    expect((await left()).sort()).toEqual([first, second].sort());
    await reverse(second);
    await oldReferences.takeSome(database.db);
    expect(await left()).toEqual([first]);
    expect(await oldReferences.count(database.db)).toBe(1);
    await oldReferences.takeSome(database.db);
    expect(await left()).toEqual([]);
  });
});
