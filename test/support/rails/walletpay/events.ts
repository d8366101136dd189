/** Events in the provider's format, written by the test. */
import { randomUUID } from 'node:crypto';
import type { InboxRow } from '../../../../src/store/tables';
import type { Stack } from '../../stack';

export const webhookPath = '/api/v1/walletpay/webhook';

interface WebhookAnswer {
  status: number;
  body: unknown;
}

export async function sendEvent(
  stack: Stack,
  event: unknown,
  headers: Record<string, string> = {},
): Promise<WebhookAnswer> {
  const response = await fetch(`${stack.apiUrl}${webhookPath}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof event === 'string' ? event : JSON.stringify(event),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

export const eventNamed = (type: string, resource: unknown, id = `WH-${randomUUID()}`) => ({
  id,
  event_version: '1.0',
  event_type: type,
  resource,
});

/** The common error body. */
export const denial = (code: string, message: string) => ({
  success: false,
  error: message,
  message,
  code,
  request_id: expect.stringMatching(/./) as unknown,
  timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/) as unknown,
  timestamp_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
});

export function inboxOf({ db }: Stack, event: { id: string }): Promise<InboxRow | undefined> {
  return db('inbox').where('body', 'like', `%${event.id}%`).first();
}
