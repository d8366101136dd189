/**
 * A rail's description of itself for the tests of this folder: how to request a payment, what its customers do, and how
 * its simulated provider is made to fail. It contains data, and no decisions.
 */
import type { PaymentKind, PaymentState } from '../../../src/domain/payment';
import type { PaymentRow } from '../../../src/store/tables';
import type { Exchange } from '../../support/rails/simulator-control';
import type { Stack, TestMerchant } from '../../support/stack';

/** The payment succeeds, is declined, or never gets a result. */
export type Fate = 'pays' | 'fails' | 'silent';

/** One kind of payment of the rail. */
export interface Flow {
  kind: PaymentKind;
  /** The rail of the payment, if it uses another rail's account. */
  rail?: string;
  /** A customer with this fate, another one for each `n`; undefined if there is none. */
  customer(fate: Fate, n: number): string | undefined;
  /** Identifies the payment of this customer among those of its kind. */
  row(customer: string): Partial<PaymentRow>;
  /** The merchant is answered when the payment is stored, without waiting for the provider. */
  answersAtOnce?: true;
  /** Limits the simulator's fault rules to this customer. */
  where(customer: string): Record<string, string>;
  /**
   * The customer's own action after the creation, if the provider waits for it on a page. Nothing can be reported
   * before that, and the customer does not pay if the creation came too late for its merchant.
   */
  customerActs?(stack: Stack, payment: PaymentRow, fate: Fate): Promise<void>;
  /** The request of this customer, with everything it needs: a float, a deposit to refund. */
  request(stack: Stack, merchant: TestMerchant, customer: string): Promise<{ path: string; body: object }>;
}

/**
 * Payments of a rail through another rail's account; they are tested on that rail's stage, and its provider fails for
 * both.
 */
export interface LentContract {
  lentBy: string;
  flows: Record<string, Flow>;
  /** The operator's settings for this. */
  settings: Record<string, string>;
}

export interface RailContract {
  /** By their usual names: `a push`, `a payout`. */
  flows: Record<string, Flow>;
  /** The number of notifications of a successful payment. */
  notifications: number;
  /** Whether a notification alone is proof; otherwise the provider is queried, so its faults matter there. */
  notificationsAreTrusted: boolean;
  /** Notifications have neither a status nor an id, so those of one moment are stored as one. */
  notificationsAreUnverified?: true;
  /** Whether a second submission of the same payment has no further effect. */
  repeatsAreDropped: boolean;
  /** The simulator's name of the call that starts a payment; by default `initiate`. */
  submission?: string;
  /**
   * How a submission can be left without a usable answer, and the possible final states of such a payment by a paying
   * customer.
   */
  initiation: Record<string, readonly PaymentState[]>;
  question: {
    /** The simulator's name of it. */
    call: string;
    /** How a status query can be left without a usable answer. */
    faults: readonly string[];
  };
  /**
   * Milliseconds of our clock after which a payment whose submission got no answer fails. Undefined if the provider can
   * be queried anyway, so that it never does.
   */
  givesUpAfterMs?: number;
  /** The simulator's name of the call that finds a payment by our own id, if there is one. */
  lookup?: string;
  /** The result of a payment without any report: a published timeout, or a case. */
  silence: 'timed_out' | 'no_outcome';
  /** Makes the provider report that the payment failed, if it can. @returns the status of our answer. */
  contradict?(stack: Stack, payment: PaymentRow): Promise<number>;
  /** Makes the provider return a paid payout, if it can. */
  takeBack?(stack: Stack, payment: PaymentRow): Promise<void>;
  /**
   * Reports that the payment failed, as an attacker who knows everything except the provider's key. @returns the status
   * of our answer: accepted if nothing is signed, rejected otherwise.
   */
  forgeFailure(stack: Stack, payment: PaymentRow): Promise<number>;
  /** Makes the provider send a withheld notification again. @returns the status of our answer. */
  repeat(stack: Stack, payment: PaymentRow, withheld: Exchange): Promise<number>;
}
