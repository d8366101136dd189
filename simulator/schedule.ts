/** Jobs that fall due at a time of the virtual clock. The journal stores them, so they survive a restart. */
import { complain } from './complain';
import type { Clock } from './clock';
import type { Journal } from './journal';

export interface Job {
  id: string;
  /** The name of the handler, for example `stk.step`. */
  kind: string;
  dueAt: number;
  /** Jobs of one lane never run at the same time, so one payment's events keep their order. */
  bulkhead: string;
  data: unknown;
}

export type JobHandler = (data: unknown) => void | Promise<void>;

export interface Schedule {
  on(kind: string, handler: JobHandler): void;
  add(job: Job): void;
  cancel(id: string): void;
  /** Starts to run due jobs; every handler must be registered by then. */
  start(): void;
  /** Moves the clock forward, and stops at each due job until it is done. */
  advance(virtualMs: number): Promise<void>;
  /** Runs one lane's jobs that are due within that time at once, one after the other; the clock does not move. */
  advanceQueue(isIt: (bulkhead: string) => boolean, virtualMs: number): Promise<void>;
  stop(): void;
}

/** The longest delay of a Node timer. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export function openSchedule(journal: Journal, clock: Clock): Schedule {
  const stored = journal.collection<Job>('jobs');
  const handlers = new Map<string, JobHandler>();
  const bulkheadsInUse = new Map<string, Promise<void>>();
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
    const done = (bulkheadsInUse.get(job.bulkhead) ?? Promise.resolve()).then(() => perform(job));
    bulkheadsInUse.set(job.bulkhead, done);
    return done.finally(() => {
      if (bulkheadsInUse.get(job.bulkhead) === done) bulkheadsInUse.delete(job.bulkhead);
    });
  };
  const perform = async (job: Job): Promise<void> => {
    // The job was cancelled, or the simulator stopped, while the job waited for its lane.
    if (state === 'stopped' || !stored.get(job.id)) return;
    // Deleted before it runs: a provider that dies during the job must not send its notification twice.
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
    // Also waits for jobs that were due before: the caller expects to see everything that happened by then.
    await Promise.all(bulkheadsInUse.values());
    for (let job = takeDue(virtualMs); job && stillAdvancing(); job = takeDue(virtualMs)) {
      clock.moveTo(job.dueAt);
      await run(job);
    }
    if (!stillAdvancing()) return;
    clock.moveTo(virtualMs);
    state = 'running';
    runDue();
  };

  const runQueueUntil = async (isIt: (bulkhead: string) => boolean, forMs: number): Promise<void> => {
    if (state !== 'running') return;
    const take = () => {
      const index = queue.findIndex(({ bulkhead, dueAt }) => isIt(bulkhead) && dueAt <= clock.now() + forMs);
      return index === -1 ? undefined : queue.splice(index, 1)[0];
    };
    for (let job = take(); job; job = take()) await run(job);
    const later = queue.filter(({ bulkhead }) => isIt(bulkhead));
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
    advanceQueue(isIt, virtualMs) {
      advances = advances.then(() => runQueueUntil(isIt, virtualMs));
      return advances;
    },
    stop() {
      state = 'stopped';
      clearTimeout(timer);
    },
  };
}

/** After all jobs due at the same time or before; searched from the end, where new jobs nearly always go. */
function placeOf(job: Job, queue: readonly Job[]): number {
  let index = queue.length;
  while (index > 0 && (queue[index - 1]?.dueAt ?? 0) > job.dueAt) index -= 1;
  return index;
}
