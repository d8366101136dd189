import { meaningOf } from '../../../../rail-kit/provider-words';

/**
 * What a refused capture means.
 * - captured_already: the order tells how it ended.
 * - declined: nothing was taken and it may still be, by another request: the buyer has something to do first. Whoever
 *   repeats this request is given the same answer, whatever the buyer does (PayPal, "API idempotency").
 * - under_way: the provider is at it.
 * - failed: nothing was taken, and it will not be.
 * - failed_for_us: the same, because of our own account: operators are told.
 * - paid_elsewhere: another order bears our name and was paid: looked for first, then failed, and operators are told.
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

/** Issues about the payee are about our account. One that no table has took nothing, and promises nothing either. */
export function meaningOfIssue(issue: string): CaptureIssue {
  return meaningOf(captureIssues, issue) ?? (issue.startsWith('PAYEE_') ? 'failed_for_us' : 'declined');
}
