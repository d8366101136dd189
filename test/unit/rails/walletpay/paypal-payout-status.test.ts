/** The meaning of the provider's answer about a payout, line by line. */
import {
  batch,
  batchId,
  call,
  html,
  itemId,
  payout,
  provider,
  denial,
  startScriptedProvider,
  type Reply,
  type ScriptedProvider,
} from './paypal-support';

const query = `GET /v1/payments/payouts/${batchId}`;

let paypal: ScriptedProvider;

beforeAll(async () => {
  paypal = await startScriptedProvider();
});
beforeEach(() => paypal.reset());
afterAll(() => paypal.close());

const found = (json: unknown, row = payout()) => {
  paypal.answers(query, { status: 200, json });
  return provider(paypal.url).payout.retrieveStatus(row, call);
};
const item = (status: string, name?: string, changes: Record<string, unknown> = {}) => ({
  transaction_status: status,
  ...(name === undefined ? {} : { errors: { name, message: 'in words' } }),
  ...changes,
});

describe('an item that is', () => {
  it('SUCCESS is paid, with the confirmed amount', async () => {
    const amount = { currency: 'USD', value: '39.50' };
    const sent = { sender_item_id: `po-${payout().payment_id}`, amount };
    expect(await found(batch('SUCCESS', item('SUCCESS', undefined, { payout_item: sent })))).toEqual({
      kind: 'succeeded',
      code: 'SUCCESS',
      text: 'SUCCESS',
      amountMinor: 3_950n,
      currency: 'USD',
      receipt: '9T35838423488430R',
      providerReference: batchId,
      details: { payout_item_id: itemId, item_status: 'SUCCESS', failure: '' },
    });
  });

  it.each(['PENDING', 'ONHOLD'])('%s is open, whatever the batch', async (status) => {
    for (const around of ['PENDING', 'PROCESSING', 'SUCCESS']) {
      const providerResult = await found(batch(around, item(status, 'REGULATORY_PENDING')));
      expect(providerResult).toMatchObject({
        kind: 'open',
        details: { payout_item_id: itemId, item_status: status, failure: 'REGULATORY_PENDING' },
      });
      expect(providerResult).not.toHaveProperty('as');
    }
  });

  it.each(['RECEIVER_UNREGISTERED', 'RECEIVER_UNCONFIRMED'])(
    'UNCLAIMED for %s waits for its receiver, with the reason, even in a batch that is SUCCESS',
    async (name) => {
      expect(await found(batch('SUCCESS', item('UNCLAIMED', name)))).toMatchObject({
        kind: 'open',
        as: 'queued',
        details: { payout_item_id: itemId, item_status: 'UNCLAIMED', failure: name, claimable: 'in words' },
      });
    },
  );

  it.each([
    ['FAILED', 'RECEIVER_ACCOUNT_LOCKED'],
    ['BLOCKED', 'REGULATORY_BLOCKED'],
    ['DENIED', 'RISK_DECLINE'],
  ])('%s failed with its error’s name', async (status, name) => {
    expect(await found(batch('SUCCESS', item(status, name)))).toMatchObject({
      kind: 'failed',
      code: name,
      text: 'in words',
      details: { item_status: status, failure: name },
    });
    expect(await found(batch('SUCCESS', item(status)))).toMatchObject({ kind: 'failed', code: status });
  });

  it('reported as failed because its receiver must choose a currency is pending', async () => {
    const reason = 'PENDING_RECIPIENT_NON_HOLDING_CURRENCY_PAYMENT_PREFERENCE';
    expect(await found(batch('SUCCESS', item('FAILED', reason)))).toMatchObject({ kind: 'open' });
    expect(await found(batch('SUCCESS', item('SUCCESS', reason)))).toMatchObject({ kind: 'succeeded' });
  });

  it.each(['RETURNED', 'REFUNDED', 'REVERSED'])('%s is returned, with that code', async (status) => {
    expect(await found(batch('SUCCESS', item(status)))).toMatchObject({
      kind: 'returned',
      code: status,
      amountMinor: 4_000n,
      currency: 'USD',
      providerReference: batchId,
      details: { item_status: status },
    });
  });

  it('RETURNED with an unreadable amount is returned without one', async () => {
    const sent = { sender_item_id: `po-${payout().payment_id}`, amount: { currency: 'USD', value: 'forty' } };
    const providerResult = await found(batch('SUCCESS', item('RETURNED', undefined, { payout_item: sent })));
    expect(providerResult).toMatchObject({ kind: 'returned', currency: 'USD' });
    expect(providerResult).not.toHaveProperty('amountMinor');
  });

  it('SUCCESS after an event of a return is queried again if it was paid', async () => {
    const details = { item_event: 'PAYMENT.PAYOUTS-ITEM.RETURNED' };
    const reported = (state: 'pending' | 'succeeded') =>
      found(batch('SUCCESS', item('SUCCESS')), payout({ state, details }));
    expect(await reported('succeeded')).toMatchObject({ kind: 'open' });
    expect(await reported('pending')).toMatchObject({ kind: 'succeeded' });
  });

  it.each([
    ['it waits for its receiver with us', payout({ state: 'queued' }), undefined],
    ['it was known to', payout({ details: { item_status: 'UNCLAIMED' } }), undefined],
    ['its reason says so', payout(), 'RECEIVER_UNREGISTERED'],
  ])('RETURNED is UNCLAIMED_RETURNED when %s', async (_what, row, name) => {
    expect(await found(batch('SUCCESS', item('RETURNED', name)), row)).toMatchObject({
      kind: 'returned',
      code: 'UNCLAIMED_RETURNED',
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['in a status nobody has seen', item('NEVER_SEEN')],
    [
      'paid without an amount',
      item('SUCCESS', undefined, { payout_item: { sender_item_id: `po-${payout().payment_id}` } }),
    ],
    ['another’s', item('SUCCESS', undefined, { payout_item: { sender_item_id: 'po-2' } })],
  ])('%s proves nothing', async (_what, changes) => {
    expect(await found(batch('SUCCESS', changes))).toMatchObject({ kind: 'unknown' });
  });

  const paidIn = (currency: string) => {
    const sent = { sender_item_id: `po-${payout().payment_id}`, amount: { currency, value: '40.00' } };
    return found(batch('SUCCESS', item('SUCCESS', undefined, { payout_item: sent })));
  };

  it('paid in another currency is returned with it', async () => {
    expect(await paidIn('EUR')).toMatchObject({ kind: 'succeeded', currency: 'EUR', amountMinor: 4000n });
  });

  it('paid in an unknown currency is returned with it, and without an amount', async () => {
    const providerResult = await paidIn('ZZZ');
    expect(providerResult).toMatchObject({ kind: 'succeeded', currency: 'ZZZ' });
    expect(providerResult).not.toHaveProperty('amountMinor');
  });
});

describe('a batch that is', () => {
  it.each(['DENIED', 'CANCELED'])('%s failed, with its item’s reason if there is one', async (status) => {
    expect(await found(batch(status))).toMatchObject({ kind: 'failed', code: `BATCH_${status}` });
    expect(await found(batch(status, item('PENDING')))).toMatchObject({
      kind: 'failed',
      code: `BATCH_${status}`,
    });
    expect(await found(batch(status, item('PENDING', 'RISK_DECLINE')))).toMatchObject({
      kind: 'failed',
      code: 'RISK_DECLINE',
    });
  });

  it('DENIED with a paid item is paid: the item counts', async () => {
    expect(await found(batch('DENIED', item('SUCCESS')))).toMatchObject({ kind: 'succeeded' });
  });

  it.each(['PENDING', 'PROCESSING'])('%s without an item is open', async (status) => {
    expect(await found(batch(status))).toMatchObject({ kind: 'open' });
  });

  it('SUCCESS without an item counts for the item', async () => {
    for (const row of [payout(), payout({ details: { item_status: 'PENDING' } })]) {
      expect(await found(batch('SUCCESS'), row)).toMatchObject({ kind: 'succeeded', amountMinor: 4_000n });
    }
    expect(await found(batch('SUCCESS', { transaction_status: undefined }))).toMatchObject({
      kind: 'succeeded',
    });
  });

  it.each(['UNCLAIMED', 'FAILED', 'RETURNED', 'NEVER_SEEN'])(
    'SUCCESS without an item proves nothing when the item was %s',
    async (status) => {
      const row = payout({ details: { item_status: status } });
      expect(await found(batch('SUCCESS'), row)).toMatchObject({ kind: 'unknown' });
    },
  );

  it('SUCCESS without an item and without an amount proves nothing', async () => {
    expect(await found(batch('SUCCESS', undefined, { amount: undefined }))).toMatchObject({
      kind: 'unknown',
    });
  });

  it.each<[string, unknown]>([
    ['in a status nobody has seen', batch('NEVER_SEEN')],
    ['another’s', batch('SUCCESS', item('SUCCESS'), { sender_batch_header: { sender_batch_id: 'po-2' } })],
    ['nobody’s', batch('SUCCESS', item('SUCCESS'), { sender_batch_header: undefined })],
    ['another batch', batch('SUCCESS', item('SUCCESS'), { payout_batch_id: 'OTHER' })],
    ['nothing', {}],
    ['a list', []],
  ])('%s proves nothing', async (_what, json) => {
    expect(await found(json)).toMatchObject({ kind: 'unknown' });
  });

  it.each<[string, Reply]>([
    ['500', denial(500, 'INTERNAL_SERVER_ERROR')],
    ['404', denial(404, 'RESOURCE_NOT_FOUND')],
    ['401', denial(401, 'AUTHENTICATION_FAILURE')],
    ['a page', html(200)],
    ['no answer', 'close'],
  ])('answered with %s is unknown: sent money never counts as lost', async (_what, reply) => {
    paypal.answers(query, reply);
    expect(await provider(paypal.url).payout.retrieveStatus(payout(), call)).toMatchObject({
      kind: 'unknown',
    });
  });
});
