/** What a transaction has changed so far, for whoever shows it to a person: a preview, a result, an approval. */
import type { Currency } from '../domain/money';
import type { Transaction } from './database';

export type NotedChange =
  | { kind: 'posted'; accountId: string; currency: Currency; amountMinor: bigint }
  | { kind: 'payment'; paymentId: string; from: string; to: string };

const notedIn = new WeakMap<Transaction, NotedChange[]>();

export function noteChange(trx: Transaction, ...changes: readonly NotedChange[]): void {
  const noted = notedIn.get(trx);
  if (noted) noted.push(...changes);
  else notedIn.set(trx, [...changes]);
}

export function notedChanges(trx: Transaction): readonly NotedChange[] {
  return notedIn.get(trx) ?? [];
}
