/** Counts the boundaries of operations by running each once, and tries them all, on several lanes at once. */
import type { Operation } from '../operations/operation';
import { startLane, type Lane, type Victim } from './lane';
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
  /** Of all points, those that are tried. */
  chosen?(point: Point): boolean;
  /** After which no further point is begun, in milliseconds. */
  msMax?: number;
  say(line: string): void;
}

export interface Run {
  points: Point[];
  tried: Tried[];
  /** Operations that went wrong without any interruption, and how. */
  broken: string[];
}

/** A callback may overtake an answer, and then what comes afterwards is called by another number. */
const triesMax = 3;

export async function runCrashPoints(options: RunOptions): Promise<Run> {
  const { operations, say, chosen = () => true, msMax = Infinity } = options;
  const pool = await lanePool(Math.min(options.lanes, Math.max(1, operations.length * 8)));
  try {
    const broken: string[] = [];
    const found = await pool.map([...operations], async (lane, operation, replace) => {
      try {
        // The first of its kind fetches tokens and opens accounts; all others find them.
        await tryPoint(lane, operation);
        const points = await pointsOf(lane, operation);
        say(`${operation.name}: ${points.length} points`);
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
    const wanted = roundRobin(points.filter(chosen));
    const tried = await pool.map(wanted, async (lane, point, replace) => {
      if (performance.now() > deadline) return [];
      const result = await tryUntilHit(lane, operationOf(operations, point), point);
      say(lineOf(result));
      if (result.trial.faults.length > 0) await replace();
      return [result];
    });
    return { points, tried: tried.flat(), broken };
  } finally {
    await pool.stop();
  }
}

/** One of each operation, then the next of each: a run that is cut short has tried something of all. */
function roundRobin(points: Point[]): Point[] {
  const places = new Map<string, number>();
  const placed = points.map((point) => {
    const place = places.get(point.operation) ?? 0;
    places.set(point.operation, place + 1);
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
    const trial = await tryPoint(lane, operation, point);
    if (trial.killed || trial.faults.length > 0 || tries === triesMax) return { point, tries, trial };
  }
}

/** Boundaries of transactions that wrote nothing are none. */
async function pointsOf(lane: Lane, operation: Operation): Promise<Point[]> {
  const trial = await tryPoint(lane, operation);
  if (trial.faults.length > 0) throw new Error(trial.faults.join('; '));
  return Object.entries(trial.crossings).flatMap(([victim, crossings]) => {
    const crossed = new Map(crossings.map(({ point, what }) => [point, what]));
    return [...crossed]
      .filter(([point]) => !/transaction-\d+\.begin$/.test(point) || crossed.has(commitOf(point)))
      .map(([boundary, what = crossed.get(commitOf(boundary))]) => ({
        operation: operation.name,
        victim: victim as Victim,
        boundary,
        ...(what !== undefined && { what }),
      }));
  });
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

interface LanePool {
  /** Does `work` for each, in their order, as lanes become free. */
  map<T, R>(
    items: T[],
    work: (lane: Lane, item: T, replace: () => Promise<void>) => Promise<R>,
  ): Promise<R[]>;
  stop(): Promise<void>;
}

async function lanePool(size: number): Promise<LanePool> {
  const lanes = await Promise.all(Array.from({ length: size }, () => startLane()));
  return {
    async map(items, work) {
      const results: Awaited<ReturnType<typeof work>>[] = [];
      let next = 0;
      const inLane = async (n: number): Promise<void> => {
        while (next < items.length) {
          const index = next;
          next += 1;
          results[index] = await work(lanes[n] as Lane, items[index] as (typeof items)[number], async () => {
            // Books in which something is wrong would be found wrong again and again.
            await lanes[n]?.stop();
            lanes[n] = await startLane();
          });
        }
      };
      await Promise.all(lanes.map((_, n) => inLane(n)));
      return results;
    },
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}
