/** What each test number triggers. Other numbers pay. */
import type { Prompt } from './prompts';
import type { ResultCode } from './results';

/** An event of a prompt, some time after it was accepted. */
export interface Step {
  afterMs: number;
  /** The prompt's new result, which a query then returns. */
  outcome?: ResultCode;
  /** The result in a callback. */
  callback?: ResultCode;
}

export interface Scenario {
  phone: string;
  title: string;
  behaviour: string;
  /** `locked` and `unavailable` reject; `lost` accepts and closes the connection without an answer. */
  initiation?: 'locked' | 'unavailable' | 'lost';
  steps: readonly Step[];
  /** The prompt waits for a user. The steps run without a decision. */
  person?: true;
  /** How many shillings less than requested are paid. */
  shortBy?: number;
  /** The callback has fewer fields, in another form. */
  partialMetadata?: true;
  openAs?: Prompt['openAs'];
  /** The network shows no prompt: there was an equal one a moment before. */
  isLimited?: true;
}

const SECOND = 1_000;
/** How long a prompt stays on a handset. */
const PROMPT_LIFE_MS = 60 * SECOND;

/** The last digits of numbers whose prompt waits for a user. */
export const PERSON_SUFFIX = '600';
export const PERSON_EXAMPLE = `254700000${PERSON_SUFFIX}`;

/** @param soonMs how long a normal payer takes */
export function scenarioTable(soonMs: number) {
  const ends = (code: ResultCode, afterMs = soonMs): Step => ({ afterMs, outcome: code, callback: code });

  const success: Scenario = {
    phone: '254708374149',
    title: 'Success',
    behaviour: 'Callback 0 after about 2 s, with all items. So does every number that is not in this table.',
    steps: [ends('0')],
  };
  const person: Scenario = {
    phone: PERSON_EXAMPLE,
    title: 'A person decides',
    behaviour: `Any number ending in ${PERSON_SUFFIX}: waits on the handset page for a minute, then 1037.`,
    person: true,
    steps: [ends('1037', PROMPT_LIFE_MS)],
  };
  const limited: Scenario = {
    phone: '254700000017',
    title: 'The same again too soon',
    behaviour: 'Callback 17, always. For other numbers only while the rule is on: see rule_limited.',
    isLimited: true,
    steps: [ends('17')],
  };
  const listed: readonly Scenario[] = [
    success,
    {
      phone: '254711223344',
      title: 'Insufficient funds',
      behaviour: 'Callback 1, without metadata.',
      steps: [ends('1')],
    },
    {
      phone: '254722334455',
      title: 'Cancelled',
      behaviour: 'Callback 1032: the payer cancelled.',
      steps: [ends('1032')],
    },
    {
      phone: '254733445566',
      title: 'Timeout',
      behaviour: 'Open for 60 s, then callback 1037.',
      steps: [ends('1037', PROMPT_LIFE_MS)],
    },
    { phone: '254700002001', title: 'Wrong PIN', behaviour: 'Callback 2001.', steps: [ends('2001')] },
    { phone: '254700001001', title: 'Subscriber locked', behaviour: 'Callback 1001.', steps: [ends('1001')] },
    {
      phone: '254700001019',
      title: 'Transaction expired',
      behaviour: 'Callback 1019.',
      steps: [ends('1019')],
    },
    { phone: '254700000026', title: 'System busy', behaviour: 'Callback 26.', steps: [ends('26')] },
    {
      phone: '254700000002',
      title: 'Declined by the network',
      behaviour: 'Callback 2.',
      steps: [ends('2')],
    },
    limited,
    {
      phone: '254700002028',
      title: 'Shortcode not set up',
      behaviour: 'Callback 2028.',
      steps: [ends('2028')],
    },
    { phone: '254700008006', title: 'PIN locked', behaviour: 'Callback 8006.', steps: [ends('8006')] },
    {
      phone: '254700000003',
      title: 'No such operator',
      behaviour: 'Callback SFC_IC0003, a code that is not a number.',
      steps: [ends('SFC_IC0003')],
    },
    {
      phone: '254700004999',
      title: 'Still under processing',
      behaviour: 'The query says 4999 for 52 s; then callback 0.',
      openAs: '4999',
      // Not when Malipo checks next, so that the callback comes first without hurry.
      steps: [ends('0', 52 * SECOND)],
    },
    {
      phone: '254700000712',
      title: 'An ending that is none',
      behaviour: 'The query says 1037, "still under processing", for four minutes; then callback 0.',
      openAs: '1037',
      steps: [ends('0', 4 * PROMPT_LIFE_MS)],
    },
    {
      phone: '254700000701',
      title: 'Paid, callback lost',
      behaviour: 'No callback; the query says 0 after 3 s.',
      steps: [{ afterMs: 3 * SECOND, outcome: '0' }],
    },
    {
      phone: '254700000702',
      title: 'Cancelled, callback lost',
      behaviour: 'No callback; the query says 1032 after 3 s.',
      steps: [{ afterMs: 3 * SECOND, outcome: '1032' }],
    },
    {
      phone: '254700000703',
      title: 'No answer at all',
      behaviour: 'No callback, and the query says forever that it is being processed.',
      steps: [],
    },
    {
      phone: '254700000704',
      title: 'Late success',
      behaviour: 'The query says 1037 at 60 s; callback 0 at 120 s.',
      steps: [{ afterMs: PROMPT_LIFE_MS, outcome: '1037' }, ends('0', 2 * PROMPT_LIFE_MS)],
    },
    {
      phone: '254700000705',
      title: 'Callback three times',
      behaviour: 'Three identical callbacks 0, one second apart.',
      steps: [
        ends('0'),
        { afterMs: soonMs + SECOND, callback: '0' },
        { afterMs: soonMs + 2 * SECOND, callback: '0' },
      ],
    },
    {
      phone: '254700000706',
      title: 'Contradiction',
      behaviour: 'Callback 0, and a second later callback 1032 for the same payment.',
      steps: [ends('0'), { afterMs: soonMs + SECOND, callback: '1032' }],
    },
    {
      phone: '254700000707',
      title: 'Answer lost',
      behaviour: 'Accepted, but the connection closes without an answer; callback 0 follows.',
      initiation: 'lost',
      steps: [ends('0')],
    },
    {
      phone: '254700000708',
      title: 'Gateway down',
      behaviour: '503 with an HTML page; nothing was accepted.',
      initiation: 'unavailable',
      steps: [],
    },
    {
      phone: '254700000709',
      title: 'Refused at once',
      behaviour: '500.001.1001, unable to lock subscriber.',
      initiation: 'locked',
      steps: [],
    },
    {
      phone: '254700000710',
      title: 'Amount differs',
      behaviour: 'Callback 0 with one shilling less than requested.',
      shortBy: 1,
      steps: [ends('0')],
    },
    {
      phone: '254700000711',
      title: 'Partial metadata',
      behaviour: 'Callback 0 with the amount as text, the phone masked and no date.',
      partialMetadata: true,
      steps: [ends('0')],
    },
  ];
  const byPhone = new Map(listed.map((scenario) => [scenario.phone, scenario]));

  return {
    listed: [...listed, person],
    limited,
    of: (phone: string): Scenario => byPhone.get(phone) ?? (phone.endsWith(PERSON_SUFFIX) ? person : success),
  };
}

export type ScenarioTable = ReturnType<typeof scenarioTable>;
