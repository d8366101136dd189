/** What the status call and the callback say about a transaction. */
import { randomUUID } from 'node:crypto';
import type { Alternatives, Callback } from '../../callbacks';
import { failure } from './failures';
import { operations } from './operations';
import type { Status } from './scenarios';
import type { Transaction } from './transactions';

/** Whole seconds, as in 2026-01-05T09:00:00Z. */
export function wireTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** @param status the reported status, which may differ from the transaction's own */
export function wireData(transaction: Transaction, status: Status = transaction.status) {
  const { operation, id, amount, currency, country, phone, provider, created, failure } = transaction;
  const { idField, partyField } = operations[operation];
  const { customerMessage, clientReferenceId, providerTransactionId, metadata } = transaction;
  const isOpen = status !== 'COMPLETED' && status !== 'FAILED';
  return {
    [idField]: id,
    status,
    amount,
    currency,
    country,
    [partyField]: { type: 'MMO', accountDetails: { phoneNumber: phone, provider } },
    ...(customerMessage !== undefined && { customerMessage }),
    ...(clientReferenceId !== undefined && { clientReferenceId }),
    created: wireTime(created),
    ...(!isOpen && providerTransactionId !== undefined && { providerTransactionId }),
    ...(!isOpen &&
      failure && { failureReason: { failureCode: failure.code, failureMessage: failure.message } }),
    ...(isOpen && redirectFields(transaction, status)),
    ...(metadata && { metadata }),
  };
}

function redirectFields({ redirect }: Transaction, status: Status) {
  if (!redirect) return {};
  if (status !== 'PROCESSING') return { nextStep: 'GET_AUTH_URL' };
  return { nextStep: 'REDIRECT_TO_AUTH_URL', authorizationUrl: redirect.authorizationUrl };
}

const SIGNATURE_FAULTS = [
  'bad_digest',
  'expired_signature',
  'aged_signature',
  'unknown_key',
  'unsigned',
] as const;

export function callbackOf(
  transaction: Transaction,
  status: Status,
  url: string,
): { callback: Callback; alternatives: Alternatives } {
  const about = (subject: Transaction, claim: Status): Callback => {
    // Only the status call returns the caller's reference: sources disagree about callbacks.
    const { clientReferenceId: _, ...reported } = wireData(subject, claim);
    return { url, body: JSON.stringify(reported) };
  };
  const callback = about(transaction, status);
  const { providerTransactionId: _, ...unpaid } = transaction;
  const failed: Transaction = { ...unpaid, failure: failure('PAYMENT_NOT_APPROVED') };
  return {
    callback,
    alternatives: {
      ...Object.fromEntries(
        SIGNATURE_FAULTS.map((fault) => [fault, (): Callback[] => [{ ...callback, fault }]]),
      ),
      ...(status === 'COMPLETED' && {
        contradict: (): Callback[] => [{ ...about(failed, 'FAILED'), fault: 'contradict' }, callback],
      }),
      forge: () => [
        { ...about(transaction, 'COMPLETED'), fault: 'unsigned' },
        { ...about({ ...transaction, id: randomUUID() }, 'COMPLETED'), fault: 'unknown_key' },
        callback,
      ],
    },
  };
}
