import type { Stack, TestMerchant } from '../../support/stack';

/**
 * Everything that was stored about these payments, and all secrets of a merchant and the settings, except our own ids
 * and words.
 */
export async function personalAndSecret(
  { db, env }: Stack,
  merchant: TestMerchant,
  paymentIds: string[],
): Promise<Set<string>> {
  const payments = await db('payments').whereIn('payment_id', paymentIds);
  const inbox = await db('inbox').whereIn('payment_id', paymentIds);
  const attempts = await db('attempts').whereIn('payment_id', paymentIds);
  const webhooks = await db('outbox').whereIn('payment_id', paymentIds).pluck('webhook_id');
  const parents = payments.flatMap(({ parent_id: id }) => id ?? []);
  const ours = new Set<string>([...paymentIds, ...webhooks, ...parents, merchant.merchantId]);
  const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...settings } = env;
  const texts = [
    ...payments.flatMap(({ workflow_id: _workflow, ...reported }) => leaves(reported)),
    ...inbox.flatMap(({ body, source_address: address }) => [...leaves(readJson(body)), address ?? '']),
    ...attempts.flatMap(({ detail, code }) => [detail ?? '', code ?? '']),
    ...merchant.receiver.received.flatMap(({ body }) => leaves(body)),
    ...Object.values(settings),
    ...[merchant.apiKey, merchant.apiSecret, merchant.webhookSecret, merchant.receiver.url],
  ];
  return new Set(texts.filter((text) => isSendingWebhook(text) && !ours.has(text)));
}

/** A word may be one of ours, and a few digits occur in every time and every id of a trace. */
function isSendingWebhook(text: string): boolean {
  return text.length >= 6 && /[\d@ ]/.test(text) && !/^\d{1,8}$/.test(text);
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  return Object.values(value).flatMap(leaves);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
