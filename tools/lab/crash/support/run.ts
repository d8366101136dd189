/** Counts the boundaries of operations by running each once, and tries them all, on several test rigs at once. */
import type { Operation } from '../operations/operation';
import type { TestRig, Victim } from './test-rig';
import { testRigPool } from './test-rig-pool';
import { nameOf, tryPoint, type Point, type Trial } from './trial';

export interface Tried {
  point: Point;
  /** How many attempts until the process passed the point and was ended. */
  tries: number;
  trial: Trial;
}

export interface RunOptions {
  operations: readonly Operation[];
  stacks: number;
  /** A point to try, whether or not it occurred without an interruption. */
  named?: Point | undefined;
  /** Selects the points to try. */
  chosen?(point: Point): boolean;
  /** After this time no further point is started, in milliseconds. */
  msMax?: number;
  say(line: string): void;
  onTried?(tried: Tried): void;
}

export interface Run {
  points: Point[];
  tried: Tried[];
  /** Operations that failed without any interruption, and how. */
  broken: string[];
}

/** A notification may come before an answer, and then later points have other numbers. */
const triesMax = 3;

/** Each trial checks the books and journals of all earlier ones on its test rig. */
const trialsPerRig = 60;

export async function runCrashPoints(options: RunOptions): Promise<Run> {
  const { operations, say, named, onTried, chosen = () => true, msMax = Infinity } = options;
  const pool = await testRigPool(Math.min(options.stacks, Math.max(1, operations.length * 8)));
  try {
    const broken: string[] = [];
    const found = await pool.map([...operations], async (rig, operation, replace) => {
      try {
        // The first of its kind fetches tokens and opens accounts; later ones find them.
        await uninterrupted(rig, operation);
        const { points, ends } = await pointsOf(rig, operation);
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
    const trialsOn = new Map<TestRig, number>();
    const wanted = named ? [named] : roundRobin(points.filter(chosen));
    const tried = await pool.map(wanted, async (rig, point, replace) => {
      if (performance.now() > deadline) return [];
      const result = await tryUntilHit(rig, operationOf(operations, point), point);
      say(lineOf(result));
      onTried?.(result);
      const trials = (trialsOn.get(rig) ?? 0) + result.tries;
      trialsOn.set(rig, trials);
      if (result.trial.faults.length > 0 || trials >= trialsPerRig) await replace();
      return [result];
    });
    return { points, tried: tried.flat(), broken };
  } finally {
    await pool.stop();
  }
}

/** One point of each process of each operation, then the next: an interrupted run has tried some of all. */
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

async function tryUntilHit(rig: TestRig, operation: Operation, point: Point): Promise<Tried> {
  for (let tries = 1; ; tries += 1) {
    const trial = await tryPoint(rig, operation, point).catch(notCarriedOut);
    if (trial.killed || trial.faults.length > 0 || tries === triesMax) return { point, tries, trial };
  }
}

/** The preparation failed, or the test rig did: one point less, and not the end of all others. */
const notCarriedOut = (error: unknown): Trial => ({
  crossings: {},
  killed: false,
  faults: [`could not be tried: ${error instanceof Error ? error.message : String(error)}`],
  ends: [],
  ms: 0,
});

/** @throws if something is wrong without any interruption. */
async function uninterrupted(rig: TestRig, operation: Operation): Promise<Trial> {
  const trial = await tryPoint(rig, operation);
  if (trial.faults.length > 0) throw new Error(trial.faults.join('; '));
  return trial;
}

/** Transactions without writes have no boundary. */
async function pointsOf(rig: TestRig, operation: Operation): Promise<{ points: Point[]; ends: string[] }> {
  const { crossings, ends } = await uninterrupted(rig, operation);
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
  if (!killed) return `- ${name}: did not occur in ${tries} runs`;
  return `✓ ${name} (${seconds}): ${ends.join(', ')}`;
}
