/** Findings and facts as the tests of the decision put them together. */
import type { Finding } from '../../../src/domain/outcome';
import type { Facts } from '../../../src/payments/resolve/decide';
import type { Notice } from '../../../src/rail-kit/provider-events';

type Success = Extract<Finding, { kind: 'succeeded' }>;

export const asked = 125_000n;

export const paid: Success = {
  kind: 'succeeded',
  code: '0',
  text: 'paid',
  amountMinor: asked,
  currency: 'KES',
  receipt: 'R1',
};
/** The status query tells that it was paid, and neither how much nor under which receipt. */
export const confirmed: Success = { kind: 'succeeded', code: '0', text: 'paid', currency: 'KES' };
export const failed: Finding = { kind: 'failed', code: '1', text: 'insufficient balance' };
export const cancelled: Finding = { kind: 'cancelled', code: '1032', text: 'cancelled' };
export const timedOut: Finding = { kind: 'timed_out', code: '1037', text: 'no answer' };
export const open: Finding = { kind: 'open', text: 'being processed' };
export const unknown: Finding = { kind: 'unknown', text: '<html>' };
export const doubtful: Finding = { kind: 'failed', code: '777', text: 'never seen', tentative: true };

export function notices(...findings: Finding[]): Notice[] {
  return findings.map((finding, index) => ({ inboxId: String(index + 1), finding, msAgo: 0 }));
}

/** A pending STK payment nothing is known about yet, looked at by itself long after its acceptance. */
export function facts(changes: Partial<Facts> = {}): Facts {
  return {
    state: 'pending',
    instructedMinor: asked,
    instructedCurrency: 'KES',
    confirmedMinor: undefined,
    givenBackMinor: 0n,
    refundedMinor: 0n,
    isContested: false,
    warnedBefore: {},
    wasPaidAgain: false,
    receipt: undefined,
    isNamed: true,
    failureCode: undefined,
    notices: [],
    answer: undefined,
    cause: 'check',
    msSinceAcceptance: 120_000,
    tentative: undefined,
    notificationsAreProof: false,
    whenAnswerLost: 'stay_unknown',
    whenSilent: 'time_out',
    whenSuccessIsLate: 'correct',
    whenAmountDiffers: 'settle_and_open_case',
    whenFailed: 'end',
    believeQueriedFailureAfterMs: 90_000,
    believeTentativeFailureAfterMs: 30_000,
    followHintMs: 0,
    watchedAfterSuccess: false,
    confirmPatienceMs: 400_000,
    disowning: { account: 'stk', seen: undefined, againAfterMs: 30_000 },
    ...changes,
  };
}
