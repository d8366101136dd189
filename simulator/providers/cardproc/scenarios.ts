/** What the decimals of an amount trigger. Others trigger nothing. */

export interface Scenario {
  /** The amount's last two digits. */
  cents: number;
  title: string;
  behaviour: string;
  /** How submitting fails; `lost` creates the order without an answer. */
  submit?: 'lost' | 'error_500' | 'error_in_200';
  /** When the status call starts to show a decision. */
  knownAfterMs: number;
  /** One notification for each, counted from the decision. */
  notifiedAfterMs: readonly number[];
  /** Whether the browser returns to the merchant. */
  returns: boolean;
  /** Another amount than the order's is paid. */
  paysOtherAmount: boolean;
  /** The status call uses mixed case, null for texts, and a number as status. */
  isLoose: boolean;
}

const SECOND = 1_000;

const usual = {
  knownAfterMs: 0,
  notifiedAfterMs: [0],
  returns: true,
  paysOtherAmount: false,
  isLoose: false,
} as const;

const uneventful: Scenario = {
  ...usual,
  cents: 0,
  title: 'No surprise',
  behaviour: 'Waits for a user on the page. So does every amount whose decimals are not in this table.',
};

export const scenarios: readonly Scenario[] = [
  uneventful,
  {
    ...usual,
    cents: 5,
    title: 'Notification lost',
    behaviour: 'The browser returns; only the status call has the result.',
    notifiedAfterMs: [],
  },
  {
    ...usual,
    cents: 6,
    title: 'Neither notification nor return',
    behaviour: 'Only the status call has the result.',
    notifiedAfterMs: [],
    returns: false,
  },
  {
    ...usual,
    cents: 7,
    title: 'Notification before the status is ready',
    behaviour: 'Notification at once; the status call says unpaid for 10 s more.',
    knownAfterMs: 10 * SECOND,
  },
  {
    ...usual,
    cents: 8,
    title: 'Notification three times',
    behaviour: 'Three identical notifications.',
    notifiedAfterMs: [0, 0, 0],
  },
  {
    ...usual,
    cents: 9,
    title: 'Late notification',
    behaviour: 'The notification comes after 60 s.',
    notifiedAfterMs: [60 * SECOND],
  },
  {
    ...usual,
    cents: 10,
    title: 'Another amount',
    behaviour: 'Completed with one unit less than the order says (one more when it is below two).',
    paysOtherAmount: true,
  },
  {
    ...usual,
    cents: 11,
    title: 'Answer lost',
    behaviour:
      'The order is created and the connection closes without an answer; the next attempt (the same id with -2 or the like behind it) is answered.',
    submit: 'lost',
  },
  {
    ...usual,
    cents: 12,
    title: 'Server error',
    behaviour: 'Submitting returns 500, and nothing was created.',
    submit: 'error_500',
  },
  {
    ...usual,
    cents: 13,
    title: 'Error inside a 200',
    behaviour: 'Submitting returns 200 with error filled and no tracking id.',
    submit: 'error_in_200',
  },
  {
    ...usual,
    cents: 14,
    title: 'Loose answers',
    behaviour: 'The status call says Completed, null for texts, and its status as a number.',
    isLoose: true,
  },
];

const byCents = new Map(scenarios.map((scenario) => [scenario.cents, scenario]));

export function scenarioOf(amountCents: number): Scenario {
  return byCents.get(amountCents % 100) ?? uneventful;
}
