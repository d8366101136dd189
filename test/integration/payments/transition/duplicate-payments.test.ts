/** Duplicate payments for one reference, as found by the transaction that settles the second payment. */
import { dismissDuplicate } from '../../../../src/payments/transition/duplicate-payments';
import { duplicatesOf, shownDuplicate } from '../../../../src/payments/read/duplicates';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { oldReferences } from '../../../../src/worker/prune/old-rows';
import type { PaymentRow } from '../../../../src/store/tables';
import { insertMerchant, insertPayment } from '../../../support/store/rows';
import { expectClean } from '../../../support/expect-clean';
import { openCasesOf, webhooksOf } from '../../../support/payments/timeline';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { transitionTo, payOut } from '../../../support/verify/books-support';
import { fakeContext, type FakeContext } from '../../../support/payments/fakes';
import { asOurs } from '../../../support/own-rows';

const hoursAgo = (hours: number) => ({ created_at: new Date(Date.now() - hours * 3_600_000) });

/** A rail with references and refunds. */
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
    webhookOf: (payment) => ({
      callbackType: 'STK-Push',
      endpoint: 'webhook_url',
      body: shownDuplicate(payment),
    }),
    sendsWebhook: ({ is_final }) => is_final === 1,
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
    for (const state of ['initiating', 'pending', 'succeeded'] as const)
      await transitionTo(context, id, state);
  };
  /** A pending deposit with the reference `ORDER-77`, requested now. */
  const asked = (changes: Partial<PaymentRow> = {}) =>
    insertPayment(database.db, { merchant_id: merchantId, account_reference: 'ORDER-77', ...changes });
  async function paid(changes: Partial<PaymentRow> = {}): Promise<string> {
    const id = await asked(changes);
    await settle(id);
    return id;
  }
  /** The merchant's last webhook, and the operator's case. */
  async function reported(id: string) {
    const webhooks = await webhooksOf(database.db, id);
    return { of: webhooks.at(-1)?.['possible_duplicate_of'], cases: await openCasesOf(database.db, id) };
  }
  const single = { of: undefined, cases: [] };
  const duplicateOf = (id: string) => ({ of: id, cases: ['duplicate_payment'] });
  const resolutionOf = async (id: string) =>
    (await database.db('cases').where({ payment_id: id, reason: 'duplicate_payment' }).first('resolution'))
      ?.resolution;
  const reverse = (id: string, wasReturned = '125000') =>
    transitionTo(context, id, 'reversed', { changes: { returned_minor: wasReturned } });
  const refund = (depositId: string) =>
    payOut(context, {
      ...{ merchantId, kind: 'refund', rail: 'stk', amountMinor: 125_000n },
      with: { parent_id: depositId },
    });

  it('is in the webhook of the second, and opens a case with the data of both', async () => {
    const first = await paid({ phone_number: '254708374149' });
    const second = await paid({ phone_number: '+254708374149' });
    expect(await reported(first)).toEqual(single);
    expect(await reported(second)).toEqual(duplicateOf(first));
    const found = await database.db('cases').where({ payment_id: second }).first();
    expect(found?.detail).toMatch(
      /^ORDER-77: 1250\.00 KES by stk, payment \S+, requested at \S+, paid at \S+; then /,
    );
    expect(found?.detail).toContain(first);
    expect(found?.detail).toMatch(/the same payer$/);
    expect(found?.detail).not.toContain('374149');
  });

  it('is the same in another letter case and spacing', async () => {
    const first = await paid({ account_reference: 'Order  77 ' });
    expect(await reported(await paid({ account_reference: ' ORDER 77' }))).toEqual(duplicateOf(first));
    expect(await reported(await paid({ account_reference: 'ORDER77' }))).toEqual(single);
  });

  it.each([
    ['another reference', { account_reference: 'ORDER-78' }],
    ['another amount', { requested_minor: '5000', instructed_minor: '5000' }],
    ['another currency', { currency: 'UGX', instructed_currency: 'UGX' }],
    ['13 hours between, under what may be an account', hoursAgo(13)],
    ['no reference', { account_reference: null }],
  ] as const)('is not found with %s', async (_what, changes) => {
    await paid();
    expect(await reported(await paid(changes))).toEqual(single);
  });

  it('is found for three days for an order, and for half a day for a possible account', async () => {
    await paid({ order_id: 'ORDER-77', account_reference: null, ...hoursAgo(73) });
    expect(await reported(await paid())).toEqual(single);
    const account = { account_reference: 'METER-1' };
    const now = await paid(account);
    expect(await reported(await paid({ ...account, ...hoursAgo(11) }))).toEqual(duplicateOf(now));
    const order = await paid({ order_id: 'ORDER-78', account_reference: null, ...hoursAgo(71) });
    expect(await reported(await paid({ account_reference: 'ORDER-78' }))).toEqual(duplicateOf(order));
  });

  it("is not another merchant's", async () => {
    await paid();
    expect(await reported(await paid({ merchant_id: await insertMerchant(database.db) }))).toEqual(single);
  });

  it('is not checked if its merchant has disabled the check', async () => {
    await database.db('merchants').where({ merchant_id: merchantId }).update({ duplicate_alert: 'off' });
    await asOurs(database.db, 'merchants', merchantId);
    await paid();
    expect(await reported(await paid())).toEqual(single);
  });

  it('is no duplicate if both are parts of the requested amount', async () => {
    const part = (confirmed: string) => ({ changes: { confirmed_minor: confirmed } });
    const first = await asked();
    for (const state of ['initiating', 'pending'] as const) await transitionTo(context, first, state);
    await transitionTo(context, first, 'succeeded', part('60000'));
    const rest = await asked();
    for (const state of ['initiating', 'pending'] as const) await transitionTo(context, rest, state);
    await transitionTo(context, rest, 'succeeded', part('65000'));
    expect(await reported(rest)).toEqual(single);
    expect(await reported(await paid())).toEqual(duplicateOf(first));
  });

  it('is no duplicate of a payment that was reversed or refunded before', async () => {
    await reverse(await paid());
    const second = await paid();
    expect(await reported(second)).toEqual(single);
    await transitionTo(context, await refund(second), 'succeeded');
    expect(await reported(await paid())).toEqual(single);
  });

  it('closes its case once the second was reversed', async () => {
    await paid();
    const second = await paid();
    await reverse(second, '1000');
    expect(await reported(second)).toMatchObject({ cases: ['duplicate_payment'] });
    await reverse(second);
    expect(await openCasesOf(database.db, second)).toEqual([]);
    expect(await resolutionOf(second)).toBe('it was refunded to its payer');
  });

  it('closes its case once the first was refunded, and not while the refund is in progress', async () => {
    const first = await paid();
    const second = await paid();
    const back = await refund(first);
    expect(await openCasesOf(database.db, second)).toEqual(['duplicate_payment']);
    await transitionTo(context, back, 'succeeded');
    expect(await openCasesOf(database.db, second)).toEqual([]);
    expect(await resolutionOf(second)).toBe(`payment ${first} was refunded to its payer`);
  });

  it('opens a case again if the refund was returned', async () => {
    await paid();
    const second = await paid();
    const back = await refund(second);
    await transitionTo(context, back, 'succeeded');
    await transitionTo(context, back, 'returned');
    expect(await openCasesOf(database.db, second)).toEqual(['duplicate_payment']);
  });

  it('opens a case again after a dispute was won for a part', async () => {
    await paid();
    const second = await paid();
    await reverse(second);
    await reverse(second, '100000');
    expect(await openCasesOf(database.db, second)).toEqual(['duplicate_payment']);
  });

  it('is found once the money of the first is back, if it was away when the second was settled', async () => {
    const first = await paid();
    const back = await refund(first);
    await transitionTo(context, back, 'succeeded');
    const second = await paid();
    expect(await reported(second)).toEqual(single);
    await transitionTo(context, back, 'returned');
    expect(await openCasesOf(database.db, second)).toEqual(['duplicate_payment']);
    const { details } = await getPaymentOrThrow(database.db, second);
    expect(shownDuplicate({ details })).toEqual({ possible_duplicate_of: first });
    const found = await database.db('cases').where({ payment_id: second }).first('detail');
    expect(found?.detail).toMatch(/^ORDER-77: 1250\.00 KES by stk, payment \S+, requested at .* then /);
  });

  it('opens no case again if an operator has dismissed it', async () => {
    const [first, second] = [await paid(), await paid()];
    const [found] = await duplicatesOf(database.db, second);
    if (!found) throw new Error('nobody was asked');
    await dismissDuplicate(database.db, found, { by: 'amina', reason: 'right' }, () => Promise.resolve());
    const back = await refund(first);
    await transitionTo(context, back, 'succeeded');
    await transitionTo(context, back, 'returned');
    expect(await openCasesOf(database.db, second)).toEqual([]);
  });

  it('is a duplicate of the next one if the first of three was refunded', async () => {
    const first = await paid();
    const [second, third] = [await paid(), await paid()];
    expect(await reported(third)).toEqual(duplicateOf(first));
    await reverse(first);
    expect(await openCasesOf(database.db, second)).toEqual([]);
    expect(await openCasesOf(database.db, third)).toEqual(['duplicate_payment']);
    await reverse(second);
    expect(await openCasesOf(database.db, third)).toEqual([]);
  });

  it('is one duplicate if both are settled at the same time', async () => {
    for (let n = 0; n < 5; n += 1) {
      const reference = { account_reference: `AT-ONCE-${String(n)}` };
      const ids = await Promise.all([1, 2, 3, 4].map(() => asked(reference)));
      for (const id of ids) {
        await transitionTo(context, id, 'initiating');
        await transitionTo(context, id, 'pending');
      }
      await Promise.all(ids.map((id) => transitionTo(context, id, 'succeeded')));
      const all = await Promise.all(ids.map(reported));
      expect(all.filter(({ of }) => of === undefined)).toHaveLength(1);
      const first = ids[all.findIndex(({ of }) => of === undefined)];
      expect(new Set(all.map(({ of }) => of))).toEqual(new Set([undefined, first]));
    }
  });

  it('is an account with several payers, and opens few cases', async () => {
    const donation = (n: number) => ({
      account_reference: 'donation',
      phone_number: `25470000000${String(n)}`,
    });
    const ids: string[] = [];
    for (let n = 0; n < 8; n += 1) ids.push(await paid(donation(n)));
    const all = await Promise.all(ids.map(reported));
    expect(all.map(({ of }) => of)).toEqual([
      undefined,
      ids[0],
      ids[0],
      ...ids.slice(3).map(() => undefined),
    ]);
    expect(all.flatMap(({ cases }) => cases)).toEqual([]);
    expect(await resolutionOf(ids[1] ?? '')).toBe('the reference is an account');
    const back = await refund(ids[1] ?? '');
    await transitionTo(context, back, 'succeeded');
    await transitionTo(context, back, 'returned');
    expect(await openCasesOf(database.db, ids[1] ?? '')).toEqual([]);
    // Another process, without this one's data.
    context = contextOf(database);
    expect(await reported(await paid(donation(9)))).toEqual(single);
    expect(await database.db('paid_references').whereIn('payment_id', ids)).toHaveLength(3);
  });

  it('is an account after six payments of one payer, too', async () => {
    const ids: string[] = [];
    for (const asked of [0, 1, 2, 3, 4, 0, 0, 0]) {
      ids.push(await paid({ phone_number: '254708374149' }));
      expect((await Promise.all(ids.map(reported))).flatMap((one) => one.cases)).toHaveLength(asked);
    }
  });

  it('is deleted after 90 days, except with an open case', async () => {
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
