import type { ActionKind } from '../../../src/operator-actions/actions';

const reason = 'bank slip 12';
const kes = { currency: 'KES', amount: '1234.50', reason };

/** An input for each action, and what its sentence must contain. */
export function actionSamples({
  merchant,
  paymentId,
}: {
  merchant: string;
  paymentId: string;
}): Record<ActionKind, [input: object, says: string[]]> {
  const ofMerchant = { merchant_id: merchant };
  const float = { ...ofMerchant, rail: 'momo', country: 'KEN', ...kes };
  const email = 'a@shop.example';
  return {
    'float.add': [float, ['add KES 1,234.50', 'Duka la Amina', 'momo · KEN']],
    'float.withdraw': [float, ['take KES 1,234.50', 'Duka la Amina']],
    'wallet.adjust': [{ ...ofMerchant, ...kes, against: 'bank' }, ['add KES 1,234.50', 'from bank']],
    'wallet.transfer': [{ ...ofMerchant, ...kes, rail: 'walletpay' }, ['KES 1,234.50', 'walletpay']],
    'float-check.adjust': [{ provider: 'pawapay', currency: 'KES', reason }, ['pawapay', 'KES']],
    'float-check.transfer': [{ provider: 'pawapay', ...kes }, ['pawapay', 'KES 1,234.50']],
    'float-check.run': [{}, ['wallets']],
    'merchant.create': [{ name: 'Soko' }, ['Soko', 'API keys']],
    'merchant.set': [{ ...ofMerchant, permissions: ['can_payout'] }, ['Duka la Amina']],
    'merchant.rotate-key': [ofMerchant, ['new API key', 'Duka la Amina']],
    'merchant.revoke-key': [{ ...ofMerchant, api_key: 'pk_test_1' }, ['pk_test_1', 'Duka la Amina']],
    'merchant.rotate-webhook-secret': [ofMerchant, ['Duka la Amina']],
    'merchant.endpoint.add': [{ ...ofMerchant, url: 'https://shop.example/hook' }, ['shop.example']],
    'merchant.endpoint.remove': [{ ...ofMerchant, endpoint_id: 'e1' }, ['e1', 'Duka la Amina']],
    'merchant.endpoint.rotate': [{ ...ofMerchant, endpoint_id: 'e1' }, ['e1', 'Duka la Amina']],
    'operator.create': [{ name: 'zoe', role: 'approver' }, ['zoe', 'approver']],
    'operator.revoke': [{ name: 'zoe' }, ['zoe']],
    'operator.rotate': [{ name: 'zoe' }, ['zoe']],
    'control.accept': [{ list: '3:0a1b', reason }, ['3:0a1b', 'malipo control list']],
    'user.create': [{ email, ...ofMerchant, role: 'owner' }, [email, 'as owner of Duka la Amina']],
    'user.create-operator': [{ email, operator: 'zoe', operator_role: 'auditor' }, ['zoe', 'auditor']],
    'user.end': [{ email }, [email]],
    'user.reset-second-factor': [{ email }, [email]],
    'user.sign-out': [{ email }, [email]],
    'limit.set': [{ kind: 'per_day', ...ofMerchant, ...kes }, ['Duka la Amina', 'per_day', 'KES']],
    'limit.remove': [{ limit_id: '01890a5d', reason }, ['limit']],
    'fee.set': [{ operation: 'payout', currency: 'KES', fixed: '5.00', reason }, ['all merchants', 'payout']],
    'fee.remove': [{ fee_id: '01890a5d', reason }, ['fee']],
    'restore.begin': [{ to: '2026-01-01T00:00:00Z', reason }, ['2026-01-01']],
    'restore.end': [{ pause_id: '7', note: 'all read' }, ['waiting payouts are sent']],
    'unmatched.assign': [{ receipt_id: '7', ...ofMerchant, reason }, ['the wallet of Duka la Amina']],
    'unmatched.returned': [{ receipt_id: '7', reference: 'R1', reason }, ['was returned']],
    reconcile: [{ rail: 'momo', from: '2026-01-01', to: '2026-01-01' }, ['momo', '2026-01-01']],
    'provider-statement.withdraw': [{ statement_id: '7', reason }, ['statement 7']],
    'case.resolve': [{ case_id: '7', note: 'seen', outcome: 'failed' }, ['case 7 as failed']],
    'duplicate.refund': [{ payment_id: paymentId, reason }, ['Duka la Amina', 'refund']],
    'duplicate.dismiss': [{ payment_id: paymentId, reason }, ['Duka la Amina']],
    'webhook.replay': [{ payment_id: paymentId }, ['webhook']],
    'payouts.pause': [{ ...ofMerchant, reason, with_refunds: false }, ['Duka la Amina']],
    'payouts.resume': [{}, ['all merchants']],
    'hold.release': [{ payment_id: paymentId, note: 'known' }, ['Duka la Amina']],
    reject: [{ approval_id: '7', reason }, ['7']],
    'approval-rule.set': [{ kind: 'money', never: true }, ['money']],
    'secrets.re-encrypt': [{}, ['secret']],
    'ledger.digest': [{}, ['ledger']],
    prune: [{}, ['no longer needed']],
    resume: [{}, ['workflow']],
    'deploy.promote': [{ build: 'b2', sample: 20 }, ['b2']],
    'deploy.ramp': [{ build: 'b2', percent: 5, sample: 20 }, ['b2', '5']],
    'deploy.unset': [{ sample: 20 }, ['version']],
    'sandbox.advance': [{ ms: 1_000 }, ['sandbox']],
  };
}
