/** Requests of an operator to the processor with our keys, without the adapter. */
import type { Stack } from '../../../support/stack';

type ProcessorEnv = Pick<Stack, 'env'>;

async function post(
  { env }: ProcessorEnv,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(`${env.CARDPROC_BASE_URL ?? ''}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function authorised(stack: ProcessorEnv, path: string, body: object): Promise<Record<string, unknown>> {
  const { CARDPROC_CONSUMER_KEY: key, CARDPROC_CONSUMER_SECRET: secret } = stack.env;
  const { token } = await post(stack, '/api/Auth/RequestToken', {
    consumer_key: key,
    consumer_secret: secret,
  });
  return post(stack, path, body, { Authorization: `Bearer ${String(token)}` });
}

/** As an operator does in the dashboard. */
export function askForRefund(
  stack: ProcessorEnv,
  confirmationCode: string,
  amount: number,
): Promise<Record<string, unknown>> {
  const request = { confirmation_code: confirmationCode, amount, username: 'Operator', remarks: 'returned' };
  return authorised(stack, '/api/Transactions/RefundRequest', request);
}

/** Registers a notification address. @returns its id. */
export async function registerByHand(
  stack: ProcessorEnv,
  url: string,
  type: 'GET' | 'POST',
): Promise<string> {
  const request = { url, ipn_notification_type: type };
  const { ipn_id: id } = await authorised(stack, '/api/URLSetup/RegisterIPN', request);
  if (typeof id !== 'string') throw new Error('the processor did not register the address');
  return id;
}
