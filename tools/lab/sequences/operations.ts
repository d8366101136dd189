/** The possible steps of a sequence, drawn by fast-check; the effect of each depends on the payment. */
import fc from 'fast-check';
import type { SubmissionResult, ProviderResult } from '../../../src/domain/outcome';
import { paymentStates, type PaymentState } from '../../../src/domain/payment';
import type { PaymentRow } from '../../../src/store/tables';

/** A word for what a provider says; which amount it is about depends on the payment. */
const providerResults = [
  'paid',
  'paid unnamed',
  'paid other amount',
  'paid other currency',
  'failed',
  'cancelled',
  'timed_out',
  'doubtful',
  'open',
  'processing',
  'unknown',
  'gone back in part',
  'gone back',
  'taken back',
  'came back',
] as const;
export type StatusWord = (typeof providerResults)[number];

const acceptances = ['accepted', 'queued', 'refused', 'not_sent', 'unknown'] as const;
const causes = ['check', 'notification', 'deadline', 'confirmation', 'watch_end'] as const;

export type Step =
  | { do: 'transfer'; from: number; to: number; amount: number }
  | { do: 'transfer_again'; n: number }
  | { do: 'accept'; kind: 'deposit' | 'payout' | 'refund'; merchant: 0 | 1; amount: number; of: number }
  | { do: 'send'; n: number; answer: (typeof acceptances)[number] }
  | { do: 'notify'; n: number; statusText: StatusWord }
  | { do: 'check'; n: number; statusText: StatusWord; cause: (typeof causes)[number] }
  | { do: 'transition'; n: number; to: PaymentState }
  | { do: 'hold_again'; n: number };

/**
 * Counted from the youngest; more steps exist for each payment than there are payments, so most of them get a whole
 * history.
 */
const n = fc.nat(4);
/** Most are paid in the end: otherwise there is nothing to refund. */
const statusText = fc.constantFrom<StatusWord[]>('paid', 'paid', 'paid', 'paid', ...providerResults);
/** Small and similar, so that accounts run short and amounts are equal. */
const amount = fc.constantFrom(1, 10, 100, 500, 900);
const merchant = fc.constantFrom<(0 | 1)[]>(0, 1);

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('transfer' as const), from: n, to: n, amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('transfer_again' as const), n }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{
        do: fc.constant('accept' as const),
        kind: fc.constantFrom(...(['deposit', 'payout', 'refund'] as const)),
      },
      ...{ merchant, amount, of: n },
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      n,
      answer: fc.constantFrom('accepted', 'accepted', ...acceptances),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('notify' as const), n, statusText }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      ...{ do: fc.constant('check' as const), n },
      ...{ statusText, cause: fc.constantFrom(...causes) },
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('transition' as const),
      n,
      to: fc.constantFrom(...paymentStates),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold_again' as const), n }) },
);

/** What a provider may report about a payment of this kind; otherwise it reports nothing useful. */
export function providerResultOf(statusText: StatusWord, payment: PaymentRow): ProviderResult {
  const asked = BigInt(payment.instructed_minor);
  const paidMinor = BigInt(payment.confirmed_minor ?? payment.instructed_minor);
  const isDeposit = payment.kind === 'deposit';
  const currency = payment.instructed_currency;
  const paid = { kind: 'succeeded', code: '0', text: 'paid' } as const;
  const back = { code: '9', text: 'gone back', currency, paidMinor } as const;
  const nothing: ProviderResult = { kind: 'unknown', text: 'nothing' };
  const table: Record<StatusWord, ProviderResult> = {
    paid: { ...paid, amountMinor: asked, currency },
    'paid unnamed': paid,
    'paid other amount': { ...paid, amountMinor: asked + 1n, currency },
    'paid other currency': { ...paid, amountMinor: asked, currency: 'USD' },
    failed: { kind: 'failed', code: '1', text: 'failed' },
    cancelled: { kind: 'cancelled', code: '2', text: 'cancelled' },
    timed_out: isDeposit ? { kind: 'timed_out', code: '3', text: 'no answer' } : nothing,
    doubtful: { kind: 'failed', code: '777', text: 'never seen', tentative: true },
    open: { kind: 'open' },
    processing: { kind: 'open', as: 'processing' },
    unknown: nothing,
    'gone back in part':
      isDeposit && paidMinor > 1n ? { kind: 'refunded', ...back, returnedMinor: 1n } : nothing,
    'gone back': isDeposit ? { kind: 'refunded', ...back, returnedMinor: paidMinor } : nothing,
    'taken back': isDeposit ? { kind: 'reversed', ...back, returnedMinor: paidMinor } : nothing,
    'came back': isDeposit
      ? nothing
      : { kind: 'returned', code: '8', text: 'came back', amountMinor: asked, currency },
  };
  return table[statusText];
}

export function creationTimeOf(
  answer: (typeof acceptances)[number],
  providerReference: string,
): SubmissionResult {
  const table: Record<typeof answer, SubmissionResult> = {
    accepted: { kind: 'accepted', providerReference },
    queued: { kind: 'queued', providerReference },
    refused: { kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST', providerCode: '400', text: 'no' },
    not_sent: { kind: 'not_sent', text: 'no line' },
    unknown: { kind: 'unknown', text: 'the line dropped' },
  };
  return table[answer];
}
