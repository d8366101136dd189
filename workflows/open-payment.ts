import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  proxyActivities,
  setDefaultSignalHandler,
  setHandler,
} from '@temporalio/workflow';
import {
  names,
  signalSources,
  type SubmissionAnswer,
  type Activities,
  type Cancellation,
  type PaymentCommand,
  type PaymentResult,
  type Postponed,
  type Review,
  type ReviewCause,
  type SentWebhook,
  type SignalSource,
  type CheckedNow,
  type StepResult,
  type SubmissionStep,
  type TimelineStep,
  type WorkflowStatus,
} from '../src/domain/commands';
import { NOT_RELEASED, type PaymentState } from '../src/domain/payment';
import { inTask } from './in-task';
import { goOnInNewRun, isLong, noHandlerWaits } from './continue-as-new';
import { movableClock, requireMovable, type Clock } from './movable-clock';
import { operatorView } from './operator-view';

const submissionResult = defineUpdate<SubmissionAnswer>(names.submissionResult);
const cancel = defineUpdate<Cancellation>(names.cancel);
const checkStatusNow = defineUpdate<CheckedNow, [SignalSource?]>(names.check);
const advance = defineUpdate<string, [number]>(names.advance);
const status = defineQuery<WorkflowStatus>(names.status);

/** The activity knows the delivery schedule and sets the time of the next attempt; Temporal only waits for it. */
const { sendWebhook } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/** One payment as its workflow sees it: its answer, the reports about it, and the webhooks left to deliver. */
export interface OpenPayment {
  readonly state: PaymentState;
  readonly clock: Clock;
  /** Shows why the submission is not sent yet. */
  postponed(postponed: Postponed | undefined): void;
  /** Answers the merchant who is still waiting, and records the step's result. */
  accept(step: SubmissionStep): void;
  /** Shows a status check and its answer. */
  checked(why: string, found: Review): void;
  /** Records a step's result: updates the status and delivers the new webhooks. */
  record(standing: StepResult, because: string): void;
  /** Waits for a report or a request until the clock reaches `at`. @returns what to do: read, or poll the provider. */
  updatesBefore(at: number, summary: string, until: { isConfirming: boolean }): Promise<Reason | undefined>;
  /** Waits until every webhook is delivered or dead. @returns the report or request that came first. */
  updatesBeforeDelivered(): Promise<Reason | undefined>;
  /** Starts a check: a later request for a check needs another one. */
  checkBegins(): { answered(): void };
  result(): PaymentResult;
}

/** A report arrived, or a caller requested a poll. `why` is for operators: it begins with `after`. */
export interface Reason {
  cause: Extract<ReviewCause, 'notification' | 'check'>;
  why: string;
}

/** What a signal says in a summary. */
const after: Readonly<Record<SignalSource, string>> = {
  notification: 'a notification',
  browserReturn: "the return of the customer's browser",
  unverifiedEvent: 'an unverified event',
  recovery: 'a recovery signal',
  operator: "an operator's action",
  merchant: "the merchant's request",
};
/** @param source of a signal or an update: anybody can send one in the Temporal UI. */
const afterOf = (source: unknown) => {
  if (typeof source !== 'string') return 'a request';
  return Object.hasOwn(after, source) ? after[source as SignalSource] : `the signal ${source.slice(0, 40)}`;
};

/** The handlers that a flow adds to those of every payment. */
export interface FlowHandlers {
  cancel?(): Promise<Cancellation>;
}

