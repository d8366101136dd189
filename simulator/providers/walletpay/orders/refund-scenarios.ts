/** What the last two digits of a refund's amount trigger. Other digits succeed. */
import type { Issue } from '../errors';
import { decimalsOf, type Amount } from '../money';

export type RefundEnding = 'COMPLETED' | 'FAILED';

interface RefundScenario {
  title: string;
  behaviour: string;
  refusedFor?: Issue;
  /** The result of a refund that is PENDING first. */
  waits?: RefundEnding;
}

/** How long a refund from the seller's bank is pending (PayPal, `refund_status_details`: ECHECK). */
export const REFUND_WAITS_MS = 60_000;

export const refundScenarios: Readonly<Record<string, RefundScenario>> = {
  '21': {
    title: 'Pending, then completed',
    behaviour: 'PENDING with ECHECK, and COMPLETED after 60 s, when its event comes.',
    waits: 'COMPLETED',
  },
  '22': {
    title: 'Pending, then failed',
    behaviour: 'PENDING with ECHECK, and FAILED after 60 s, without an event.',
    waits: 'FAILED',
  },
  '23': {
    title: 'The account is empty',
    behaviour: 'Rejected with REFUND_FAILED_INSUFFICIENT_FUNDS.',
    refusedFor: 'REFUND_FAILED_INSUFFICIENT_FUNDS',
  },
  '24': {
    title: 'No part is refunded',
    behaviour: 'Rejected with PARTIAL_REFUND_NOT_ALLOWED.',
    refusedFor: 'PARTIAL_REFUND_NOT_ALLOWED',
  },
};

export function refundScenarioOf({ currency, minor }: Amount): RefundScenario | undefined {
  return decimalsOf(currency) === 2 ? refundScenarios[minor.slice(-2).padStart(2, '0')] : undefined;
}
