/** What happens to a payment after it was accepted: steps, each at its virtual time. */
import { randomUUID } from 'node:crypto';
import type { Schedule } from './schedule';

export interface TimedStep {
  /** Counted from the planning of the steps. */
  afterMs: number;
}

export interface Steps<S extends TimedStep> {
  plan(id: string, from: number, steps: readonly S[]): void;
}

interface StepJob<S> {
  id: string;
  step: S;
}

/**
 * Steps of one payment keep their order, and future ones survive a restart.
 * @param kind starts with the provider's name and a dot
 */
export function openSteps<S extends TimedStep>(
  schedule: Schedule,
  kind: string,
  perform: (id: string, step: S) => void | Promise<void>,
): Steps<S> {
  schedule.on(kind, (data) => {
    const { id, step } = data as StepJob<S>;
    return perform(id, step);
  });
  return {
    plan(id, from, steps) {
      for (const step of steps) {
        schedule.add({
          // Two plans for one payment may be made in the same millisecond.
          id: `${kind}:${id}:${randomUUID()}`,
          kind,
          dueAt: from + step.afterMs,
          bulkhead: id,
          data: { id, step } satisfies StepJob<S>,
        });
      }
    },
  };
}

/**
 * Two parts of the steps: those up to the first that fits, and those after it; without one that fits, the first part is
 * empty.
 */
export function splitAfter<S>(steps: readonly S[], fits: (step: S) => boolean): [S[], S[]] {
  const end = steps.findIndex(fits) + 1;
  return [steps.slice(0, end), steps.slice(end)];
}
