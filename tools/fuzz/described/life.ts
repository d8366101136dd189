/** Activity beside the requests: customers who approve, a closed network, cases that need an answer. */
import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import type { Stack } from '../../bench/ours/stack';
import { transferByHand } from '../../sandbox/transfer-by-hand';
import { setMerchant } from '../../../src/merchants/merchants';
import { merchantApi } from '../../../packages/cli/merchant-api';
import { bringAbout } from '../../../packages/cli/recipes';
import type { RecipeContext } from '../../../src/rail-kit/sandbox';
import type { PaymentRow } from '../../../src/store/tables';
import { balanceQuestions } from '../../../src/rail-kit/provider-wallets';

/** Its payouts wait in a queue, where they can be cancelled. */
const slowNetwork = 'AIRTEL_OAPI_ZMB';
const toSlowNetwork = {
  ...{ amount: '10.00', currency: 'ZMW', country: 'ZMB', phone_number: '+260973000789' },
  provider: slowNetwork,
};
const unapproved = { rail: 'walletpay', kind: 'deposit', state: 'pending' } as const;
/** Minor units; more than any run spends. */
const plenty = 1_000_000_000n;

/** Gives the merchant all permissions, and enough money. */
export async function prepareMerchant({ db, merchant }: Stack): Promise<void> {
  const { merchant_id: merchantId } = merchant;
  await setMerchant(
    db,
    merchantId,
    { permissions: ['can_payout'], checkoutHosts: ['shop.example'], duplicateWindow: 0 },
    { environment: 'sandbox' },
  );
  const given = { reason: 'the fuzzer', whenShort: 'FLOAT_INSUFFICIENT', amountMinor: plenty } as const;
  for (const currency of ['KES', 'USD', 'ZMW'] as const) {
    const to = { class: 'wallet', merchantId, currency } as const;
    await transferByHand(db, { ...given, from: { class: 'bank', currency }, to });
  }
  const float = { class: 'float', merchantId, rail: 'walletpay', country: null, currency: 'USD' } as const;
  await transferByHand(db, { ...given, from: { class: 'bank', currency: 'USD' }, to: float });
}

/** @returns an action to repeat during the run. */
export async function lifeOf(stack: Stack): Promise<() => Promise<void>> {
  const simulator = stack.env['MALIPO_SIMULATOR_URL'] ?? '';
  const customer: RecipeContext['customer'] = async (path, action) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(action);
    const answer = await request(`${simulator}/control/${path}`, { method: 'POST', headers, body });
    await answer.body.dump();
  };
  const api = merchantApi({ api_url: stack.apiUrl, ...stack.merchant, source: 'the stack' });
  const order = {
    ...{ name: '', provider: 'walletpay', asks: 'order' },
    ...{ value: '00', title: '', behaviour: '' },
  };
  const questions = balanceQuestions(stack.db, { provider: 'daraja' });
  await customer(`momo/providers/${slowNetwork}`, { operation: 'PAYOUT', status: 'DELAYED' });
  return async () => {
    await bringAbout({ api, customer }, order);
    const [toGiveBack] = await newest(stack, { rail: 'walletpay', kind: 'deposit', state: 'succeeded' });
    if (toGiveBack) {
      await api.post('/api/v1/walletpay/refund', { transaction_id: toGiveBack.payment_id, amount: '1.00' });
    }
    const reference = randomBytes(6).toString('hex');
    await api.post('/api/v1/momo/payout', { ...toSlowNetwork, account_reference: reference });
    await questions.ask(randomBytes(16).toString('hex'));
    for (const { provider_reference: token } of await newest(stack, unapproved, 5)) {
      if (token !== null) await customer(`walletpay/orders/${token}`, { action: 'approve' });
    }
    const [paid] = await newest(stack, { rail: 'stk', state: 'succeeded' });
    if (paid) await askForReceipt(stack, paid.payment_id);
  };
}

function newest({ db }: Stack, which: Partial<PaymentRow>, limit = 1) {
  return db('payments')
    .where(which)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .select('payment_id', 'provider_reference');
}

/** As after a success by a status query without a notification. */
async function askForReceipt({ admin }: Stack, paymentId: string): Promise<void> {
  await admin.raw(
    `INSERT IGNORE INTO missing_receipts (payment_id, token, next_at)
     VALUES (?, ?, UTC_TIMESTAMP(3) + INTERVAL 1 DAY)`,
    [paymentId, randomBytes(16).toString('hex')],
  );
}
