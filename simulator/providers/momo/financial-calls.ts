/** The calls for deposits, payouts and refunds: start, status, resend the callback, and fail a queued one. */
import type { Request } from 'express';
import type { CallResponse } from '../../calls';
import type { Journal } from '../../journal';
import { submissionResult, done, found, ok, denial, rejected, rejection } from './answers';
import { failure, type Failure } from './failures';
import type { SubmitCall } from './submissions';
import type { Lifecycle } from './lifecycle';
import type { Operation } from './operations';
import { readSubmission, type Submission } from './requests';
import { scenarioOf, type Scenario } from './scenarios';
import { isFinal, keyOf, type Transactions } from './transactions';

export interface FinancialParts {
  journal: Journal;
  transactions: Transactions;
  initiate: SubmitCall;
  lifecycle: Lifecycle;
}

/** The result of an initiation, before it is written into one answer or a list. */
type Result = { answered: object } | { refused: Failure };

const BULK_MAX = 20;

export function openFinancialCalls({ journal, transactions, initiate, lifecycle }: FinancialParts) {
  const lost = journal.collection<true>('momo.lost');

  const scenarioFor = (operation: Operation, { phone, depositId = '' }: Submission): Scenario =>
    operation === 'DEPOSIT'
      ? scenarioOf('deposit', phone)
      : scenarioOf(
          'payout',
          operation === 'PAYOUT' ? phone : (transactions.find('DEPOSIT', depositId)?.phone ?? ''),
        );
  const start = async (operation: Operation, initiation: Submission, url: string): Promise<Result> => {
    const known = transactions.find(operation, initiation.id);
    if (known) return { answered: submissionResult(known, 'DUPLICATE_IGNORED') };
    const result = await initiate(operation, initiation, url);
    if ('refused' in result) return result;
    // A payout reports at once that it is queued, a refund only in its status: both were observed.
    const begun = transactions.find(operation, initiation.id)?.status;
    const isReported = operation === 'PAYOUT' && begun === 'ENQUEUED';
    return { answered: submissionResult(result.transaction, isReported ? begun : 'ACCEPTED') };
  };
  /** For a scenario that loses a request: the first one with each id. */
  const isLost = (operation: Operation, initiation: Submission): boolean => {
    const key = keyOf({ operation, id: initiation.id });
    if (scenarioFor(operation, initiation).initiation !== 'not_received' || lost.get(key)) return false;
    lost.put(key, true);
    return true;
  };

  return {
    async initiate(operation: Operation, request: Request, id: string): Promise<CallResponse> {
      const read = readSubmission(request.body, operation);
      if ('refused' in read) return rejected(operation, id, read.refused);
      if (isLost(operation, read.value)) return { drop: true };
      const isNew = !transactions.find(operation, read.value.id);
      const result = await start(operation, read.value, urlOf(request));
      if ('refused' in result) return rejected(operation, id, result.refused);
      const isReported = scenarioFor(operation, read.value).initiation !== 'accepted_500' || !isNew;
      return isReported ? ok(result.answered) : denial(failure('UNKNOWN_ERROR'));
    },

    /** Payouts only. Each is separate: a rejected one does not stop the others. */
    async initiateMany(request: Request, idOf: (item: unknown) => string): Promise<CallResponse> {
      const items = request.body as unknown;
      if (!Array.isArray(items) || items.length === 0 || items.length > BULK_MAX) {
        return denial(failure('INVALID_INPUT', `It must be an array of 1 to ${String(BULK_MAX)} payouts.`));
      }
      const answers: object[] = [];
      for (const item of items as unknown[]) {
        const read = readSubmission(item, 'PAYOUT');
        const result = 'refused' in read ? read : await start('PAYOUT', read.value, urlOf(request));
        answers.push('refused' in result ? rejection('PAYOUT', idOf(item), result.refused) : result.answered);
      }
      return ok(answers);
    },

    status: (operation: Operation, id: string): CallResponse => found(transactions.find(operation, id)),

    resendCallback(operation: Operation, id: string): CallResponse {
      const transaction = transactions.find(operation, id);
      if (!transaction) return rejected(operation, id, failure('NOT_FOUND'));
      if (!isFinal(transaction)) return rejected(operation, id, failure('INVALID_STATE'));
      lifecycle.notifyAgain(transaction);
      return done(operation, id);
    },

    failEnqueued(operation: Operation, id: string): CallResponse {
      const transaction = transactions.find(operation, id);
      if (!transaction) return rejected(operation, id, failure('NOT_FOUND'));
      if (transaction.status !== 'ENQUEUED') return rejected(operation, id, failure('INVALID_STATE'));
      if (!transaction.isCancelled) lifecycle.cancel(transaction);
      return done(operation, id);
    },
  };
}

export type FinancialCalls = ReturnType<typeof openFinancialCalls>;

/** As the caller knows this simulator, so that it can reach the pages. */
function urlOf(request: Request): string {
  return `${request.protocol}://${request.get('host') ?? ''}`;
}
