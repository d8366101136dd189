/** Readers for the provider's values. An unexpected shape reads as empty. */
import { isCurrency, parseAmount } from '../../../../domain/money';
import type { ProviderResponse } from '../../../../rail-kit/provider-http';

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An id, a status or a code: short, and safe in a path and a column. */
export function wordOf(value: unknown): string {
  const text = textOf(value);
  return /^[\w-]{1,64}$/.test(text) ? text : '';
}

export interface Money {
  currency: string;
  /** Undefined for an unsupported currency, or an amount that is not valid in it. */
  amountMinor: bigint | undefined;
}

/** Orders and captures name the currency `currency_code`, payouts `currency`. */
export function readMoney(value: unknown): Money {
  const { currency_code: code, currency: ofPayout, value: decimal } = recordOf(value);
  const currency = textOf(code) || textOf(ofPayout);
  return { currency, amountMinor: isCurrency(currency) ? parseAmount(textOf(decimal), currency) : undefined };
}

/** The provider's error body. */
export interface ErrorEnvelope {
  status: number;
  name: string;
  message: string;
  debugId: string;
  /** From the first detail, which is the one that counts. A code for orders, a sentence for payouts. */
  issue: string;
  description: string;
  /** The faulty field, as a path. */
  field: string;
  /** The target of its first link. */
  link: string;
}

/** @returns undefined for an answer that is no error, or not in the provider's format, such as a proxy's page. */
export function readError(answer: ProviderResponse): ErrorEnvelope | undefined {
  if (answer.kind !== 'answered' || answer.status < 400) return undefined;
  const { name, message, debug_id: debugId, details } = recordOf(answer.json);
  if (wordOf(name) === '') return undefined;
  const detail = listOf(details)[0] ?? {};
  return {
    status: answer.status,
    name: wordOf(name),
    message: textOf(message),
    debugId: textOf(debugId),
    issue: textOf(detail['issue']),
    description: textOf(detail['description']),
    field: textOf(detail['field']),
    link: textOf(listOf(detail['link'])[0]?.['href']),
  };
}
