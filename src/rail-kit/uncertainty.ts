import type { Policy } from '../domain/commands';
import type { Finding } from '../domain/outcome';
import type { PaymentRow } from '../store/tables';

/** What an operation does where nobody knows for certain: the policy a rail states beside its durations. */
export interface InDoubt {
  /**
   * An instruction was sent and its answer is lost. It may have moved money: it stays unknown until somebody tells. Or
   * it can move none by itself, as an order can not whose payment page nobody was given: it is sent anew as another
   * attempt, and the payment is refused when none is answered.
   */
  whenAnswerLost: 'stay_unknown' | 'send_anew';
  /**
   * The end of the wait came and nobody has told: a prompt nobody answered, or a question for an operator; 'wait' puts
   * that question off until the end of the watch. `answer` is what the provider says just then, where it was asked.
   */
  whenSilent(payment: PaymentRow, answer?: Finding): 'time_out' | 'ask_operator' | 'wait';
  /** What is said of a payment that ends by silence, where the rail knows more than that nobody has said anything. */
  silenceText?: string;
  /** A success after a published failure: booked as a correction, or kept for an operator because its hold is gone. */
  whenSuccessIsLate: 'correct' | 'open_case';
  /** A success whose amount differs: booked as really paid, or kept for an operator. */
  whenAmountDiffers: 'settle_and_open_case' | 'open_case';
  /** A failure ends the payment, or its customer may try again, so that its checks go on. */
  whenFailed: 'end' | 'go_on_checking';
  /** A failure that a query alone tells is believed from so many milliseconds after the acceptance. */
  believeQueriedFailureAfterMs: number;
  /** A failure that its provider may still take back counts once it is seen again so many milliseconds later. */
  believeTentativeFailureAfterMs: number;
  /** A hint is followed for so many milliseconds while the provider answers that nothing has changed. */
  followHintMs: number;
}

/** Durations alone: what workflows are told of the doubt is added by `policyOf`. */
export type Durations = Omit<Policy, 'failureIsSoft'>;

/** @returns the policy with which a payment's workflow is started, and by which its next look is planned. */
export function policyOf(operation: { policy: Durations; inDoubt: Pick<InDoubt, 'whenFailed'> }): Policy {
  const { policy, inDoubt } = operation;
  return inDoubt.whenFailed === 'go_on_checking' ? { ...policy, failureIsSoft: true } : policy;
}

/** A rail's doubts as the sandbox has them: their durations divided by its time scale, which is 1 in live. */
export function scaleInDoubt(inDoubt: InDoubt, timeScale: number): InDoubt {
  return {
    ...inDoubt,
    believeQueriedFailureAfterMs: inDoubt.believeQueriedFailureAfterMs / timeScale,
    believeTentativeFailureAfterMs: inDoubt.believeTentativeFailureAfterMs / timeScale,
    followHintMs: inDoubt.followHintMs / timeScale,
  };
}

/** How late a look may be before the sweeper sees to it. A slow machine is not hurried below the least. */
const checkGraceMs = 60_000;
const leastGraceMs = 15_000;

/** A rail's durations as the sandbox runs them: divided by its time scale, which is 1 in live. */
export function scalePolicy(policy: Durations, timeScale: number): Durations {
  const scale = (ms: number) => Math.max(1, Math.round(ms / timeScale));
  const { unknownDeadlineMs, queuedMaxMs, remindersMs, afterSuccessChecksMs, afterWarningChecksMs } = policy;
  return {
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