/** Registers every handler at once, before the first await: an update without a handler is refused. */
export function openPayment(command: PaymentCommand, handlers: FlowHandlers = {}): OpenPayment {
  const { reference: paymentId, fixedClock } = command;
  const clock = movableClock();
  const view = operatorView(command, () => clock.now());
  const timeline: TimelineStep[] = [];
  const deliveries = new Map<string, CancellationScope>();
  let answered: SubmissionAnswer | undefined;
  let state: PaymentState = 'received';
  /** What has arrived since the last check, in words. */
  let reports: string[] = [];
  /** Who requested the next check. */
  let checkedFor = '';
  let checksAsked = 0;
  let checksAnswered = 0;
  /** Whether the provider answered the last check. */
  let providerAnswered = false;
  let cancelling = 0;
  /** Whether a delivery runs inside the task. The workflow waits in the meantime (see in-task.ts). */
  let isSendingWebhook = false;
  /**
   * Whether this task answers an update. The answer is sent when the task ends, and a slow merchant's server must not
   * delay it. A wait ends in a later task, so a workflow that starts to wait owes no answer.
   */
  let isAnswering = true;

  const note = (text: string) => timeline.push({ at: new Date(clock.now()).toISOString(), text });

  setHandler(submissionResult, async () => {
    isAnswering = true;
    await condition(() => answered !== undefined);
    return answered as SubmissionAnswer;
  });
  // The report itself is in the inbox: repeated, lost or reordered signals change nothing.
  const report = (what: string) => {
    reports.push(what);
    note(`after ${what}`);
  };
  for (const source of signalSources) {
    setHandler(defineSignal(source), () => {
      report(after[source]);
    });
  }
  // A later version may have further sources. To check once more is always safe.
  setDefaultSignalHandler((name) => {
    report(afterOf(name));
  });
  setHandler(checkStatusNow, async (source) => {
    checksAsked += 1;
    checkedFor = afterOf(source ?? 'merchant');
    const mine = checksAsked;
    await condition(() => checksAnswered >= mine);
    return { state, isAnswered: providerAnswered };
  });
  const moveClock = (ms: number) => {
    clock.advance(ms);
    note(`the sandbox moved the clock forward by ${String(ms)} ms`);
    for (const [webhookId, scope] of [...deliveries]) {
      scope.cancel();
      startDelivery(webhookId, { aside: true });
    }
    return new Date(clock.now()).toISOString();
  };
  if (fixedClock !== true) setHandler(advance, moveClock, { validator: requireMovable });
  const { cancel: cancelIt } = handlers;
  if (cancelIt) {
    setHandler(cancel, async () => {
      cancelling += 1;
      const cancellation = await cancelIt().finally(() => {
        cancelling -= 1;
        isAnswering = true;
      });
      note(`the merchant cancels: ${cancellation}`);
      report('the cancellation');
      return cancellation;
    });
  }
  setHandler(status, () => ({ paymentId, state, timeline }));
  view.waitsFor(`the answer of ${command.provider} to the submission`);
  CancellationScope.current().cancelRequested.catch(() => {
    view.note(cancellationText);
  });

  async function reported(): Promise<void> {
    if (isSendingWebhook) await condition(() => !isSendingWebhook);
  }

  function updatesNow(): Reason | undefined {
    if (checksAsked > checksAnswered) return { cause: 'check', why: `after ${checkedFor}` };
    const [first] = reports;
    if (first === undefined) return undefined;
    const further = reports.length === 1 ? '' : ` and ${String(reports.length - 1)} more`;
    return { cause: 'notification', why: `after ${first}${further}` };
  }

  function takeUpdates(): Reason | undefined {
    const update = updatesNow();
    reports = [];
    return update;
  }

  function sendInTask(webhookId: string, summary: string): ReturnType<typeof inTask.send> {
    isSendingWebhook = true;
    return inTask.send({ webhookId }, summary).finally(() => {
      isSendingWebhook = false;
    });
  }

  async function deliver(webhookId: string, { aside }: { aside: boolean }): Promise<void> {
    const what = `send webhook ${state}`;
    view.webhook(`${state}, being sent`);
    const sending = state;
    const shown = (text: string) => {
      view.webhook(`${sending}, ${text}`);
    };
    const first = aside ? undefined : await sendInTask(webhookId, `${what}, try 1`);
    if (first && 'result' in first) {
      shown(webhookTexts[first.result]);
      return;
    }
    const isRefused = first?.why !== undefined;
    if (isRefused) shown('not accepted by the merchant; the pending activity shows the next try');
    const summary = `${what}${isRefused ? ', try 2 and later' : ''}`;
    const sent = await sendWebhook.executeWithOptions({ summary }, [
      { webhookId, patient: true, ...(first && { postponed: first }) },
    ]);
    if ('result' in sent) shown(webhookTexts[sent.result]);
  }

  /** @param how `aside`: in an activity of its own from the start. */
  function startDelivery(webhookId: string, how: { aside: boolean }): void {
    const scope = new CancellationScope();
    deliveries.set(webhookId, scope);
    const finished = () => {
      if (deliveries.get(webhookId) === scope) deliveries.delete(webhookId);
    };
    void scope
      .run(() => deliver(webhookId, how))
      .then(finished, (error: unknown) => {
        finished();
        if (!isCancellation(error)) throw error;
      });
  }

  /** No report and no request is unread when this is called. */
  async function renewIfLong(until: { isConfirming: boolean }): Promise<void> {
    if (!isLong(until)) return;
    // In a task of its own, which answers no update: the server fails a task that ends a run while an event arrives.
    const summary = 'start the next run: this history is long';
    await clock.waitUntil(() => updatesNow() !== undefined, clock.now() + 1, summary);
    if (updatesNow() === undefined && noHandlerWaits()) await goOnInNewRun(command);
  }

  return {
    clock,
    get state() {
      return state;
    },
    postponed(postponed) {
      if (!postponed) return;
      // The text of a hold may be an operator's own.
      const why = postponed.hold ? 'the end of the hold' : postponed.why;
      view.waitsFor(why ?? `the answer of ${command.provider}`);
      view.needs(postponed);
    },
    accept(step) {
      answered = step.answer;
      // A payout that ended on hold was not sent, so its provider has answered nothing.
      const isSent = step.state !== 'cancelled' && step.code !== NOT_RELEASED;
      if (isSent) {
        note(`the provider's answer: ${answered.kind}`);
        view.submitted(answered, step.policy);
      }
      this.record(step, isSent ? `${command.provider} answered the submission` : 'this run sent nothing');
    },
    checked(why, { state: found, asked, unanswered, unconfirmed }) {
      providerAnswered = asked === true && !unanswered;
      const who = asked === true ? command.provider : 'stored notifications';
      const what = unconfirmed ? `${found}, to be confirmed` : found;
      view.checked(why, unanswered ? `no usable answer of ${command.provider}` : `${who}: ${what}`);
    },
    record(standing, because) {
      if (standing.state !== state) {
        state = standing.state;
        note(`${state}: ${because}`);
        view.entered(state, because, standing.code);
      }
      view.needs(standing);
      const isAwaited = isAnswering || cancelling > 0 || checksAsked > checksAnswered;
      for (const webhookId of standing.webhookIds) {
        const aside = isAwaited || isSendingWebhook;
        if (!deliveries.has(webhookId)) startDelivery(webhookId, { aside });
      }
    },
    async updatesBefore(at, summary, until) {
      await reported();
      const isWaiting = updatesNow() === undefined && clock.now() < at;
      if (isWaiting) {
        isAnswering = false;
        view.waitsFor(summary, at);
      }
      if (isWaiting) await renewIfLong(until);
      await clock.waitUntil(() => updatesNow() !== undefined, at, summary);
      return takeUpdates();
    },
    async updatesBeforeDelivered() {
      await reported();
      if (updatesNow() === undefined) isAnswering = false;
      if (updatesNow() === undefined && deliveries.size > 0) {
        view.waitsFor('the webhook');
        await renewIfLong({ isConfirming: false });
      }
      await condition(() => updatesNow() !== undefined || deliveries.size === 0);
      return takeUpdates();
    },
    result: () => view.result(),
    checkBegins() {
      const served = checksAsked;
      return {
        answered() {
          if (served > checksAnswered) isAnswering = true;
          checksAnswered = served;
        },
      };
    },
  };
}

/** Workflows ignore it (workflows/index.ts): money is not stopped by a button that knows nothing of money. */
const cancellationText =
  '**A cancellation was requested in Temporal, and changes nothing.** To cancel a payout, use the portal or the API.';

const webhookTexts: Readonly<Record<SentWebhook['result'], string>> = {
  delivered: 'delivered',
  dead: 'not delivered in any try: `malipo webhook replay`',
  unaddressed: 'not sent: the merchant has no address for it',
  superseded: 'not sent: a later status replaced it',
  already_settled: 'already sent by an earlier run',
};
