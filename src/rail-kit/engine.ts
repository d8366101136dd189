import { setTimeout as delay } from 'node:timers/promises';
import {
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  isGrpcServiceError,
  type Client,
} from '@temporalio/client';
import { TypedSearchAttributes, type Workflow } from '@temporalio/common';
import type { Environment } from '../config';
import {
  names,
  type SubmissionAnswer,
  type Activities,
  type Cancellation,
  type PaymentCommand,
  type SignalSource,
  type CheckedNow,
} from '../domain/commands';
import { formatAmount } from '../domain/money';
import type { PaymentState } from '../domain/payment';
import { searchAttributes } from '../domain/search-attributes';
import type { PaymentRow } from '../store/tables';
import { step } from '../telemetry/tracing/scope';
import type { Rails } from './context';
import { scheduleNameOf } from './uncertainty';
import { operationOf } from './rail';

/** The timeout of the check whether a workflow has started. */
const checkTimeoutMs = 2_000;
/** A lost signal does no harm: the sweeper repeats it. */
const signalTimeoutMs = 5_000;
/**
 * gRPC codes: no activity waits for a retry (not found, or not in such a state), or the server does not support this.
 */
const nothingToRetry: ReadonlySet<number> = new Set([5, 3, 9, 12]);

/** The workflows of payments, for the API and the operators' tools. */
export interface Engine {
  /**
   * Starts a payment's workflow, or joins the running one, and waits for the first answer.
   * @returns 'late' when there was none in time: the payment continues.
   * @throws the connection's error when Temporal cannot be reached.
   */
  start(payment: PaymentRow): Promise<SubmissionAnswer | 'late'>;
  /**
   * Signals the workflow to check its payment now, and starts it again when it has ended or was lost
   * (signal-with-start).
   */
  signalOrStart(payment: PaymentRow, source: SignalSource): Promise<void>;
  /** As `wake`, for a workflow that is probably running. @returns false when it is not, and needs `wake`. */
  signalRunning(workflowId: string, source: SignalSource): Promise<boolean>;
  /**
   * Retries a waiting submission now, for example when it may be sent again.
   * @returns false where none waits: it is being tried now, or the server's version does not support this.
   */
  retryNow(payment: PaymentRow): Promise<boolean>;
  /** Asks the workflow of a queued disbursement to cancel it. Call `wake` first. */
  cancel(payment: PaymentRow): Promise<Cancellation>;
  /** Polls the provider now, and waits until the result is booked. */
  checkNow(payment: PaymentRow, source?: SignalSource): Promise<CheckedNow>;
  /** Sandbox: advances the open timers of a running workflow. */
  advance(payment: PaymentRow, ms: number): Promise<void>;
}

export interface EngineSettings {
  taskQueue: string;
  environment: Environment;
  /** How long a caller waits for the answer. */
  creationTimeoutMs: number;
  /**
   * Receives how long a worker has waited for the provider's first answer, in milliseconds; undefined where the
   * answer did not include it, or the caller stopped waiting first.
   */
  observeProvider?: (ms: number | undefined) => void;
  /** The merchant's name as Temporal may show it; undefined where it cannot be read now. */
  merchantName?: (merchantId: string) => Promise<string | undefined>;
  /** The address of the portal, where there is one. */
  portalUrl?: string;
  /** Whether its row already says that it is on hold. */
  isOnHold?: (payment: PaymentRow) => boolean;
}

/** What Temporal shows of a payment from its start on. Nothing of it is a secret or a customer's. */
function staticDetailsOf(
  { rail, kind, amount, merchant, reference, provider, schedule, portal }: PaymentCommand,
  merchantId: string,
): string {
  return [
    `**${kind} of ${amount}** on rail \`${rail}\`, through ${provider}${portal === undefined ? '' : `. [Payment in the portal](${portal}), also after this history is deleted`}`,
    '',
    `- Merchant: ${merchant} (\`${merchantId}\`)`,
    `- Reference: \`${reference}\``,
    `- Poll schedule: ${schedule}`,
  ].join('\n');
}

