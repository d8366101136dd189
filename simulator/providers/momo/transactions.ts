/** Every deposit, payout and refund, and their queries. */
import type { Journal } from '../../journal';
import type { Fields } from '../../fields';
import type { Failure } from './failures';
import type { Operation } from './operations';
import type { Status } from './scenarios';

export interface Transaction {
  operation: Operation;
  /** The caller's own id, unique within the operation. */
  id: string;
  status: Status;
  /** As sent, without trailing zeros. */
  amount: string;
  currency: string;
  country: string;
  provider: string;
  phone: string;
  created: number;
  customerMessage?: string;
  clientReferenceId?: string;
  metadata?: Fields;
  /** The network's id, after it moved the money. */
  providerTransactionId?: string;
  failure?: Failure;
  /** The deposit that a refund returns. */
  depositId?: string;
  /** For redirect providers. */
  redirect?: Redirect;
  /** A request to fail it came while it was queued. */
  isCancelled?: true;
}

export interface Redirect {
  authorizationUrl: string;
  successfulUrl: string;
  failedUrl: string;
  /** When the page closes; absent before it opens, and after a decision. */
  waitsUntil?: number;
}

export interface Transactions {
  find(operation: Operation, id: string): Transaction | undefined;
  save(transaction: Transaction): void;
  /** Payouts or refunds in a provider's queue, oldest first. */
  enqueued(operation: Operation, provider: string): Transaction[];
  /** Deposits that wait for a user, newest first. */
  waiting(): Transaction[];
  refundsOf(depositId: string): Transaction[];
}

export const isFinal = ({ status }: Transaction) => status === 'COMPLETED' || status === 'FAILED';

/** The name of a transaction among all operations. */
export const keyOf = ({ operation, id }: Pick<Transaction, 'operation' | 'id'>) => `${operation}:${id}`;

export function openTransactions(journal: Journal): Transactions {
  const stored = journal.collection<Transaction>('momo.transactions');
  const enqueued = new Set<string>();
  const waiting = new Set<string>();
  const refunds = new Map<string, Set<string>>();

  const mark = (marked: Set<string>, key: string, isMarked: boolean) => {
    if (isMarked) marked.add(key);
    else marked.delete(key);
  };
  const index = (transaction: Transaction) => {
    const key = keyOf(transaction);
    mark(enqueued, key, transaction.status === 'ENQUEUED' && !transaction.isCancelled);
    mark(waiting, key, transaction.redirect?.waitsUntil !== undefined);
    const { depositId } = transaction;
    if (depositId !== undefined) refunds.set(depositId, (refunds.get(depositId) ?? new Set()).add(key));
  };
  const pick = (keys: Iterable<string>) => [...keys].flatMap((key) => stored.get(key) ?? []);
  for (const transaction of stored.values()) index(transaction);

  return {
    find: (operation, id) => stored.get(keyOf({ operation, id })),
    save(transaction) {
      stored.put(keyOf(transaction), transaction);
      index(transaction);
    },
    enqueued: (operation, provider) =>
      pick(enqueued).filter(
        (transaction) => transaction.operation === operation && transaction.provider === provider,
      ),
    waiting: () => pick(waiting).reverse(),
    refundsOf: (depositId) => pick(refunds.get(depositId) ?? []),
  };
}
