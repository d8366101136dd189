import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Activities } from '../src/domain/commands';
import type { OpenStep, Scopes } from '../src/telemetry/tracing/scope';

interface Input {
  paymentId?: string;
  rail?: string;
}

/**
 * The same activities, each as a step of its payment's trace. Neither workflows nor Temporal's data contain any of
 * it, so replays are unchanged.
 * @param attempt the try of the activity that is running, from 1.
 */
export function traced(activities: Activities, scopes: Scopes, attempt: () => number): Activities {
  const entries = Object.entries(activities).map(([name, activity]) => [
    name,
    (input: Input) => run(scopes, { name, input, attempt: attempt() }, () => (activity as Activity)(input)),
  ]);
  return Object.fromEntries(entries) as Activities;
}

type Activity = (input: Input) => Promise<unknown>;

async function run(
  scopes: Scopes,
  { name, input: { paymentId, rail }, attempt }: { name: string; input: Input; attempt: number },
  activity: () => Promise<unknown>,
): Promise<unknown> {
  const attributes = { 'malipo.attempt': attempt, 'malipo.rail': rail };
  const step = { name, kind: 'internal', attributes, ...(paymentId !== undefined && { paymentId }) } as const;
  const ended = await scopes.run(step, async (open) => {
    try {
      return { result: await activity() };
    } catch (thrown) {
      if (!isNoFault(thrown)) throw thrown;
      noteOutcome(open, thrown);
      return { thrown };
    }
  });
  if ('thrown' in ended) throw ended.thrown;
  return ended.result;
}

/** It is retried, as activities/failures.ts decides. */
function isNoFault(thrown: unknown): thrown is ApplicationFailure {
  return thrown instanceof ApplicationFailure && thrown.category === ApplicationFailureCategory.BENIGN;
}

function noteOutcome(open: OpenStep, { type }: ApplicationFailure): void {
  open.note({ attributes: { 'malipo.outcome': type } });
}
