import type { NewCase } from '../../controls/cases';
import type { Finding } from '../../domain/outcome';
import type { GivenBack, PaidAgain, Failure, CameBack } from '../../rail-kit/notices';

/** What a look has learnt: `seen` once, `asked` a person about it, or the provider knows the payment again. */
export type Disowned = 'seen' | 'asked' | 'known';

export type Success = Extract<Finding, { kind: 'succeeded' }>;

export type Open = Extract<Finding, { kind: 'open' }>;

export interface Decision {
  outcome?:
    | { to: 'succeeded'; amountMinor: bigint; finding: Success; by: 'callback' | 'query' }
    | { to: 'failed' | 'cancelled' | 'timed_out'; finding: Failure; by: 'callback' | 'query' | 'deadline' }
    | { to: 'queued' | 'processing'; finding: Open; by: 'callback' | 'query' }
    | { to: 'refunded' | 'reversed'; givenBackMinor: bigint; finding: GivenBack; by: 'query' }
    /** What had gone back was paid once more: so much of it is still gone. */
    | { to: 'succeeded' | 'refunded' | 'reversed'; givenBackMinor: bigint; finding: PaidAgain; by: 'query' }
    | { to: 'returned'; finding: CameBack; by: 'query' };
  /** What a notification or an answer adds to a payment that stays where it is: its receipt, its payer, its page. */
  enrichment?: Success | Open;
  /** The notifications this decision has dealt with. */
  read: { inboxId: string; state: 'applied' | 'ignored'; reason: string }[];
  /** What is to be shown of notifications that stay unread: why they were not believed. */
  undecided?: { inboxId: string; reason: string }[];
  cases: NewCase[];
  /** Cases that the provider itself has answered, and how. */
  settles?: NewCase[];
  unconfirmed: boolean;
  /** A tentative failure, or an amount given back that is in doubt, to remember until it is seen again. */
  remember?: string;
  /** What a warning named, kept with the payment to be shown. */
  noted?: Record<string, string>;
  /** Whether the provider knows the payment, where that has changed. */
  disowned?: Disowned;
}
