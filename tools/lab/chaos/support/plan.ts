/** The faults, decided by the seed alone. */
import { faults, type Fault } from './faults';
import { chanceOf, type Chance } from './random';

export interface PlannedFault {
  fault: Fault;
  /** After the previous one was applied. */
  pauseMs: number;
  lastsMs: number;
  /** Further random decisions of it. */
  chance: Chance;
}

/** Neighbouring seeds have nothing in common. */
const spread = 65_537;

/** Each fault has its own random generator: it is the same each time, whatever happened to earlier ones. */
export function plannedFault(seed: number, n: number): PlannedFault {
  const chance = chanceOf(Math.imul(seed, spread) + n);
  const fault = chance.weighted(faults);
  return { fault, pauseMs: chance.between(100, 900), lastsMs: chance.between(...fault.lasts), chance };
}
