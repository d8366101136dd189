/** Applies faults, one after the other and two at a time, for a duration; then repairs all. */
import { setTimeout as delay } from 'node:timers/promises';
import { resetRules, type GivenRule } from '../../../../test/support/rails/simulator-control';
import { takesWrites, type Fault } from './faults';
import { plannedFault } from './plan';
import type { Chance } from './random';
import { versionGoes } from './versions';
import { processes, type World } from './world';

export interface Struck {
  kind: string;
  about: string;
  /** Since the beginning, in milliseconds. */
  atMs: number;
  /** When it was repaired (`performance.now()`). */
  overAt?: number;
}

/** The rule, if it is one for a provider's calls. */
type Ruled = Struck & { rule?: GivenRule };

export interface Havoc {
  /** Faults that occurred: for a rule, its call has come. */
  struck: Struck[];
  /** Faults that could not be repaired. */
  unmended: string[];
}

const atOnce = 2;
const repairWithinMs = 300_000;
const checkAgainMs = 50;
const notRunning = 'ended by itself';

export async function wreakHavoc(
  world: World,
  { seed, ms, say }: { seed: number; ms: number; say(line: string): void },
): Promise<Havoc> {
  const began = performance.now();
  const isOver = () => performance.now() - began >= ms;
  const struck: Ruled[] = [];
  const unmended: string[] = [];
  /** Processes that we have stopped, or that are restarting. */
  const broken = new Map<string, Promise<void>>();
  const reviving = new Map<string, Promise<void>>();
  const sinceMs = () => Math.round(performance.now() - began);

  function note(about: string, work: Promise<void>, among: Map<string, Promise<void>>): void {
    const done = work
      .catch((error: unknown) => {
        unmended.push(
          `${about} could not be repaired: ${error instanceof Error ? error.message : String(error)}`,
        );
      })
      .finally(() => among.delete(about));
    among.set(about, done);
  }

  /** Restarts ended processes. */
  function supervise(): void {
    for (const name of processes) {
      if (broken.has(name) || reviving.has(name) || world.stack.process(name).isRunning()) continue;
      struck.push({ kind: `${name} ${notRunning}`, about: name, atMs: sinceMs() });
      note(
        name,
        untilDone(() => world.stack.start(name)),
        reviving,
      );
    }
  }

  /** Only the seed decides the order: a fault without a free place waits for one. */
  async function place({ about }: Fault): Promise<void> {
    while (!isOver() && (broken.has(about) || reviving.has(about) || broken.size >= atOnce)) {
      supervise();
      await delay(checkAgainMs);
    }
  }

  async function suffer(fault: Fault, chance: Chance, lastsMs: number): Promise<void> {
    const one: Ruled = { kind: fault.kind, about: fault.about, atMs: sinceMs() };
    // The simulator or the database may be down at the moment.
    const hit = await strike(world, fault, chance).then(
      (rule) => ({ rule }),
      () => undefined,
    );
    if (hit) {
      if (hit.rule) one.rule = hit.rule;
      struck.push(one);
      say(`${(one.atMs / 1_000).toFixed(1)} s: ${fault.kind} (${fault.about})`);
    } else if (!fault.repair) return;
    await delay(lastsMs);
    await untilDone(async () => fault.repair?.(world));
    one.overAt = performance.now();
  }

  for (let n = 0; !isOver(); n += 1) {
    supervise();
    const { fault, pauseMs, lastsMs, chance } = plannedFault(seed, n);
    await delay(pauseMs);
    await place(fault);
    if (!isOver()) note(fault.about, suffer(fault, chance, lastsMs), broken);
  }
  await Promise.all([...broken.values(), ...reviving.values()]);
  for (const line of Object.values(world.lines)) line.heal();
  await takesWrites(world.stack, true);
  await untilDone(() => world.reviveAll());
  await untilDone(() => versionGoes(world));
  const left = new Map((await resetRules(world.stack.simulatorUrl)).map(({ id, times }) => [id, times]));
  const isUnused = ({ rule }: Ruled) => rule !== undefined && left.get(rule.id) === rule.times;
  return { struck: struck.filter((one) => !isUnused(one)), unmended };
}

/** @returns the rule, if it is one. */
async function strike(world: World, fault: Fault, chance: Chance): Promise<GivenRule | undefined> {
  if (fault.rule) return fault.rule(world, chance);
  await fault.strike?.(world, chance);
  return undefined;
}

/** A process does not start while its server is down: it is retried until it does. */
async function untilDone(repair: () => Promise<void>): Promise<void> {
  const until = performance.now() + repairWithinMs;
  for (;;) {
    try {
      await repair();
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await delay(500);
    }
  }
}
