/** The provider's answers of all operations. */
import type { CallResponse, ErrorAnswers } from '../../calls';
import { wireData, wireTime } from './callback';
import { failure, failures, type Failure } from './failures';
import { operations, type Operation } from './operations';
import type { Transaction } from './transactions';

const reasonOf = ({ code, message }: Failure) => ({
  failureReason: { failureCode: code, failureMessage: message },
});

/** Rejects the call itself, before any transaction. */
export function denial(fault: Failure): CallResponse {
  return { status: failures[fault.code][0], json: reasonOf(fault) };
}

/** @param id empty if the body was not readable */
export function rejection(operation: Operation, id: string, fault: Failure) {
  return {
    ...(id !== '' && { [operations[operation].idField]: id }),
    status: 'REJECTED',
    ...reasonOf(fault),
  };
}

export function rejected(operation: Operation, id: string, fault: Failure): CallResponse {
  return { status: failures[fault.code][0], json: rejection(operation, id, fault) };
}

export function submissionResult({ operation, id, created, redirect }: Transaction, status: string) {
  const nextStep = redirect ? 'GET_AUTH_URL' : 'FINAL_STATUS';
  return {
    [operations[operation].idField]: id,
    status,
    ...(operation === 'DEPOSIT' && status === 'ACCEPTED' && { nextStep }),
    created: wireTime(created),
  };
}

export const ok = (json: unknown): CallResponse => ({ status: 200, json });

export function done(operation: Operation, id: string): CallResponse {
  return ok({ [operations[operation].idField]: id, status: 'ACCEPTED' });
}

export function found(transaction: Transaction | undefined): CallResponse {
  return ok(transaction ? { status: 'FOUND', data: wireData(transaction) } : { status: 'NOT_FOUND' });
}

export const errors: ErrorAnswers = {
  expiredToken: () => denial(failure('AUTHENTICATION_ERROR')),
  rateLimited: () => ({
    status: 429,
    json: { failureReason: { failureCode: 'TOO_MANY_REQUESTS', failureMessage: 'Too many requests.' } },
    headers: { 'retry-after': '5' },
  }),
  instead: { not_found: () => found(undefined) },
};
