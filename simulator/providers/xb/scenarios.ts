/** What the last three digits of a number trigger. Other digits pay. */
import type { TimedStep } from '../../steps';

export type State = 'PENDING' | 'PROCESSING' | 'RETRY' | 'COMPLETE' | 'FAILED' | 'CANCELLED';

/** The name of an invoice's id: public clients read one, the other, or either. */
export type InvoiceName = 'id' | 'invoice_id';

export interface Change {
  state: State;
  failedReason?: string;
  failedCode?: string;
  retryCount?: number;
}

export interface Step extends TimedStep {
  /** The invoice's new state, which the status call then returns. */
  becomes?: Change;
  /** One webhook for each, with this state, whatever the invoice's own is. */
  notifies?: readonly State[];
}

export interface Scenario {
  suffix: string;
  title: string;
  behaviour: string;
  /** `refused_500` accepts nothing; the other two accept without saying so. */
  start?: 'refused_500' | 'accepted_500' | 'accepted_lost';
  steps: readonly Step[];
  /** How many whole units less than requested are paid. */
  shortBy?: number;
  /** The one name in answers; by default they have both. */
  namedBy?: InvoiceName;
  /** Its webhooks have the challenge in a header, and not in the body. */
  challengeInHeader?: true;
}

const SECOND = 1_000;
const PROMPT_LIFE_MS = 60 * SECOND;

const isFinal = (state: State) => state === 'COMPLETE' || state === 'FAILED' || state === 'CANCELLED';
export const reportsTheEnd = ({ notifies = [] }: Step) => notifies.some(isFinal);

/** @param soonMs how long a normal payer takes */
export function scenarioTable(soonMs: number) {
  const third = soonMs / 3;
  const pending: Step = { afterMs: 0, notifies: ['PENDING'] };
  const becomesAndNotifies = (afterMs: number, change: Change): Step => ({
    afterMs,
    becomes: change,
    notifies: [change.state],
  });
  const processing = becomesAndNotifies(third, { state: 'PROCESSING' });
  const complete = becomesAndNotifies(soonMs, { state: 'COMPLETE' });
  const begun = [pending, processing];
  const fails = (failedReason: string, failedCode?: string, state: State = 'FAILED'): Step[] => [
    ...begun,
    becomesAndNotifies(soonMs, { state, failedReason, ...(failedCode !== undefined && { failedCode }) }),
  ];
  const paysUnheard: readonly Step[] = [
    { afterMs: third, becomes: { state: 'PROCESSING' } },
    { afterMs: soonMs, becomes: { state: 'COMPLETE' } },
  ];
  const cancelled = 'Request cancelled by user';

  const success: Scenario = {
    suffix: '789',
    title: 'Success',
    behaviour:
      'Webhooks PENDING, PROCESSING, COMPLETE. So does every number whose last three digits are not in this table.',
    steps: [...begun, complete],
  };
  const listed: readonly Scenario[] = [
    success,
    {
      suffix: '049',
      title: 'Insufficient funds',
      behaviour: 'FAILED, failed_code 1.',
      steps: fails('insufficient balance', '1'),
    },
    {
      suffix: '032',
      title: 'Cancelled by the customer',
      behaviour: 'FAILED, failed_code 1032.',
      steps: fails(cancelled, '1032'),
    },
    {
      suffix: '033',
      title: 'Cancelled, as a state of its own',
      behaviour: 'State CANCELLED.',
      steps: fails(cancelled, undefined, 'CANCELLED'),
    },
    {
      suffix: '029',
      title: 'Not a number of the network',
      behaviour: 'FAILED, account validation failed.',
      steps: fails('account validation failed'),
    },
    {
      suffix: '037',
      title: 'No answer',
      behaviour: 'PROCESSING for 60 s, then FAILED with reason timeout.',
      steps: [
        ...begun,
        becomesAndNotifies(PROMPT_LIFE_MS, { state: 'FAILED', failedReason: 'timeout', failedCode: '1037' }),
      ],
    },
    { suffix: '129', title: 'Never ends', behaviour: 'PROCESSING forever.', steps: begun },
    {
      suffix: '701',
      title: 'Webhook lost',
      behaviour: 'No webhook after PENDING; the status call says COMPLETE after 3 s.',
      steps: [pending, ...paysUnheard],
    },
    {
      suffix: '702',
      title: 'Late webhook',
      behaviour: 'The status call says COMPLETE at 3 s; the webhook comes at 60 s.',
      steps: [...begun, ...paysUnheard.slice(1), { afterMs: PROMPT_LIFE_MS, notifies: ['COMPLETE'] }],
    },
    {
      suffix: '703',
      title: 'Webhook three times',
      behaviour: 'Three identical webhooks COMPLETE.',
      steps: [...begun, { ...complete, notifies: ['COMPLETE', 'COMPLETE', 'COMPLETE'] }],
    },
    {
      suffix: '704',
      title: 'Out of order',
      behaviour: 'Webhook COMPLETE, and a second later PROCESSING.',
      steps: [
        pending,
        ...paysUnheard.slice(0, 1),
        complete,
        { afterMs: soonMs + SECOND, notifies: ['PROCESSING'] },
      ],
    },
    {
      suffix: '705',
      title: 'Answer lost',
      behaviour: 'Accepted, but the connection closes without an answer; the webhooks follow.',
      start: 'accepted_lost',
      steps: success.steps,
    },
    {
      suffix: '706',
      title: 'Error, not accepted',
      behaviour: '500, and nothing was accepted.',
      start: 'refused_500',
      steps: [],
    },
    {
      suffix: '707',
      title: 'Error, though accepted',
      behaviour: '500, but the webhooks follow.',
      start: 'accepted_500',
      steps: success.steps,
    },
    {
      suffix: '708',
      title: 'Tried again',
      behaviour: 'PROCESSING, RETRY, PROCESSING, COMPLETE with retry_count 1.',
      steps: [
        ...begun,
        becomesAndNotifies(2 * third, { state: 'RETRY', retryCount: 1 }),
        becomesAndNotifies(soonMs, { state: 'PROCESSING' }),
        becomesAndNotifies(4 * third, { state: 'COMPLETE' }),
      ],
    },
    {
      suffix: '709',
      title: 'Another value',
      behaviour: 'COMPLETE with one unit less than requested.',
      shortBy: 1,
      steps: success.steps,
    },
    {
      suffix: '710',
      title: 'Named by id',
      behaviour: 'As success, but answers name the invoice by id and have no invoice_id.',
      namedBy: 'id',
      steps: success.steps,
    },
    {
      suffix: '711',
      title: 'Named by invoice_id',
      behaviour: 'As success, but answers name the invoice by invoice_id and have no id.',
      namedBy: 'invoice_id',
      steps: success.steps,
    },
    {
      suffix: '712',
      title: 'Challenge in a header',
      behaviour:
        'As success, but webhooks carry the challenge as x-intasend-challenge and not in their body.',
      challengeInHeader: true,
      steps: success.steps,
    },
  ];
  const bySuffix = new Map(listed.map((scenario) => [scenario.suffix, scenario]));
  return { listed, of: (phone: string): Scenario => bySuffix.get(phone.slice(-3)) ?? success };
}

export type ScenarioTable = ReturnType<typeof scenarioTable>;
