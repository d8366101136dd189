/** What a receiver's name before the @ triggers, and what a note does. Others are paid. */
import type { TimedStep } from '../../../steps';
import type { ErrorName } from '../errors';

export type BatchStatus = 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'DENIED' | 'CANCELED';
export type ItemStatus =
  | 'PENDING'
  | 'SUCCESS'
  | 'FAILED'
  | 'UNCLAIMED'
  | 'RETURNED'
  | 'ONHOLD'
  | 'BLOCKED'
  | 'DENIED'
  | 'REFUNDED'
  | 'REVERSED';

export type ItemEvent =
  'SUCCEEDED' | 'FAILED' | 'UNCLAIMED' | 'RETURNED' | 'HELD' | 'BLOCKED' | 'CANCELED' | 'DENIED' | 'REFUNDED';

/** The new state of an item, the reason, and the last part of the event's name. */
export interface ItemChange {
  status: ItemStatus;
  error?: ItemError;
  /** Absent if the provider has no such event. */
  notifies?: ItemEvent;
}

export const itemErrors = {
  RECEIVER_ACCOUNT_LOCKED: 'Receiver is unable to receive payment at this time.',
  RECEIVER_UNREGISTERED: 'Receiver is unregistered.',
  REGULATORY_BLOCKED: 'This transaction is blocked due to regulatory reasons.',
  REGULATORY_PENDING: 'This transaction is on hold due to regulatory reasons.',
  RISK_DECLINE: 'Transaction is declined due to risk.',
  CLOSED_MARKET: 'This transaction is not permitted in the country of the receiver.',
} as const satisfies Record<string, string>;
export type ItemError = keyof typeof itemErrors;

export interface Scenario {
  title: string;
  behaviour: string;
  /** Accepts the batch, and closes the connection without an answer. */
  isSilent?: true;
  change: ItemChange;
  /** The state of the item's batch. */
  batch: Extract<BatchStatus, 'SUCCESS' | 'DENIED'>;
}

export const UNCLAIMED_LIFE_MS = 30 * 86_400_000;

export const claimed: ItemChange = { status: 'SUCCESS', notifies: 'SUCCEEDED' };
/** What returns a paid item: the recipient sends it back, or the provider reverses it. */
export const sentBack: ItemChange = { status: 'RETURNED', notifies: 'RETURNED' };
export const refunded: ItemChange = { status: 'REFUNDED', notifies: 'REFUNDED' };
export const reversed: ItemChange = { status: 'REVERSED' };

export const returned: ItemChange = {
  status: 'RETURNED',
  error: 'RECEIVER_UNREGISTERED',
  notifies: 'RETURNED',
};
export const cancelled: ItemChange = { ...returned, notifies: 'CANCELED' };

const paid: Scenario = {
  title: 'Payout succeeds',
  behaviour: 'SUCCESS after 5 s. So does every receiver who is not in this table.',
  change: claimed,
  batch: 'SUCCESS',
};
const unclaimed: ItemChange = {
  status: 'UNCLAIMED',
  error: 'RECEIVER_UNREGISTERED',
  notifies: 'UNCLAIMED',
};

export const scenarios: Readonly<Record<string, Scenario>> = {
  ok: paid,
  failed: {
    ...paid,
    title: 'Payout fails',
    behaviour: 'FAILED with RECEIVER_ACCOUNT_LOCKED, in a batch that is SUCCESS.',
    change: { status: 'FAILED', error: 'RECEIVER_ACCOUNT_LOCKED', notifies: 'FAILED' },
  },
  unclaimed: {
    ...paid,
    title: 'Payout unclaimed',
    behaviour: 'UNCLAIMED until a user claims or returns it; RETURNED after 30 days.',
    change: unclaimed,
  },
  'unclaimed-return': {
    ...paid,
    title: 'Payout never claimed',
    behaviour: 'UNCLAIMED, and RETURNED after 30 days.',
    change: unclaimed,
  },
  denied: {
    ...paid,
    title: 'Batch denied',
    behaviour: 'The batch and its item are DENIED with RISK_DECLINE.',
    change: { status: 'DENIED', error: 'RISK_DECLINE', notifies: 'DENIED' },
    batch: 'DENIED',
  },
  held: {
    ...paid,
    title: 'Payout held',
    behaviour: 'ONHOLD with REGULATORY_PENDING until a user claims or returns it.',
    change: { status: 'ONHOLD', error: 'REGULATORY_PENDING', notifies: 'HELD' },
  },
  blocked: {
    ...paid,
    title: 'Payout blocked',
    behaviour: 'BLOCKED with REGULATORY_BLOCKED.',
    change: { status: 'BLOCKED', error: 'REGULATORY_BLOCKED', notifies: 'BLOCKED' },
  },
  lost: {
    ...paid,
    title: 'Payout answer lost',
    behaviour: 'Accepted and paid, but the connection closes; a repeated request names the batch.',
    isSilent: true,
  },
};

export function scenarioOf(receiver: string): Scenario {
  const name = receiver.split('@', 1)[0] ?? '';
  return (Object.hasOwn(scenarios, name) ? scenarios[name] : undefined) ?? paid;
}

/** Notes by which the provider's sandbox lets an integrator request an error. */
export const refusingNotes: Readonly<Record<string, ErrorName>> = {
  ERRPYO001: 'SENDER_RESTRICTED',
  ERRPYO002: 'SENDER_EMAIL_UNCONFIRMED',
  ERRPYO003: 'AUTHORIZATION_ERROR',
  ERRPYO005: 'INSUFFICIENT_FUNDS',
  ERRPYO006: 'INTERNAL_SERVER_ERROR',
  ERRPYO010: 'VALIDATION_ERROR',
};

/** Batch ids that are never assigned, but can be queried. */
export const mockBatches: Readonly<
  Record<string, { batch: BatchStatus; item: ItemStatus; error?: ItemError }>
> = {
  ERRPYO022: { batch: 'SUCCESS', item: 'UNCLAIMED', error: 'RECEIVER_UNREGISTERED' },
  ERRPYO015: { batch: 'SUCCESS', item: 'FAILED', error: 'CLOSED_MARKET' },
  ERRPYOB001: { batch: 'SUCCESS', item: 'SUCCESS' },
  ERRPYOB002: { batch: 'PENDING', item: 'PENDING' },
  ERRPYOB003: { batch: 'PROCESSING', item: 'PENDING' },
  ERRPYOB004: { batch: 'DENIED', item: 'DENIED', error: 'RISK_DECLINE' },
};

/** An event of a batch, or of one of its items. */
export interface Step extends TimedStep {
  becomes?: Exclude<BatchStatus, 'PENDING'>;
  /** Without a change, only an earlier one is reported. */
  item?: { id: string; change?: ItemChange; notifies?: ItemEvent };
}
