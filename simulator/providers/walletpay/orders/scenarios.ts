/** What the last two digits of an order's amount trigger. Other digits succeed. */
import type { TimedStep } from '../../../steps';
import type { Issue } from '../errors';
import { decimalsOf, type Amount } from '../money';

export type CaptureStatus =
  'COMPLETED' | 'PENDING' | 'DECLINED' | 'FAILED' | 'PARTIALLY_REFUNDED' | 'REFUNDED';

export type CaptureEvent =
  | 'PAYMENT.CAPTURE.COMPLETED'
  | 'PAYMENT.CAPTURE.PENDING'
  | 'PAYMENT.CAPTURE.DENIED'
  | 'PAYMENT.CAPTURE.DECLINED';

/** A capture's new state and its event; either may come at a later time. */
export interface CaptureStep extends TimedStep {
  becomes?: CaptureStatus;
  notifies?: CaptureEvent;
}

/** How the events of an order reach the merchant. */
export type Delivery = 'as they happen' | 'never' | 'late' | 'three times' | 'approval last';

export interface Scenario {
  title: string;
  behaviour: string;
  /** At the time of the capture. */
  first: CaptureStatus;
  /** Refuses the first capture of each order. */
  refusesOnce?: Issue;
  /** Captures, but answers with an error. */
  isSilent?: true;
  delivery: Delivery;
  /** Counted from the capture. */
  steps(soonMs: number): CaptureStep[];
}

const SECOND = 1_000;
/** How long the provider reviews a suspicious capture. */
const REVIEW_MS = 60 * SECOND;
export const LATE_MS = 60 * SECOND;

const completed = (soonMs: number): CaptureStep[] => [
  { afterMs: soonMs, notifies: 'PAYMENT.CAPTURE.COMPLETED' },
];
const notifies = (event: CaptureEvent) => (soonMs: number) => [{ afterMs: soonMs, notifies: event }];
const reviewed = (end: CaptureStep) => (soonMs: number) => [
  { afterMs: soonMs, notifies: 'PAYMENT.CAPTURE.PENDING' } satisfies CaptureStep,
  end,
];

const success = {
  title: 'Success',
  behaviour: 'Captured at once. So is every amount whose last two digits are not in this table.',
  first: 'COMPLETED',
  delivery: 'as they happen',
  steps: completed,
} as const satisfies Scenario;

export const scenarios: Readonly<Record<string, Scenario>> = {
  '00': success,
  '01': {
    ...success,
    title: 'Declined',
    behaviour: 'The capture is DECLINED; the event is PAYMENT.CAPTURE.DENIED.',
    first: 'DECLINED',
    steps: notifies('PAYMENT.CAPTURE.DENIED'),
  },
  '02': {
    ...success,
    title: 'Declined, by its other name',
    behaviour: 'The capture is DECLINED; the event is PAYMENT.CAPTURE.DECLINED.',
    first: 'DECLINED',
    steps: notifies('PAYMENT.CAPTURE.DECLINED'),
  },
  '03': {
    ...success,
    title: 'Pending, then completed',
    behaviour: 'The capture is PENDING with PENDING_REVIEW, and COMPLETED after 60 s.',
    first: 'PENDING',
    steps: reviewed({ afterMs: REVIEW_MS, becomes: 'COMPLETED', notifies: 'PAYMENT.CAPTURE.COMPLETED' }),
  },
  '04': {
    ...success,
    title: 'Pending, then denied',
    behaviour: 'The capture is PENDING with PENDING_REVIEW, and DECLINED after 60 s.',
    first: 'PENDING',
    steps: reviewed({ afterMs: REVIEW_MS, becomes: 'DECLINED', notifies: 'PAYMENT.CAPTURE.DENIED' }),
  },
  '05': {
    ...success,
    title: 'Instrument declined once',
    behaviour: 'The first capture is declined with INSTRUMENT_DECLINED; one with another request id works.',
    refusesOnce: 'INSTRUMENT_DECLINED',
  },
  '06': {
    ...success,
    title: 'Error, though captured',
    behaviour: 'Captured, but the answer is a 500; the order says COMPLETED.',
    isSilent: true,
  },
  '07': { ...success, title: 'Events lost', behaviour: 'Captured; no event is sent.', delivery: 'never' },
  '08': {
    ...success,
    title: 'Events late',
    behaviour: 'Captured; each event is 60 s late.',
    delivery: 'late',
  },
  '09': {
    ...success,
    title: 'Events three times',
    behaviour: 'Captured; each event is sent three times with the same id.',
    delivery: 'three times',
  },
  '10': {
    ...success,
    title: 'Events out of order',
    behaviour:
      'CHECKOUT.ORDER.APPROVED comes after PAYMENT.CAPTURE.COMPLETED, or 60 s late without a capture.',
    delivery: 'approval last',
  },
  '11': {
    ...success,
    title: 'Being completed once',
    behaviour:
      'The first capture is answered ORDER_COMPLETION_IN_PROGRESS, and the order still says APPROVED.',
    refusesOnce: 'ORDER_COMPLETION_IN_PROGRESS',
  },
};

export function scenarioOf({ currency, minor }: Amount): Scenario {
  if (decimalsOf(currency) !== 2) return success;
  return scenarios[minor.slice(-2).padStart(2, '0')] ?? success;
}
