import type { NewCase } from '../../controls/cases';
import { cutText } from '../../domain/cut-text';
import type { Finding } from '../../domain/outcome';
import { PAYOUT_RETURNED } from '../../domain/payment';
import {
  receiptOf,
  type GivenBack,
  type PaidAgain,
  type Failure,
  type CameBack,
} from '../../rail-kit/provider-events';
import { sentenceOf } from '../../rail-kit/provider-words';
import type { PaymentRow } from '../../store/tables';
import { nothingBefore, toldBefore } from './reported-amounts';
import type { Move } from './transition';
import { paidAgainDetail, showsReversal, withoutReversal } from './warning-details';

/**
 * The result of a check about a payment that its provider does not know: `seen` once, `asked` when a case was opened,
 * `known` when the provider knows it again.
 */
export type Disowned = 'seen' | 'asked' | 'known';

export type Success = Extract<Finding, { kind: 'succeeded' }>;

export type Open = Extract<Finding, { kind: 'open' }>;

export interface Decision {
  outcome?:
    | { to: 'succeeded'; amountMinor: bigint; finding: Success; by: 'callback' | 'query' }
    | { to: 'failed' | 'cancelled' | 'timed_out'; finding: Failure; by: 'callback' | 'query' | 'deadline' }
    | { to: 'queued' | 'processing'; finding: Open; by: 'callback' | 'query' }
    | { to: 'refunded' | 'reversed'; givenBackMinor: bigint; finding: GivenBack; by: 'query' }
    /** The provider has paid again after money had gone back: this amount is still gone. */
    | { to: 'succeeded' | 'refunded' | 'reversed'; givenBackMinor: bigint; finding: PaidAgain; by: 'query' }
    | { to: 'returned'; finding: CameBack; by: 'query' };
  /** What a notification or an answer adds to a payment that stays in its state: its receipt, its payer, its page. */
  enrichment?: Success | Open;
  /** The notifications that this decision has closed. */
  read: { inboxId: string; state: 'applied' | 'ignored'; reason: string }[];
  /** The reason that is shown for notifications that stay unread: why they were not believed. */
  undecided?: { inboxId: string; reason: string }[];
  cases: NewCase[];
  /** Cases that the provider's answer has closed, and how. */
  settles?: NewCase[];
  unconfirmed: boolean;
  /** A tentative failure, or an uncertain returned amount, stored until it is seen again. */
  remember?: string;
  /** The data of a warning, stored with the payment for display. */
  noted?: Record<string, string>;
  /** Whether the provider knows the payment, where that has changed. */
  disowned?: Disowned;
}

/** The transition that writes a decided outcome. */
export function moveFor(payment: PaymentRow, outcome: NonNullable<Decision['outcome']>): Move {
  const { finding, by, to } = outcome;
  const reference = finding.providerReference;
  const changes: Move['changes'] = {
    details: { ...payment.details, ...finding.details },
    ...(payment.provider_reference === null && reference !== undefined
      ? { provider_reference: reference }
      : {}),
  };
  if (finding.kind === 'open') return { to, cause: by, evidence: finding.text ?? '', changes };
  if ('givenBackMinor' in outcome) {
    const { code, text } = finding;
    const again = BigInt(payment.given_back_minor) - outcome.givenBackMinor;
    const details = {
      ...(to === 'reversed' && showsReversal(payment, outcome)
        ? withoutReversal(changes.details ?? {})
        : changes.details),
      ...(again > 0n ? nothingBefore : toldBefore(payment)),
      ...(again > 0n ? { [paidAgainDetail]: again.toString() } : {}),
    };
    const given_back_minor = outcome.givenBackMinor.toString();
    // Money that arrived after all corrects an earlier report to the merchant.
    const given = { ...changes, details, given_back_minor, ...(again > 0n && { corrected: 1 }) };
    return { to, cause: by, evidence: `${code} ${text}`, changes: given };
  }
  const isAssumed = finding.kind === 'succeeded' && finding.amountMinor === undefined;
  const assumed = isAssumed ? '; no source named the amount: booked as asked' : '';
  return {
    to,
    cause: by,
    evidence: cutText(`${finding.code} ${finding.text}`, 500 - assumed.length) + assumed,
    changes: {
      ...changes,
      ...(isAssumed ? { details: { ...changes.details, amount_named_by: 'nobody' } } : {}),
      result_code: cutText(finding.code, 64),
      result_text: sentenceOf(finding.text, 'The provider gave no reason in words'),
      failure_code: to === 'returned' ? PAYOUT_RETURNED : by === 'deadline' ? finding.code : null,
      corrected: payment.is_final,
      ...(outcome.to === 'succeeded' ? { confirmed_minor: outcome.amountMinor.toString() } : {}),
      ...(receiptOf(finding) === undefined ? {} : { provider_receipt: receiptOf(finding) ?? null }),
    },
  };
}
