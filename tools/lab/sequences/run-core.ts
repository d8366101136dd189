import fc from 'fast-check';
import { anyRail, liveInMemory, type Lived, type Rail } from './core';
import { anyStep, type Step } from './operations';

export interface CoreOptions {
  runs: number;
  /** Steps of one sequence. */
  length: number;
  seed?: number | undefined;
}

export interface CoreSequences {
  steps: number;
  refused: number;
  states: string[];
}

/** @throws with the smallest sequence that violates an invariant, and its seed. */
export function runCoreSequences({ runs, length, seed }: CoreOptions): CoreSequences {
  const states = new Set<string>();
  const all = { steps: 0, refused: 0 };
  const sequences = fc.array(anyStep, { minLength: length, maxLength: length, size: 'max' });
  fc.assert(
    fc.property(anyRail, sequences, (rail, steps) => {
      const lived = liveOrReport(rail, steps);
      all.steps += steps.length;
      all.refused += lived.refused;
      for (const state of lived.states) states.add(state);
    }),
    // All have the same length, which fast-check's own shrinking would keep.
    { numRuns: runs, endOnFailure: true, ...(seed !== undefined && { seed }) },
  );
  return { ...all, states: [...states].sort() };
}

/** @throws with as few of the steps as still fail. */
function liveOrReport(rail: Rail, steps: readonly Step[]): Lived {
  try {
    return liveInMemory(rail, steps);
  } catch (error) {
    const fewest = shortened(steps, (fewer) => breaks(rail, fewer));
    const shown = JSON.stringify({ rail, steps: fewest }, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    throw new Error(`${error instanceof Error ? error.message : String(error)}; by ${shown}`, {
      cause: error,
    });
  }
}

function breaks(rail: Rail, steps: readonly Step[]): boolean {
  try {
    liveInMemory(rail, steps);
    return false;
  } catch {
    return true;
  }
}

/** Removes ever smaller parts while the rest still fails. */
function shortened<T>(all: readonly T[], isBad: (some: readonly T[]) => boolean): readonly T[] {
  let left = all;
  for (let size = Math.ceil(all.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < left.length;) {
      const fewer = [...left.slice(0, at), ...left.slice(at + size)];
      if (isBad(fewer)) left = fewer;
      else at += size;
    }
  return left;
}