/** The status of an open workflow that has no news: operators do not search for steps of a few milliseconds. */
function shownStatus(state: PaymentState): PaymentState {
  return state === 'received' || state === 'initiating' ? 'pending' : state;
}

export function createEngine(
  client: Client,
  rails: Rails,
  {
    taskQueue,
    environment,
    creationTimeoutMs,
    observeProvider,
    merchantName,
    portalUrl,
    isOnHold,
  }: EngineSettings,
): Engine {
  async function startOptions(payment: PaymentRow) {
    const rail = rails.get(payment.rail);
    const operation = operationOf(rail, payment);
    const { payment_id: reference, kind, provider, merchant_id: merchantId, currency } = payment;
    const merchant = (await merchantName?.(merchantId)) ?? merchantId;
    const amount = `${currency} ${formatAmount(BigInt(payment.requested_minor), currency)}`;
    const command: PaymentCommand = {
      ...{ rail: payment.rail, kind, amount, merchant, reference },
      provider: rail.wallets?.provider === provider ? rail.wallets.title : provider,
      schedule: scheduleNameOf(operation),
      flow: operation.flow,
      ...(portalUrl !== undefined && { portal: `${portalUrl}/m/${merchantId}/payments/${reference}` }),
      ...(environment === 'live' && { fixedClock: true }),
    };
    return {
      type: operation.workflowType,
      options: {
        workflowId: payment.workflow_id,
        taskQueue,
        args: [command] as [PaymentCommand],
        staticSummary: `${payment.rail} ${kind}, ${amount}, ${merchant}`,
        staticDetails: staticDetailsOf(command, merchantId),
        typedSearchAttributes: new TypedSearchAttributes([
          { key: searchAttributes.merchant, value: merchantId },
          { key: searchAttributes.rail, value: payment.rail },
          { key: searchAttributes.kind, value: kind },
          { key: searchAttributes.provider, value: provider },
          { key: searchAttributes.status, value: shownStatus(payment.state) },
          { key: searchAttributes.reference, value: reference },
          { key: searchAttributes.onHold, value: isOnHold?.(payment) === true },
          { key: searchAttributes.openCase, value: false },
        ]),
      },
    };
  }

  /** @param reuse whether a payment's ended workflow is started again. */
  async function startOf(payment: PaymentRow, reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE') {
    const { type, options } = await startOptions(payment);
    return new WithStartWorkflowOperation<Workflow>(type, {
      ...options,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: reuse,
    });
  }

  /**
   * @throws when Temporal cannot be reached, or has no such workflow: then the result is not late, and nothing was
   *   started.
   */
  async function assertBegun({ workflow_id: workflowId }: PaymentRow): Promise<void> {
    await client.withDeadline(Date.now() + checkTimeoutMs, () =>
      client.workflow.getHandle(workflowId).describe(),
    );
  }

  return {
    async start(payment) {
      const startWorkflowOperation = await startOf(payment, 'REJECT_DUPLICATE');
      const late = () => {
        observeProvider?.(undefined);
        return 'late' as const;
      };
      try {
        const answer = await client.withDeadline(Date.now() + creationTimeoutMs, () =>
          client.workflow.executeUpdateWithStart<Workflow, SubmissionAnswer, []>(names.submissionResult, {
            updateId: names.submissionResult,
            startWorkflowOperation,
          }),
        );
        observeProvider?.(answer.providerMs ?? 0);
        return answer;
      } catch (error) {
        if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
          await assertBegun(payment);
          return late();
        }
        // The run has ended already: its decision is in the database.
        if (error instanceof WorkflowExecutionAlreadyStartedError) return late();
        throw error;
      }
    },

    async signalOrStart(payment, source) {
      const { type, options } = await startOptions(payment);
      await client.withDeadline(Date.now() + signalTimeoutMs, () =>
        client.workflow.signalWithStart(type, {
          ...options,
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          signal: source,
          signalArgs: [],
        }),
      );
    },

    async signalRunning(workflowId, source) {
      try {
        await client.withDeadline(Date.now() + signalTimeoutMs, () =>
          client.workflow.getHandle(workflowId).signal(source),
        );
        return true;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },

    async retryNow({ workflow_id: workflowId }) {
      const { namespace, identity } = client.options;
      const type = 'submitToProvider' satisfies keyof Activities;
      try {
        await client.withDeadline(Date.now() + signalTimeoutMs, () =>
          client.workflowService.resetActivity({ namespace, identity, execution: { workflowId }, type }),
        );
        return true;
      } catch (error) {
        if (isGrpcServiceError(error) && nothingToRetry.has(error.code)) return false;
        throw error;
      }
    },

    async cancel(payment) {
      observeProvider?.(undefined);
      return client.withDeadline(Date.now() + creationTimeoutMs, () =>
        updated(() =>
          client.workflow.getHandle(payment.workflow_id).executeUpdate<Cancellation, []>(names.cancel),
        ),
      );
    },

    async checkNow(payment, source = 'merchant') {
      // In one call: the workflow of an ended payment is started again, and ends soon.
      const startWorkflowOperation = await startOf(payment, 'ALLOW_DUPLICATE');
      return client.withDeadline(Date.now() + creationTimeoutMs, () =>
        client.workflow.executeUpdateWithStart<Workflow, CheckedNow, [SignalSource]>(names.check, {
          args: [source],
          startWorkflowOperation,
        }),
      );
    },

    async advance(payment, ms) {
      if (environment === 'live') throw new Error('the time cannot be moved in live');
      const workflow = client.workflow.getHandle(payment.workflow_id);
      // Waits for the first answer. Otherwise the workflow would date it after the advance, and start its timers from
      // there.
      if (payment.accepted_at !== null)
        await workflow.executeUpdate<SubmissionAnswer, []>(names.submissionResult);
      await updated(() => workflow.executeUpdate(names.advance, { args: [ms] }));
    },
  };
}

