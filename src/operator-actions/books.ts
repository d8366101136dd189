/** What each action may write into the ledger. An action that is not here writes nothing there. */
import type { EntrySource } from '../ledger/entry-sources';
import type { ActionKind } from './actions';

interface Books {
  sources: readonly EntrySource[];
  /** Whose entry by hand there is one of: of as much money as its line says, or of the thing that the line is about. */
  one?: 'amount' | 'subject';
}

/** What is booked when a payment reaches its end, and what that does to the deposit of a refund. */
const ofPayments: readonly EntrySource[] = [
  ...(['deposit/credit', 'deposit/given_back', 'payout/convert', 'refund/convert'] as const),
  ...(['hold/post', 'hold/change', 'fee/charge', 'fee/post', 'fee/given_back'] as const),
];
const statements: readonly EntrySource[] = [
  ...(['orphan/found', 'orphan/explained', 'provider_fee/fee', 'provider_fee/back'] as const),
];
const transfers: Books = { sources: ['transfer/move'], one: 'amount' };

const booksOfActions: Partial<Record<ActionKind, Books>> = {
  'float.add': transfers,
  'float.withdraw': transfers,
  'wallet.adjust': transfers,
  'wallet.transfer': transfers,
  'orphan.claim': { sources: ['orphan/claimed', ...ofPayments], one: 'subject' },
  'orphan.returned': { sources: ['orphan/returned'], one: 'subject' },
  'case.resolve': {
    sources: [
      ...ofPayments,
      ...(['payout/returned', 'refund/returned', 'fee/returned', 'hold/release', 'fee/release'] as const),
    ],
  },
  'duplicate.refund': { sources: ['hold/reserve', 'hold/release', 'hold/change'] },
  // What never began is given up.
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
/** What an action that calls others ends with: a line of its own, with the id of the action. */
export type Ending = (typeof endings)[number];

/** Whether an audit line records the outcome of an action. The line before it records what was booked. */
export const isEnding = (action: string): boolean => endings.some((ending) => action.endsWith(`.${ending}`));
