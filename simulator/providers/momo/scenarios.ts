/** What the last three digits of a number make happen. Digits that are not listed mean success. */
import type { TimedStep } from '../../steps';
import type { FailureCode } from './failures';

export type Status = 'ACCEPTED' | 'ENQUEUED' | 'PROCESSING' | 'IN_RECONCILIATION' | 'COMPLETED' | 'FAILED';
export type ToldStatus = Extract<Status, 'PROCESSING' | 'COMPLETED' | 'FAILED'>;

export interface Step extends TimedStep {
  /** What the status call tells from now on. A transaction that has ended stays as it is, and its step is skipped. */
  becomes?: Status;
  failure?: FailureCode;
  /** A callback for each, saying this status whatever the transaction's own is. */
  tells?: readonly ToldStatus[];
}

export interface Scenario {
  suffix: string;
  /** A refund goes to a number too, and there it fares as a payout does. */
  of: 'deposit' | 'payout' | 'both';
  title: string;
  behaviour: string;
  /** `accepted_500` accepts and does not say so; `not_received` drops the first request of each id unread. */
  initiation?: 'accepted_500' | 'not_received';
  /** @param soonMs how long it takes where nothing is in the way */
  steps(soonMs: number): Step[];
}

const SECOND = 1_000;
const LATE_MS = 60 * SECOND;
const RECONCILIATION_MS = 30 * SECOND;

const processing = (soonMs: number): Step => ({ afterMs: soonMs / 2, becomes: 'PROCESSING' });
const completed = (afterMs: number, tells: readonly ToldStatus[] = ['COMPLETED']): Step => ({
  afterMs,
  becomes: 'COMPLETED',
  tells,
});
const succeeds = (soonMs: number): Step[] => [processing(soonMs), completed(soonMs)];
const stays = (soonMs: number): Step[] => [processing(soonMs)];
const fails = (failure: FailureCode) => (soonMs: number) => [
  processing(soonMs),
  { afterMs: soonMs, becomes: 'FAILED', failure, tells: ['FAILED'] } satisfies Step,
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
  { suffix: '129', of: 'both', title: 'No answer', behaviour: 'PROCESSING for ever.', steps: stays },
  { suffix: '138', of: 'both', title: 'No answer', behaviour: 'PROCESSING for ever.', steps: stays },
  {
    suffix: '711',
    of: 'both',
    title: 'Late callback',
    behaviour: 'COMPLETED after 2 s, and the callback after 60 s.',
    steps: (soonMs) => [
      processing(soonMs),
      completed(soonMs, []),
      { afterMs: LATE_MS, tells: ['COMPLETED'] },
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
    steps: (soonMs) => [...succeeds(soonMs), { afterMs: soonMs + SECOND, tells: ['PROCESSING'] }],
  },
  {
    suffix: '755',
    of: 'both',
    title: 'Error, though accepted',
    behaviour: '500 UNKNOWN_ERROR, yet the id is found and completes.',
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
    behaviour: 'COMPLETED after 2 s, and only the status call tells.',
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

/** How long a customer may take at the page of a redirect provider. */
export const AUTHORISATION_LIFE_MS = 30 * 60 * SECOND;

/** Redirect providers ask a person, whatever the number: the page opens, and closes when nobody has decided. */
export function redirectSteps(soonMs: number): Step[] {
  return [
    { afterMs: soonMs, becomes: 'PROCESSING', tells: ['PROCESSING'] },
    {
      afterMs: soonMs + AUTHORISATION_LIFE_MS,
      becomes: 'FAILED',
      failure: 'PAYMENT_NOT_APPROVED',
      tells: ['FAILED'],
    },
  ];
}

/** A request to fail what is enqueued is answered before it has happened. */
export function cancellationSteps(soonMs: number): Step[] {
  return [{ afterMs: soonMs / 2, becomes: 'FAILED', failure: 'MANUALLY_CANCELLED', tells: ['FAILED'] }];
}
