import type { Policy } from '../domain/commands';
import type { ProviderResult } from '../domain/outcome';
import type { PaymentRow } from '../store/tables';

/** An operation's uncertainty policy: a rail states it together with its durations. */
export interface UncertaintyPolicy {
  /**
   * A submission was sent and its answer is lost. If it may have moved money, it stays unknown until a result is
   * reported. If it cannot move money by itself, for example an order whose payment page no customer has, it is sent
   * again as another attempt. The payment is refused when no attempt gets an answer.
   */
  whenAnswerLost: 'stay_unknown' | 'send_anew';
  /**
   * The deadline passed without a report: a prompt without an answer times out, or an operator decides; 'wait'
   * postpones the case until the end of the watch. `answer` is the provider's present answer, where it was polled.
   */
  onTimeout(payment: PaymentRow, answer?: ProviderResult): 'time_out' | 'ask_operator' | 'wait';
  /** The text for a payment that times out, where the rail knows more than that there was no answer. */
  silenceText?: string;
  /**
   * A success after a published failure: booked as a correction, or kept for an operator because its reserve is gone.
   */
  whenSuccessIsLate: 'correct' | 'open_case';
  /** A success whose amount differs: booked as really paid, or kept for an operator. */
  whenAmountDiffers: 'settle_and_open_case' | 'open_case';
  /** A failure ends the payment; or its customer may try again, so that its checks continue. */
  whenFailed: 'end' | 'go_on_checking';
  /** A failure that only a poll reports is believed from this many milliseconds after the provider's acceptance. */
  trustQueriedFailureAfterMs: number;
  /** A failure that its provider may still revoke counts once it is seen again this many milliseconds later. */
  trustTentativeFailureAfterMs: number;
  /** How many milliseconds we poll after an unverified event while the provider shows no change. */
  followUnverifiedMs: number;
}

/** Durations only: `policyOf` adds the part of the uncertainty policy that workflows need. */
export interface Durations extends Omit<Policy, 'failureIsSoft'> {
  /** Raised with every change of the rail's numbers, so that a schedule's name and version mean the same for ever. */
  version: number;
}

/** Such as `stkPush v1`: how a workflow's input names its poll schedule. */
export function scheduleNameOf(operation: {
  workflowType: string;
  policy: Pick<Durations, 'version'>;
}): string {
  return `${operation.workflowType} v${String(operation.policy.version)}`;
}

/** @returns the policy with which a payment's workflow starts, and by which its next check is planned. */
export function policyOf(operation: {
  policy: Durations;
  uncertainty: Pick<UncertaintyPolicy, 'whenFailed'>;
}): Policy {
  const { policy, uncertainty } = operation;
  return uncertainty.whenFailed === 'go_on_checking' ? { ...policy, failureIsSoft: true } : policy;
}

/** A rail's uncertainty policy in the sandbox: durations divided by the time scale, which is 1 in live. */
export function scaleUncertaintyPolicy(uncertainty: UncertaintyPolicy, timeScale: number): UncertaintyPolicy {
  return {
    ...uncertainty,
    trustQueriedFailureAfterMs: uncertainty.trustQueriedFailureAfterMs / timeScale,
    trustTentativeFailureAfterMs: uncertainty.trustTentativeFailureAfterMs / timeScale,
    followUnverifiedMs: uncertainty.followUnverifiedMs / timeScale,
  };
}

/**
 * How late a check may be before the sweeper acts. In the sandbox it never falls below the minimum, so that a slow
 * machine has enough time.
 */
const checkGraceMs = 60_000;
const leastGraceMs = 15_000;

/** A rail's durations in the sandbox: divided by the time scale, which is 1 in live. */
export function scalePolicy(policy: Durations, timeScale: number): Durations {
  const scale = (ms: number) => Math.max(1, Math.round(ms / timeScale));
  const { unknownDeadlineMs, queuedMaxMs, remindersMs, afterSuccessChecksMs, afterWarningChecksMs } = policy;
  return {
    version: policy.version,
    checksMs: policy.checksMs.map(scale),
    rechecksMs: policy.rechecksMs.map(scale),
    watchMs: scale(policy.watchMs),
    confirmDelaysMs: policy.confirmDelaysMs.map(scale),
    checkGraceMs: Math.max(leastGraceMs, scale(checkGraceMs)),
    ...(unknownDeadlineMs === undefined ? {} : { unknownDeadlineMs: scale(unknownDeadlineMs) }),
    ...(queuedMaxMs === undefined ? {} : { queuedMaxMs: scale(queuedMaxMs) }),
    ...(remindersMs === undefined ? {} : { remindersMs: remindersMs.map(scale) }),
    ...(afterSuccessChecksMs === undefined ? {} : { afterSuccessChecksMs: afterSuccessChecksMs.map(scale) }),
    ...(afterWarningChecksMs === undefined ? {} : { afterWarningChecksMs: afterWarningChecksMs.map(scale) }),
  };
}
