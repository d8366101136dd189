/** One of many workers prunes each night, and verifies the books: who it is, is claimed in the database, for a while that each batch extends. */
import { DateTime } from 'luxon';
import { v7 as uuid } from 'uuid';
import type { Log } from '../../domain/log';
import { repeat, type Repeating } from '../../domain/repeat';
import type { Database } from '../../store/database';
import type { Chore } from './chore';
import { notePruned, prune, type Counts } from './prune';

/** By the clock of the deployment's time zone. */
const quietHour = 2;
const lookEveryMs = 60_000;
/** Whoever was at it and is silent for this long is taken for dead. */
const leaseSeconds = 120;

/** The next time that it is the quiet hour, a whole night from now at least where it is just that. */
export function nextNight(now: Date, timezone: string): Date {
  const local = DateTime.fromJSDate(now, { zone: timezone });
  const tonight = local.set({ hour: quietHour, minute: 0, second: 0, millisecond: 0 });
  return (tonight > local ? tonight : tonight.plus({ days: 1 })).toJSDate();
}

/**
 * Prunes if it is time, and nobody else is at it.
 * @param afterwards what the same worker does then.
 * @returns what went; undefined when there was nothing to do for this process, or it lost its turn.
 */
export async function pruneWhenDue(
  db: Database,
  chores: readonly Chore[],
  timezone: string,
  signal: AbortSignal,
  afterwards: (signal: AbortSignal) => Promise<void> = () => Promise.resolve(),
): Promise<Counts | undefined> {
  const me = uuid();
  const mine = () => db('prunings').where({ id: 1, leased_by: me });
  const leasedUntil = db.raw<Date>(`UTC_TIMESTAMP(3) + INTERVAL ${String(leaseSeconds)} SECOND`);
  const claimed = await db('prunings')
    .where({ id: 1 })
    .whereRaw('due_at <= UTC_TIMESTAMP(3) AND (leased_until IS NULL OR leased_until < UTC_TIMESTAMP(3))')
    .update({ leased_by: me, leased_until: leasedUntil });
  if (claimed === 0) return undefined;
  const mayGoOn = async () => !signal.aborted && (await mine().update({ leased_until: leasedUntil })) === 1;
  try {
    const counts = await prune(db, chores, mayGoOn);
    if (!(await mayGoOn())) return undefined;
    await notePruned(db);
    await leased(() => afterwards(signal), mayGoOn, signal);
    if (signal.aborted) return undefined;
    await mine().update({ due_at: nextNight(new Date(), timezone) });
    return counts;
  } finally {
    await mine().update({ leased_by: null, leased_until: null });
  }
}

/** Waits for what takes long, and keeps the turn meanwhile. Whoever is told to stop leaves it to the next. */
async function leased(
  work: () => Promise<void>,
  extend: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const extending = setInterval(() => void extend().catch(() => undefined), (leaseSeconds * 1_000) / 4);
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
  try {
    await Promise.race([work(), stopped]);
  } finally {
    clearInterval(extending);
  }
}

export interface NightlyOptions {
  timezone: string;
  log: Log;
  /** Done by the worker that has pruned. Where it fails, the night is over all the same. It ends when it is told to. */
  afterwards?: (signal: AbortSignal) => Promise<void>;
  everyMs?: number;
}

export function startNightlyPruning(
  db: Database,
  chores: readonly Chore[],
  { timezone, log, afterwards, everyMs = lookEveryMs }: NightlyOptions,
): Repeating {
  async function verify(signal: AbortSignal): Promise<void> {
    try {
      await afterwards?.(signal);
    } catch (error) {
      if (!signal.aborted) log.error('the books could not be verified tonight', { error });
    }
  }

  return repeat(
    async (signal) => {
      const pruned = await pruneWhenDue(db, chores, timezone, signal, verify);
      if (pruned) log.info('what was old enough is pruned', { pruned });
    },
    { everyMs, log, otherwise: 'what is old could not be pruned; it is tried again' },
  );
}
