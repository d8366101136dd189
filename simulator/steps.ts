/** What happens to a payment after it was accepted: steps, each at its moment of virtual time. */
import type { Schedule } from './schedule';

export interface TimedStep {
  /** Counted from the moment the steps were planned for. */
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
 * Steps of one payment never overtake each other, and those not yet due survive a restart.
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
      for (const [index, step] of steps.entries()) {
        const dueAt = from + step.afterMs;
        schedule.add({
          id: `${kind}:${id}:${String(dueAt)}:${String(index)}`,
          kind,
          dueAt,
          lane: id,
          data: { id, step } satisfies StepJob<S>,
        });
      }
    },
  };
}

/** Two halves of the steps: up to and with the first that fits, and those after it; none fits, none comes first. */
export function splitAfter<S>(steps: readonly S[], fits: (step: S) => boolean): [S[], S[]] {
  const end = steps.findIndex(fits) + 1;
  return [steps.slice(0, end), steps.slice(end)];
}
