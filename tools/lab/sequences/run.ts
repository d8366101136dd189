/** Runs sequences, each in a transaction that is rolled back: all of them begin in the same state. */
import fc from 'fast-check';
import type { Database } from '../../../src/store/database';
import { live } from './live';
import { anyStep, type Step } from './operations';
import { inside, type World } from './world';

export interface SequencesOptions {
  runs: number;
  /** The most steps of one sequence. */
  length: number;
  seed?: number | undefined;
  /** Called after each sequence with the number of finished ones. */
  onDone?(done: number): void;
}

export interface Sequences {
  steps: number;
  refused: number;
  states: string[];
}

class TakenBack extends Error {}

/** @throws with the smallest sequence that violates an invariant, and its seed. */
export async function runSequences(
  db: Database,
  world: World,
  { runs, length, seed, onDone }: SequencesOptions,
): Promise<Sequences> {
  const all = { steps: 0, refused: 0, states: new Set<string>() };
  let done = 0;
  const lives = async (steps: Step[]): Promise<void> => {
    const living = db.transaction(async (trx) => {
      const { refused, states } = await live(inside(world, trx), steps);
      all.steps += steps.length;
      all.refused += refused;
      for (const state of states) all.states.add(state);
      throw new TakenBack();
    });
    await living.catch((error: unknown) => {
      if (!(error instanceof TakenBack)) throw error;
    });
    done += 1;
    onDone?.(done);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: Math.ceil(length / 2), maxLength: length }), lives),
    { numRuns: runs, ...(seed !== undefined && { seed }) },
  );
  return { ...all, states: [...all.states].sort() };
}
