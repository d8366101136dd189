/** What is likely behind a case, and what may safely be done about it, in English. */
import type { CaseReason } from '../../../controls/cases';

export interface CaseAdvice {
  likely: string;
  safe: string;
}

const lookUp = 'Look the payment up at the provider, by our reference and by the customer’s number.';

export const caseAdviceEn: Record<CaseReason, CaseAdvice> = {
  amount_differs: {
    likely: 'The customer typed another amount, the provider took a fee out of it, or it rounds.',
    safe: `${lookUp} Book what it shows as paid, or close the case where it is booked right already.`,
  },
  currency_differs: {
    likely: 'The account at the provider has another currency than our settings say.',
    safe: 'Compare the currency of the account with our settings. Book nothing before that is clear.',
  },
  contradictory_outcome: {
    likely: 'A notification came late or twice, somebody forged one, or the provider took the money back.',
    safe: `${lookUp} If the money went back there, decide so; else close the case: the success stands.`,
  },
  success_not_confirmed: {
    likely: 'The notification is forged, or the provider shows its own books some minutes late.',
    safe: `${lookUp} Book it as paid only where the provider itself shows it.`,
  },
  success_unconfirmed: {
    likely: 'The provider’s status service is down or slow.',
    safe: `${lookUp} It is asked about further; decide by hand only if somebody waits.`,
  },
  no_outcome: {
    likely: 'The provider lost it, or its callbacks do not reach us.',
    safe: `${lookUp} Decide what it shows. Where it knows nothing of it, ask it in writing before you let it fail.`,
  },
  provider_disowns: {
    likely: 'Our token or address is that of another environment or account.',
    safe: 'Compare the settings of this rail with the provider’s dashboard. Nothing is started meanwhile; close all such cases once it is mended.',
  },
  instruction_unknown: {
    likely: 'The line dropped while we asked, and the provider tells nobody of it.',
    safe: `${lookUp} Never send it again. Where the provider has it, decide as it shows; where it surely has not, let it fail.`,
  },
  late_success: {
    likely: 'The provider went on after its own deadline.',
    safe: 'The merchant has its money back and the recipient has it, too: agree with the merchant who bears it.',
  },
  given_back_differs: {
    likely: 'Somebody gave money back at the provider’s dashboard, or it counts its fee in.',
    safe: 'Find the refund at the provider, and take what is missing from the wallet by hand.',
  },
  reversed: {
    likely: 'The customer or a bank had the payment taken back.',
    safe: 'It is booked. Tell the merchant; close the case once it knows.',
  },
  given_back_unclear: {
    likely: 'A part was given back at the provider’s dashboard.',
    safe: 'Find the refund there, and take exactly that from the wallet by hand.',
  },
  given_back_less: {
    likely: 'A dispute was won, or the provider corrected its books.',
    safe: 'Find the movement at the provider. Credit the merchant by hand where the money is really ours again.',
  },
  disputed: {
    likely: 'The customer does not recognise the payment, or got nothing for it.',
    safe: 'Ask the merchant for what was delivered, and answer at the provider before its deadline.',
  },
  reversal_told: {
    likely: 'The provider has begun to take it back and has not booked it.',
    safe: 'Wait: it is looked at for ten days. Close the case only where the provider says in writing that it stands.',
  },
  returned_differs: {
    likely: 'The provider kept a fee of what came back.',
    safe: 'Compare with the provider’s statement, then say what became of it.',
  },
  rate_missing: {
    likely: 'The source of exchange rates is down, or its file is old.',
    safe: 'Mend the source of the rates. The payment goes on by itself with the next one.',
  },
  receipt_reused: {
    likely: 'A notification was copied, or the provider numbers its receipts anew.',
    safe: 'Look up both payments at the provider. Book the second only where it shows money of its own.',
  },
  receipt_differs: {
    likely: 'A line of a statement was matched with the wrong payment, or the customer paid twice.',
    safe: 'Look up both receipts at the provider. Claim the second for its owner only where it shows money of its own.',
  },
  reference_reused: {
    likely: 'The provider answers from a cache, or mixed two requests up.',
    safe: 'Look up both payments at the provider, and tell it.',
  },
  unmatched_notification: {
    likely: 'Somebody pays into the account outside of us, or another system uses it as well.',
    safe: 'Look for the money in reconciliation. Claim it there where it has an owner.',
  },
  refund_waits: {
    likely: 'Another refund of the same payment is not decided, or no worker runs.',
    safe: 'Look at the other refund, and at the workers. It goes on by itself.',
  },
  paid_twice: {
    likely: 'The customer was not sure that the first payment had worked.',
    safe: 'The merchant decides it on its own page. Give one of both back only if it asks you to.',
  },
  stands_still: {
    likely: 'No worker polls, or all of them run a version that cannot read its history.',
    safe: 'Look at the workers and at the workflow in Temporal. Nothing is lost meanwhile.',
  },
  look_unanswered: {
    likely: 'The provider’s status service does not answer for old payments.',
    safe: 'Ask the provider for a statement of these days, and bring it to reconciliation.',
  },
  rule_explains_much: {
    likely:
      'The provider has changed its statement, somebody has changed a file, or many callbacks were lost.',
    safe: 'Compare the lines with the provider’s own page. Withdraw a statement that was read wrongly, and bring the right one.',
  },
  float_short: {
    likely: 'Somebody took money out at the provider, or a payout is not in our books.',
    safe: 'Compare the provider’s statement with ours. Payouts wait meanwhile: let them go on only when it is explained.',
  },
  float_over: {
    likely: 'A top-up is not booked yet, or somebody paid in outside of us.',
    safe: 'Book the top-up for its merchant. Else look for its owner in reconciliation.',
  },
  account_refused: {
    likely: 'A password or certificate ran out, or the provider has suspended the account.',
    safe: 'Mend the account with the provider. Then close all such cases: payments go on.',
  },
};
