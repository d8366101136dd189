import type { Stack, TestMerchant } from './stack';
import { ownReference } from './own-reference';

export interface ApiAnswer {
  status: number;
  headers: Headers;
  body: ApiBody;
}

/** The fields that every body may have; each test defines the other fields by what it expects. */
export interface ApiBody {
  [field: string]: unknown;
  data?: Record<string, unknown>;
  code?: string;
  details?: { field: string; message: string }[];
}

/** Calls the API as a merchant does, with its keys in the headers. */
export async function call(
  stack: Pick<Stack, 'apiUrl'>,
  merchant: Pick<TestMerchant, 'apiKey' | 'apiSecret'> | undefined,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const response = await fetch(`${stack.apiUrl}${path}`, {
    method,
    headers: {
      ...(merchant ? { 'X-API-Key': merchant.apiKey, 'X-API-Secret': merchant.apiSecret } : {}),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as ApiBody),
  };
}

/** A valid STK push body, with the test's changes and a unique reference. */
export function stkPush(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    phone_number: '254708374149',
    amount: 1250,
    account_reference: ownReference('INV'),
    transaction_desc: 'Invoice',
    ...changes,
  };
}

/** The payment of an answer: a success names it under `data`, an error beside its message. */
export function paymentIdOf({ body }: ApiAnswer): string {
  const paymentId = body.data?.payment_id ?? body.payment_id;
  if (typeof paymentId !== 'string') throw new Error(`no payment_id in ${JSON.stringify(body)}`);
  return paymentId;
}
