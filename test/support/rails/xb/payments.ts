/** One cross-border payment for a test. The code that all rails share is in test/support. */
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { Database } from '../../../../src/store/database';
import type { PaymentRow } from '../../../../src/store/tables';
import { call, type ApiAnswer } from '../../merchant-client';
import { creditsOf, ended, inboxOf, checkedAt, webhooksOf } from '../../payments/timeline';
import type { Stack, TestMerchant } from '../../stack';
import type { SimulatorControl } from '../simulator-control';
import { ownReference } from '../../own-reference';

export const path = '/api/v1/xb/stk_push';

/** A valid body, with the test's changes and a unique reference. */
export function xbPush(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    currency: 'UGX',
    phone_number: '256700000789',
    amount: 20_000,
    api_ref: ownReference('XB'),
    ...changes,
  };
}

export function push(
  stack: Pick<Stack, 'apiUrl'>,
  merchant: TestMerchant,
  changes: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  return call(stack, merchant, 'POST', path, xbPush(changes), headers);
}

/** The payment in an answer: by its `api_ref`, or by its id in an error. */
export async function paymentOf(db: Database, { body }: ApiAnswer): Promise<PaymentRow> {
  if (typeof body.payment_id === 'string') return getPaymentOrThrow(db, body.payment_id);
  const [payment, ...others] = await db('payments').where({
    rail: 'xb',
    account_reference: String(body.data?.api_ref),
  });
  if (!payment || others.length > 0) throw new Error(`not about one payment: ${JSON.stringify(body)}`);
  return payment;
}

/** Sends a push that must be accepted. */
export async function accepted(
  stack: Stack,
  merchant: TestMerchant,
  changes: Record<string, unknown> = {},
): Promise<PaymentRow> {
  const answer = await push(stack, merchant, changes);
  if (answer.status !== 200) throw new Error(`not accepted: ${JSON.stringify(answer.body)}`);
  return paymentOf(stack.db, answer);
}

export interface WebhookBody {
  [field: string]: unknown;
  id: string;
  invoice: Record<string, string>;
  correction?: true;
}

/** The states of a payment's webhooks, oldest first, and whether each is a correction. */
export async function notifiedOf(db: Database, paymentId: string): Promise<string[]> {
  const bodies = await webhooksOf<WebhookBody>(db, paymentId);
  return bodies.map(({ invoice, correction }) => `${invoice.state ?? ''}${correction ? ' correction' : ''}`);
}

/** A notification in the provider's format, with the test's changes. */
export function notification(
  stack: Pick<Stack, 'env'>,
  payment: PaymentRow,
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    invoice_id: payment.provider_reference,
    state: 'COMPLETE',
    provider: 'INTASEND-XB-PUSH',
    charges: '600.00',
    net_amount: '19400.00',
    currency: payment.currency,
    value: '20000.00',
    account: payment.phone_number,
    api_ref: payment.callback_token,
    mpesa_reference: `UG${payment.payment_id.slice(-11).toUpperCase()}`,
    host: null,
    failed_reason: null,
    failed_code: null,
    failed_code_link: null,
    created_at: '2026-01-05T12:00:00+03:00',
    updated_at: '2026-01-05T12:00:31+03:00',
    challenge: stack.env.XB_CHALLENGE,
    ...changes,
  };
}

/** Posts to the one address of the provider's account. */
export async function notify(
  stack: Pick<Stack, 'apiUrl'>,
  body: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${stack.apiUrl}/in/xb`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

/** The duration of payers' actions, if the provider's clock only moves by the test. */
export const payerMs = 60_000;

/** The stack that receives notifications; it has started before its first use. */
export interface NotificationStage {
  stack: Stack;
  provider: SimulatorControl;
}

/** Actions and reads for the tests of notifications. */
export function notificationHistory(stage: () => NotificationStage) {
  const db = () => stage().stack.db;
  return {
    /** The provider's next notifications about this phone are lost. */
    silence: (phone_number: string, times = 9) =>
      stage().provider.next({ call: 'callback', behave: 'drop', times, where: { phone_number } }),
    notify: (payment: PaymentRow, changes: Record<string, unknown> = {}) =>
      notify(stage().stack, notification(stage().stack, payment, changes)),
    decide: ({ provider_reference: id }: PaymentRow, action: 'pay' | 'fail' | 'cancel') =>
      stage().provider.notify(`invoices/${id ?? ''}`, { action }),
    current: ({ payment_id: id }: PaymentRow) => getPaymentOrThrow(db(), id),
    inboxOf: ({ payment_id: id }: PaymentRow) => inboxOf(db(), id),
    checkedAt: ({ payment_id: id }: PaymentRow) => checkedAt(db(), id),
    reported: ({ payment_id: id }: PaymentRow) => notifiedOf(db(), id),
    credits: ({ payment_id: id }: PaymentRow) => creditsOf(db(), id),
    becomes: ({ payment_id: id }: PaymentRow, state: PaymentRow['state']) => ended(db(), id, [state]),
  };
}
