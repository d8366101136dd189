/** The states of an accepted transaction: queued or in progress, final, and reported by callback. */
import { randomInt } from 'node:crypto';
import type { ProviderContext } from '../../provider';
import { openSteps, splitAfter } from '../../steps';
import { callbackOf } from './callback';
import { failure } from './failures';
import type { AvailabilityBoard } from './network/availability';
import type { Operation } from './operations';
import {
  AUTHORISATION_LIFE_MS,
  cancellationSteps,
  redirectSteps,
  scenarioOf,
  type Step,
  type ReportedStatus,
} from './scenarios';
import type { MomoSettings } from './settings';
import { isFinal, keyOf, type Transaction, type Transactions } from './transactions';
import { twoPlaces, type Wallets } from './wallets';

/** A user's actions on the page of a redirect provider. */
export const personActions = {
  pay: { becomes: 'COMPLETED', notifies: ['COMPLETED'] },
  decline: { becomes: 'FAILED', failure: 'PAYMENT_NOT_APPROVED', notifies: ['FAILED'] },
} as const satisfies Record<string, Omit<Step, 'afterMs'>>;
export type PersonAction = keyof typeof personActions;

export interface Lifecycle {
  begin(transaction: Transaction): Promise<void>;
  /** Continues every transaction that waited for the provider. */
  resume(operation: Operation, provider: string): void;
  /** For a queued transaction; it fails a moment later. */
  cancel(transaction: Transaction): void;
  decide(transaction: Transaction, action: PersonAction): void;
  /** Sends the last callback again. */
  notifyAgain(transaction: Transaction): void;
}

export interface LifecycleParts {
  context: ProviderContext;
  settings: MomoSettings;
  transactions: Transactions;
  wallets: Wallets;
  availability: AvailabilityBoard;
}

/** Refunds take longer. */
const REFUND_SLOWNESS = 2.5;
const bookedAs = { DEPOSIT: undefined, PAYOUT: 'payout', REFUND: 'refund' } as const;

export function openLifecycle({
  context,
  settings,
  transactions,
  wallets,
  availability,
}: LifecycleParts): Lifecycle {
  const { clock, schedule, faults, callbacks, books } = context;

  const perform = async (key: string, step: Step): Promise<void> => {
    const transaction = byKey(key);
    if (!transaction) return;
    const { becomes, notifies = [] } = step;
    if (becomes !== undefined && isFinal(transaction)) return;
    const now = becomes === undefined ? transaction : change(transaction, { ...step, becomes });
    for (const status of notifies) await notify(now, status);
  };
  const byKey = (key: string) => {
    const [operation, id = ''] = key.split(':');
    return transactions.find(operation as Operation, id);
  };
  const change = (before: Transaction, step: Required<Pick<Step, 'becomes'>> & Step): Transaction => {
    const after: Transaction = {
      ...before,
      status: step.becomes,
      ...(step.failure && { failure: failure(step.failure) }),
      ...(before.redirect && { redirect: redirectAfter(before.redirect, step.becomes) }),
    };
    const ended = after.status === 'COMPLETED' ? moveMoney(after) : after;
    if (ended.status === 'FAILED' && ended.operation !== 'DEPOSIT') wallets.add(ended, ended.amount);
    transactions.save(ended);
    return ended;
  };
  const redirectAfter = (
    { waitsUntil: _, ...redirect }: NonNullable<Transaction['redirect']>,
    status: string,
  ) =>
    status === 'PROCESSING' ? { ...redirect, waitsUntil: clock.now() + AUTHORISATION_LIFE_MS } : redirect;
  const moveMoney = (transaction: Transaction): Transaction => {
    const { operation, id, amount, currency, phone } = transaction;
    const receipt = String(randomInt(1_000_000_000, 10_000_000_000));
    const kind = bookedAs[operation];
    books.book({
      provider: 'momo',
      ...(kind && { kind }),
      reference: id,
      receipt,
      amount: twoPlaces(amount),
      currency,
      phone,
    });
    if (operation === 'DEPOSIT') wallets.add(transaction, amount);
    return { ...transaction, providerTransactionId: receipt };
  };
  const factsOf = ({ phone, provider, operation }: Transaction) => ({
    phone_number: phone,
    provider,
    operation,
  });
  const notify = async (transaction: Transaction, status: ReportedStatus): Promise<void> => {
    const url = settings.callbackUrls[transaction.operation];
    if (url === undefined) return;
    const { callback, alternatives } = callbackOf(transaction, status, url);
    await callbacks.send(callback, factsOf(transaction), keyOf(transaction), alternatives);
  };
  const steps = openSteps(schedule, 'momo.step', perform);

  const scenarioFor = ({ operation, phone }: Transaction) =>
    scenarioOf(operation === 'DEPOSIT' ? 'deposit' : 'payout', phone);
  const stepsOf = (transaction: Transaction): Step[] => {
    if (transaction.redirect) return redirectSteps(settings.soonMs);
    const isRefund = transaction.operation === 'REFUND';
    return scenarioFor(transaction).steps(isRefund ? settings.soonMs * REFUND_SLOWNESS : settings.soonMs);
  };
  const setOff = (transaction: Transaction, planned: readonly Step[]) =>
    steps.plan(keyOf(transaction), clock.now(), planned);

  return {
    async begin(transaction) {
      const { operation, provider } = transaction;
      if (availability.of(provider, operation) === 'DELAYED') {
        transactions.save({ ...transaction, status: 'ENQUEUED' });
        return;
      }
      const isQueued = scenarioFor(transaction).initiation === 'queued';
      transactions.save(isQueued ? { ...transaction, status: 'ENQUEUED' } : transaction);
      const all = stepsOf(transaction);
      const overtakes = faults.take('momo', 'callback', factsOf(transaction), ['reorder']) !== undefined;
      const [before, after] = overtakes
        ? splitAfter(all, ({ notifies = [] }) => notifies.length > 0)
        : [[], all];
      for (const step of before) await perform(keyOf(transaction), step);
      setOff(transaction, after);
    },
    resume(operation, provider) {
      for (const transaction of transactions.enqueued(operation, provider)) {
        const started: Transaction = { ...transaction, status: 'PROCESSING' };
        transactions.save(started);
        setOff(started, stepsOf(started));
      }
    },
    cancel(transaction) {
      transactions.save({ ...transaction, isCancelled: true });
      setOff(transaction, cancellationSteps(settings.soonMs));
    },
    decide(transaction, action) {
      const step: Step = { afterMs: 0, ...personActions[action] };
      // The status call knows at once. The callback follows, so that the user does not wait for it.
      change(transaction, { ...step, becomes: personActions[action].becomes });
      setOff(transaction, [{ afterMs: 0, notifies: personActions[action].notifies }]);
    },
    notifyAgain(transaction) {
      setOff(transaction, [{ afterMs: 0, notifies: [transaction.status as ReportedStatus] }]);
    },
  };
}
