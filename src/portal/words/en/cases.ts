/** English: the likely cause of a case and the safe next step. */
import type { CaseReason } from '../../../controls/cases';

export interface CaseAdvice {
  likely: string;
  safe: string;
}

const lookUp = 'Look the payment up at the provider, by our reference and by the customer’s number.';

export const caseAdviceEn: Record<CaseReason, CaseAdvice> = {
  amount_differs: {
    likely: 'The customer entered another amount, or the provider deducted a fee or rounded the amount.',
    safe: `${lookUp} Book the amount that it shows as paid. Close the case if that amount is already booked.`,
  },
  currency_differs: {
    likely: 'The account at the provider has another currency than our settings.',
    safe: 'Compare the currency of the account with our settings. Book nothing until that is clear.',
  },
  contradictory_outcome: {
    likely: 'A notification came late or twice, was forged, or the provider reversed the payment.',
    safe: `${lookUp} If the money went back there, mark the payment returned. Otherwise close the case: it stays succeeded.`,
  },
  success_not_confirmed: {
    likely: 'The notification is forged, or the provider’s status service is some minutes behind.',
    safe: `${lookUp} Mark it paid only if the provider itself shows it as paid.`,
  },
  success_unconfirmed: {
    likely: 'The provider’s status service is down or slow.',
    safe: `${lookUp} Malipo keeps checking the status. Decide yourself only if someone is waiting.`,
  },
  no_outcome: {
    likely: 'The provider lost the payment, or its notifications do not reach us.',
    safe: `${lookUp} Decide what it shows. If it has no record, ask the provider in writing before you mark the payment failed.`,
  },
  unknown_to_provider: {
    likely: 'Our token or address belongs to another environment or account.',
    safe: 'Compare the settings of this payment method with the provider’s dashboard. No new payments start meanwhile. Close all cases of this kind after the correction.',
  },
  submission_unknown: {
    likely: 'The connection broke while we sent the request, and the provider sends no notification for it.',
    safe: `${lookUp} Never send it again. If the provider has it, decide what it shows. If the provider confirms that it has no record, mark it failed.`,
  },
  late_success: {
    likely: 'The provider processed the payout after its own deadline.',
    safe: 'The merchant has the money back, and the recipient has it too. Agree with the merchant who bears the loss.',
  },
  refund_differs: {
    likely: 'Someone refunded money on the provider’s dashboard, or the provider includes its fee.',
    safe: 'Find the refund at the provider, and debit the missing amount from the wallet manually.',
  },
  reversed: {
    likely: 'The customer or a bank reversed the payment.',
    safe: 'The reversal is booked. Inform the merchant, then close the case.',
  },
  refund_unclear: {
    likely: 'A part was refunded on the provider’s dashboard.',
    safe: 'Find the refund there, and debit exactly that amount from the wallet manually.',
  },
  refund_decreased: {
    likely: 'A dispute was won, or the provider corrected its books.',
    safe: 'Find the movement at the provider. Credit the merchant manually only if we really have the money again.',
  },
  disputed: {
    likely: 'The customer does not recognise the payment, or did not receive the goods.',
    safe: 'Ask the merchant for proof of delivery, and answer at the provider before its deadline.',
  },
  reversal_reported: {
    likely: 'The provider has started a reversal and has not booked it yet.',
    safe: 'Wait: Malipo checks the payment for ten days. Close the case only if the provider says in writing that the payment is not reversed.',
  },
  returned_differs: {
    likely: 'The provider kept a fee from the returned money.',
    safe: 'Compare with the provider’s statement, then decide the outcome.',
  },
  rate_missing: {
    likely: 'The source of exchange rates is down, or its file is old.',
    safe: 'Repair the source of exchange rates. The payment continues by itself with the next rate.',
  },
  receipt_reused: {
    likely: 'A notification was copied, or the provider reuses receipt numbers.',
    safe: 'Look up both payments at the provider. Book the second only if the provider shows separate money for it.',
  },
  receipt_differs: {
    likely: 'A statement line was matched with the wrong payment, or the customer paid twice.',
    safe: 'Look up both receipts at the provider. Assign the second only if the provider shows separate money for it.',
  },
  reference_reused: {
    likely: 'The provider answers from a cache, or mixed up two requests.',
    safe: 'Look up both payments at the provider, and report it to the provider.',
  },
  unmatched_notification: {
    likely: 'Someone pays into the account without Malipo, or another system uses the account too.',
    safe: 'Look for the money in reconciliation. Assign it there if you know its owner.',
  },
  refund_waits: {
    likely: 'Another refund of the same payment has no result yet, or no worker runs.',
    safe: 'Check the other refund and the workers. This refund then continues by itself.',
  },
  duplicate_payment: {
    likely: 'The customer was not sure that the first payment worked.',
    safe: 'The merchant decides on its own page. Refund one of both only if the merchant asks you to.',
  },
  stands_still: {
    likely:
      'No worker polls the task queue, or all workers run a version that cannot read the workflow history.',
    safe: 'Check the workers, and the workflow in Temporal. Nothing is lost meanwhile.',
  },
  check_unanswered: {
    likely: 'The provider’s status service does not answer for old payments.',
    safe: 'Ask the provider for a statement of these days, and upload it in reconciliation.',
  },
  rule_explains_much: {
    likely:
      'The provider changed its statement format, someone changed a file, or many notifications were lost.',
    safe: 'Compare the lines with the provider’s own page. If a statement was read wrongly, withdraw it and upload the correct one.',
  },
  float_short: {
    likely: 'Someone withdrew money at the provider, or a payout is missing in our ledger.',
    safe: 'Compare the provider’s statement with our ledger. Payouts are paused meanwhile: resume them only when the difference is explained.',
  },
  float_over: {
    likely: 'A top-up is not booked yet, or someone paid in without Malipo.',
    safe: 'Book the top-up for its merchant. Otherwise look for its owner in reconciliation.',
  },
  account_refused: {
    likely: 'A password or certificate has expired, or the provider has suspended the account.',
    safe: 'Restore the account with the provider. Then close all cases of this kind: payments continue.',
  },
};
