/** What merchants are told of, in the feed of events and at their webhook endpoints. */
import { paymentStates, type PaymentKind, type PaymentState } from './payment';

/** `initiating` is a step of ours: what a merchant knows of the payment does not change with it. */
type ToldState = Exclude<PaymentState, 'received' | 'initiating'>;

/** `created` where a payment was taken on, else the state that it entered: `deposit.created`, `payout.returned`. */
export type EventType = `${PaymentKind}.${'created' | ToldState}`;

const kinds: readonly PaymentKind[] = ['deposit', 'payout', 'refund'];

/** @returns undefined for a change that nobody is told of. */
export function eventTypeOf(payment: { kind: PaymentKind; state: PaymentState }): EventType | undefined {
  const { kind, state } = payment;
  if (state === 'initiating') return undefined;
  return `${kind}.${state === 'received' ? 'created' : state}`;
}

export const eventTypes: readonly EventType[] = kinds.flatMap((kind) =>
  paymentStates.flatMap((state) => eventTypeOf({ kind, state }) ?? []),
);

/** What a webhook says that tells of no payment. It has no `sequence`: nothing has changed. */
export function testBody(webhookId: string, sentAt: Date): Record<string, string> {
  const types = { type: 'test', event_type: 'test', callback_type: 'Test' };
  return { ...types, event_id: webhookId, timestamp: sentAt.toISOString() };
}
