/** One operation that may be interrupted: a request of a merchant or an operator, with everything that follows. */
import type { ActionKind } from '../../../../src/operator-actions/actions';
import type { PaymentState } from '../../../../src/domain/payment';
import type { TestRig, Victim } from '../support/test-rig';

export interface Trial {
  /** Existing payments that it is about, such as the payout that is cancelled. */
  about?: string[];
  /** True if its subject is still in progress, so that the trial begins in the middle. */
  isUnsettled?: true;
  /**
   * Sends the request once, in the form that is repeated until an answer comes, and once more afterwards.
   * @returns the id in the answer; undefined if it asks to try again. @throws on any other answer.
   */
  ask(): Promise<string | undefined>;
  /** What came back last, for a report. */
  lastAnswer?(): string;
  /**
   * For an operator's command: its arguments, and how often it has taken effect. An operator whose command was
   * interrupted checks the result, and runs it again if necessary.
   */
  command?: { args: string[]; effects(): Promise<number> };
  /** The customer's action after the answer. It is repeated until it does not throw. */
  acts?(id: string): Promise<void>;
  /** The ids of the payments that it created. */
  living(): Promise<string[]>;
  /** The valid final states of its payments. */
  ends: readonly PaymentState[];
  /** True if the provider sends no notification: if its answer is lost, the result is unknown here. */
  isNeverReported?: true;
}

export interface Operation {
  /** For example `stk/push`. */
  name: string;
  /** For an operator's command: its action. */
  action?: ActionKind;
  /** The processes whose boundaries belong to it: by default the API and the worker. */
  victims?: readonly Victim[];
  /** @param name occurs in no other text of the test rig. */
  begin(rig: TestRig, name: string): Promise<Trial>;
}
