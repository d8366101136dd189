/**
 * The operator action that runs now. Every ledger entry and change during it belongs to it, however deep the call.
 * Outside of an action, nothing is collected.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Currency } from '../domain/money';
import type { Transaction } from '../store/database';

const ids = new AsyncLocalStorage<string>();

export function duringAction<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
  return ids.run(id, work);
}

/** The id of the action that this is part of; undefined outside of an action. */
export function currentActionId(): string | undefined {
  return ids.getStore();
}

/** A change of a ledger account or a payment, for the preview and the result of the action. */
export type NotedChange =
  | { kind: 'posted'; accountId: string; currency: Currency; amountMinor: bigint }
  | { kind: 'payment'; paymentId: string; from: string; to: string };

/** By transaction, not by action, so that a repeated transaction starts with an empty list. */
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