/** gRPC's code of such a failure: a failed precondition. */
const taskFailure: ReadonlySet<number> = new Set([9]);
/** Tries of an update whose workflow task failed. */
const updateTriesMax = 5;

/**
 * Repeats an update whose workflow task failed, for example because a signal came at the same moment: nothing of the
 * update has happened then.
 */
export async function updated<T>(update: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await update();
    } catch (error) {
      const { cause } = error as Error;
      const isTaskFailed =
        isGrpcServiceError(cause) &&
        taskFailure.has(cause.code) &&
        cause.details.includes('workflow task failure');
      if (!isTaskFailed || tries >= updateTriesMax) throw error;
      await delay(100 * tries);
    }
  }
}

/** The same engine, with each call as a step of its payment's trace. */
export function tracedEngine(engine: Engine): Engine {
  const asked = <T>(call: string, work: () => Promise<T>, payment?: PaymentRow): Promise<T> =>
    step(
      {
        name: `engine ${call}`,
        kind: 'client',
        attributes: { 'malipo.peer': 'engine', 'malipo.call': call, 'malipo.rail': payment?.rail },
        ...(payment && { paymentId: payment.payment_id }),
      },
      work,
    );
  return {
    ...engine,
    start: (payment) => asked('start', () => engine.start(payment), payment),
    signalOrStart: (payment, source) => asked('signal', () => engine.signalOrStart(payment, source), payment),
    signalRunning: (workflowId, source) => asked('signal', () => engine.signalRunning(workflowId, source)),
    retryNow: (payment) => asked('retry', () => engine.retryNow(payment), payment),
    cancel: (payment) => asked('cancel', () => engine.cancel(payment), payment),
    checkNow: (payment, source) => asked('check', () => engine.checkNow(payment, source), payment),
  };
}
