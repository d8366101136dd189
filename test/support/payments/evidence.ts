/** Provider results and facts for the tests of the decision. */
import type { ProviderResult } from '../../../src/domain/outcome';
import type { Facts } from '../../../src/payments/resolve/decide';
import type { ProviderEvent } from '../../../src/rail-kit/provider-events';

type Success = Extract<ProviderResult, { kind: 'succeeded' }>;

export const asked = 125_000n;

export const paid: Success = {
  kind: 'succeeded',
  code: '0',
  text: 'paid',
  amountMinor: asked,
  currency: 'KES',
  receipt: 'R1',
};
/** The status query reports that it was paid, without the amount and receipt. */
export const confirmed: Success = { kind: 'succeeded', code: '0', text: 'paid', currency: 'KES' };
export const failed: ProviderResult = { kind: 'failed', code: '1', text: 'insufficient balance' };
export const cancelled: ProviderResult = { kind: 'cancelled', code: '1032', text: 'cancelled' };
export const timedOut: ProviderResult = { kind: 'timed_out', code: '1037', text: 'no answer' };
export const open: ProviderResult = { kind: 'open', text: 'being processed' };
export const unknown: ProviderResult = { kind: 'unknown', text: '<html>' };
export const doubtful: ProviderResult = { kind: 'failed', code: '777', text: 'never seen', tentative: true };

export function providerEvents(...providerResults: ProviderResult[]): ProviderEvent[] {
  return providerResults.map((providerResult, index) => ({
    inboxId: String(index + 1),
    providerResult,
    msAgo: 0,
  }));
}

/** A new pending STK payment, at its scheduled check long after its submission. */
export function facts(changes: Partial<Facts> = {}): Facts {
  return {
    state: 'pending',
    instructedMinor: asked,
    instructedCurrency: 'KES',
    confirmedMinor: undefined,
    returnedMinor: 0n,
    refundedMinor: 0n,
    isDisputed: false,
    warnedBefore: {},
    wasPaidAgain: false,
    receipt: undefined,
    isNamed: true,
    failureCode: undefined,
    providerEvents: [],
    answer: undefined,
    cause: 'check',
    msSinceCreation: 120_000,
    tentative: undefined,
    notificationsAreTrusted: false,
    whenAnswerLost: 'stay_unknown',
    onTimeout: 'time_out',
    whenSuccessIsLate: 'correct',
    whenAmountDiffers: 'settle_and_open_case',
    whenFailed: 'end',
    trustQueriedFailureAfterMs: 90_000,
    trustTentativeFailureAfterMs: 30_000,
    followUnverifiedMs: 0,
    watchedAfterSuccess: false,
    confirmPatienceMs: 400_000,
    disowning: { account: 'stk', seen: undefined, againAfterMs: 30_000 },
    ...changes,
  };
}
