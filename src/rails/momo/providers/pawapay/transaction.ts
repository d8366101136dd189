import { isCurrency, parseAmount } from '../../../../domain/money';
import type { ProviderResult } from '../../../../domain/outcome';
import { isPaymentPage } from '../../../../rail-kit/answer-fields';
import { failureOf } from './failure-codes';

/** A deposit, payout or refund in the provider's format, in a status answer and in a callback. */
export interface Transaction {
  /** Our id. */
  id: string;
  status: string;
  amount: string;
  currency: string;
  providerTransactionId: string | undefined;
  failureCode: string | undefined;
  failureMessage: string;
  authorizationUrl: string | undefined;
}

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** @returns undefined for anything without an id and a status. */
export function readTransaction(value: unknown): Transaction | undefined {
  const data = recordOf(value);
  const id = textOf(data['depositId']) ?? textOf(data['payoutId']) ?? textOf(data['refundId']);
  // A refund also contains its deposit's id; its own id counts.
  const ownId = textOf(data['refundId']) ?? id;
  const status = textOf(data['status']);
  if (ownId === undefined || status === undefined) return undefined;
  const reason = recordOf(data['failureReason']);
  return {
    id: ownId,
    status,
    // The second name is that of the first version of the API.
    amount: textOf(data['amount']) ?? textOf(data['depositedAmount']) ?? '',
    currency: textOf(data['currency']) ?? '',
    providerTransactionId: textOf(data['providerTransactionId']),
    failureCode: textOf(reason['failureCode']),
    failureMessage: textOf(reason['failureMessage']) ?? '',
    authorizationUrl: textOf(data['authorizationUrl']),
  };
}

/** SUBMITTED is an older word for it. */
const underWay = new Set(['PROCESSING', 'SUBMITTED', 'IN_RECONCILIATION']);

/** An unknown status word means neither paid nor failed. */
export function resultOf(transaction: Transaction): ProviderResult {
  const { status, providerTransactionId, authorizationUrl, failureCode, failureMessage } = transaction;
  const details: Record<string, string> = {};
  if (providerTransactionId !== undefined) details['provider_transaction_id'] = providerTransactionId;
  if (authorizationUrl !== undefined && isPaymentPage(authorizationUrl, 'sandbox'))
    details['redirect_url'] = authorizationUrl;

  if (status === 'ACCEPTED') return { kind: 'open', text: status, details };
  if (status === 'ENQUEUED') return { kind: 'open', as: 'queued', text: status, details };
  if (underWay.has(status)) return { kind: 'open', as: 'processing', text: status, details };
  if (status === 'COMPLETED') return completed(transaction, details);
  if (status !== 'FAILED') return { kind: 'unknown', text: `status ${status}` };
  const failure = failureOf(failureCode ?? '');
  if (!failure) return { kind: 'open', text: 'UNKNOWN_ERROR' };
  details['provider_failure_code'] = failureCode ?? '';
  return { ...failure, text: failureMessage === '' ? failure.code : failureMessage, details };
}

/**
 * Without a readable amount a success does not count: the requested amount must not be booked in its place. Amounts may have
 * up to four decimals.
 */
function completed(transaction: Transaction, details: Record<string, string>): ProviderResult {
  const { amount, currency } = transaction;
  const plain = /^\d{1,15}\.\d{1,4}$/.test(amount) ? amount.replace(/\.?0{1,4}$/, '') : amount;
  const amountMinor = isCurrency(currency) ? parseAmount(plain, currency) : undefined;
  if (amountMinor === undefined) return { kind: 'unknown', text: 'COMPLETED without a readable amount' };
  return { kind: 'succeeded', code: 'COMPLETED', text: 'COMPLETED', currency, details, amountMinor };
}
