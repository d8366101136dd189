/** What grows with the life of a process: a restart hides that from a slope over the whole run. */
import type { Sample } from './samples';

/** A process takes its time to have loaded and learnt what it needs. */
const warmUpShare = 0.25;
/** A shorter life tells of noise: what it grows by in minutes would be much in an hour. */
const judgedFromMs = 20 * 60_000;

export interface Growth {
  perHour: number;
  /** The longest life, after it had warmed up. */
  longestMs: number;
  lives: number;
}

interface Point {
  atMs: number;
  value: number;
}

/** By how much it grows in each hour of a life: one slope for all lives, each of which begins where it begins. */
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
  /** So much more in an hour of its life is a leak. */
  perHour: number;
}

const ownProcesses = ['simulator', 'api', 'worker'] as const;

/** The simulator keeps a journal of all that it was asked. What the servers cache is theirs to bound, and slow to fill. */
const limits: readonly Limit[] = [
  ...ownProcesses.flatMap((owner) => [
    { name: `memory of the ${owner}, MiB`, owner, perHour: owner === 'simulator' ? 256 : 32 },
    { name: `handles of the ${owner}`, owner, perHour: 16 },
  ]),
  { name: 'memory of MySQL beside its buffer pool, MiB', owner: 'MySQL', perHour: 128 },
  { name: 'memory of Temporal, MiB', owner: 'Temporal', perHour: 256 },
];

export interface Grown {
  told: string[];
  /** What has grown beyond its limit. */
  faults: string[];
}

export function grown(samples: readonly Sample[], among: readonly Limit[] = limits): Grown {
  const found: Grown = { told: [], faults: [] };
  for (const { name, owner, perHour: limit } of among) {
    const { perHour, longestMs, lives } = growthOf(samples, name, owner);
    if (lives === 0) continue;
    const isJudged = longestMs >= judgedFromMs;
    const minutes = (longestMs / 60_000).toFixed(0);
    const line = `${name}: ${perHour.toFixed(1)} more in each hour of a life, of ${String(lives)}, the longest ${minutes} min`;
    found.told.push(`${line}; at most ${String(limit)}${isJudged ? '' : ', not judged of lives so short'}`);
    if (isJudged && perHour > limit) found.faults.push(`${line}, and may be ${String(limit)}`);
  }
  return found;
}
