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

/** Attempts follow the delivery schedule, which the activity knows; Temporal only waits as long as it is told. */
const { deliverWebhook } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/** One payment as its workflow sees it: what was answered, what was reported, what is still to be delivered. */
export interface OpenPayment {
  readonly state: PaymentState;
  readonly clock: Clock;
  /** Answers the merchant who is still waiting. */
  accept(answer: AcceptanceAnswer): void;
  /** Takes over a new standing: keeps the status current and delivers the webhooks it brought. */
  record(standing: StepResult, because: string): void;
  /** Waits for news until the clock reaches `at`. @returns what there is to do about it: read, or ask the provider. */
  newsBefore(at: number, summary: string, until: { isConfirming: boolean }): Promise<Reason | undefined>;
  /** Waits until every webhook is delivered or given up. @returns the news that came first. */
  newsBeforeDelivered(): Promise<Reason | undefined>;
  /** Tells that everybody who asks for a look from now on is served by another one. */
  checkBegins(): { answered(): void };
}

/** Something was reported, or somebody wants the provider asked. */
export type Reason = Extract<ReviewCause, 'notification' | 'check'>;

/** What a story adds to the handlers every payment has. */
export interface FlowHandlers {
  cancel?(): Promise<Cancellation>;
}

/** Registers every handler at once, before the first await: an update that finds none is refused. */
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
  /** Whether a delivery is under way within the task. The story stands still meanwhile (see in-task.ts). */
  let isTelling = false;
  /**
   * Whether this task answers an update: that is sent when the task ends, which no merchant's server is to hold up. What
   * is waited for comes with a later task, so that whoever begins to wait leaves nobody unanswered.
   */
  let isAnswering = true;

  const note = (text: string) => timeline.push({ at: new Date(clock.now()).toISOString(), text });

  setHandler(acceptance, async () => {
    isAnswering = true;
    await condition(() => answered !== undefined);
    return answered as AcceptanceAnswer;
  });
  // The report itself lies in the inbox: repeats, losses and reordering of this signal change nothing.
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
        // The start set MalipoStatus to received, and a pending payment is what an open workflow says by itself.
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
        // In a task of its own, which answers nobody: the server fails one that ends a run while something arrives.
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

/** The summary an operator reads beside an activity, so that a list of events tells the story. */
export function summaryOf(text: string): { summary: string } {
  return { summary: `${text} (${workflowInfo().workflowType})` };
}
