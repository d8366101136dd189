/** Mobile-money payments for a test: requested, notified, and booked. */
import { accountCode, type AccountKey } from '../../../../src/ledger/accounts';
import { transferByHand } from '../../../../tools/sandbox/transfer-by-hand';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { Currency } from '../../../../src/domain/money';
import { call, type ApiAnswer } from '../../merchant-client';
import type { Stack, TestMerchant } from '../../stack';
import type { ReceivedWebhook } from '../../webhook-receiver';
import type { Exchange, SimulatorControl } from '../simulator-control';
import { ownReference } from '../../own-reference';

/** The country and currency of a float. */
export interface NetworkPlace {
  country: string;
  currency: Currency;
}

const zambia: NetworkPlace = { country: 'ZMB', currency: 'ZMW' };
const timeoutMs = 40_000;
/** A valid deposit or payout in Zambia, with the test's changes and a unique reference. */
export function transferBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    amount: '25.50',
    currency: 'ZMW',
    phone_number: '+260763000789',
    country: 'ZMB',
    account_reference: ownReference('INV'),
    ...changes,
  };
}

/** The same in one of the other tested countries. */
export const places = {
  kenya: { country: 'KEN', currency: 'KES', phone_number: '+254700000789', amount: '1250.00' },
  uganda: { country: 'UGA', currency: 'UGX', phone_number: '+256770000789', amount: '5000' },
  senegal: { country: 'SEN', currency: 'XOF', phone_number: '+221770000789', amount: '1500' },
  burkina: { country: 'BFA', currency: 'XOF', phone_number: '+22605000789', amount: '1500' },
  malawi: { country: 'MWI', currency: 'MWK', phone_number: '+265990000789', amount: '150.00' },
  benin: { country: 'BEN', currency: 'XOF', phone_number: '+22951345789', amount: '1500' },
  congo: { country: 'COD', currency: 'USD', phone_number: '+243810000789', amount: '20.00' },
} as const satisfies Record<string, Record<string, string>>;

export type MomoPath = 'deposit' | 'payout' | 'cancel_payout' | 'refund';

export function post(
  stack: Pick<Stack, 'apiUrl'>,
  merchant: TestMerchant | undefined,
  path: MomoPath,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  return call(stack, merchant, 'POST', `/api/v1/momo/${path}`, body, headers);
}

export function statusOf(
  stack: Pick<Stack, 'apiUrl'>,
  merchant: TestMerchant | undefined,
  id: string,
): Promise<ApiAnswer> {
  return call(stack, merchant, 'GET', `/api/v1/momo/status?transaction_id=${encodeURIComponent(id)}`);
}

/** The payment in an answer, also in a provider's rejection. */
export function idOf({ body }: ApiAnswer): string {
  const id = body.transaction_id ?? body.payment_id;
  if (typeof id !== 'string') throw new Error(`no transaction_id in ${JSON.stringify(body)}`);
  return id;
}

/** Sends a request that must be accepted. @returns the transaction_id. */
export async function accepted(
  stack: Stack,
  merchant: TestMerchant,
  path: MomoPath,
  body: Record<string, unknown>,
): Promise<string> {
  const answer = await post(stack, merchant, path, body);
  if (answer.status !== 200) throw new Error(`not accepted: ${JSON.stringify(answer.body)}`);
  return idOf(answer);
}

/** A deposit in Zambia that was paid and notified. @returns its transaction_id. */
export async function paidDeposit(
  stack: Stack,
  merchant: TestMerchant,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const id = await accepted(stack, merchant, 'deposit', transferBody(changes));
  await notifiedOf(merchant, id, 'Success');
  return id;
}

/** Waits for the webhook with this status of a payment. */
export function notifiedOf(merchant: TestMerchant, id: string, status: string): Promise<ReceivedWebhook> {
  return merchant.receiver.next(
    ({ body }) => body['transaction_id'] === id && body['status'] === status,
    timeoutMs,
  );
}

export function callbacksOf(merchant: TestMerchant, id: string): ReceivedWebhook[] {
  return merchant.receiver.received.filter(({ body }) => body['transaction_id'] === id);
}

/** Funds a merchant's float from the operator's bank. */
export function fund(
  stack: Stack,
  { merchantId }: TestMerchant,
  amountMinor: bigint,
  place: NetworkPlace = zambia,
): Promise<string> {
  return transferByHand(stack.db, {
    from: { class: 'bank', currency: place.currency },
    to: { class: 'float', merchantId, rail: 'momo', ...place },
    amountMinor,
    reason: 'test',
    whenShort: 'FLOAT_INSUFFICIENT',
  });
}

/** The available and reserved minor units. */
export interface Purse {
  free: bigint;
  reserved: bigint;
}

export async function floatOf(
  { db }: Stack,
  { merchantId }: TestMerchant,
  place: NetworkPlace = zambia,
): Promise<Purse> {
  const key = { merchantId, rail: 'momo', ...place };
  return purse(db, { class: 'float', ...key }, { class: 'float_reserved', ...key });
}

export async function walletOf(
  { db }: Stack,
  { merchantId }: TestMerchant,
  currency: Currency = 'ZMW',
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

export type NetworkStatus = 'OPERATIONAL' | 'DELAYED' | 'CLOSED';

export function setNetwork(
  provider: SimulatorControl,
  network: string,
  operation: 'DEPOSIT' | 'PAYOUT' | 'REFUND',
  status: NetworkStatus,
): Promise<void> {
  return provider.notify(`providers/${network}`, { operation, status });
}

/** The requests to the provider for this payment, oldest first. */
export async function submissionsOf(provider: SimulatorControl, id: string): Promise<Exchange[]> {
  return (await provider.exchanges('initiate')).filter(
    ({ body }) =>
      body['refundId'] === id ||
      body['payoutId'] === id ||
      (body['depositId'] === id && body['refundId'] === undefined),
  );
}

/** The provider's notifications of this payment, and our answers. */
export async function notificationsOf(provider: SimulatorControl, id: string): Promise<Exchange[]> {
  return (await provider.exchanges('callback')).filter(({ body }) =>
    [body['depositId'], body['payoutId'], body['refundId']].includes(id),
  );
}

/** Waits until the payment has this status. */
export function shownAs(
  stack: Stack,
  merchant: TestMerchant,
  id: string,
  expected: Record<string, unknown>,
): Promise<ApiAnswer> {
  return waitFor(
    async () => {
      const answer = await statusOf(stack, merchant, id);
      const fits = Object.entries(expected).every(([field, value]) => answer.body[field] === value);
      if (!fits) throw new Error(`it says ${JSON.stringify(answer.body)}`);
      return answer;
    },
    { what: `transaction ${id} to be shown as ${JSON.stringify(expected)}`, timeoutMs },
  );
}

export const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The data for the provider to store with a payment. */
export function remarksOf(id: string, { merchantId }: Pick<TestMerchant, 'merchantId'>) {
  return { clientReferenceId: id, metadata: [{ merchant_id: merchantId }] };
}
