/** The calls about deposits, payouts and refunds: start, ask, tell again, and fail what is enqueued. */
import type { Request } from 'express';
import type { Answer } from '../../calls';
import type { Journal } from '../../journal';
import { acceptance, done, found, ok, refusal, rejected, rejection } from './answers';
import { failure, type Failure } from './failures';
import type { Initiate } from './initiations';
import type { Lifecycle } from './lifecycle';
import type { Operation } from './operations';
import { readInitiation, type Initiation } from './requests';
import { scenarioOf, type Scenario } from './scenarios';
import { isFinal, keyOf, type Transactions } from './transactions';

export interface FinancialParts {
  journal: Journal;
  transactions: Transactions;
  initiate: Initiate;
  lifecycle: Lifecycle;
}

/** What an initiation came to, before it is worded for one answer or for one of many. */
type Result = { answered: object } | { refused: Failure };

const BULK_MAX = 20;

export function openFinancialCalls({ journal, transactions, initiate, lifecycle }: FinancialParts) {
  const lost = journal.collection<true>('momo.lost');

  const scenarioFor = (operation: Operation, { phone, depositId = '' }: Initiation): Scenario =>
    operation === 'DEPOSIT'
      ? scenarioOf('deposit', phone)
      : scenarioOf(
          'payout',
          operation === 'PAYOUT' ? phone : (transactions.find('DEPOSIT', depositId)?.phone ?? ''),
        );
  const start = async (operation: Operation, initiation: Initiation, url: string): Promise<Result> => {
    const known = transactions.find(operation, initiation.id);
    if (known) return { answered: acceptance(known, 'DUPLICATE_IGNORED') };
    const result = await initiate(operation, initiation, url);
    if ('refused' in result) return result;
    // Payouts tell at once that they wait, refunds only when they are asked about: both were seen.
    const begun = transactions.find(operation, initiation.id)?.status;
    const isTold = operation === 'PAYOUT' && begun === 'ENQUEUED';
    return { answered: acceptance(result.transaction, isTold ? begun : 'ACCEPTED') };
  };
  /** Of a scenario that loses a request, the first one with each id. */
  const isLost = (operation: Operation, initiation: Initiation): boolean => {
    const key = keyOf({ operation, id: initiation.id });
    if (scenarioFor(operation, initiation).initiation !== 'not_received' || lost.get(key)) return false;
    lost.put(key, true);
    return true;
  };

  return {
    async initiate(operation: Operation, request: Request, id: string): Promise<Answer> {
      const read = readInitiation(request.body, operation);
      if ('refused' in read) return rejected(operation, id, read.refused);
      if (isLost(operation, read.value)) return { drop: true };
      const isNew = !transactions.find(operation, read.value.id);
      const result = await start(operation, read.value, urlOf(request));
      if ('refused' in result) return rejected(operation, id, result.refused);
      const isTold = scenarioFor(operation, read.value).initiation !== 'accepted_500' || !isNew;
      return isTold ? ok(result.answered) : refusal(failure('UNKNOWN_ERROR'));
    },

    /** Payouts only. Each stands for itself, so one that is refused does not stop the others. */
    async initiateMany(request: Request, idOf: (item: unknown) => string): Promise<Answer> {
      const items = request.body as unknown;
      if (!Array.isArray(items) || items.length === 0 || items.length > BULK_MAX) {
        return refusal(failure('INVALID_INPUT', `It must be an array of 1 to ${String(BULK_MAX)} payouts.`));
      }
      const answers: object[] = [];
      for (const item of items as unknown[]) {
        const read = readInitiation(item, 'PAYOUT');
        const result = 'refused' in read ? read : await start('PAYOUT', read.value, urlOf(request));
        answers.push('refused' in result ? rejection('PAYOUT', idOf(item), result.refused) : result.answered);
      }
      return ok(answers);
    },

    status: (operation: Operation, id: string): Answer => found(transactions.find(operation, id)),

    resendCallback(operation: Operation, id: string): Answer {
      const transaction = transactions.find(operation, id);
      if (!transaction) return rejected(operation, id, failure('NOT_FOUND'));
      if (!isFinal(transaction)) return rejected(operation, id, failure('INVALID_STATE'));
      lifecycle.tellAgain(transaction);
      return done(operation, id);
    },

    failEnqueued(operation: Operation, id: string): Answer {
      const transaction = transactions.find(operation, id);
      if (!transaction) return rejected(operation, id, failure('NOT_FOUND'));
      if (transaction.status !== 'ENQUEUED') return rejected(operation, id, failure('INVALID_STATE'));
      if (!transaction.isCancelled) lifecycle.cancel(transaction);
      return done(operation, id);
    },
  };
}

export type FinancialCalls = ReturnType<typeof openFinancialCalls>;

/** As the caller knows this simulator, so that the pages it is sent to can be reached from there. */
function urlOf(request: Request): string {
  return `${request.protocol}://${request.get('host') ?? ''}`;
}
