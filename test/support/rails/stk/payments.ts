/** One STK payment for a test. The code that all rails share is in test/support. */
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { Database } from '../../../../src/store/database';
import type { PaymentRow } from '../../../../src/store/tables';
import { call, paymentIdOf, stkPush, type ApiAnswer } from '../../merchant-client';
import {
  atRest,
  creditsOf,
  ended,
  inboxOf,
  checkedAt,
  openCasesOf,
  webhooksOf as webhooksOfAny,
} from '../../payments/timeline';
import type { Stack, TestMerchant } from '../../stack';
import type { SimulatorControl } from '../simulator-control';

export { atRest, creditsOf, ended, openCasesOf };

export function push(
  stack: Pick<Stack, 'apiUrl'>,
  merchant: TestMerchant,
  changes: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  return call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush(changes), headers);
}

/** Sends a push that must be accepted. */
export async function accepted(
  stack: Stack,
  merchant: TestMerchant,
  changes: Record<string, unknown> = {},
): Promise<PaymentRow> {
  const answer = await push(stack, merchant, changes);
  if (answer.status !== 200) throw new Error(`not accepted: ${JSON.stringify(answer.body)}`);
  return getPaymentOrThrow(stack.db, paymentIdOf(answer));
}

export interface WebhookBody {
  [field: string]: unknown;
  status: string;
  result_code: string;
  actual_amount: number;
  correction?: true;
}

export const webhooksOf = (db: Database, paymentId: string): Promise<WebhookBody[]> =>
  webhooksOfAny<WebhookBody>(db, paymentId);

export async function balanceOf(stack: Stack, merchant: TestMerchant): Promise<unknown> {
  return (await call(stack, merchant, 'GET', '/api/v1/query_balance')).body.balance;
}

export interface CallbackChanges {
  resultCode?: number;
  checkoutRequestId?: string;
  amount?: number;
  receipt?: string;
}

/** A notification in the provider's format, with the test's changes. */
export function callbackBody(payment: PaymentRow, changes: CallbackChanges = {}): unknown {
  const { resultCode = 0, receipt = `UA${payment.payment_id.slice(-8).toUpperCase()}` } = changes;
  const amount = changes.amount ?? Number(payment.instructed_minor) / 100;
  return {
    Body: {
      stkCallback: {
        MerchantRequestID: payment.details.merchant_request_id ?? '29115-34620561-1',
        CheckoutRequestID: changes.checkoutRequestId ?? payment.provider_reference,
        ResultCode: resultCode,
        ResultDesc:
          resultCode === 0 ? 'The service request is processed successfully.' : 'It did not go well.',
        ...(resultCode === 0 && {
          CallbackMetadata: {
            Item: [
              { Name: 'Amount', Value: amount },
              { Name: 'MpesaReceiptNumber', Value: receipt },
              { Name: 'TransactionDate', Value: 20260105120042 },
              { Name: 'PhoneNumber', Value: Number(payment.phone_number) },
            ],
          },
        }),
      },
    },
  };
}

/** Posts to the notification address of this payment, or to that of another token. */
export async function notify(
  stack: Stack,
  payment: PaymentRow,
  body: unknown,
  {
    token = payment.callback_token ?? '',
    headers = {},
  }: { token?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${stack.apiUrl}/in/stk/${token}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

/** The stack that receives notifications; it has started before its first use. */
export interface CallbackStage {
  stack: Stack;
  merchant: TestMerchant;
  provider: SimulatorControl;
}

/** Actions and reads for the tests of notifications. */
export function notificationHistory(stage: () => CallbackStage) {
  const db = () => stage().stack.db;
  return {
    begin: (phone_number: string) => accepted(stage().stack, stage().merchant, { phone_number }),
    notify: (payment: PaymentRow, changes: CallbackChanges = {}) =>
      notify(stage().stack, payment, callbackBody(payment, changes)),
    /** The provider's next notification to this phone is lost. */
    silence: (phone_number: string) =>
      stage().provider.next({ call: 'callback', behave: 'drop', where: { phone_number } }),
    current: ({ payment_id: id }: PaymentRow) => getPaymentOrThrow(db(), id),
    inboxOf: ({ payment_id: id }: PaymentRow) => inboxOf(db(), id),
    checkedAt: ({ payment_id: id }: PaymentRow) => checkedAt(db(), id),
    /** The statuses of its webhooks, and whether each is a correction. */
    statusesOf: async ({ payment_id: id }: PaymentRow) =>
      (await webhooksOf(db(), id)).map(({ status, correction }) => [status, correction]),
  };
}

export const anotherPrompt = 'ws_CO_010120260000000000000712345678';
export const acknowledged = { status: 200, body: { ResultCode: 0, ResultDesc: 'Accepted' } };
