/** What may be interrupted: one thing that a merchant or an operator asks for, until all that follows from it is over. */
import type { ActionKind } from '../../../../src/operator-actions/actions';
import type { PaymentState } from '../../../../src/domain/payment';
import type { Lane, Victim } from '../support/lane';

export interface Story {
  /** Payments that were there before and that it is about, such as the payout that is cancelled. */
  about?: string[];
  /** True where what it is about is on its way already, and the trial begins in the middle of it. */
  isUnsettled?: true;
  /**
   * Asks once, in the words that are repeated until they are answered, and afterwards once more.
   * @returns the id that the answer is about; undefined where it says to come back. @throws on any other answer.
   */
  ask(): Promise<string | undefined>;
  /**
   * Of an operator's command: its arguments, and how often it has taken effect. Whoever finds that a command was cut off
   * looks whether it did what it should, and gives it again where it did not.
   */
  command?: { args: string[]; effects(): Promise<number> };
  /** What the customer does once it was accepted. Repeated until it does not throw. */
  acts?(id: string): Promise<void>;
  /** The ids of what lives because of it. */
  living(): Promise<string[]>;
  /** The states in which its payments may end. */
  ends: readonly PaymentState[];
  /** True where the provider tells nothing by itself: if its answer is lost, nobody here can know what became of it. */
  isNeverTold?: true;
}

export interface Operation {
  /** Such as `stk/push`. */
  name: string;
  /** Of an operator's command: the action that it does. */
  action?: ActionKind;
  /** The processes whose boundaries belong to it: the API and the worker unless told. */
  victims?: readonly Victim[];
  /** @param name stands in no other text of the lane. */
  begin(lane: Lane, name: string): Promise<Story>;
}
