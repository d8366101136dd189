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

/** How long a look at whether a workflow has begun may take. */
const lookTimeoutMs = 2_000;
/** A nudge is only a hint, and the sweeper repeats it. */
const nudgeTimeoutMs = 5_000;
/** gRPC: nothing of it waits for a try (not found, or not in such a state); the server cannot do this. */
const nothingToHasten: ReadonlySet<number> = new Set([5, 3, 9, 12]);

/** The workflows of payments, as the API and the operators' tools use them. */
export interface Engine {
  /**
   * Starts a payment's workflow, or joins the one that runs, and waits for the acceptance.
   * @returns 'late' when it was not known in time: the payment goes on.
   * @throws whatever the connection throws when the engine cannot be reached.
   */
  start(payment: PaymentRow): Promise<AcceptanceAnswer | 'late'>;
  /** Makes the workflow look at its payment now, beginning it anew when it has ended or was lost. */
  wake(payment: PaymentRow): Promise<void>;
  /** As `wake`, for a workflow that most likely runs. @returns false when it does not, and has to be woken. */
  nudge(workflowId: string): Promise<boolean>;
  /**
   * Has an instruction that waits for its next try be tried now, as where it may be sent from now on.
   * @returns false where none waits: it is being tried just now, or the engine is of a version that cannot do this.
   */
  hasten(payment: PaymentRow): Promise<boolean>;
  /** Asks the workflow of a queued disbursement, which must have been woken, to cancel it. */
  cancel(payment: PaymentRow): Promise<Cancellation>;
  /** Has the provider asked now, and waits until what it said is booked. */
  checkNow(payment: PaymentRow): Promise<void>;
  /** Sandbox: moves the open timers of a running workflow forward. */
  advance(payment: PaymentRow, ms: number): Promise<void>;
}

export interface EngineSettings {
  taskQueue: string;
  environment: Environment;
  /** How long an answer is waited for. */
  acceptanceTimeoutMs: number;
  /**
   * Told how long a worker has waited for the provider whose answer is an acceptance, in milliseconds; undefined where
   * it did not say, or has not been waited for until it could.
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
    // What was paid is looked at later by rows (see payments/recovery/late-checks.ts): its workflow ends with its last webhook.
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

  /** @param reuse whether the workflow of a payment is begun anew when it has ended. */
  function startOf(payment: PaymentRow, reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE') {
    const { type, options } = startOptions(payment);
    return new WithStartWorkflowOperation<Workflow>(type, {
      ...options,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: reuse,
    });
  }

  /** @throws when the engine cannot be reached, or has no such workflow: then nothing is late, nothing was started. */
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
        // The run has ended already: whatever it decided is in the database.
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
      // In one call: the workflow of what has ended is begun anew, and soon over.
      const startWorkflowOperation = startOf(payment, 'ALLOW_DUPLICATE');
      await client.withDeadline(Date.now() + acceptanceTimeoutMs, () =>
        client.workflow.executeUpdateWithStart(names.check, { startWorkflowOperation }),
      );
    },

    async advance(payment, ms) {
      if (environment === 'live') throw new Error('time moves by itself in live');
      const workflow = client.workflow.getHandle(payment.workflow_id);
      // What the workflow has yet to hear would be as of after the move, and all that it then waits for.
      if (payment.accepted_at !== null) await workflow.executeUpdate<AcceptanceAnswer, []>(names.acceptance);
      await workflow.executeUpdate(names.advance, { args: [ms] });
    },
  };
}

/** The same engine, each call of which is a step of its payment's trace. */
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
