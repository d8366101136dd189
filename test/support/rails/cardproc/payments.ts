/** One hosted-checkout order for a test. The code that all rails share is in test/support. */
import type { Database } from '../../../../src/store/database';
import type { PaymentRow } from '../../../../src/store/tables';
import { call, type ApiAnswer } from '../../merchant-client';
import { webhooksOf } from '../../payments/timeline';
import type { Stack, TestMerchant } from '../../stack';
import type { SimulatorControl } from '../simulator-control';
import { ownReference } from '../../own-reference';

export const initiatePath = '/api/v2/initiate.php';
export const submitPath = '/api/cardproc/submit_order.php';
export const statusPath = '/api/cardproc/transaction_status.php';
export const callbackPath = '/cardproc/callback.php';
export const listenPath = '/listen_cardproc.php';

/** A valid body of the wrapper, with the test's changes and a unique reference. */
export function wrapperOrder(
  { merchantId }: Pick<TestMerchant, 'merchantId'>,
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    merchant_id: merchantId,
    order_id: ownReference('ORD-', '.'),
    amount: 1500,
    currency: 'KES',
    description: 'Order 881',
    phone_number: '254700000001',
    email_address: 'ana@example.org',
    first_name: 'Ana',
    last_name: 'Doe',
    ...changes,
  };
}

/** The same for the card API. */
export function cardOrder(
  { merchantId }: Pick<TestMerchant, 'merchantId'>,
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    merchant_id: merchantId,
    merchant_ref: ownReference('ORD-', '.'),
    amount: 1500,
    description: 'Order 881',
    callback_url: 'https://shop.example.org/paid',
    billing_address: { email_address: 'ana@example.org' },
    ...changes,
  };
}

/** Calls without keys, as for both endpoint sets. */
export function post(
  stack: Pick<Stack, 'apiUrl'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  return call(stack, undefined, 'POST', path, body, headers);
}

/** Submits an order through the wrapper that must be accepted. */
export function accepted(
  stack: Stack,
  merchant: TestMerchant,
  changes: Record<string, unknown> = {},
): Promise<PaymentRow> {
  return acceptedAt(stack, initiatePath, wrapperOrder(merchant, changes));
}

/** The same through the card API. */
export function cardAccepted(
  stack: Stack,
  merchant: TestMerchant,
  changes: Record<string, unknown> = {},
): Promise<PaymentRow> {
  return acceptedAt(stack, submitPath, cardOrder(merchant, changes));
}

async function acceptedAt(stack: Stack, path: string, body: Record<string, unknown>): Promise<PaymentRow> {
  const answer = await post(stack, path, body);
  if (answer.status !== 200) throw new Error(`not accepted: ${JSON.stringify(answer.body)}`);
  return paymentOf(stack.db, answer);
}

/** The payment in an answer: by its tracking id, or by our id in an error. */
export async function paymentOf(db: Database, { body }: ApiAnswer): Promise<PaymentRow> {
  const known =
    typeof body.order_tracking_id === 'string'
      ? { rail: 'cardproc', provider_reference: body.order_tracking_id }
      : { payment_id: String(body.payment_id) };
  const payment = await db('payments').where(known).first();
  if (!payment) throw new Error(`about no payment: ${JSON.stringify(body)}`);
  return payment;
}

/** The parameters of a notification and of a returning browser, under the names of the specification. */
export function referenceOf(payment: PaymentRow, changes: Record<string, string> = {}): URLSearchParams {
  return new URLSearchParams({
    OrderTrackingId: payment.provider_reference ?? '',
    OrderMerchantReference: payment.details.submitted_as ?? '',
    OrderNotificationType: 'IPNCHANGE',
    ...changes,
  });
}

/** Returns as a customer's browser does, and follows no redirect. */
export function comeBack(
  { apiUrl }: Pick<Stack, 'apiUrl'>,
  payment: PaymentRow,
  changes: Record<string, string> = {},
): Promise<Response> {
  const query = referenceOf(payment, changes).toString();
  return fetch(`${apiUrl}${callbackPath}?${query}`, { redirect: 'manual' });
}

export type CustomerAction =
  'pay_card' | 'pay_mobile' | 'fail' | 'fail_mobile' | 'cancel' | 'pay_late' | 'reverse';

/** The action of the customer or the bank; the browser does not return unless requested. */
export function customer(
  provider: SimulatorControl,
  payment: PaymentRow,
  action: CustomerAction,
  returns = false,
): Promise<void> {
  return provider.notify(`orders/${payment.provider_reference ?? ''}`, { action, return: returns });
}

interface WebhookBody {
  status: string;
  correction: boolean;
}

/** The statuses of a payment's webhooks, oldest first, and whether each is a correction. */
export async function notifiedOf(db: Database, paymentId: string): Promise<string[]> {
  const bodies = await webhooksOf<WebhookBody>(db, paymentId);
  return bodies.map(({ status, correction }) => `${status}${correction ? ' correction' : ''}`);
}
