/**
 * What a rail says about itself so that the promises of this folder can be tried on it: how to ask for a payment, what
 * its customers do, and how its simulated provider is made to fail. A description tells; it decides nothing.
 */
import type { PaymentKind, PaymentState } from '../../../src/domain/payment';
import type { PaymentRow } from '../../../src/store/tables';
import type { Exchange } from '../../support/rails/simulator-control';
import type { Stack, TestMerchant } from '../../support/stack';

/** Lets the payment go through, refuses it, or never says anything. */
export type Fate = 'pays' | 'fails' | 'silent';

/** One kind of payment that the rail takes. */
export interface Flow {
  kind: PaymentKind;
  /** Whose payment it is, where another rail has lent its account. */
  rail?: string;
  /** The name of a customer who meets this fate, another one for each `n`; undefined where there is none. */
  customer(fate: Fate, n: number): string | undefined;
  /** What the payment of this customer is found by, among those of its kind. */
  row(customer: string): Partial<PaymentRow>;
  /** The merchant is answered when the payment is written, and does not wait for the provider. */
  answersAtOnce?: true;
  /** What fault rules of the simulator are narrowed to this customer by. */
  where(customer: string): Record<string, string>;
  /**
   * What the customer does by himself once the request is accepted, where the provider waits for it on a page. Nothing
   * can be reported before that, and nobody pays where the acceptance came too late for its merchant.
   */
  customerActs?(stack: Stack, payment: PaymentRow, fate: Fate): Promise<void>;
  /** The request of this customer, once all that it needs is there: a float, a deposit to give back. */
  request(stack: Stack, merchant: TestMerchant, customer: string): Promise<{ path: string; body: object }>;
}

/** What a rail takes through the account of another, on whose stage it is tried and whose provider fails for both. */
export interface LentContract {
  lentBy: string;
  flows: Record<string, Flow>;
  /** The operator's settings that lead there. */
  settings: Record<string, string>;
}

export interface RailContract {
  /** By what one would call it: `a push`, `a payout`. */
  flows: Record<string, Flow>;
  /** The notifications of one payment that goes well. */
  notifications: number;
  /** Whether a notification alone is believed; otherwise the provider is asked, and its silence is felt there. */
  notificationsAreProof: boolean;
  /** Notifications carry neither a status nor an id, so that those of one moment are kept as one. */
  notificationsAreHints?: true;
  /** Whether a second instruction of the same payment does nothing that the first one has not done. */
  repeatsAreDropped: boolean;
  /** The simulator's name of the call that begins a payment; `initiate` unless told. */
  instruction?: string;
  /** How an instruction can be left without a usable answer, and where such a payment of one who pays may end. */
  initiation: Record<string, readonly PaymentState[]>;
  question: {
    /** The simulator's name of it. */
    call: string;
    /** How a question can be left without a usable answer. */
    faults: readonly string[];
  };
  /**
   * Milliseconds of our clock after which a payment whose acceptance was lost is given up. Undefined where the
   * provider can be asked about it all the same, so that it never is.
   */
  givesUpAfterMs?: number;
  /** The simulator's name of the call that looks a payment up by our own name for it, where there is one. */
  lookup?: string;
  /** What becomes of a payment nobody tells the outcome of: published as a timeout, or a person's question. */
  silence: 'timed_out' | 'no_outcome';
  /** Has the provider say that the payment failed, where it can. @returns the status it was answered with. */
  contradict?(stack: Stack, payment: PaymentRow): Promise<number>;
  /** Has the provider take back what it has paid out, where it can. */
  takeBack?(stack: Stack, payment: PaymentRow): Promise<void>;
  /**
   * Tells us that the payment failed as somebody would who knows all but the provider's key. @returns the status it was
   * answered with: taken where nothing is signed, refused elsewhere.
   */
  forgeFailure(stack: Stack, payment: PaymentRow): Promise<number>;
  /** Has the provider send a notification again that it withheld. @returns the status it was answered with. */
  repeat(stack: Stack, payment: PaymentRow, withheld: Exchange): Promise<number>;
}
