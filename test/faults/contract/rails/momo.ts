import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { amountAsNumber } from '../../../../src/domain/money';
import { transferByHand } from '../../../../tools/sandbox/transfer-by-hand';
import type { PaymentRow } from '../../../../src/store/tables';
import { signatureHeaders } from '../../../../simulator/providers/momo/http-signature';
import { call } from '../../../support/merchant-client';
import { atRest, ended } from '../../../support/payments/timeline';
import type { Stack } from '../../../support/stack';
import type { Fate, Flow, RailContract } from '../rail-contract';

/** Separate numbers for each, because the deposit of a refund is also a payment of its number. */
const operations = {
  deposit: { name: 'DEPOSIT', prefix: '+260763' },
  payout: { name: 'PAYOUT', prefix: '+260764' },
  refund: { name: 'REFUND', prefix: '+260765' },
} as const;
const floatMinor = 10_000_000n;

const transferBody = (phone_number: string) => ({
  amount: '25.50',
  currency: 'ZMW',
  country: 'ZMB',
  phone_number,
  account_reference: 'INV-1',
  customer_message: 'Invoice 1',
});

const flow = (
  kind: keyof typeof operations,
  digits: Partial<Record<Fate, string>>,
  request: Flow['request'],
): Flow => ({
  kind,
  customer: (fate, n) =>
    digits[fate] === undefined
      ? undefined
      : `${operations[kind].prefix}${String(n).padStart(3, '0')}${digits[fate]}`,
  row: (phone) => ({ phone_number: phone }),
  where: (phone) => ({ phone_number: phone.slice(1), operation: operations[kind].name }),
  request,
});

const deposit = flow('deposit', { pays: '789', fails: '049', silent: '129' }, (_stack, _merchant, phone) =>
  Promise.resolve({ path: '/api/v1/momo/deposit', body: transferBody(phone) }),
);

const payout = flow(
  'payout',
  { pays: '789', fails: '089', silent: '129' },
  async (stack, { merchantId }, phone) => {
    await transferByHand(stack.db, {
      from: { class: 'bank', currency: 'ZMW' },
      to: { class: 'float', merchantId, rail: 'momo', country: 'ZMB', currency: 'ZMW' },
      amountMinor: floatMinor,
      reason: 'the float of a test',
      whenShort: 'FLOAT_INSUFFICIENT',
    });
    return { path: '/api/v1/momo/payout', body: transferBody(phone) };
  },
);

/** A refund goes to its deposit's number and has the result of a payout there, so none is silent alone. */
const refund = flow('refund', { pays: '789', fails: '089' }, async (stack, merchant, phone) => {
  const { body } = await call(stack, merchant, 'POST', '/api/v1/momo/deposit', transferBody(phone));
  const depositId = String(body['transaction_id']);
  await ended(stack.db, depositId, ['succeeded'], 60_000);
  // The merchant has received the deposit's webhook, so that the next one is about the refund.
  await atRest(stack.db, depositId, 60_000);
  return { path: '/api/v1/momo/refund', body: { transaction_id: depositId } };
});

/** The provider knows our id and drops repeats of it. So a lost submission is queried and sent again. */
export const contract: RailContract = {
  flows: { 'a deposit': deposit, 'a payout': payout, 'a refund': { ...refund, answersAtOnce: true } },
  notifications: 1,
  notificationsAreTrusted: true,
  repeatsAreDropped: true,
  // Sent again while it is young; later only the provider's "never received" ends it.
  initiation: {
    hang: ['failed', 'succeeded'],
    drop: ['failed', 'succeeded'],
    '500': ['failed', 'succeeded'],
    html: ['failed', 'succeeded'],
    act_then_500: ['succeeded'],
    act_then_drop: ['succeeded'],
  },
  question: { call: 'status', faults: ['hang', 'drop', '500', 'html', '429', '503', 'expired_token'] },
  silence: 'no_outcome',
  contradict,
  async forgeFailure(stack, payment) {
    const headers = { 'content-type': 'application/json' };
    const body = failureOf(payment);
    return (await fetch(`${stack.apiUrl}${addressFor(payment)}`, { method: 'POST', headers, body })).status;
  },
  async repeat(stack, payment) {
    const url = `${stack.providerUrls.momo}/v2/${payment.kind}s/resend-callback/${payment.payment_id}`;
    const headers = { authorization: `Bearer ${stack.env.MOMO_TOKEN ?? ''}` };
    return (await fetch(url, { method: 'POST', headers })).status;
  },
};

/** The provider has one address per account; a rail that borrows the account may have its own. */
const addressFor = ({ rail }: PaymentRow) => (rail === 'xb' ? '/in/xb/pawapay' : '/in/momo');

function failureOf({ kind, payment_id: id, requested_minor: minor, currency }: PaymentRow): string {
  return JSON.stringify({
    [`${kind}Id`]: id,
    status: 'FAILED',
    amount: String(amountAsNumber(BigInt(minor), currency)),
    currency,
    failureReason: { failureCode: 'UNSPECIFIED_FAILURE', failureMessage: 'It failed after all' },
  });
}

/** Signed with the provider's own key; otherwise it would be rejected as a forgery. */
async function contradict(stack: Stack, payment: PaymentRow): Promise<number> {
  const url = new URL(`${stack.apiUrl}${addressFor(payment)}`);
  const body = failureOf(payment);
  const { id, privatePem } = await providersKey(stack);
  const nowS = Math.floor(Date.now() / 1_000);
  const signature = signatureHeaders(
    {
      method: 'POST',
      authority: url.host,
      path: url.pathname,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body),
    },
    { key: createPrivateKey(privatePem), keyId: id, encoding: 'der', createdS: nowS, expiresS: nowS + 300 },
  );
  const headers = { 'content-type': 'application/json', ...signature };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

async function providersKey(stack: Stack): Promise<{ id: string; privatePem: string }> {
  const journal = await readFile(join(stack.env.MALIPO_SIMULATOR_STATE ?? '', 'journal.jsonl'), 'utf8');
  const line = journal.split('\n').find((each) => each.includes('"momo.keys"'));
  return (JSON.parse(line ?? '{}') as { value: { id: string; privatePem: string } }).value;
}
