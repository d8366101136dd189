/** Stored notifications as the decision reads them. */
import type { Finding } from '../domain/outcome';
import type { InboxRow } from '../store/tables';

type Success = Extract<Finding, { kind: 'succeeded' }>;
export type Failure = Extract<Finding, { kind: 'failed' | 'cancelled' | 'timed_out' }>;

/** A stored notification and its provider result, read once in a review, because reading it may write a log line. */
export interface Reading {
  row: InboxRow;
  finding: Finding;
}

export interface Notice {
  inboxId: string;
  finding: Finding;
  /** Milliseconds since it was stored. */
  msAgo: number;
  /** Whether the provider's signature, or secret, proves it. */
  isProven?: boolean;
  /** An unverified event after others that changed nothing: it is polled for only a short time. */
  isRepetition?: boolean;
}

export function withoutHints(notices: Notice[]): Notice[] {
  return notices.filter(({ finding }) => finding.kind !== 'hint');
}

export function successOf(notices: Notice[]): (Notice & { finding: Success }) | undefined {
  return notices.find(
    (notice): notice is Notice & { finding: Success } => notice.finding.kind === 'succeeded',
  );
}

export function isFailure(finding: Finding): finding is Failure {
  return finding.kind === 'failed' || finding.kind === 'cancelled' || finding.kind === 'timed_out';
}

export function describe(finding: Finding): string {
  return 'code' in finding ? `${finding.kind} ${finding.code} ${finding.text}` : finding.kind;
}

export function referenceOf(finding: Finding): string | undefined {
  return 'providerReference' in finding ? finding.providerReference : undefined;
}

export type GivenBack = Extract<Finding, { kind: 'refunded' | 'reversed' }>;

/** The provider shows a smaller returned amount than before. */
export type PaidAgain = GivenBack | Extract<Finding, { kind: 'succeeded' }>;

export function isGivenBack(finding: Finding | undefined): finding is GivenBack {
  return finding?.kind === 'refunded' || finding?.kind === 'reversed';
}

export type CameBack = Extract<Finding, { kind: 'returned' }>;

export function receiptOf(finding: Finding | undefined): string | undefined {
  return finding?.kind === 'succeeded' ? finding.receipt : undefined;
}
