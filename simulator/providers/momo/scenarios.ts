/** What the last three digits of a number trigger. Other digits succeed. */
import type { TimedStep } from '../../steps';
import type { FailureCode } from './failures';

export type Status = 'ACCEPTED' | 'ENQUEUED' | 'PROCESSING' | 'IN_RECONCILIATION' | 'COMPLETED' | 'FAILED';
export type ReportedStatus = Extract<Status, 'PROCESSING' | 'COMPLETED' | 'FAILED'>;

export interface Step extends TimedStep {
  /** The status from now on. A final transaction stays final, and its step is skipped. */
  becomes?: Status;
  failure?: FailureCode;
  /** One callback for each, with this status, whatever the transaction's own is. */
  notifies?: readonly ReportedStatus[];
}

export interface Scenario {
  suffix: string;
  /** A refund also goes to a number, and has the same result there as a payout. */
  of: 'deposit' | 'payout' | 'both';
  title: string;
  behaviour: string;
  /**
   * `accepted_500` accepts the request but answers 500; `not_received` drops the first request of each id unread;
   * `queued` begins as ENQUEUED, as if the network was delayed.
   */
  initiation?: 'accepted_500' | 'not_received' | 'queued';
  /** @param soonMs the duration without any problem */
  steps(soonMs: number): Step[];
}

const SECOND = 1_000;
const LATE_MS = 60 * SECOND;
const RECONCILIATION_MS = 30 * SECOND;
const QUEUED_MS = 15 * 60 * SECOND;

const processing = (soonMs: number): Step => ({ afterMs: soonMs / 2, becomes: 'PROCESSING' });
const completed = (afterMs: number, notifies: readonly ReportedStatus[] = ['COMPLETED']): Step => ({
  afterMs,
  becomes: 'COMPLETED',
  notifies,
});
const succeeds = (soonMs: number): Step[] => [processing(soonMs), completed(soonMs)];
const stays = (soonMs: number): Step[] => [processing(soonMs)];
const fails = (failure: FailureCode) => (soonMs: number) => [
  processing(soonMs),
  { afterMs: soonMs, becomes: 'FAILED', failure, notifies: ['FAILED'] } satisfies Step,
];

const inWords = (code: FailureCode) => code.charAt(0) + code.slice(1).toLowerCase().replaceAll('_', ' ');

const failing = (suffix: string, of: Scenario['of'], failure: FailureCode): Scenario => ({
  suffix,
  of,
  title: inWords(failure),
  behaviour: `FAILED with ${failure}.`,
  steps: fails(failure),
});

const success: Scenario = {
  suffix: '789',
  of: 'both',
  title: 'Success',
  behaviour:
    'COMPLETED after 2 s, refunds after 5 s. So is every number whose last digits are not in this table.',
  steps: succeeds,
};

