/** Counts the boundaries of operations by running each once, and tries them all, on several lanes at once. */
import type { Operation } from '../operations/operation';
import type { Lane, Victim } from './lane';
import { lanePool } from './lane-pool';
import { nameOf, tryPoint, type Point, type Trial } from './trial';

export interface Tried {
  point: Point;
  /** How often it was tried until the process came by and was ended. */
  tries: number;
  trial: Trial;
}

export interface RunOptions {
  operations: readonly Operation[];
  lanes: number;
  /** One that is tried whether or not it was passed without an interruption. */
  named?: Point | undefined;
  /** Of all points, those that are tried. */
  chosen?(point: Point): boolean;
  /** After which no further point is begun, in milliseconds. */
  msMax?: number;
  say(line: string): void;
  onTried?(tried: Tried): void;
}

export interface Run {
  points: Point[];
  tried: Tried[];
  /** Operations that went wrong without any interruption, and how. */
  broken: string[];
}

/** A callback may overtake an answer, and then what comes afterwards is called by another number. */
const triesMax = 3;

/** Each trial looks at the books and journals of all that came before it on its lane. */
const trialsPerLane = 60;

export async function runCrashPoints(options: RunOptions): Promise<Run> {
  const { operations, say, named, onTried, chosen = () => true, msMax = Infinity } = options;
  const pool = await lanePool(Math.min(options.lanes, Math.max(1, operations.length * 8)));
  try {
    const broken: string[] = [];
    const found = await pool.map([...operations], async (lane, operation, replace) => {
      try {
        // The first of its kind fetches tokens and opens accounts; all others find them.
        await uninterrupted(lane, operation);
        const { points, ends } = await pointsOf(lane, operation);
        say(`${operation.name}: ${points.length} points; uninterrupted: ${ends.join(', ') || 'done'}`);
        return points;
      } catch (error) {
        broken.push(`${operation.name}: ${error instanceof Error ? error.message : String(error)}`);
        say(`✗ ${broken.at(-1) ?? ''}`);
        await replace();
        return [];
      }
    });
    const points = found.flat();
    const deadline = performance.now() + msMax;
    const trialsOn = new Map<Lane, number>();
    const wanted = named ? [named] : roundRobin(points.filter(chosen));
    const tried = await pool.map(wanted, async (lane, point, replace) => {
      if (performance.now() > deadline) return [];
      const result = await tryUntilHit(lane, operationOf(operations, point), point);
      say(lineOf(result));
      onTried?.(result);
      const trials = (trialsOn.get(lane) ?? 0) + result.tries;
      trialsOn.set(lane, trials);
      if (result.trial.faults.length > 0 || trials >= trialsPerLane) await replace();
      return [result];
    });
    return { points, tried: tried.flat(), broken };
  } finally {
    await pool.stop();
  }
}

/** One of each process of each operation, then the next of each: a run that is cut short has tried something of all. */
function roundRobin(points: Point[]): Point[] {
  const places = new Map<string, number>();
  const placed = points.map((point) => {
    const key = `${point.operation}/${point.victim}`;
    const place = places.get(key) ?? 0;
    places.set(key, place + 1);
    return { point, place };
  });
  return placed.sort((one, other) => one.place - other.place).map(({ point }) => point);
}

function operationOf(operations: readonly Operation[], { operation: name }: Point): Operation {
  const operation = operations.find((each) => each.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  return operation;
}

async function tryUntilHit(lane: Lane, operation: Operation, point: Point): Promise<Tried> {
  for (let tries = 1; ; tries += 1) {
    const trial = await tryPoint(lane, operation, point).catch(notCarriedOut);
    if (trial.killed || trial.faults.length > 0 || tries === triesMax) return { point, tries, trial };
  }
}

/** What comes before the interruption went wrong, or the lane did: one point less, and not the end of all others. */
const notCarriedOut = (error: unknown): Trial => ({
  crossings: {},
  killed: false,
  faults: [`could not be tried: ${error instanceof Error ? error.message : String(error)}`],
  ends: [],
  ms: 0,
});

/** @throws where something is wrong without any interruption. */
async function uninterrupted(lane: Lane, operation: Operation): Promise<Trial> {
  const trial = await tryPoint(lane, operation);
  if (trial.faults.length > 0) throw new Error(trial.faults.join('; '));
  return trial;
}

/** Boundaries of transactions that wrote nothing are none. */
async function pointsOf(lane: Lane, operation: Operation): Promise<{ points: Point[]; ends: string[] }> {
  const { crossings, ends } = await uninterrupted(lane, operation);
  const points = Object.entries(crossings).flatMap(([victim, passed]) => {
    const crossed = new Map(passed.map(({ point, what }) => [point, what]));
    return [...crossed]
      .filter(([point]) => !/transaction-\d+\.begin$/.test(point) || crossed.has(commitOf(point)))
      .map(([boundary, what = crossed.get(commitOf(boundary))]) => ({
        operation: operation.name,
        victim: victim as Victim,
        boundary,
        ...(what !== undefined && { what }),
      }));
  });
  return { points, ends };
}

const commitOf = (begin: string): string => begin.replace(/begin$/, 'commit');

function lineOf({ point, tries, trial: { killed, faults, ends, ms } }: Tried): string {
  const name = nameOf(point);
  const seconds = `${(ms / 1_000).toFixed(1)} s`;
  if (faults.length > 0)
    return [`✗ ${name} (${seconds})`, ...faults, `alone: npm run crash-points -- --only '${name}'`].join(
      '\n    ',
    );
  if (!killed) return `- ${name}: not passed in ${tries} runs`;
  return `✓ ${name} (${seconds}): ${ends.join(', ')}`;
}
