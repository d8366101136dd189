/** Every scenario of the provider, and the expected results for the merchant and the books. */
import type { Rule } from '../../../support/rails/simulator-control';
import { places, type NetworkStatus } from '../../../support/rails/momo/payments';

export type Step =
  /** Waits until the payment has this status. */
  | { shown: Record<string, unknown> }
  | { network: NetworkStatus; of: string; operation: 'PAYOUT' }
  | { customer: 'pay' | 'decline' }
  | { cancel: { status: number; code?: string } }
  /** The deposit, once it is paid or as far as it gets. */
  | { refund: string | undefined; answer: { status: number; code?: string }; ends?: 'Success' | 'Failed' };

export interface Scenario {
  number: string;
  title: string;
  operation: 'deposit' | 'payout';
  body: Record<string, unknown>;
  /** The simulator's rules for this payment, if the number alone is not enough. */
  rules?: Rule[];
  /** By default 200 and ACCEPTED. */
  answer?: { status: number; body: Record<string, unknown> };
  /** The events after the answer, in order. */
  then?: Step[];
  /** The merchant's callbacks about the payment, in order. */
  callbacks: Record<string, unknown>[];
  /** The final status; absent if nothing was started. */
  ends?: { status: string; payment_status: string; is_final: boolean };
  /** Minor units credited to the wallet (deposit) or debited from the float (payout); default 0. */
  moved?: bigint;
  /** Minor units that stay reserved. */
  reserved?: bigint;
  /** Reasons of the cases for an operator. */
  cases?: string[];
  /** Accepted notifications of the provider; default 1. */
  taken?: number;
  /** Rejected notifications also arrived. */
  refused?: true;
}

const success = { status: 'Success', amount: '25.50', failure_code: null, failure_message: null };
const failure = (failure_code: string) => ({ status: 'Failed', amount: '0.00', failure_code });
const cancelled = { status: 'Cancelled', amount: '0.00', failure_code: null, failure_message: null };
const processing = { status: 'Processing', amount: '0.00', failure_code: null, failure_message: null };

const completed = { status: 'COMPLETED', payment_status: 'Success', is_final: true };
const failed = { status: 'FAILED', payment_status: 'Failed', is_final: true };
const ended = { status: 'CANCELLED', payment_status: 'Cancelled', is_final: true };
const open = { status: 'PROCESSING', payment_status: 'Processing', is_final: false };

const paid = { callbacks: [success], ends: completed, moved: 2_550n };
const zambia = (suffix: string) => ({ phone_number: `+2607630${suffix.padStart(5, '0')}` });
const spoilt = (phone: string, call: string, behave: string, times = 1): Rule[] => [
  { call, behave, times, where: { phone_number: phone.slice(1) } },
];
/** Each of these has its own number, so that the rules of one do not affect another. */
const own = {
  bad: '+260763101001',
  stale: '+260763101002',
  unknownCaller: '+260763101003',
  forged: '+260763101004',
};
const drops = '+260763102001';

const both = (scenario: Omit<Scenario, 'operation'>): Scenario[] => [
  { ...scenario, operation: 'deposit' },
  { ...scenario, operation: 'payout' },
];

