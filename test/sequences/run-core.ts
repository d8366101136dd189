import fc from 'fast-check';
import { anyEvent, anyRail, anyTerms, liveLong } from './core';

export interface CoreOptions {
  runs: number;
  /** Events in one sequence. */
  length: number;
  seed?: number | undefined;
}

/** @throws with the smallest sequence that breaks a promise, and the seed that finds it again. */
export function runCoreSequences({ runs, length, seed }: CoreOptions): { events: number; states: string[] } {
  const states = new Set<string>();
  let lived = 0;
  const events = fc.array(anyEvent, { minLength: length, maxLength: length, size: 'max' });
  fc.assert(
    fc.property(anyRail, anyTerms, events, (rail, terms, all) => {
      states.add(liveLong(rail, terms, all));
      lived += all.length;
    }),
    { numRuns: runs, ...(seed !== undefined && { seed }) },
  );
  return { events: lived, states: [...states].sort() };
}
