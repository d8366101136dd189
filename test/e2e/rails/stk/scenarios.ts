/** Every scenario of the provider, and the expected results for the merchant and the books. */
import type { Rule } from '../../../support/rails/simulator-control';
import type { WebhookBody } from '../../../support/rails/stk/payments';

export interface Scenario {
  number: string;
  title: string;
  phone: string;
  /** The simulator's rules for this payer, if the number alone is not enough. */
  rules?: Rule[];
  /** The HTTP status of the answer; default 200. */
  answer?: { status: number; code: string };
  /** The merchant's webhooks, in order. */
  webhooks: Partial<WebhookBody>[];
  /** Shillings in the wallet afterwards; default 0. */
  balance?: number;
  /** Reasons of the cases for an operator. */
  cases?: string[];
  /** Callbacks of the provider, forged ones included; default 1. */
  callbacks?: number;
  /** The payer pays after all, once the merchant got the failure. */
  paidLate?: true;
}

const paid: Partial<WebhookBody> = {
  status: 'Success',
  result_code: '0',
  actual_amount: 1250,
  mm_receipt_number: expect.stringMatching(/^(?!FORGED)[A-Z0-9]{10}$/) as string,
  transaction_date: expect.stringMatching(/^\d{14}$/) as string,
};
const unpaid = (status: string, result_code: string): Partial<WebhookBody> => ({
  status,
  result_code,
  actual_amount: 0,
  mm_receipt_number: '',
});

const spoilt = (phone: string, call: string, behave: string, times = 1): Rule[] => [
  { call, behave, times, where: { phone_number: phone } },
];

export const scenarios: Scenario[] = [
  { number: '1', title: 'success', phone: '254708374149', webhooks: [paid], balance: 1250 },
  { number: '2', title: 'insufficient funds', phone: '254711223344', webhooks: [unpaid('Failed', '1')] },
  { number: '3', title: 'cancelled', phone: '254722334455', webhooks: [unpaid('Cancelled', '1032')] },
  { number: '4', title: 'timeout', phone: '254733445566', webhooks: [unpaid('Timeout', '1037')] },
  { number: '5', title: 'wrong PIN', phone: '254700002001', webhooks: [unpaid('Failed', '2001')] },
  { number: '5', title: 'subscriber locked', phone: '254700001001', webhooks: [unpaid('Failed', '1001')] },
  { number: '5', title: 'transaction expired', phone: '254700001019', webhooks: [unpaid('Timeout', '1019')] },
  { number: '5', title: 'system busy', phone: '254700000026', webhooks: [unpaid('Failed', '26')] },
  {
    number: '6',
    title: 'callback lost, paid',
    phone: '254700000701',
    // The query reports the payment, without its receipt and time.
    webhooks: [{ ...paid, mm_receipt_number: '', transaction_date: '' }],
    balance: 1250,
    callbacks: 0,
  },
  {
    number: '7',
    title: 'callback lost, cancelled',
    phone: '254700000702',
    webhooks: [unpaid('Cancelled', '1032')],
    callbacks: 0,
  },
  {
    number: '8',
    title: 'no answer at all',
    phone: '254700000703',
    webhooks: [unpaid('Timeout', '1037')],
    callbacks: 0,
  },
  {
    number: '9',
    title: 'late success',
    phone: '254700009600',
    webhooks: [unpaid('Timeout', '1037'), { ...paid, correction: true }],
    balance: 1250,
    callbacks: 2,
    paidLate: true,
  },
  {
    number: '10',
    title: 'three equal callbacks',
    phone: '254700000705',
    webhooks: [paid],
    balance: 1250,
    callbacks: 3,
  },
  {
    number: '11',
    title: 'success, then cancelled',
    phone: '254700000706',
    webhooks: [paid],
    balance: 1250,
    cases: ['contradictory_outcome'],
    callbacks: 2,
  },
  {
    number: '12',
    title: 'accepted, but the answer lost',
    phone: '254700000707',
    webhooks: [paid],
    balance: 1250,
  },
  {
    number: '13',
    title: 'gateway down, not accepted',
    phone: '254700000708',
    webhooks: [unpaid('Timeout', '1037')],
    cases: ['submission_unknown'],
    callbacks: 0,
  },
  {
    number: '14',
    title: 'refused at once',
    phone: '254700000709',
    answer: { status: 409, code: 'CUSTOMER_BUSY' },
    webhooks: [unpaid('Failed', '500.001.1001')],
    callbacks: 0,
  },
  {
    number: '15',
    title: 'token expired in flight',
    phone: '254740000015',
    rules: spoilt('254740000015', 'initiate', 'expired_token'),
    webhooks: [paid],
    balance: 1250,
  },
  {
    number: '16',
    title: 'rate limited',
    phone: '254740000016',
    rules: spoilt('254740000016', 'initiate', '429', 2),
    webhooks: [paid],
    balance: 1250,
  },
  {
    number: '17',
    title: 'amount differs',
    phone: '254700000710',
    webhooks: [{ ...paid, initial_amount: 1250, actual_amount: 1249 }],
    balance: 1249,
    cases: ['amount_differs'],
  },
  {
    number: '18',
    title: 'forged callbacks before the right one',
    phone: '254740000018',
    rules: spoilt('254740000018', 'callback', 'forge'),
    webhooks: [paid],
    balance: 1250,
    callbacks: 3,
  },
  {
    number: '19',
    title: 'partial metadata',
    phone: '254700000711',
    webhooks: [{ ...paid, transaction_date: '', payer_phone: '2547*****711' }],
    balance: 1250,
  },
  {
    number: '20',
    title: 'declined by the network',
    phone: '254700000002',
    webhooks: [unpaid('Failed', '2')],
  },
  { number: '20', title: 'the same too soon', phone: '254700000017', webhooks: [unpaid('Failed', '17')] },
  {
    number: '20',
    title: 'shortcode not set up',
    phone: '254700002028',
    webhooks: [unpaid('Failed', '2028')],
    cases: ['account_refused'],
  },
  { number: '20', title: 'PIN locked', phone: '254700008006', webhooks: [unpaid('Failed', '8006')] },
  {
    number: '20',
    title: 'no such operator',
    phone: '254700000003',
    webhooks: [unpaid('Failed', 'SFC_IC0003')],
    cases: ['account_refused'],
  },
  { number: '21', title: 'still under processing', phone: '254700004999', webhooks: [paid], balance: 1250 },
  {
    number: '21',
    title: 'still under processing, beside the code of a timeout',
    phone: '254700000712',
    webhooks: [paid],
    balance: 1250,
  },
];
