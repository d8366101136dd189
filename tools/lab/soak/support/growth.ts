/** Growth over the life of a process: a restart would hide it from a slope over the whole run. */
import type { Sample } from './samples';

/** The share of a life until a process has loaded and cached what it needs. */
const warmUpShare = 0.25;
/** A shorter life shows only noise: growth in minutes would be large per hour. */
const judgedFromMs = 20 * 60_000;

export interface Growth {
  perHour: number;
  /** The longest life, after its warm-up. */
  longestMs: number;
  lives: number;
}

interface Point {
  atMs: number;
  value: number;
}

/** The growth in each hour of a life: one slope for all lives, each with its own starting value. */
export function growthOf(samples: readonly Sample[], name: string, owner: string): Growth {
  const lives = new Map<number, Point[]>();
  for (const { atMs, values, pids } of samples) {
    const [pid, value] = [pids[owner], values[name]];
    if (pid === undefined || value === undefined || Number.isNaN(value)) continue;
    lives.set(pid, [...(lives.get(pid) ?? []), { atMs, value }]);
  }
  const warm = [...lives.values()].map(warmedUp).filter((points) => points.length > 1);
  let [together, spread] = [0, 0];
  for (const points of warm) {
    const [x, y] = [meanOf(points, 'atMs'), meanOf(points, 'value')];
    for (const { atMs, value } of points) {
      together += (atMs - x) * (value - y);
      spread += (atMs - x) ** 2;
    }
  }
  return {
    perHour: spread === 0 ? 0 : (together / spread) * 3_600_000,
    longestMs: Math.max(0, ...warm.map((points) => lengthOf(points))),
    lives: warm.length,
  };
}

const lengthOf = (points: readonly Point[]): number => (points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0);

function warmedUp(points: readonly Point[]): Point[] {
  const from = (points[0]?.atMs ?? 0) + lengthOf(points) * warmUpShare;
  return points.filter(({ atMs }) => atMs >= from);
}

function meanOf(points: readonly Point[], of: keyof Point): number {
  return points.reduce((sum, point) => sum + point[of], 0) / points.length;
}

interface Limit {
  name: string;
  owner: string;
  /** More growth than this in an hour of its life is a leak. */
  perHour: number;
}

const ownProcesses = ['simulator', 'api', 'worker'] as const;

/** The simulator keeps a journal of all requests. The servers bound their caches themselves, and fill them slowly. */
const limits: readonly Limit[] = [
  ...ownProcesses.flatMap((owner) => [
    { name: `memory of the ${owner}, MiB`, owner, perHour: owner === 'simulator' ? 256 : 32 },
    { name: `handles of the ${owner}`, owner, perHour: 16 },
  ]),
  { name: 'memory of MySQL beside its buffer pool, MiB', owner: 'MySQL', perHour: 128 },
  { name: 'memory of Temporal, MiB', owner: 'Temporal', perHour: 256 },
];

export interface Grown {
  reported: string[];
  /** The values that have grown beyond their limit. */
  faults: string[];
}

export function grown(samples: readonly Sample[], among: readonly Limit[] = limits): Grown {
  const found: Grown = { reported: [], faults: [] };
  for (const { name, owner, perHour: limit } of among) {
    const { perHour, longestMs, lives } = growthOf(samples, name, owner);
    if (lives === 0) continue;
    const isJudged = longestMs >= judgedFromMs;
    const minutes = (longestMs / 60_000).toFixed(0);
    const line = `${name}: ${perHour.toFixed(1)} more in each hour of a life, of ${String(lives)}, the longest ${minutes} min`;
    found.reported.push(
      `${line}; at most ${String(limit)}${isJudged ? '' : ', not judged of lives so short'}`,
    );
    if (isJudged && perHour > limit) found.faults.push(`${line}, and may be ${String(limit)}`);
  }
  return found;
}