export const scenarios: readonly Scenario[] = [
  success,
  failing('019', 'deposit', 'PAYER_LIMIT_REACHED'),
  failing('029', 'deposit', 'PAYER_NOT_FOUND'),
  failing('039', 'deposit', 'PAYMENT_NOT_APPROVED'),
  failing('048', 'deposit', 'INSUFFICIENT_BALANCE'),
  failing('049', 'deposit', 'INSUFFICIENT_BALANCE'),
  failing('059', 'deposit', 'PAYMENT_IN_PROGRESS'),
  failing('068', 'deposit', 'UNSPECIFIED_FAILURE'),
  failing('069', 'deposit', 'UNSPECIFIED_FAILURE'),
  failing('089', 'payout', 'RECIPIENT_NOT_FOUND'),
  failing('099', 'payout', 'WALLET_LIMIT_REACHED'),
  failing('109', 'payout', 'RECIPIENT_LIMIT_REACHED'),
  failing('119', 'payout', 'UNSPECIFIED_FAILURE'),
  failing('744', 'payout', 'PAWAPAY_WALLET_OUT_OF_FUNDS'),
  { suffix: '129', of: 'both', title: 'No answer', behaviour: 'PROCESSING forever.', steps: stays },
  { suffix: '138', of: 'both', title: 'No answer', behaviour: 'PROCESSING forever.', steps: stays },
  {
    suffix: '711',
    of: 'both',
    title: 'Late callback',
    behaviour: 'COMPLETED after 2 s, and the callback after 60 s.',
    steps: (soonMs) => [
      processing(soonMs),
      completed(soonMs, []),
      { afterMs: LATE_MS, notifies: ['COMPLETED'] },
    ],
  },
  {
    suffix: '722',
    of: 'both',
    title: 'Callback three times',
    behaviour: 'Three identical callbacks COMPLETED.',
    steps: (soonMs) => [processing(soonMs), completed(soonMs, ['COMPLETED', 'COMPLETED', 'COMPLETED'])],
  },
  {
    suffix: '733',
    of: 'both',
    title: 'Out of order',
    behaviour: 'Callback COMPLETED, and a second later PROCESSING.',
    steps: (soonMs) => [...succeeds(soonMs), { afterMs: soonMs + SECOND, notifies: ['PROCESSING'] }],
  },
  {
    suffix: '755',
    of: 'both',
    title: 'Error, though accepted',
    behaviour: '500 UNKNOWN_ERROR, but the transaction exists and completes.',
    initiation: 'accepted_500',
    steps: succeeds,
  },
  {
    suffix: '756',
    of: 'both',
    title: 'Request lost',
    behaviour:
      'The connection closes and nothing was received; the second request of the same id is accepted.',
    initiation: 'not_received',
    steps: succeeds,
  },
  {
    suffix: '799',
    of: 'payout',
    title: 'Queued',
    behaviour: 'ENQUEUED for 15 minutes, so that you can cancel it; then COMPLETED.',
    initiation: 'queued',
    steps: (soonMs) => [{ afterMs: QUEUED_MS, becomes: 'PROCESSING' }, completed(QUEUED_MS + soonMs)],
  },
  {
    suffix: '766',
    of: 'both',
    title: 'Reconciliation',
    behaviour: 'IN_RECONCILIATION for 30 s, then COMPLETED.',
    steps: (soonMs) => [
      processing(soonMs),
      { afterMs: soonMs, becomes: 'IN_RECONCILIATION' },
      completed(soonMs + RECONCILIATION_MS),
    ],
  },
  {
    suffix: '777',
    of: 'both',
    title: 'Callback lost',
    behaviour: 'COMPLETED after 2 s; only the status call has it.',
    steps: (soonMs) => [processing(soonMs), completed(soonMs, [])],
  },
];

const byNumber = new Map(
  scenarios.flatMap((scenario) =>
    (scenario.of === 'both' ? ['deposit', 'payout'] : [scenario.of]).map((of) => [
      `${of}:${scenario.suffix}`,
      scenario,
    ]),
  ),
);

export function scenarioOf(of: 'deposit' | 'payout', phone: string): Scenario {
  return byNumber.get(`${of}:${phone.slice(-3)}`) ?? success;
}

/** How long a customer has on the page of a redirect provider. */
export const AUTHORISATION_LIFE_MS = 30 * 60 * SECOND;

/** Redirect providers need a user, whatever the number: the page opens, and closes without a decision. */
export function redirectSteps(soonMs: number): Step[] {
  return [
    { afterMs: soonMs, becomes: 'PROCESSING', notifies: ['PROCESSING'] },
    {
      afterMs: soonMs + AUTHORISATION_LIFE_MS,
      becomes: 'FAILED',
      failure: 'PAYMENT_NOT_APPROVED',
      notifies: ['FAILED'],
    },
  ];
}

/** A request to fail a queued transaction is answered before it fails. */
export function cancellationSteps(soonMs: number): Step[] {
  return [{ afterMs: soonMs / 2, becomes: 'FAILED', failure: 'MANUALLY_CANCELLED', notifies: ['FAILED'] }];
}
