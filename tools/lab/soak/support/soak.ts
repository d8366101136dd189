/** A steady load for hours, together with the operators' regular work. */
import { setTimeout as delay } from 'node:timers/promises';
import { chanceOf } from '../../chaos/support/random';
import { shop, type Shopped } from '../../chaos/support/shoppers';
import { abandonedBy } from '../../chaos/support/chaos';
import { startWorld, type World } from '../../chaos/support/world';
import { faultsOfBooks } from '../../crash/support/judge';
import { settled } from '../../crash/support/trial';
import { recurringJobs, type SoakJob } from './jobs';
import { grown } from './growth';
import { sample, type Sample } from './samples';

export interface SoakOptions {
  ms: number;
  seed: number;
  say(line: string): void;
}

export interface Soaked {
  samples: Sample[];
  /** How often each job was done. */
  done: Record<string, number>;
  /** Jobs that failed, with their output. */
  failed: string[];
  accepted: number;
  /** The growth of each process in its life. */
  growth: string[];
  violations: string[];
}

const shoppersCount = 4;
/** The numbers of samples and of jobs, so that a short run has some of each. */
const samplesMax = 240;
const sampleLeastMs = 5_000;
const jobLeastMs = 15_000;
/** Of a process, as a share of the run: a leak needs time to become visible. */
const lifeShare = 1 / 8;
const restsWithinMs = 180_000;
const patienceMs = 300_000;

export async function soak({ ms, seed, say }: SoakOptions): Promise<Soaked> {
  const world = await startWorld();
  try {
    let isOver = false;
    const shopped: Shopped[] = [];
    const shopping = Array.from({ length: shoppersCount }, (_, n) =>
      shop(
        world,
        chanceOf(seed * 31 + n),
        world.merchants[n % world.merchants.length] as World['merchants'][number],
        {
          isOver: () => isOver,
          patientUntil: (askedAt) => askedAt + patienceMs,
          onShopped: (one) => void shopped.push(one),
        },
      ),
    );
    const until = performance.now() + ms;
    const [samples, { done, failed }] = await Promise.all([
      takeSamples(world, { until, everyMs: Math.max(sampleLeastMs, ms / samplesMax), shopped }),
      doJobs(world, { until, everyMs: Math.max(jobLeastMs, ms / 200), lifeMs: ms * lifeShare, say }),
    ]);
    isOver = true;
    await Promise.all(shopping);
    const growth = grown(samples);
    const violations = [
      ...(samples.length === 0 ? ['nothing was measured'] : []),
      ...growth.faults,
      ...(await unrest(world, shopped)),
      ...shopped.flatMap(({ operation, wrong }) => (wrong === undefined ? [] : `${operation}: ${wrong}`)),
      ...(await faultsOfBooks({ stack: world.stack }).catch((error: unknown) => [messageOf(error)])),
    ];
    return {
      samples,
      done,
      failed,
      growth: growth.reported,
      accepted: shopped.filter(({ id }) => id !== undefined).length,
      violations,
    };
  } finally {
    await world.stop();
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * A run that does not come to rest is reported with all its measurements. Orders of customers who never paid may stay
 * open.
 */
async function unrest(world: World, shopped: readonly Shopped[]): Promise<string[]> {
  const besides = await abandonedBy(world, shopped);
  return settled({ stack: world.stack }, { besides, timeoutMs: restsWithinMs }).then(
    () => [],
    (error: unknown) => [`did not come to rest: ${messageOf(error)}`],
  );
}

async function takeSamples(
  world: World,
  { until, everyMs, shopped }: { until: number; everyMs: number; shopped: readonly Shopped[] },
): Promise<Sample[]> {
  const began = performance.now();
  const samples: Sample[] = [];
  let [seen, lastAt] = [0, began];
  while (performance.now() < until) {
    await delay(everyMs);
    const since = shopped.slice(seen);
    seen = shopped.length;
    // A process may be down at the moment.
    const now = performance.now();
    const one = await sample(world, now - began, { shopped: since, ms: now - lastAt }).catch(() => undefined);
    lastAt = now;
    if (one) samples.push(one);
  }
  return samples;
}

async function doJobs(
  world: World,
  {
    until,
    everyMs,
    lifeMs,
    say,
  }: { until: number; everyMs: number; lifeMs: number; say(line: string): void },
): Promise<Pick<Soaked, 'done' | 'failed'>> {
  const bornAt = new Map<SoakJob['ends'], number>();
  const began = performance.now();
  const done: Record<string, number> = {};
  const failed: string[] = [];
  for (let n = 0; performance.now() < until; n += 1) {
    const job = recurringJobs[n % recurringJobs.length];
    if (!job) break;
    if (job.ends && performance.now() - (bornAt.get(job.ends) ?? began) < lifeMs) continue;
    try {
      await job.do(world);
      if (job.ends) bornAt.set(job.ends, performance.now());
      done[job.name] = (done[job.name] ?? 0) + 1;
      say(`${new Date().toISOString()} ${job.name}`);
    } catch (error) {
      failed.push(`${job.name}: ${messageOf(error)}`);
      say(`✗ ${failed.at(-1) ?? ''}`);
    }
    await delay(Math.max(0, Math.min(everyMs, until - performance.now())));
  }
  return { done, failed };
}
