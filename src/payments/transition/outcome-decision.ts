import type { NewCase } from '../../controls/cases';
import { cutText } from '../../domain/cut-text';
import type { ProviderResult } from '../../domain/outcome';
import { PAYOUT_RETURNED } from '../../domain/payment';
import {
  receiptOf,
  type ReturnedByProvider,
  type PaidAgain,
  type Failure,
  type Returned,
} from '../../rail-kit/provider-events';
import { sentenceOf } from '../../rail-kit/provider-words';
import type { PaymentRow } from '../../store/tables';
import { nothingBefore, reportedBefore } from './reported-amounts';
import type { Transition } from './transition';
import { paidAgainDetail, showsReversal, withoutReversal } from './warning-details';

/**
 * The result of a check about a payment that its provider does not know: `seen` once, `asked` when a case was opened,
 * `known` when the provider knows it again.
 */
export type UnknownToProvider = 'seen' | 'asked' | 'known';

export type Success = Extract<ProviderResult, { kind: 'succeeded' }>;

export type Open = Extract<ProviderResult, { kind: 'open' }>;

export interface Decision {
  outcome?:
    | { to: 'succeeded'; amountMinor: bigint; providerResult: Success; by: 'callback' | 'query' }
    | {
        to: 'failed' | 'cancelled' | 'timed_out';
        providerResult: Failure;
        by: 'callback' | 'query' | 'deadline';
      }
    | { to: 'queued' | 'processing'; providerResult: Open; by: 'callback' | 'query' }
    | { to: 'refunded' | 'reversed'; returnedMinor: bigint; providerResult: ReturnedByProvider; by: 'query' }
    /** The provider has paid again after money had gone back: this amount is still gone. */
    | {
        to: 'succeeded' | 'refunded' | 'reversed';
        returnedMinor: bigint;
        providerResult: PaidAgain;
        by: 'query';
      }
    | { to: 'returned'; providerResult: Returned; by: 'query' };
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
  unknownToProvider?: UnknownToProvider;
}

/** The transition that writes a decided outcome. */
export function transitionFor(payment: PaymentRow, outcome: NonNullable<Decision['outcome']>): Transition {
  const { providerResult, by, to } = outcome;
  const reference = providerResult.providerReference;
  const changes: Transition['changes'] = {
    details: { ...payment.details, ...providerResult.details },
    ...(payment.provider_reference === null && reference !== undefined
      ? { provider_reference: reference }
      : {}),
  };
  if (providerResult.kind === 'open') return { to, cause: by, evidence: providerResult.text ?? '', changes };
  if ('returnedMinor' in outcome) {
    const { code, text } = providerResult;
    const again = BigInt(payment.returned_minor) - outcome.returnedMinor;
    const details = {
      ...(to === 'reversed' && showsReversal(payment, outcome)
        ? withoutReversal(changes.details ?? {})
        : changes.details),
      ...(again > 0n ? nothingBefore : reportedBefore(payment)),
      ...(again > 0n ? { [paidAgainDetail]: again.toString() } : {}),
    };
    const returned_minor = outcome.returnedMinor.toString();
    // Money that arrived after all corrects an earlier report to the merchant.
    const given = { ...changes, details, returned_minor, ...(again > 0n && { corrected: 1 }) };
    return { to, cause: by, evidence: `${code} ${text}`, changes: given };
  }
  const isAssumed = providerResult.kind === 'succeeded' && providerResult.amountMinor === undefined;
  const assumed = isAssumed ? '; no source reported the amount: booked as requested' : '';
  return {
    to,
    cause: by,
    evidence: cutText(`${providerResult.code} ${providerResult.text}`, 500 - assumed.length) + assumed,
    changes: {
      ...changes,
      ...(isAssumed ? { details: { ...changes.details, amount_named_by: 'nobody' } } : {}),
      result_code: cutText(providerResult.code, 64),
      result_text: sentenceOf(providerResult.text, 'The provider gave no reason'),
      failure_code: to === 'returned' ? PAYOUT_RETURNED : by === 'deadline' ? providerResult.code : null,
      corrected: payment.is_final,
      ...(outcome.to === 'succeeded' ? { confirmed_minor: outcome.amountMinor.toString() } : {}),
      ...(receiptOf(providerResult) === undefined
        ? {}
        : { provider_receipt: receiptOf(providerResult) ?? null }),
    },
  };
}
