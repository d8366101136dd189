/** A steady load for hours, while those who look after it do what is to be done. */
import { setTimeout as delay } from 'node:timers/promises';
import { chanceOf } from '../../chaos/support/random';
import { shop, type Shopped } from '../../chaos/support/shoppers';
import { startWorld, type World } from '../../chaos/support/world';
import { faultsOfBooks } from '../../crash/support/judge';
import { settled } from '../../crash/support/trial';
import { chores } from './chores';
import { sample, type Sample } from './samples';

export interface SoakOptions {
  ms: number;
  seed: number;
  say(line: string): void;
}

export interface Soaked {
  samples: Sample[];
  /** How often each chore was done. */
  done: Record<string, number>;
  /** Chores that did not succeed, and what they said. */
  failed: string[];
  accepted: number;
  violations: string[];
}

const shoppersCount = 4;
/** How often something is looked at, and something is done: so that a short run has some of each. */
const samplesMax = 240;
const sampleLeastMs = 5_000;
const choreLeastMs = 15_000;
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
        { isOver: () => isOver, patienceMs, onShopped: (one) => void shopped.push(one) },
      ),
    );
    const until = performance.now() + ms;
    const [samples, { done, failed }] = await Promise.all([
      takeSamples(world, { until, everyMs: Math.max(sampleLeastMs, ms / samplesMax), shopped }),
      doChores(world, { until, everyMs: Math.max(choreLeastMs, ms / 200), say }),
    ]);
    isOver = true;
    await Promise.all(shopping);
    await settled({ stack: world.stack }, { timeoutMs: restsWithinMs });
    const violations = await faultsOfBooks({ stack: world.stack });
    return {
      samples,
      done,
      failed,
      accepted: shopped.filter(({ id }) => id !== undefined).length,
      violations,
    };
  } finally {
    await world.stop();
  }
}

async function takeSamples(
  world: World,
  { until, everyMs, shopped }: { until: number; everyMs: number; shopped: readonly Shopped[] },
): Promise<Sample[]> {
  const began = performance.now();
  const samples: Sample[] = [];
  let seen = 0;
  while (performance.now() < until) {
    await delay(everyMs);
    const since = shopped.slice(seen);
    seen = shopped.length;
    // A process may be away just now.
    const one = await sample(world, performance.now() - began, since).catch(() => undefined);
    if (one) samples.push(one);
  }
  return samples;
}

async function doChores(
  world: World,
  { until, everyMs, say }: { until: number; everyMs: number; say(line: string): void },
): Promise<Pick<Soaked, 'done' | 'failed'>> {
  const done: Record<string, number> = {};
  const failed: string[] = [];
  for (let n = 0; performance.now() < until; n += 1) {
    const chore = chores[n % chores.length];
    if (!chore) break;
    try {
      await chore.do(world);
      done[chore.name] = (done[chore.name] ?? 0) + 1;
      say(`${new Date().toISOString()} ${chore.name}`);
    } catch (error) {
      failed.push(`${chore.name}: ${error instanceof Error ? error.message : String(error)}`);
      say(`✗ ${failed.at(-1) ?? ''}`);
    }
    await delay(Math.max(0, Math.min(everyMs, until - performance.now())));
  }
  return { done, failed };
}
