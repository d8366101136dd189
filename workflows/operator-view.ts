/**
 * What the Temporal UI shows of a running payment. The current details cost no event: they are computed again in every
 * replay. A search attribute costs one, so it changes only with what an operator acts on: a hold, a case, a state.
 * Codes, moments and our own words only: a history cannot be pruned.
 */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type {
  Attention,
  PaymentCommand,
  PaymentResult,
  Policy,
  SubmissionAnswer,
} from '../src/domain/commands';
import { isFinal, type PaymentState } from '../src/domain/payment';
import { searchAttributes } from '../src/domain/search-attributes';

export interface OperatorView {
  /** @param code why it is not paid */
  entered(state: PaymentState, because: string, code?: string): void;
  /** The provider's first answer, and the schedule that holds from now on. */
  submitted(answer: SubmissionAnswer, policy: Policy): void;
  /** @param until on the payment's clock; absent while it waits for a webhook only. */
  waitsFor(what: string, until?: number): void;
  checked(why: string, answer: string): void;
  webhook(text: string): void;
  /** Shows a hold and open cases, and lets operators search for them. @param state the payment's. */
  needs(attention: Attention): void;
  note(text: string): void;
  /** What the finished workflow shows instead. */
  result(): PaymentResult;
}

const meanings: Record<PaymentState, string> = {
  received: 'It was not sent to the provider yet.',
  initiating: 'It was sent to the provider, whose answer is not known yet.',
  pending: 'The outcome is not known yet, and nothing is booked.',
  queued: 'The provider has it, and has not paid yet.',
  processing: 'The provider reports that it is under way, and nothing is booked.',
  succeeded: 'The confirmed amount is booked.',
  failed: 'The payment failed and nothing is booked. The workflow did its work, so it is Completed.',
  cancelled:
    'The payment was cancelled and nothing is booked. The workflow did its work, so it is Completed.',
  timed_out:
    'The customer or the provider was too late, and nothing is booked. A late success is still booked, as a correction.',
  refunded: 'It was booked, and was given back.',
  reversed: 'It was booked, and the provider took it back.',
  returned: 'It was paid out, and came back: the amount is in its balance again.',
};

/** What to do about a hold. */
const releases: Readonly<Record<string, string>> = {
  PAYOUTS_STOPPED:
    '`malipo payouts list` shows who paused them and why; then `malipo payouts resume` with the same rail, country or merchant',
  PROVIDER_STOPPED: '`malipo case list`: close the cases that pause the account',
};

export function operatorView(command: PaymentCommand, now: () => number): OperatorView {
  const { reference, rail, kind, amount, merchant, schedule, portal } = command;
  let state: PaymentState = 'received';
  let since = now();
  let because = 'the workflow started';
  let code: string | undefined;
  let waits = '';
  let answer = '';
  let checkTimes = '';
  let lastCheck = '';
  let checks = 0;
  let webhook = 'none';
  let hold: Attention['hold'];
  let openCases: string[] = [];
  const notes: string[] = [];

  const meaning = () => {
    if (kind === 'deposit') return meanings[state];
    if (!isFinal(state)) return `${meanings[state]} Its amount stays reserved.`;
    return meanings[state].replace('nothing is booked', 'its amount is available again');
  };

  function show(): void {
    const lines = [
      // The UI cuts off long details, so the link comes first.
      `**${shownOf(state)}** since ${momentOf(since)}: ${because}. ${meaning()}${portal === undefined ? '' : ` [Payment in the portal](${portal})`}`,
      '',
      ...(code === undefined ? [] : [`- Code: ${codeOf(code)}`]),
      ...(waits === '' ? [] : [`- Waits for: ${waits}`]),
      ...(hold
        ? [
            `- **On hold**: ${hold.reason}, until ${hold.until ? momentOf(Date.parse(hold.until)) : 'an operator releases it'}: ` +
              (releases[hold.reason] ?? `\`malipo hold release ${reference}\``),
          ]
        : []),
      ...openCases.map(
        (reason) =>
          `- **Open case**: ${reason}: \`malipo payment show ${reference}\` names the case, then \`malipo case resolve <case>\``,
      ),
      ...(answer === '' ? [] : [`- Submission: ${answer}`]),
      `- Status checks: ${String(checks)}${lastCheck === '' ? '' : `; the last ${lastCheck}`}`,
      `- Webhook: ${webhook}`,
      ...(checkTimes === '' ? [] : [`- Poll schedule: ${schedule}, ${checkTimes}`]),
      ...notes.map((text) => `- ${text}`),
    ];
    setCurrentDetails(lines.join('\n'));
  }

  /** Only what differs from what the server has: a restarted workflow begins with what its start has set. */
  function upsert(shownState: PaymentState): void {
    const { typedSearchAttributes: shown } = workflowInfo();
    const { status, onHold, openCase } = searchAttributes;
    const isOnHold = hold !== undefined;
    const hasCase = openCases.length > 0;
    const changes = [
      ...(shown.get(status) === shownState ? [] : [{ key: status, value: shownState }]),
      ...((shown.get(onHold) ?? false) === isOnHold ? [] : [{ key: onHold, value: isOnHold }]),
      ...((shown.get(openCase) ?? false) === hasCase ? [] : [{ key: openCase, value: hasCase }]),
    ];
    if (changes.length > 0) upsertSearchAttributes(changes);
  }

  return {
    entered(entering, why, reason) {
      state = entering;
      since = now();
      because = why;
      code = reason;
      show();
    },
    submitted({ kind: answered }, { checksMs, rechecksMs }) {
      answer = answered;
      checkTimes = `checks ${[...checksMs, ...rechecksMs].slice(0, shownChecksMax).map(durationOf).join(', ')}${checksMs.length + rechecksMs.length > shownChecksMax ? ' …' : ''} after its acceptance`;
      show();
    },
    waitsFor(what, until) {
      waits = until === undefined ? what : `a report, or for **${what}** at ${momentOf(until)}`;
      show();
    },
    checked(why, answered) {
      checks += 1;
      lastCheck = `at ${momentOf(now())}, ${why}: ${answered}`;
      show();
    },
    webhook(text) {
      webhook = text;
      show();
    },
    needs({ hold: held, openCases: cases = openCases }) {
      hold = held;
      openCases = cases;
      show();
      upsert(shownOf(state));
    },
    note(text) {
      notes.push(`${momentOf(now())}: ${text}`);
      show();
    },
    result() {
      waits = '';
      show();
      return {
        status: state,
        meaning: isFinal(state) ? meaning() : `${meaning()} ${goesOn}`,
        ...(code !== undefined && { code }),
        ...{ rail, kind, amount, merchant, reference },
        statusChecks: checks,
        webhook,
        openCases,
      };
    },
  };
}

const goesOn =
  'This run is over; the payment is not: recovery checks it every day, and each report starts another run.';

/** Most are the provider's: a Markdown page must not read a link or markup in one. */
const codeOf = (code: string) => `\`${code.replaceAll(/[^\w.-]/g, ' ').slice(0, 60)}\``;

/** As a start shows it: operators do not search for steps of a few milliseconds. */
const shownOf = (state: PaymentState): PaymentState =>
  state === 'received' || state === 'initiating' ? 'pending' : state;

/** More would fill the page: months have a check for each day. */
const shownChecksMax = 12;

const momentOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

function durationOf(ms: number): string {
  const units: [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ];
  const [unit, size] = units.find(([, of]) => ms >= of && ms % of === 0) ?? ['ms', 1];
  return `${String(Math.round(ms / size))} ${unit}`;
}
