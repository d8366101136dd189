/** Wallet-checkout orders and payouts for a test: requested, approved, captured, notified and booked. */
import { accountCode, type AccountKey } from '../../../../src/ledger/accounts';
import { transferByHand } from '../../../../tools/sandbox/transfer-by-hand';
import { setMerchant } from '../../../../src/merchants/merchants';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { Currency } from '../../../../src/domain/money';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { call, type ApiAnswer } from '../../merchant-client';
import type { Stack, TestMerchant } from '../../stack';
import type { ReceivedWebhook } from '../../webhook-receiver';
import type { Exchange, SimulatorControl } from '../simulator-control';
import { ownReference } from '../../own-reference';

const timeoutMs = 40_000;
/** A valid order, with the test's changes and a unique order_id. */
export function orderRequest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { amount: 25, currency: 'USD', order_id: ownReference('ORD-'), ...changes };
}

/** A valid payout, with the test's changes. */
export function payoutRequest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    amount: 40,
    currency: 'USD',
    recipient_email: 'ok@example.org',
    order_id: ownReference('ORD-'),
    ...changes,
  };
}

export type WalletpayPath =
  | 'create_order'
  | 'capture'
  | 'order_status'
  | 'refund'
  | 'refund_status'
  | 'create_payout'
  | 'payout_status'
  | 'webhook';

export function post(
  stack: Pick<Stack, 'apiUrl'>,
  merchant: TestMerchant | undefined,
  path: WalletpayPath,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  return call(stack, merchant, 'POST', `/api/v1/walletpay/${path}`, body, headers);
}

export function get(
  stack: Pick<Stack, 'apiUrl'>,
  merchant: TestMerchant | undefined,
  path: WalletpayPath,
  query: Record<string, string>,
): Promise<ApiAnswer> {
  const text = new URLSearchParams(query).toString();
  return call(stack, merchant, 'GET', `/api/v1/walletpay/${path}?${text}`);
}

/** An order that a buyer can approve. */
export interface Order {
  /** Our transaction_id. */
  id: string;
  /** The provider's id, which the browser returns as `token`. */
  token: string;
  orderId: string;
  approvalUrl: string;
}

export function orderOf({ status, body }: ApiAnswer): Order {
  if (status !== 200) throw new Error(`not accepted: ${JSON.stringify(body)}`);
  const { transaction_id, walletpay_order_id, order_id, approval_url } = body.data ?? {};
  return {
    id: String(transaction_id),
    token: String(walletpay_order_id),
    orderId: String(order_id),
    approvalUrl: String(approval_url),
  };
}

export async function newOrder(
  stack: Stack,
  merchant: TestMerchant,
  changes: Record<string, unknown> = {},
): Promise<Order> {
  return orderOf(await post(stack, merchant, 'create_order', orderRequest(changes)));
}

/** Decides about an order as its buyer. */
export function decide(
  provider: SimulatorControl,
  { token }: Order,
  action: 'approve' | 'approve_and_close' | 'cancel',
): Promise<void> {
  return provider.notify(`orders/${token}`, { action });
}

export function capture(
  stack: Pick<Stack, 'apiUrl'>,
  merchant: TestMerchant,
  { token, orderId }: Order,
): Promise<ApiAnswer> {
  return get(stack, merchant, 'capture', { token, order_id: orderId });
}

/** An approved, captured and credited order. On a busy machine the capture is repeated until it is decided. */
export async function paidOrder(
  stack: Stack,
  merchant: TestMerchant,
  provider: SimulatorControl,
  changes: Record<string, unknown> = {},
): Promise<Order & { captureId: string }> {
  const asked = await newOrder(stack, merchant, changes);
  const order = asked.token === '' ? { ...asked, token: await tokenOf(stack, asked) } : asked;
  await decide(provider, order, 'approve');
  const captured = await waitFor(
    async () => {
      const { status, body } = await capture(stack, merchant, order);
      if (status === 200 && body.data?.status === 'Completed') return body.data;
      throw new Error(`not captured: ${JSON.stringify(body)}`);
    },
    { what: `order ${order.id} to be captured`, timeoutMs: 40_000 },
  );
  return { ...order, captureId: String(captured.capture_id) };
}

/** The provider's id of an order, once it has answered. */
function tokenOf({ db }: Stack, { id }: Order): Promise<string> {
  return waitFor(
    async () => {
      const payment = await db('payments').where({ payment_id: id }).first('provider_reference');
      return payment?.provider_reference ?? undefined;
    },
    { what: `the provider to name order ${id}`, timeoutMs: 40_000 },
  );
}

/** Requests a refund that must be accepted. @returns its transaction_id. */
export async function newRefund(
  stack: Stack,
  merchant: TestMerchant,
  { id }: Order,
  amount?: string,
  headers?: Record<string, string>,
): Promise<string> {
  const { status, body } = await post(stack, merchant, 'refund', { transaction_id: id, amount }, headers);
  if (status !== 200) throw new Error(`not accepted: ${JSON.stringify(body)}`);
  return String(body['transaction_id']);
}

