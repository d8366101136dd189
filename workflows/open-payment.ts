import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import {
  names,
  type AcceptanceAnswer,
  type Activities,
  type Cancellation,
  type PaymentCommand,
  type ReviewCause,
  type StepResult,
  type TimelineStep,
  type WorkflowStatus,
} from '../src/domain/commands';
import type { PaymentState } from '../src/domain/payment';
import { searchAttributes } from '../src/domain/search-attributes';
import { inTask } from './in-task';
import { goOnInNewRun, isLong, nobodyWaits } from './continue-as-new';
import { movableClock, type Clock } from './movable-clock';

const acceptance = defineUpdate<AcceptanceAnswer>(names.acceptance);
const outcomeReported = defineSignal(names.outcomeReported);
const cancel = defineUpdate<Cancellation>(names.cancel);
const look = defineUpdate<PaymentState>(names.check);
const advance = defineUpdate<string, [number]>(names.advance);
const status = defineQuery<WorkflowStatus>(names.status);

/** The activity knows the delivery schedule and sets the time of the next attempt; Temporal only waits for it. */
const { deliverWebhook } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/** One payment as its workflow sees it: its answer, the reports about it, and the webhooks left to deliver. */
export interface OpenPayment {
  readonly state: PaymentState;
  readonly clock: Clock;
  /** Answers the merchant who is still waiting. */
  accept(answer: AcceptanceAnswer): void;
  /** Records a step's result: updates the status and delivers the new webhooks. */
  record(standing: StepResult, because: string): void;
  /** Waits for a report or a request until the clock reaches `at`. @returns what to do: read, or poll the provider. */
  newsBefore(at: number, summary: string, until: { isConfirming: boolean }): Promise<Reason | undefined>;
  /** Waits until every webhook is delivered or given up. @returns the report or request that came first. */
  newsBeforeDelivered(): Promise<Reason | undefined>;
  /** Starts a check: a later request for a check needs another one. */
  checkBegins(): { answered(): void };
}

/** A report arrived, or a caller requested a poll. */
export type Reason = Extract<ReviewCause, 'notification' | 'check'>;

/** The handlers that a flow adds to those of every payment. */
export interface FlowHandlers {
  cancel?(): Promise<Cancellation>;
}

/** Registers every handler at once, before the first await: an update without a handler is refused. */
export function openPayment(command: PaymentCommand, handlers: FlowHandlers = {}): OpenPayment {
  const { paymentId, fixedClock } = command;
  const clock = movableClock();
  const timeline: TimelineStep[] = [];
  const deliveries = new Map<string, CancellationScope>();
  let answered: AcceptanceAnswer | undefined;
  let state: PaymentState = 'received';
  let reports = 0;
  let checksAsked = 0;
  let checksAnswered = 0;
  let cancelling = 0;
  /** Whether a delivery runs inside the task. The workflow waits in the meantime (see in-task.ts). */
  let isTelling = false;
  /**
   * Whether this task answers an update. The answer is sent when the task ends, and a slow merchant's server must not
   * delay it. A wait ends in a later task, so a workflow that starts to wait owes no answer.
   */
  let isAnswering = true;

  const note = (text: string) => timeline.push({ at: new Date(clock.now()).toISOString(), text });

  setHandler(acceptance, async () => {
    isAnswering = true;
    await condition(() => answered !== undefined);
    return answered as AcceptanceAnswer;
  });
  // The report itself is in the inbox: repeated, lost or reordered signals change nothing.
  setHandler(outcomeReported, () => {
    reports += 1;
    note('something was reported');
  });
  setHandler(look, async () => {
    checksAsked += 1;
    const mine = checksAsked;
    await condition(() => checksAnswered >= mine);
    return state;
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
  if (fixedClock !== true) setHandler(advance, moveClock);
  const { cancel: cancelIt } = handlers;
  if (cancelIt) {
    setHandler(cancel, async () => {
      cancelling += 1;
      const cancellation = await cancelIt().finally(() => {
        cancelling -= 1;
        isAnswering = true;
      });
      note(`the merchant cancels: ${cancellation}`);
      reports += 1;
      return cancellation;
    });
  }
  setHandler(status, () => ({ paymentId, state, timeline }));

  async function told(): Promise<void> {
    if (isTelling) await condition(() => !isTelling);
  }

  function newsNow(): Reason | undefined {
    if (checksAsked > checksAnswered) return 'check';
    return reports > 0 ? 'notification' : undefined;
  }

  function takeNews(): Reason | undefined {
    const news = newsNow();
    reports = 0;
    return news;
  }

  function tellInTask(webhookId: string, summary: string): ReturnType<typeof inTask.deliver> {
    isTelling = true;
    return inTask.deliver({ webhookId }, summary).finally(() => {
      isTelling = false;
    });
  }

  async function deliver(webhookId: string, { aside }: { aside: boolean }): Promise<void> {
    const summary = 'tell the merchant';
    const tried = aside ? undefined : await tellInTask(webhookId, summary);
    if (tried === 'settled') return;
    await deliverWebhook.executeWithOptions({ summary }, [{ webhookId, ...(tried && { postponed: tried }) }]);
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

  return {
    clock,
    get state() {
      return state;
    },
    accept(answer) {
      answered = answer;
      note(`the provider's answer: ${answer.kind}`);
    },
    record(standing, because) {
      if (standing.state !== state) {
        state = standing.state;
        note(`${state}: ${because}`);
        // The start set MalipoStatus to received, and an open workflow implies a pending payment.
        if (state !== 'pending') upsertSearchAttributes([{ key: searchAttributes.status, value: state }]);
      }
      const isAwaited = isAnswering || cancelling > 0 || checksAsked > checksAnswered;
      for (const webhookId of standing.webhookIds) {
        const aside = isAwaited || isTelling;
        if (!deliveries.has(webhookId)) startDelivery(webhookId, { aside });
      }
    },
    async newsBefore(at, summary, until) {
      await told();
      const isWaiting = newsNow() === undefined && clock.now() < at;
      if (isWaiting) isAnswering = false;
      if (isWaiting && isLong(until)) {
        // In a task of its own, which answers no update: the server fails a task that ends a run while an event
        // arrives.
        await clock.waitUntil(() => newsNow() !== undefined, clock.now() + 1, 'until the next run');
        if (newsNow() === undefined && nobodyWaits()) await goOnInNewRun(command);
      }
      await clock.waitUntil(() => newsNow() !== undefined, at, summary);
      return takeNews();
    },
    async newsBeforeDelivered() {
      await told();
      if (newsNow() === undefined) isAnswering = false;
      await condition(() => newsNow() !== undefined || deliveries.size === 0);
      return takeNews();
    },
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

/** The summary that an operator reads beside an activity in the event list. */
export function summaryOf(text: string): { summary: string } {
  return { summary: `${text} (${workflowInfo().workflowType})` };
}
