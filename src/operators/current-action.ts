/**
 * The action of an operator that is under way: whatever is booked or changed below it, however deep, belongs to it. Outside
 * of an action nothing is collected.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Currency } from '../domain/money';
import type { Transaction } from '../store/database';

const ids = new AsyncLocalStorage<string>();

export function duringAction<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
  return ids.run(id, work);
}

/** The id of the action that this is part of; undefined for what the engine does by itself. */
export function currentActionId(): string | undefined {
  return ids.getStore();
}

/** A change in a table that is no control: the preview, the result and the approval of an action show it. */
export type NotedChange =
  | { kind: 'posted'; accountId: string; currency: Currency; amountMinor: bigint }
  | { kind: 'payment'; paymentId: string; from: string; to: string };

/** By transaction, and not by action: a transaction that is tried again begins with none. */
const notedIn = new WeakMap<Transaction, NotedChange[]>();

export function noteChange(trx: Transaction, change: NotedChange): void {
  if (currentActionId() === undefined) return;
  const noted = notedIn.get(trx);
  if (noted) noted.push(change);
  else notedIn.set(trx, [change]);
}

export function notedChanges(trx: Transaction): readonly NotedChange[] {
  return notedIn.get(trx) ?? [];
}
