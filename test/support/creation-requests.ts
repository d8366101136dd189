/** Every request that creates something, on every rail and in every direction, and what exists because of it. */
import { transferByHand } from '../../tools/sandbox/transfer-by-hand';
import type { Database } from '../../src/store/database';
import { transferBody } from './rails/momo/payments';
import { cardOrder, wrapperOrder } from './rails/cardproc/payments';
import { simulatorControl } from './rails/simulator-control';
import { canPayOut, orderRequest, paidOrder, payoutRequest } from './rails/walletpay/payments';
import { xbPush } from './rails/xb/payments';
import { codeMailedTo, create, fund } from './vouchers/vouchers';
import { call, stkPush, type ApiAnswer } from './merchant-client';
import { ended } from './payments/timeline';
import type { Stack, TestMerchant } from './stack';

export interface CreationRequest {
  path: string;
  /** A request that nothing else in the database shares `name` with. */
  request(stack: Stack, merchant: TestMerchant, name: string): Promise<Record<string, unknown>>;
  /** The ids of what exists because of it, without rejected and withdrawn payments. */
  living(db: Database, body: Record<string, unknown>): Promise<string[]>;
  /** True when an order_id names one payment forever, so that a second request is not refused. */
  isOnceForEver?: true;
  /** True when the answer is the page of the first request instead. */
  isAnsweredAgain?: true;
}

async function livingPayments(db: Database, where: Record<string, unknown>): Promise<string[]> {
  const rows = await db('payments')
    .where(where)
    .whereNot((ended) => {
      void ended.where({ state: 'failed' }).whereNull('accepted_at');
    })
    .select('payment_id');
  return rows.map(({ payment_id: id }) => id);
}

const by =
  (column: string, field: string) =>
  (db: Database, body: Record<string, unknown>): Promise<string[]> =>
    livingPayments(db, { [column]: body[field] });

const soon = (body: Record<string, unknown>) => Promise.resolve(body);

export const acceptances: Record<string, CreationRequest> = {
  'an STK push': {
    path: '/api/v1/stk_push',
    request: (_stack, _merchant, name) => soon(stkPush({ account_reference: name })),
    living: by('account_reference', 'account_reference'),
  },
  'a cross-border push': {
    path: '/api/v1/xb/stk_push',
    request: (_stack, _merchant, name) => soon(xbPush({ api_ref: name })),
    living: by('account_reference', 'api_ref'),
  },
  'a momo deposit': {
    path: '/api/v1/momo/deposit',
    request: (_stack, _merchant, name) => soon(transferBody({ account_reference: name })),
    living: by('account_reference', 'account_reference'),
  },
  'a momo payout': {
    path: '/api/v1/momo/payout',
    request: (_stack, _merchant, name) =>
      soon(transferBody({ account_reference: name, phone_number: '+260764000789' })),
    living: by('account_reference', 'account_reference'),
  },
  'a momo refund': {
    path: '/api/v1/momo/refund',
    async request(stack, merchant, name) {
      const body = transferBody({ account_reference: `${name}-deposit`, phone_number: '+260765000789' });
      const deposit = await call(stack, merchant, 'POST', '/api/v1/momo/deposit', body);
      const depositId = String(deposit.body['transaction_id']);
      await ended(stack.db, depositId, ['succeeded'], 60_000);
      return { transaction_id: depositId, amount: '1.50' };
    },
    living: by('parent_id', 'transaction_id'),
  },
  'a wallet order': {
    path: '/api/v1/walletpay/create_order',
    request: (_stack, _merchant, name) => soon(orderRequest({ order_id: name })),
    living: by('order_id', 'order_id'),
    isOnceForEver: true,
  },
  'a wallet refund': {
    path: '/api/v1/walletpay/refund',
    async request(stack, merchant, name) {
      const provider = simulatorControl(stack.simulatorUrl, 'walletpay');
      const order = await paidOrder(stack, merchant, provider, { order_id: `${name}-order` });
      return { transaction_id: order.id, amount: '1.50' };
    },
    living: by('parent_id', 'transaction_id'),
  },
  'a wallet payout': {
    path: '/api/v1/walletpay/create_payout',
    request: (_stack, _merchant, name) => soon(payoutRequest({ order_id: name })),
    living: by('order_id', 'order_id'),
    isOnceForEver: true,
  },
  'a hosted order': {
    path: '/api/v2/initiate.php',
    request: (_stack, merchant, name) => soon(wrapperOrder(merchant, { order_id: name })),
    living: by('order_id', 'order_id'),
    isAnsweredAgain: true,
  },
  'a card order': {
    path: '/api/cardproc/submit_order.php',
    request: (_stack, merchant, name) => soon(cardOrder(merchant, { merchant_ref: name })),
    living: by('order_id', 'merchant_ref'),
    isAnsweredAgain: true,
  },
};

