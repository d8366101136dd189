/** What may happen in a sequence, drawn by fast-check; each names earlier payments by how many there are. */
import fc from 'fast-check';
import type { Acceptance, Finding } from '../../../src/domain/outcome';
import { paymentStates, type PaymentState } from '../../../src/domain/payment';
import type { PaymentRow } from '../../../src/store/tables';

/** A word for what a provider says; which amount it is about depends on the payment. */
const findings = [
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
export type Said = (typeof findings)[number];

const acceptances = ['accepted', 'queued', 'refused', 'not_sent', 'unknown'] as const;
const causes = ['check', 'notification', 'deadline', 'confirmation', 'watch_end'] as const;

export type Step =
  | { do: 'transfer'; from: number; to: number; amount: number }
  | { do: 'transfer_again'; n: number }
  | { do: 'accept'; kind: 'deposit' | 'payout' | 'refund'; merchant: 0 | 1; amount: number; of: number }
  | { do: 'send'; n: number; answer: (typeof acceptances)[number] }
  | { do: 'tell'; n: number; said: Said }
  | { do: 'look'; n: number; said: Said; cause: (typeof causes)[number] }
  | { do: 'move'; n: number; to: PaymentState }
  | { do: 'hold_again'; n: number };

/** From the youngest on, and more is told of each than there are: of most payments a sequence tells a whole story. */
const n = fc.nat(4);
/** Most are paid in the end: only then is there something to give back. */
const said = fc.constantFrom<Said[]>('paid', 'paid', 'paid', 'paid', ...findings);
/** Small and alike, so that accounts run short and amounts meet. */
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
    arbitrary: fc.record({ do: fc.constant('tell' as const), n, said }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      ...{ do: fc.constant('look' as const), n },
      ...{ said, cause: fc.constantFrom(...causes) },
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('move' as const), n, to: fc.constantFrom(...paymentStates) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold_again' as const), n }) },
);

/** What a provider may say of a payment of this kind; where it may not, it says nothing of use. */
export function findingOf(said: Said, payment: PaymentRow): Finding {
  const asked = BigInt(payment.instructed_minor);
  const paidMinor = BigInt(payment.confirmed_minor ?? payment.instructed_minor);
  const isDeposit = payment.kind === 'deposit';
  const currency = payment.instructed_currency;
  const paid = { kind: 'succeeded', code: '0', text: 'paid' } as const;
  const back = { code: '9', text: 'gone back', currency, paidMinor } as const;
  const nothing: Finding = { kind: 'unknown', text: 'nothing' };
  const table: Record<Said, Finding> = {
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
      isDeposit && paidMinor > 1n ? { kind: 'refunded', ...back, givenBackMinor: 1n } : nothing,
    'gone back': isDeposit ? { kind: 'refunded', ...back, givenBackMinor: paidMinor } : nothing,
    'taken back': isDeposit ? { kind: 'reversed', ...back, givenBackMinor: paidMinor } : nothing,
    'came back': isDeposit
      ? nothing
      : { kind: 'returned', code: '8', text: 'came back', amountMinor: asked, currency },
  };
  return table[said];
}

export function acceptanceOf(answer: (typeof acceptances)[number], providerReference: string): Acceptance {
  const table: Record<typeof answer, Acceptance> = {
    accepted: { kind: 'accepted', providerReference },
    queued: { kind: 'queued', providerReference },
    refused: { kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST', providerCode: '400', text: 'no' },
    not_sent: { kind: 'not_sent', text: 'no line' },
    unknown: { kind: 'unknown', text: 'the line dropped' },
  };
  return table[answer];
}
