/** The events that merchants see, in the feed of events and at their webhook endpoints. */
import { paymentStates, type PaymentKind, type PaymentState } from './payment';

/** `initiating` is an internal step: the payment does not change for its merchant. */
type ReportedState = Exclude<PaymentState, 'received' | 'initiating'>;

/** `created` for a new payment, else the state that it entered: `deposit.created`, `payout.returned`. */
export type EventType = `${PaymentKind}.${'created' | ReportedState}`;

const kinds: readonly PaymentKind[] = ['deposit', 'payout', 'refund'];

/** @returns undefined for a change without an event. */
export function eventTypeOf(payment: { kind: PaymentKind; state: PaymentState }): EventType | undefined {
  const { kind, state } = payment;
  if (state === 'initiating') return undefined;
  return `${kind}.${state === 'received' ? 'created' : state}`;
}

export const eventTypes: readonly EventType[] = kinds.flatMap((kind) =>
  paymentStates.flatMap((state) => eventTypeOf({ kind, state }) ?? []),
);

/** The body of a test webhook, which concerns no payment. It has no `sequence`: nothing has changed. */
export function testBody(webhookId: string, sentAt: Date): Record<string, string> {
  const types = { type: 'test', event_type: 'test', callback_type: 'Test' };
  return { ...types, event_id: webhookId, timestamp: sentAt.toISOString() };
}