/** Sends a payout that must be accepted. @returns its payout_id. */
export async function newPayout(
  stack: Stack,
  merchant: TestMerchant,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const { status, body } = await post(stack, merchant, 'create_payout', payoutRequest(changes));
  if (status !== 200) throw new Error(`not accepted: ${JSON.stringify(body)}`);
  return String(body.data?.payout_id);
}

/** Waits for the webhook with this status of a payment. */
export function notifiedOf(merchant: TestMerchant, id: string, status: string): Promise<ReceivedWebhook> {
  return merchant.receiver.next(
    ({ body }) => body['transaction_id'] === id && body['status'] === status,
    timeoutMs,
  );
}

export function webhooksTo(merchant: TestMerchant, id: string): ReceivedWebhook[] {
  return merchant.receiver.received.filter(({ body }) => body['transaction_id'] === id);
}

/** Waits until the stored payment is as expected. */
export function stored(stack: Stack, id: string, expected: Partial<PaymentRow>): Promise<PaymentRow> {
  return waitFor(
    async () => {
      const payment = await getPaymentOrThrow(stack.db, id);
      const differs = Object.entries(expected).some(
        ([column, value]) => payment[column as keyof PaymentRow] !== value,
      );
      if (differs) throw new Error(`it is ${JSON.stringify(payment)}`);
      return payment;
    },
    { what: `payment ${id} to be ${JSON.stringify(expected)}`, timeoutMs },
  );
}

/** Waits until an order or payout has this status. */
export function shownAs(
  stack: Stack,
  merchant: TestMerchant,
  path: 'order_status' | 'refund_status' | 'payout_status',
  query: Record<string, string>,
  expected: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  return waitFor(
    async () => {
      const { data = {} } = (await get(stack, merchant, path, query)).body;
      const fits = Object.entries(expected).every(([field, value]) => data[field] === value);
      if (!fits) throw new Error(`it says ${JSON.stringify(data)}`);
      return data;
    },
    { what: `${JSON.stringify(query)} to be shown as ${JSON.stringify(expected)}`, timeoutMs },
  );
}

/** Gives a merchant the payout permission and funds its float. */
export async function canPayOut(
  stack: Stack,
  { merchantId }: TestMerchant,
  floatMinor = 1_000_000n,
  currency: Currency = 'USD',
): Promise<void> {
  await setMerchant(stack.db, merchantId, { permissions: ['can_payout'] }, { environment: 'sandbox' });
  await transferByHand(stack.db, {
    from: { class: 'bank', currency },
    to: floatKey(merchantId, currency),
    amountMinor: floatMinor,
    reason: 'test',
    whenShort: 'FLOAT_INSUFFICIENT',
  });
}

const floatKey = (merchantId: string, currency: Currency) =>
  ({ class: 'float', merchantId, rail: 'walletpay', country: null, currency }) as const;

/** The available and reserved minor units. */
export interface Purse {
  free: bigint;
  reserved: bigint;
}

export function floatOf(
  { db }: Stack,
  { merchantId }: TestMerchant,
  currency: Currency = 'USD',
): Promise<Purse> {
  const key = floatKey(merchantId, currency);
  return purse(db, key, { ...key, class: 'float_reserved' });
}

export async function walletOf(
  stack: Stack,
  merchant: TestMerchant,
  currency: Currency = 'USD',
): Promise<bigint> {
  return (await walletPurse(stack, merchant, currency)).free;
}

export function walletPurse(
  { db }: Stack,
  { merchantId }: TestMerchant,
  currency: Currency = 'USD',
): Promise<Purse> {
  const key = { merchantId, currency };
  return purse(db, { class: 'wallet', ...key }, { class: 'wallet_reserved', ...key });
}

/** Both in one read, so that money that moves between them is seen once. */
async function purse(db: Stack['db'], free: AccountKey, reserved: AccountKey): Promise<Purse> {
  const codes = [accountCode(free), accountCode(reserved)] as const;
  const rows = await db('ledger_accounts').whereIn('code', codes).select('code', 'balance');
  const minor = (wanted: string) => BigInt(rows.find(({ code }) => code === wanted)?.balance ?? 0);
  return { free: minor(codes[0]), reserved: minor(codes[1]) };
}

/** The provider's events of an order or payout, and our answers. */
export async function eventsOf(provider: SimulatorControl, id: string): Promise<Exchange[]> {
  return (await provider.exchanges('callback')).filter(({ body }) => JSON.stringify(body).includes(id));
}

/** Waits until an event with this name about a payment was sent and accepted. */
export function eventTaken(provider: SimulatorControl, id: string, type: string): Promise<Exchange> {
  return waitFor(
    async () =>
      (await eventsOf(provider, id)).find(
        ({ body, answer }) => body['event_type'] === type && answer?.status === 200,
      ),
    { what: `event ${type} of ${id}`, timeoutMs },
  );
}

/** Waits until the worker has stored the sandbox's exchange rates. */
export async function ratesStored({ db }: Stack): Promise<void> {
  await waitFor(async () => ((await db('fx_rates').first('rate_id')) ? true : undefined), {
    what: 'exchange rates',
    timeoutMs,
  });
}