export const scenarios: Scenario[] = [
  ...both({ number: '1', title: 'success', body: zambia('789'), ...paid }),
  {
    number: '2',
    title: 'insufficient funds',
    operation: 'deposit',
    body: zambia('049'),
    callbacks: [failure('INSUFFICIENT_BALANCE')],
    ends: failed,
  },
  {
    number: '2',
    title: 'no such recipient',
    operation: 'payout',
    body: zambia('089'),
    callbacks: [failure('RECIPIENT_NOT_FOUND')],
    ends: failed,
  },
  {
    number: '3',
    title: 'not approved',
    operation: 'deposit',
    body: zambia('039'),
    callbacks: [cancelled],
    ends: ended,
  },
  ...both({
    number: '4',
    title: 'no answer',
    body: zambia('129'),
    then: [{ shown: { status: 'PROCESSING' } }],
    callbacks: [],
    ends: open,
    reserved: 2_550n,
    taken: 0,
  }),
  ...both({ number: '5', title: 'callback lost', body: zambia('777'), ...paid, taken: 0 }),
  ...both({ number: '6', title: 'late callback', body: zambia('711'), ...paid }),
  ...both({ number: '6', title: 'three equal callbacks', body: zambia('722'), ...paid, taken: 3 }),
  ...both({ number: '6', title: 'callbacks out of order', body: zambia('733'), ...paid, taken: 2 }),
  ...both({ number: '7', title: 'an error, though accepted', body: zambia('755'), ...paid }),
  ...both({ number: '8', title: 'request lost, and sent again', body: zambia('756'), ...paid }),
  {
    number: '9',
    title: 'accepted, but the answer lost',
    operation: 'payout',
    body: { phone_number: drops },
    rules: spoilt(drops, 'initiate', 'act_then_drop'),
    ...paid,
  },
  ...(['pay', 'decline'] as const).map((customer): Scenario => ({
    number: '10',
    title: `redirect: the customer chooses to ${customer}`,
    operation: 'deposit',
    body: { ...places.senegal, provider: 'WAVE_SEN' },
    answer: {
      status: 200,
      body: { status: 'ACCEPTED', redirect_url: expect.stringMatching(/\/authorise\//) },
    },
    then: [{ customer }],
    callbacks: [customer === 'pay' ? { ...success, amount: '1500.00' } : cancelled],
    ends: customer === 'pay' ? completed : ended,
    moved: customer === 'pay' ? 1_500n : 0n,
    // The page is open, and then its result.
    taken: 2,
  })),
  {
    number: '11',
    title: 'preauth without a code',
    operation: 'deposit',
    body: places.burkina,
    answer: { status: 400, body: { code: 'PREAUTH_CODE_REQUIRED' } },
    callbacks: [],
    taken: 0,
  },
  {
    number: '11',
    title: 'preauth with a wrong code',
    operation: 'deposit',
    body: { ...places.burkina, preauth_code: '000000' },
    answer: { status: 400, body: { code: 'PROVIDER_REJECTED_REQUEST' } },
    callbacks: [failure('PROVIDER_REJECTED_REQUEST')],
    ends: failed,
    taken: 0,
  },
  {
    number: '11',
    title: 'preauth with a code',
    operation: 'deposit',
    body: { ...places.burkina, preauth_code: '123456' },
    callbacks: [{ ...success, amount: '1500.00' }],
    ends: completed,
    moved: 1_500n,
  },
  {
    number: '12',
    title: 'enqueued, and paid when the network is back',
    operation: 'payout',
    body: { phone_number: '+260773000789' },
    answer: { status: 200, body: { status: 'ENQUEUED', cancellable: true } },
    then: [
      { shown: { status: 'ENQUEUED', cancellable: true } },
      { network: 'OPERATIONAL', of: 'AIRTEL_OAPI_ZMB', operation: 'PAYOUT' },
    ],
    callbacks: [processing, success],
    ends: completed,
    moved: 2_550n,
  },
  {
    number: '12',
    title: 'a deposit while the network is delayed',
    operation: 'deposit',
    body: { phone_number: '+260773000790' },
    answer: { status: 503, body: { code: 'PROVIDER_TEMPORARILY_UNAVAILABLE' } },
    callbacks: [],
    taken: 0,
  },
  {
    number: '13',
    title: 'cancelled while enqueued',
    operation: 'payout',
    body: { phone_number: '+260753000789' },
    answer: { status: 200, body: { status: 'ENQUEUED', cancellable: true } },
    then: [{ cancel: { status: 200 } }],
    callbacks: [processing, cancelled],
    ends: ended,
  },
  {
    number: '13',
    title: 'cancelled while enqueued by its number',
    operation: 'payout',
    body: zambia('799'),
    answer: { status: 200, body: { status: 'ENQUEUED', cancellable: true } },
    then: [{ cancel: { status: 200 } }],
    callbacks: [processing, cancelled],
    ends: ended,
  },
  {
    number: '13',
    title: 'cancelled too late',
    operation: 'payout',
    body: { ...places.uganda, phone_number: '+256700000129' },
    answer: { status: 200, body: { status: 'ENQUEUED', cancellable: true } },
    then: [
      { network: 'OPERATIONAL', of: 'AIRTEL_OAPI_UGA', operation: 'PAYOUT' },
      { cancel: { status: 409, code: 'PAYOUT_NOT_CANCELLABLE' } },
    ],
    callbacks: [processing],
    ends: open,
    reserved: 5_000n,
    taken: 0,
  },
  {
    number: '14',
    title: "the provider's purse is empty",
    operation: 'payout',
    body: places.malawi,
    answer: { status: 502, body: { code: 'PROVIDER_ACCOUNT_REFUSED' } },
    callbacks: [failure('PROVIDER_ACCOUNT_REFUSED')],
    ends: failed,
    cases: ['account_refused'],
    taken: 0,
  },
  {
    number: '14',
    title: "the provider's purse is empty in mid-flight",
    operation: 'payout',
    body: zambia('744'),
    callbacks: [failure('INSUFFICIENT_FLOAT')],
    ends: failed,
    cases: ['account_refused'],
  },
  {
    number: '15',
    title: 'refunded in parts, never above the deposit',
    operation: 'deposit',
    body: zambia('15001'),
    then: [
      { refund: '10.00', answer: { status: 200 }, ends: 'Success' },
      { refund: '15.51', answer: { status: 400, code: 'REFUND_EXCEEDS_REMAINDER' } },
      { refund: undefined, answer: { status: 200 }, ends: 'Success' },
      { refund: undefined, answer: { status: 400, code: 'REFUND_EXCEEDS_REMAINDER' } },
    ],
    callbacks: [success],
    ends: completed,
  },
  {
    number: '15',
    title: 'refund that fails',
    operation: 'deposit',
    body: zambia('15119'),
    then: [{ refund: '10.00', answer: { status: 200 }, ends: 'Failed' }],
    ...paid,
  },
  {
    number: '15',
    title: 'refund of what is not completed',
    operation: 'deposit',
    body: zambia('15129'),
    then: [{ refund: undefined, answer: { status: 409, code: 'DEPOSIT_NOT_COMPLETED' } }],
    callbacks: [],
    ends: open,
    taken: 0,
  },
  ...both({ number: '16', title: 'reconciliation', body: zambia('766'), ...paid }),
  ...(
    [
      ['callback with the digest of another body', 'deposit', 'bad_digest', own.bad],
      ['callback with a signature that has expired', 'payout', 'expired_signature', own.stale],
      ['callback signed with a key that nobody knows', 'deposit', 'unknown_key', own.unknownCaller],
    ] as const
  ).map(([title, operation, behave, phone_number]): Scenario => ({
    number: '17',
    title,
    operation,
    body: { phone_number },
    rules: spoilt(phone_number, 'callback', behave),
    ...paid,
    taken: 0,
    refused: true,
  })),
  {
    number: '17',
    title: 'two forgeries before the right one',
    operation: 'payout',
    body: { phone_number: own.forged },
    rules: spoilt(own.forged, 'callback', 'forge'),
    ...paid,
    refused: true,
  },
  {
    number: '18',
    title: 'strict validation: what we send is taken at once',
    operation: 'deposit',
    body: { ...zambia('18001'), amount: '25.50', customer_message: "Maria's order: 3 × «tea»" },
    ...paid,
  },
];
