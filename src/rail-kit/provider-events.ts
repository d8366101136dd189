/** Stored notifications as the decision reads them. */
import type { ProviderResult } from '../domain/outcome';
import type { InboxRow } from '../store/tables';

type Success = Extract<ProviderResult, { kind: 'succeeded' }>;
export type Failure = Extract<ProviderResult, { kind: 'failed' | 'cancelled' | 'timed_out' }>;

/** A stored notification and its provider result, read once in a review, because reading it may write a log line. */
export interface Reading {
  row: InboxRow;
  providerResult: ProviderResult;
}

export interface ProviderEvent {
  inboxId: string;
  providerResult: ProviderResult;
  /** Milliseconds since it was stored. */
  msAgo: number;
  /** Whether the provider's signature, or secret, proves it. */
  isProven?: boolean;
  /** An unverified event after others that changed nothing: it is polled for only a short time. */
  isRepetition?: boolean;
}

export function withoutUnverified(providerEvents: ProviderEvent[]): ProviderEvent[] {
  return providerEvents.filter(({ providerResult }) => providerResult.kind !== 'unverified');
}

export function successOf(
  providerEvents: ProviderEvent[],
): (ProviderEvent & { providerResult: Success }) | undefined {
  return providerEvents.find(
    (providerEvent): providerEvent is ProviderEvent & { providerResult: Success } =>
      providerEvent.providerResult.kind === 'succeeded',
  );
}

export function isFailure(providerResult: ProviderResult): providerResult is Failure {
  return (
    providerResult.kind === 'failed' ||
    providerResult.kind === 'cancelled' ||
    providerResult.kind === 'timed_out'
  );
}

export function describe(providerResult: ProviderResult): string {
  return 'code' in providerResult
    ? `${providerResult.kind} ${providerResult.code} ${providerResult.text}`
    : providerResult.kind;
}

export function referenceOf(providerResult: ProviderResult): string | undefined {
  return 'providerReference' in providerResult ? providerResult.providerReference : undefined;
}

export type ReturnedByProvider = Extract<ProviderResult, { kind: 'refunded' | 'reversed' }>;

/** The provider shows a smaller returned amount than before. */
export type PaidAgain = ReturnedByProvider | Extract<ProviderResult, { kind: 'succeeded' }>;

export function isReturned(providerResult: ProviderResult | undefined): providerResult is ReturnedByProvider {
  return providerResult?.kind === 'refunded' || providerResult?.kind === 'reversed';
}

export type Returned = Extract<ProviderResult, { kind: 'returned' }>;

export function receiptOf(providerResult: ProviderResult | undefined): string | undefined {
  return providerResult?.kind === 'succeeded' ? providerResult.receipt : undefined;
}
