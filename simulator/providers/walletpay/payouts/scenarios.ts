/** What a receiver's name before the @ makes happen, and what a note does. Others are paid. */
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

/** What an item becomes, why, and the last part of the event's name. */
export interface ItemChange {
  status: ItemStatus;
  error?: ItemError;
  /** Left out where the provider has no such event. */
  tells?: ItemEvent;
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
  /** Takes the batch, and closes the connection instead of saying so. */
  isSilent?: true;
  change: ItemChange;
  /** What becomes of the batch around the item. */
  batch: Extract<BatchStatus, 'SUCCESS' | 'DENIED'>;
}

export const UNCLAIMED_LIFE_MS = 30 * 86_400_000;

export const claimed: ItemChange = { status: 'SUCCESS', tells: 'SUCCEEDED' };
/** What comes back once it was paid: a recipient sends it back, or the provider takes it back. */
export const sentBack: ItemChange = { status: 'RETURNED', tells: 'RETURNED' };
export const refunded: ItemChange = { status: 'REFUNDED', tells: 'REFUNDED' };
export const reversed: ItemChange = { status: 'REVERSED' };

export const returned: ItemChange = { status: 'RETURNED', error: 'RECEIVER_UNREGISTERED', tells: 'RETURNED' };
export const cancelled: ItemChange = { ...returned, tells: 'CANCELED' };

const paid: Scenario = {
  title: 'Payout succeeds',
  behaviour: 'SUCCESS after 5 s. So does every receiver who is not in this table.',
  change: claimed,
  batch: 'SUCCESS',
};
const unclaimed: ItemChange = {
  status: 'UNCLAIMED',
  error: 'RECEIVER_UNREGISTERED',
  tells: 'UNCLAIMED',
};

export const scenarios: Readonly<Record<string, Scenario>> = {
  ok: paid,
  failed: {
    ...paid,
    title: 'Payout fails',
    behaviour: 'FAILED with RECEIVER_ACCOUNT_LOCKED, in a batch that is SUCCESS.',
    change: { status: 'FAILED', error: 'RECEIVER_ACCOUNT_LOCKED', tells: 'FAILED' },
  },
  unclaimed: {
    ...paid,
    title: 'Payout unclaimed',
    behaviour: 'UNCLAIMED until somebody claims or returns it; RETURNED after 30 days.',
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
    change: { status: 'DENIED', error: 'RISK_DECLINE', tells: 'DENIED' },
    batch: 'DENIED',
  },
  held: {
    ...paid,
    title: 'Payout held',
    behaviour: 'ONHOLD with REGULATORY_PENDING until somebody claims or returns it.',
    change: { status: 'ONHOLD', error: 'REGULATORY_PENDING', tells: 'HELD' },
  },
  blocked: {
    ...paid,
    title: 'Payout blocked',
    behaviour: 'BLOCKED with REGULATORY_BLOCKED.',
    change: { status: 'BLOCKED', error: 'REGULATORY_BLOCKED', tells: 'BLOCKED' },
  },
  lost: {
    ...paid,
    title: 'Payout answer lost',
    behaviour: 'Taken and paid, but the connection closes; asking again names the batch.',
    isSilent: true,
  },
};

export function scenarioOf(receiver: string): Scenario {
  const name = receiver.split('@', 1)[0] ?? '';
  return (Object.hasOwn(scenarios, name) ? scenarios[name] : undefined) ?? paid;
}

/** Notes with which the provider's sandbox lets an integrator ask for a refusal. */
export const refusingNotes: Readonly<Record<string, ErrorName>> = {
  ERRPYO001: 'SENDER_RESTRICTED',
  ERRPYO002: 'SENDER_EMAIL_UNCONFIRMED',
  ERRPYO003: 'AUTHORIZATION_ERROR',
  ERRPYO005: 'INSUFFICIENT_FUNDS',
  ERRPYO006: 'INTERNAL_SERVER_ERROR',
  ERRPYO010: 'VALIDATION_ERROR',
};

/** Batch ids that are never given, and can be asked for all the same. */
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

/** What happens to a batch, or to one of its items. */
export interface Step extends TimedStep {
  becomes?: Exclude<BatchStatus, 'PENDING'>;
  /** Without a change it is only told what has happened already. */
  item?: { id: string; change?: ItemChange; tells?: ItemEvent };
}