export const voucherAcceptances: Record<string, CreationRequest> = {
  'a voucher': {
    path: '/api/v1/create_voucher',
    request: (_stack, _merchant, name) =>
      soon({ email: `${name.toLowerCase()}@example.org`, amount: '2.50', currency: 'KES' }),
    async living(db, { email }) {
      const rows = await db('vouchers')
        .where({ email: String(email) })
        .select('voucher_id');
      return rows.map(({ voucher_id: id }) => id);
    },
  },
  "a voucher's redemption": {
    path: '/api/v1/redeem_voucher',
    async request(stack, merchant, name) {
      const email = `${name.toLowerCase()}@example.net`;
      await create(stack, merchant, { email, amount: '2.50' });
      return { code: await codeMailedTo(stack, email) };
    },
    async living(db, { code }) {
      const last4 = String(code).slice(-4);
      const rows = await db('vouchers').where({ code_last4: last4, state: 'redeemed' }).select('voucher_id');
      return rows.map(({ voucher_id: id }) => id);
    },
  },
};

const livingBulks: CreationRequest['living'] = async (db, { order_id: orderId }) =>
  db('bulk_payouts')
    .where({ order_id: String(orderId) })
    .pluck('bulk_id');

/** Many payouts in one request: either all are created, or none. */
export const bulkAcceptances: Record<string, CreationRequest> = {
  'a momo bulk payout': {
    path: '/api/v1/momo/bulk_payout',
    request: (_stack, _merchant, name) =>
      soon({ order_id: name, payouts: [transferBody(), transferBody(), transferBody()] }),
    living: livingBulks,
    isAnsweredAgain: true,
  },
  'a wallet bulk payout': {
    path: '/api/v1/walletpay/bulk_payout',
    request: (_stack, _merchant, name) =>
      soon({ order_id: name, payouts: [payoutRequest(), payoutRequest()] }),
    living: livingBulks,
    isAnsweredAgain: true,
  },
};

/** A merchant with the money and the permissions for all of them. */
export async function outfit(stack: Stack, merchant: TestMerchant): Promise<TestMerchant> {
  await fund(stack, merchant, 10_000_000n);
  await canPayOut(stack, merchant, 10_000_000n);
  await transferByHand(stack.db, {
    from: { class: 'bank', currency: 'ZMW' },
    to: { class: 'float', merchantId: merchant.merchantId, rail: 'momo', country: 'ZMB', currency: 'ZMW' },
    amountMinor: 10_000_000n,
    reason: 'the float of a test',
    whenShort: 'FLOAT_INSUFFICIENT',
  });
  return merchant;
}

/** The payment or voucher of an answer: named by its id, or by the provider's reference. */
export async function answeredIdOf(db: Database, { body }: ApiAnswer): Promise<string | undefined> {
  const { data = {} } = body;
  const id =
    data['payment_id'] ??
    data['transaction_id'] ??
    data['voucher_id'] ??
    data['payout_id'] ??
    data['bulk_id'] ??
    body['bulk_id'] ??
    body['transaction_id'] ??
    body['payment_id'] ??
    body['voucher_id'];
  if (typeof id === 'string') return id;
  const [tracked, reference] = [body['order_tracking_id'], data['api_ref']];
  const named =
    typeof tracked === 'string' ? { provider_reference: tracked } : { account_reference: String(reference) };
  // A withdrawn payment may have had the same reference.
  const payment = await db('payments').where(named).orderBy('created_at', 'desc').first('payment_id');
  return payment?.payment_id;
}
