import { meaningOf } from '../../../../rail-kit/provider-words';
import type { PaymentRow } from '../../../../store/tables';

/**
 * The meaning of a rejected capture.
 * - captured_already: the order shows the result.
 * - declined: nothing was captured, and the buyer must act before another request can succeed. A repeat of this request
 * gets the same answer, whatever the buyer does (PayPal, "API idempotency").
 * - under_way: the provider is capturing it.
 * - failed: nothing was captured, and nothing will be.
 * - failed_for_us: the same, because of our own account. Operators are notified.
 * - paid_elsewhere: another order with our id was paid. It is looked up first. Otherwise the payment fails, and
 * operators are notified.
 */
type CaptureIssue =
  'captured_already' | 'declined' | 'under_way' | 'failed' | 'failed_for_us' | 'paid_elsewhere';

export const captureIssues: Readonly<Record<string, CaptureIssue>> = {
  ORDER_ALREADY_CAPTURED: 'captured_already',
  ORDER_NOT_APPROVED: 'declined',
  PAYER_ACTION_REQUIRED: 'declined',
  ORDER_COMPLETION_IN_PROGRESS: 'under_way',
  INSTRUMENT_DECLINED: 'declined',
  REDIRECT_PAYER_FOR_ALTERNATE_FUNDING: 'declined',
  TRANSACTION_REFUSED: 'failed',
  PAYER_CANNOT_PAY: 'failed',
  PAYER_ACCOUNT_RESTRICTED: 'failed',
  PAYER_ACCOUNT_LOCKED_OR_CLOSED: 'failed',
  COMPLIANCE_VIOLATION: 'failed',
  TRANSACTION_LIMIT_EXCEEDED: 'failed',
  TRANSACTION_RECEIVING_LIMIT_EXCEEDED: 'failed',
  TRANSACTION_BLOCKED_BY_PAYEE: 'failed',
  PAYEE_BLOCKED_TRANSACTION: 'failed',
  MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED: 'failed',
  DOMESTIC_TRANSACTION_REQUIRED: 'failed',
  DUPLICATE_INVOICE_ID: 'paid_elsewhere',
  AUTH_CAPTURE_NOT_ENABLED: 'failed_for_us',
};

/**
 * Issues about the payee concern our account. For an unknown issue, nothing was captured, and nothing more is known.
 */
export function meaningOfIssue(issue: string): CaptureIssue {
  return meaningOf(captureIssues, issue) ?? (issue.startsWith('PAYEE_') ? 'failed_for_us' : 'declined');
}

/** Whether the provider reported that an order is captured, or being captured, and the order does not show it yet. */
export function isBeingCaptured({ capture_reason: issue = '' }: PaymentRow['details']): boolean {
  const meaning = meaningOfIssue(issue);
  return meaning === 'captured_already' || meaning === 'under_way';
}
