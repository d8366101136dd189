/** Every scenario of the provider, and the expected results for the merchant and the books. */
import type { Rule } from '../../../support/rails/simulator-control';

export interface Scenario {
  number: string;
  title: string;
  phone: string;
  currency?: 'TZS';
  /** The simulator's rules for this payer, if the number alone is not enough. */
  rules?: Rule[];
  /** The HTTP status of the answer; default 200. */
  answer?: { status: number; code: string };
  /** The states of the merchant's webhooks, in order. */
  webhooks: string[];
  /** Whether the provider's own webhooks are missing: then we may or may not poll while it is in progress. */
  isQuiet?: true;
  /** Our own clock must reach this many milliseconds to end it; absent if the provider's webhooks end it. */
  ourClockMs?: number;
  /** Whole units in the wallet afterwards; default 0. */
  credited?: bigint;
  /** Reasons of the cases for an operator. */
  cases?: string[];
  /** Our answers to the provider's webhooks, forged ones included, if the scenario is about them. */
  answers?: (number | undefined)[];
}

const minuteMs = 60_000;
/** After our first query. */
const firstCheckMs = 15_000;
/** After the half hour at which a payment without an answer ends. */
const givenUpMs = 31 * minuteMs;
/** After the day of polling. */
const dayMs = 24 * 60 * minuteMs + minuteMs;

const complete = ['PROCESSING', 'COMPLETE'];
const spoilt = (phone: string, call: string, behave: string, times = 1): Rule[] => [
  { call, behave, times, where: { phone_number: phone } },
];

export const scenarios: Scenario[] = [
  { number: '1', title: 'success', phone: '256705001789', webhooks: complete, credited: 20_000n },
  {
    number: '1',
    title: 'success in Tanzania',
    phone: '255705001789',
    currency: 'TZS',
    webhooks: complete,
    credited: 2_000_000n,
  },
  {
    number: '2',
    title: 'insufficient funds',
    phone: '256705002049',
    webhooks: ['PROCESSING', 'FAILED'],
  },
  {
    number: '3',
    title: 'customer cancels, told as a failure',
    phone: '256705003032',
    webhooks: ['PROCESSING', 'CANCELLED'],
  },
  {
    number: '3',
    title: 'customer cancels, told as a state',
    phone: '256705003033',
    webhooks: ['PROCESSING', 'CANCELLED'],
  },
  {
    number: '4',
    title: 'number not valid on the network',
    phone: '256705004029',
    webhooks: ['PROCESSING', 'FAILED_VALIDATE'],
  },
  { number: '5', title: 'no answer', phone: '256705005037', webhooks: ['PROCESSING', 'FAILED'] },
  {
    number: '6',
    title: 'never ends',
    phone: '256705006129',
    webhooks: ['PROCESSING'],
    ourClockMs: dayMs,
    cases: ['no_outcome'],
  },
  {
    number: '7',
    title: 'webhook lost',
    phone: '256705007701',
    webhooks: ['COMPLETE'],
    isQuiet: true,
    ourClockMs: firstCheckMs,
    credited: 20_000n,
  },
  {
    number: '8',
    title: 'late webhook',
    phone: '256705008702',
    webhooks: complete,
    ourClockMs: firstCheckMs,
    credited: 20_000n,
    answers: [200, 200, 200],
  },
  {
    number: '9',
    title: 'webhook three times',
    phone: '256705009703',
    webhooks: complete,
    credited: 20_000n,
    answers: [200, 200, 200, 200, 200],
  },
  {
    number: '10',
    title: 'out of order',
    phone: '256705010704',
    webhooks: ['COMPLETE'],
    isQuiet: true,
    credited: 20_000n,
    answers: [200, 200, 200],
  },
  {
    number: '11',
    title: 'accepted, but the answer lost',
    phone: '256705011705',
    webhooks: complete,
    credited: 20_000n,
  },
  {
    number: '12',
    title: '500, and not accepted',
    phone: '256705012706',
    webhooks: ['FAILED'],
    ourClockMs: givenUpMs,
    cases: ['submission_unknown'],
    answers: [],
  },
  {
    number: '12',
    title: '500, though accepted',
    phone: '256705012707',
    webhooks: complete,
    credited: 20_000n,
  },
  { number: '13', title: 'retry loop', phone: '256705013708', webhooks: complete, credited: 20_000n },
  {
    number: '14',
    title: 'different value',
    phone: '256705014709',
    webhooks: complete,
    credited: 19_999n,
    cases: ['amount_differs'],
  },
  {
    number: '15',
    title: 'wrong challenge',
    phone: '256705015789',
    rules: spoilt('256705015789', 'callback', 'wrong_challenge', 3),
    webhooks: ['COMPLETE'],
    isQuiet: true,
    credited: 20_000n,
    answers: [200, 200, 200],
  },
  {
    number: '15',
    title: 'events of another kind',
    phone: '256705115789',
    rules: spoilt('256705115789', 'callback', 'other_event', 3),
    webhooks: complete,
    credited: 20_000n,
    answers: [200, 200, 200],
  },
  {
    number: '15',
    title: 'forged before the right one',
    phone: '256705215789',
    rules: spoilt('256705215789', 'callback', 'forge'),
    webhooks: ['COMPLETE'],
    isQuiet: true,
    credited: 20_000n,
    answers: [200, 200, 200, 200, 200],
  },
  {
    number: '16',
    title: '401',
    phone: '256705016789',
    rules: spoilt('256705016789', 'initiate', '401'),
    answer: { status: 502, code: 'PROVIDER_ACCOUNT_REFUSED' },
    webhooks: ['FAILED'],
    cases: ['account_refused'],
    answers: [],
  },
  {
    number: '16',
    title: '429, twice',
    phone: '256705116789',
    rules: spoilt('256705116789', 'initiate', '429', 2),
    webhooks: complete,
    credited: 20_000n,
  },
  {
    number: '16',
    title: '429, again and again',
    phone: '256705216789',
    rules: spoilt('256705216789', 'initiate', '429', 3),
    answer: { status: 503, code: 'PROVIDER_UNAVAILABLE' },
    webhooks: ['FAILED'],
    answers: [],
  },
  {
    number: '16',
    title: '503',
    phone: '256705316789',
    rules: spoilt('256705316789', 'initiate', '503'),
    webhooks: ['FAILED'],
    ourClockMs: givenUpMs,
    cases: ['submission_unknown'],
    answers: [],
  },
  {
    number: '17',
    title: 'endpoint switched off',
    phone: '256705017789',
    rules: spoilt('256705017789', 'callback', 'switched_off'),
    webhooks: ['COMPLETE'],
    isQuiet: true,
    ourClockMs: firstCheckMs,
    credited: 20_000n,
    answers: [undefined, undefined, undefined],
  },
  {
    number: '18',
    title: 'named by id alone',
    phone: '256705014710',
    webhooks: complete,
    credited: 20_000n,
  },
  {
    number: '18',
    title: 'named by invoice_id alone',
    phone: '256705014711',
    webhooks: complete,
    credited: 20_000n,
  },
];
