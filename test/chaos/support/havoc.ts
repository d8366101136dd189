/** Lets faults strike, one after the other and two at a time, until it is over; then nothing is broken any more. */
import { setTimeout as delay } from 'node:timers/promises';
import { faults, takesWrites, type Fault } from './faults';
import type { Chance } from './random';
import type { ProcessName } from '../../support/stack';
import { versionGoes } from './versions';
import { processes, type World } from './world';

export interface Struck {
  kind: string;
  about: string;
  /** Since the beginning, in milliseconds. */
  atMs: number;
  /** When it was mended (`performance.now()`). */
  overAt?: number;
}

const atOnce = 2;
const mendWithinMs = 300_000;

export async function wreakHavoc(
  world: World,
  chance: Chance,
  { ms, say }: { ms: number; say(line: string): void },
): Promise<Struck[]> {
  const began = performance.now();
  const struck: Struck[] = [];
  const broken = new Map<string, Promise<void>>();
  while (performance.now() - began < ms) {
    for (const name of processes) {
      if (broken.has(name) || world.stack.process(name).isRunning()) continue;
      // What supervises it starts it again.
      struck.push({
        kind: `${name} ended by itself`,
        about: name,
        atMs: Math.round(performance.now() - began),
      });
      const revived = revive(world, name).finally(() => broken.delete(name));
      broken.set(name, revived);
      revived.catch(() => undefined);
    }
    const fault = chance.weighted(faults);
    const pauseMs = chance.between(100, 900);
    const lastsMs = chance.between(...fault.lasts);
    if (!broken.has(fault.about) && broken.size < atOnce) {
      const atMs = Math.round(performance.now() - began);
      const one: Struck = { kind: fault.kind, about: fault.about, atMs };
      struck.push(one);
      say(`${(atMs / 1_000).toFixed(1)} s: ${fault.kind} (${fault.about})`);
      const over = suffer(world, chance, fault, lastsMs)
        .then(() => {
          one.overAt = performance.now();
        })
        .finally(() => broken.delete(fault.about));
      broken.set(fault.about, over);
      // What it does to the world is not to end the run before the judgement.
      over.catch(() => undefined);
    }
    await delay(pauseMs);
  }
  await Promise.allSettled(broken.values());
  await takesWrites(world.stack, true);
  await untilDone(() => world.reviveAll());
  await untilDone(() => versionGoes(world));
  return struck;
}

async function revive(world: World, name: ProcessName): Promise<void> {
  await untilDone(() => world.stack.start(name));
}

async function suffer(world: World, chance: Chance, fault: Fault, lastsMs: number): Promise<void> {
  // The simulator may be away just now, and so may be the database.
  const isStruck = await Promise.resolve(fault.strike(world, chance)).then(
    () => true,
    () => false,
  );
  if (!isStruck && fault.mend === undefined) return;
  await delay(lastsMs);
  await untilDone(async () => fault.mend?.(world));
}

/** A process does not come up beside a server that is down: it is tried until it does. */
async function untilDone(mend: () => Promise<void>): Promise<void> {
  const until = performance.now() + mendWithinMs;
  for (;;) {
    try {
      await mend();
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await delay(500);
    }
  }
}
