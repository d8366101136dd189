/** What strikes, by the seed alone. */
import { faults, type Fault } from './faults';
import { chanceOf, type Chance } from './random';

export interface PlannedFault {
  fault: Fault;
  /** After the one before had its place. */
  pauseMs: number;
  lastsMs: number;
  /** What else is left to chance in it. */
  chance: Chance;
}

/** Seeds beside each other have nothing in common. */
const spread = 65_537;

/** Each fault has a chance of its own: whatever became of those before, it is the same each time. */
export function plannedFault(seed: number, n: number): PlannedFault {
  const chance = chanceOf(Math.imul(seed, spread) + n);
  const fault = chance.weighted(faults);
  return { fault, pauseMs: chance.between(100, 900), lastsMs: chance.between(...fault.lasts), chance };
}
