import type { Stack } from '../../support/stack';

/** Asks the processor for a refund, as an operator does at its dashboard: this API has no call for it. */
export async function askForRefund(
  { env }: Pick<Stack, 'env'>,
  confirmationCode: string,
  amount: number,
): Promise<Record<string, unknown>> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${env.CARDPROC_BASE_URL ?? ''}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const keys = {
    consumer_key: env.CARDPROC_CONSUMER_KEY,
    consumer_secret: env.CARDPROC_CONSUMER_SECRET,
  };
  const { token } = await post('/api/Auth/RequestToken', keys);
  const request = { confirmation_code: confirmationCode, amount, username: 'Operator', remarks: 'returned' };
  return post('/api/Transactions/RefundRequest', request, { Authorization: `Bearer ${String(token)}` });
}
