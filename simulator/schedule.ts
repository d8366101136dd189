/** Work that falls due at a moment of virtual time. It lives in the journal, so it still happens after a restart. */
import { complain } from './complain';
import type { Clock } from './clock';
import type { Journal } from './journal';

export interface Job {
  id: string;
  /** Which handler does it, for example `stk.step`. */
  kind: string;
  dueAt: number;
  /** Jobs of one lane never run at the same time, so one payment's events keep their order. */
  lane: string;
  data: unknown;
}

export type JobHandler = (data: unknown) => void | Promise<void>;

export interface Schedule {
  on(kind: string, handler: JobHandler): void;
  add(job: Job): void;
  cancel(id: string): void;
  /** Begins to run what falls due; every handler must be known by then. */
  start(): void;
  /** Moves the clock on, stopping at each job on the way and waiting until it is done. */
  advance(virtualMs: number): Promise<void>;
  /** Does at once, one after the other, what of one lane is due within that time; the clock stays where it is. */
  advanceLane(isIt: (lane: string) => boolean, virtualMs: number): Promise<void>;
  stop(): void;
}

/** The longest a timer of Node can wait. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export function openSchedule(journal: Journal, clock: Clock): Schedule {
  const stored = journal.collection<Job>('jobs');
  const handlers = new Map<string, JobHandler>();
  const lanes = new Map<string, Promise<void>>();
  const queue: Job[] = [...stored.values()].sort((a, b) => a.dueAt - b.dueAt);
  let timer: NodeJS.Timeout | undefined;
  let state: 'waiting to start' | 'running' | 'advancing' | 'stopped' = 'waiting to start';
  let advances: Promise<void> = Promise.resolve();

  const arm = () => {
    clearTimeout(timer);
    const next = queue[0];
    if (state !== 'running' || !next) return;
    timer = setTimeout(runDue, Math.min(clock.wallMsUntil(next.dueAt), TIMER_MAX_MS));
  };
  const runDue = () => {
    for (let job = takeDue(clock.now()); job; job = takeDue(clock.now())) void run(job);
    arm();
  };
  const takeDue = (moment: number): Job | undefined => {
    const next = queue[0];
    return next && next.dueAt <= moment ? queue.shift() : undefined;
  };
  const run = (job: Job): Promise<void> => {
    const done = (lanes.get(job.lane) ?? Promise.resolve()).then(() => perform(job));
    lanes.set(job.lane, done);
    return done.finally(() => {
      if (lanes.get(job.lane) === done) lanes.delete(job.lane);
    });
  };
  const perform = async (job: Job): Promise<void> => {
    // A job cancelled, or a simulator stopped, while the job waited for its lane.
    if (state === 'stopped' || !stored.get(job.id)) return;
    // Forgotten before it is done: a provider that dies half way does not tell its news a second time.
    stored.delete(job.id);
    try {
      await handlers.get(job.kind)?.(job.data);
    } catch (error) {
      complain(`the simulator could not do ${job.kind} ${job.id}:`, error);
    }
  };
  const runUntil = async (virtualMs: number): Promise<void> => {
    if (state !== 'running') return;
    state = 'advancing';
    clearTimeout(timer);
    const stillAdvancing = () => state === 'advancing';
    // What was due before is waited for too: whoever advances wants to see everything that happened by then.
    await Promise.all(lanes.values());
    for (let job = takeDue(virtualMs); job && stillAdvancing(); job = takeDue(virtualMs)) {
      clock.moveTo(job.dueAt);
      await run(job);
    }
    if (!stillAdvancing()) return;
    clock.moveTo(virtualMs);
    state = 'running';
    runDue();
  };

  const runLaneUntil = async (isIt: (lane: string) => boolean, forMs: number): Promise<void> => {
    if (state !== 'running') return;
    const take = () => {
      const index = queue.findIndex(({ lane, dueAt }) => isIt(lane) && dueAt <= clock.now() + forMs);
      return index === -1 ? undefined : queue.splice(index, 1)[0];
    };
    for (let job = take(); job; job = take()) await run(job);
    const later = queue.filter(({ lane }) => isIt(lane));
    for (const job of later) {
      queue.splice(queue.indexOf(job), 1);
      add({ ...job, dueAt: job.dueAt - forMs });
    }
    arm();
  };
  const add = (job: Job) => {
    stored.put(job.id, job);
    queue.splice(placeOf(job, queue), 0, job);
    if (queue[0] === job) arm();
  };

  return {
    on(kind, handler) {
      handlers.set(kind, handler);
    },
    add,
    cancel(id) {
      stored.delete(id);
      const index = queue.findIndex((job) => job.id === id);
      if (index !== -1) queue.splice(index, 1);
    },
    start() {
      state = 'running';
      runDue();
    },
    advance(virtualMs) {
      advances = advances.then(() => runUntil(clock.now() + virtualMs));
      return advances;
    },
    advanceLane(isIt, virtualMs) {
      advances = advances.then(() => runLaneUntil(isIt, virtualMs));
      return advances;
    },
    stop() {
      state = 'stopped';
      clearTimeout(timer);
    },
  };
}

/** Behind everything due at the same moment or before; looked for from the end, where new work nearly always goes. */
function placeOf(job: Job, queue: readonly Job[]): number {
  let index = queue.length;
  while (index > 0 && (queue[index - 1]?.dueAt ?? 0) > job.dueAt) index -= 1;
  return index;
}
