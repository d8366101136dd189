/** The tried points, one line of JSON each, so that a long run can be done in parts, and continue later. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Tried } from './run';
import { nameOf, type Point } from './trial';

export interface Results {
  /** The earlier runs' results in the file. */
  before: readonly Tried[];
  /** A point with a violation is tried again; any other is done. */
  isDone(point: Point): boolean;
  add(tried: Tried): void;
}

/** @param file of the results; without one nothing is stored. @throws SyntaxError for an invalid line. */
export function resultsIn(file: string | undefined): Results {
  const before = file !== undefined && existsSync(file) ? lastOfEach(linesOf(file)) : [];
  const done = new Set(
    before.filter(({ trial }) => trial.faults.length === 0).map(({ point }) => nameOf(point)),
  );
  return {
    before,
    isDone: (point) => done.has(nameOf(point)),
    add({ point, tries, trial: { killed, faults, ends, ms } }) {
      if (file === undefined) return;
      appendFileSync(file, `${JSON.stringify({ point, tries, trial: { killed, faults, ends, ms } })}\n`);
    },
  };
}

/** Earlier runs and this one; for a point that was tried twice, the later result counts. */
export const together = (before: readonly Tried[], now: readonly Tried[]): Tried[] =>
  lastOfEach([...before, ...now]);

const linesOf = (file: string): Tried[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Tried);

const lastOfEach = (tried: readonly Tried[]): Tried[] => [
  ...new Map(tried.map((one) => [nameOf(one.point), one])).values(),
];

/** The part of a point: by its name alone, so that the parts are the same in each run. */
export function partOf(point: Point, parts: number): number {
  // FNV-1a, of 32 bits.
  let hash = 0x811c9dc5;
  for (const char of nameOf(point)) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return 1 + (hash % parts);
}
