/** The ledger entries that each action may write. An action that is not here may write none. */
import type { EntrySource } from '../ledger/entry-sources';
import type { ActionKind } from './actions';

interface Books {
  sources: readonly EntrySource[];
  /** If set, exactly one manual entry must match the audit line: by its amount, or by its subject. */
  one?: 'amount' | 'subject';
}

/** The entries of a payment that reaches its final state, and of the deposit of a refund. */
const ofPayments: readonly EntrySource[] = [
  ...(['deposit/credit', 'deposit/reversed', 'payout/convert', 'refund/convert'] as const),
  ...(['hold/post', 'hold/change', 'fee/charge', 'fee/post', 'fee/reversed'] as const),
];
const statements: readonly EntrySource[] = [
  ...(['unmatched/found', 'unmatched/explained', 'provider_fee/fee', 'provider_fee/back'] as const),
];
const transfers: Books = { sources: ['transfer/move'], one: 'amount' };

const booksOfActions: Partial<Record<ActionKind, Books>> = {
  'float.add': transfers,
  'float.withdraw': transfers,
  'wallet.adjust': transfers,
  'wallet.transfer': transfers,
  'unmatched.assign': { sources: ['unmatched/assigned', ...ofPayments], one: 'subject' },
  'unmatched.returned': { sources: ['unmatched/returned'], one: 'subject' },
  'case.resolve': {
    sources: [
      ...ofPayments,
      ...(['payout/returned', 'refund/returned', 'fee/returned', 'hold/release', 'fee/release'] as const),
    ],
  },
  'duplicate.refund': { sources: ['hold/reserve', 'hold/release', 'hold/change'] },
  // Payments that were never submitted fail, which releases their reserve.
  resume: { sources: ['hold/release', 'hold/change', 'fee/release'] },
  reconcile: { sources: statements },
  'provider-statement.withdraw': { sources: statements },
};

/** @param kind of a stored line: it may be any text. */
export function booksOf(kind: string): Books {
  const known = Object.hasOwn(booksOfActions, kind) ? booksOfActions[kind as ActionKind] : undefined;
  return known ?? { sources: [] };
}

const endings = ['done', 'failed', 'unknown'] as const;
/** The outcome of an action that calls a provider or Temporal. It has its own audit line, with the id of the action. */
export type Ending = (typeof endings)[number];

/** Whether an audit line records the outcome of an action. The first line of the action is the one for the bookings. */
export const isEnding = (action: string): boolean => endings.some((ending) => action.endsWith(`.${ending}`));
