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
  type AcceptanceAnswer,
  type Activities,
  type Cancellation,
  type PaymentCommand,
} from '../domain/commands';
import { formatAmount } from '../domain/money';
import { searchAttributes } from '../domain/search-attributes';
import type { PaymentRow } from '../store/tables';
import { step } from '../telemetry/tracing/scope';
import type { Rails } from './context';
import { policyOf } from './uncertainty';
import { operationOf } from './rail';

/** The timeout of the check whether a workflow has started. */
const lookTimeoutMs = 2_000;
/** A lost signal does no harm: the sweeper repeats it. */
const nudgeTimeoutMs = 5_000;
/**
 * gRPC codes: no activity waits for a retry (not found, or not in such a state), or the server does not support this.
 */
const nothingToHasten: ReadonlySet<number> = new Set([5, 3, 9, 12]);

/** The workflows of payments, for the API and the operators' tools. */
export interface Engine {
  /**
   * Starts a payment's workflow, or joins the running one, and waits for the first answer.
   * @returns 'late' when there was none in time: the payment continues.
   * @throws the connection's error when Temporal cannot be reached.
   */
  start(payment: PaymentRow): Promise<AcceptanceAnswer | 'late'>;
  /**
   * Signals the workflow to check its payment now, and starts it again when it has ended or was lost
   * (signal-with-start).
   */
  wake(payment: PaymentRow): Promise<void>;
  /** As `wake`, for a workflow that is probably running. @returns false when it is not, and needs `wake`. */
  nudge(workflowId: string): Promise<boolean>;
  /**
   * Retries a waiting submission now, for example when it may be sent again.
   * @returns false where none waits: it is being tried now, or the server's version does not support this.
   */
  hasten(payment: PaymentRow): Promise<boolean>;
  /** Asks the workflow of a queued disbursement to cancel it. Call `wake` first. */
  cancel(payment: PaymentRow): Promise<Cancellation>;
  /** Polls the provider now, and waits until the result is booked. */
  checkNow(payment: PaymentRow): Promise<void>;
  /** Sandbox: advances the open timers of a running workflow. */
  advance(payment: PaymentRow, ms: number): Promise<void>;
}

export interface EngineSettings {
  taskQueue: string;
  environment: Environment;
  /** How long a caller waits for the answer. */
  acceptanceTimeoutMs: number;
  /**
   * Receives how long a worker has waited for the provider's first answer, in milliseconds; undefined where the
   * answer did not include it, or the caller stopped waiting first.
   */
  observeProvider?: (ms: number | undefined) => void;
}

export function createEngine(
  client: Client,
  rails: Rails,
  { taskQueue, environment, acceptanceTimeoutMs, observeProvider }: EngineSettings,
): Engine {
  function startOptions(payment: PaymentRow) {
    const operation = operationOf(rails.get(payment.rail), payment);
    // Rows keep the late checks of paid payments (see payments/recovery/late-checks.ts): the workflow ends with its
    // last webhook.
    const { afterSuccessChecksMs: _, ...policy } = policyOf(operation);
    const command: PaymentCommand = {
      paymentId: payment.payment_id,
      rail: payment.rail,
      flow: operation.flow,
      policy,
      ...(environment === 'live' && { fixedClock: true }),
    };
    return {
      type: operation.workflowType,
      options: {
        workflowId: payment.workflow_id,
        taskQueue,
        args: [command] as [PaymentCommand],
        staticSummary: `${operation.workflowType} ${payment.currency} ${formatAmount(BigInt(payment.requested_minor), payment.currency)}`,
        typedSearchAttributes: new TypedSearchAttributes([
          { key: searchAttributes.merchant, value: payment.merchant_id },
          { key: searchAttributes.rail, value: payment.rail },
          { key: searchAttributes.status, value: payment.state },
          { key: searchAttributes.reference, value: payment.payment_id },
        ]),
      },
    };
  }

  /** @param reuse whether a payment's ended workflow is started again. */
  function startOf(payment: PaymentRow, reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE') {
    const { type, options } = startOptions(payment);
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
    await client.withDeadline(Date.now() + lookTimeoutMs, () =>
      client.workflow.getHandle(workflowId).describe(),
    );
  }

  return {
    async start(payment) {
      const startWorkflowOperation = startOf(payment, 'REJECT_DUPLICATE');
      const late = () => {
        observeProvider?.(undefined);
        return 'late' as const;
      };
      try {
        const answer = await client.withDeadline(Date.now() + acceptanceTimeoutMs, () =>
          client.workflow.executeUpdateWithStart<Workflow, AcceptanceAnswer, []>(names.acceptance, {
            updateId: names.acceptance,
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

    async wake(payment) {
      const { type, options } = startOptions(payment);
      await client.withDeadline(Date.now() + nudgeTimeoutMs, () =>
        client.workflow.signalWithStart(type, {
          ...options,
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          signal: names.outcomeReported,
          signalArgs: [],
        }),
      );
    },

    async nudge(workflowId) {
      try {
        await client.withDeadline(Date.now() + nudgeTimeoutMs, () =>
          client.workflow.getHandle(workflowId).signal(names.outcomeReported),
        );
        return true;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },

    async hasten({ workflow_id: workflowId }) {
      const { namespace, identity } = client.options;
      const type = 'initiate' satisfies keyof Activities;
      try {
        await client.withDeadline(Date.now() + nudgeTimeoutMs, () =>
          client.workflowService.resetActivity({ namespace, identity, execution: { workflowId }, type }),
        );
        return true;
      } catch (error) {
        if (isGrpcServiceError(error) && nothingToHasten.has(error.code)) return false;
        throw error;
      }
    },

    async cancel(payment) {
      observeProvider?.(undefined);
      return client.withDeadline(Date.now() + acceptanceTimeoutMs, () =>
        client.workflow.getHandle(payment.workflow_id).executeUpdate<Cancellation, []>(names.cancel),
      );
    },

    async checkNow(payment) {
      // In one call: the workflow of an ended payment is started again, and ends soon.
      const startWorkflowOperation = startOf(payment, 'ALLOW_DUPLICATE');
      await client.withDeadline(Date.now() + acceptanceTimeoutMs, () =>
        client.workflow.executeUpdateWithStart(names.check, { startWorkflowOperation }),
      );
    },

    async advance(payment, ms) {
      if (environment === 'live') throw new Error('time moves by itself in live');
      const workflow = client.workflow.getHandle(payment.workflow_id);
      // Waits for the first answer. Otherwise the workflow would date it after the advance, and start its timers from
      // there.
      if (payment.accepted_at !== null) await workflow.executeUpdate<AcceptanceAnswer, []>(names.acceptance);
      await workflow.executeUpdate(names.advance, { args: [ms] });
    },
  };
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
    wake: (payment) => asked('wake', () => engine.wake(payment), payment),
    nudge: (workflowId) => asked('nudge', () => engine.nudge(workflowId)),
    hasten: (payment) => asked('hasten', () => engine.hasten(payment), payment),
    cancel: (payment) => asked('cancel', () => engine.cancel(payment), payment),
    checkNow: (payment) => asked('check', () => engine.checkNow(payment), payment),
  };
}
