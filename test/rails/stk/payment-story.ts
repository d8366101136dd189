/** One STK payment as a test follows it: what was stored, booked, told, and given to a person to look at. */
import { finalStates, type PaymentState } from '../../../src/domain/payment';
import { waitFor } from '../../../src/ops/services/wait-for';
import { getPaymentOrThrow } from '../../../src/payments/payments';
import type { Database } from '../../../src/store/database';
import type { OutboxRow, PaymentRow } from '../../../src/store/tables';
import { call, paymentIdOf, stkPush, type ApiAnswer } from '../../support/merchant-client';
import type { Stack, TestMerchant } from '../../support/stack';

const timeoutMs = 30_000;

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

/** Waits until the payment is in one of these states; any final one when none is named. */
export function ended(
  db: Database,
  paymentId: string,
  states: readonly PaymentState[] = finalStates,
): Promise<PaymentRow> {
  return waitFor(
    async () => {
      const payment = await getPaymentOrThrow(db, paymentId);
      return states.includes(payment.state) ? payment : undefined;
    },
    { what: `payment ${paymentId} to be ${states.join(' or ')}`, timeoutMs },
  );
}

/** Waits until every notification so far is dealt with and every webhook so far has arrived. */
export function atRest(db: Database, paymentId: string): Promise<true> {
  return waitFor(
    async () => {
      const unread = await db('inbox').where({ payment_id: paymentId, state: 'new' }).first('inbox_id');
      const owed = await db('outbox').where({ payment_id: paymentId, state: 'pending' }).first('webhook_id');
      return unread || owed ? undefined : true;
    },
    { what: `payment ${paymentId} to be at rest`, timeoutMs },
  );
}

export interface WebhookBody {
  [field: string]: unknown;
  status: string;
  result_code: string;
  actual_amount: number;
  correction?: true;
}

export async function webhooksOf(db: Database, paymentId: string): Promise<WebhookBody[]> {
  const rows: OutboxRow[] = await db('outbox').where({ payment_id: paymentId }).orderBy('webhook_id');
  return rows.map(({ body }) => JSON.parse(body) as WebhookBody);
}

export async function openCasesOf(db: Database, paymentId: string): Promise<string[]> {
  const rows = await db('cases').where({ payment_id: paymentId }).whereNull('closed_at').orderBy('case_id');
  return rows.map(({ reason }) => reason);
}

/** The minor units credited for a payment, one figure per credit. */
export async function creditsOf(db: Database, paymentId: string): Promise<bigint[]> {
  const rows = await db('ledger_postings as l')
    .join('ledger_entries as e', 'e.entry_id', 'l.entry_id')
    .join('ledger_accounts as a', 'a.account_id', 'l.account_id')
    .where({ 'e.payment_id': paymentId, 'a.class': 'wallet' })
    .select<{ amount: string }[]>('l.amount');
  return rows.map(({ amount }) => BigInt(amount));
}

export async function balanceOf(stack: Stack, merchant: TestMerchant): Promise<unknown> {
  return (await call(stack, merchant, 'GET', '/api/v1/query_balance')).body.balance;
}

export interface CallbackChanges {
  resultCode?: number;
  checkoutRequestId?: string;
  amount?: number;
  receipt?: string;
}

/** A callback as the provider would send it, with what the test changes. */
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

/** Posts to the address the provider was given for this payment, or to that of another token. */
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
