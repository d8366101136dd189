/** One operation, interrupted at one boundary or at none, until everything that follows from it has ended. */
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../../sandbox/services/wait-for';
import type { Operation } from '../operations/operation';
import { judge } from './judge';
import { runCommand } from './command';
import { servers, trialName, type Crossing, type TestRig, type Server, type Victim } from './test-rig';

export interface Point {
  operation: string;
  victim: Victim;
  /** As boundaries.cjs names it. */
  boundary: string;
  /** What is sent or written there. */
  what?: string;
}

export const nameOf = ({ operation, victim, boundary }: Point): string =>
  `${operation}/${victim}/${boundary}`;

export interface Trial {
  crossings: Partial<Record<Victim, Crossing[]>>;
  /** Whether the process was ended; false if this run did not pass the point. */
  killed: boolean;
  /** The errors afterwards, line by line. */
  faults: string[];
  /** The final states of its payments. */
  ends: string[];
  ms: number;
}

const patienceMs = 150_000;
const pauseMs = 50;

/** @throws if the trial itself failed. */
export async function tryPoint(rig: TestRig, operation: Operation, point?: Point): Promise<Trial> {
  const name = trialName();
  const history = await operation.begin(rig, name);
  if (!history.isUnsettled) await settled(rig, history.about && { besides: history.about });
  const begun = performance.now();
  const known = (await idsOf(rig)).filter((id) => !history.about?.includes(id));
  const { victims = servers } = operation;
  const armingOf = (victim: Victim) => ({
    trial: name,
    known,
    ...(history.about && { ids: history.about }),
    ...(point?.victim === victim && { point: point.boundary }),
  });
  for (const victim of servers) if (victims.includes(victim)) await rig.arm(victim, armingOf(victim));
  const revived = reviveOnce(rig, point?.victim);
  const faults: string[] = [];
  let ends: string[] = [];
  try {
    if (history.command) faults.push(...(await runCommand(rig, history.command, armingOf('cli'))));
    const id = await until(history.ask);
    if (history.acts) await until(() => history.acts?.(id).then(() => true));
    await revived.current();
    await settled(rig);
    const again = await until(history.ask);
    if (again !== id) faults.push(`a repeated request led from ${id} to ${again}`);
    await revived.current();
    await settled(rig);
    const verdict = await judge(rig, history, { reported: id, isInterrupted: revived.hasEnded() });
    faults.push(...verdict.faults);
    ({ ends } = verdict);
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
  revived.forget();
  await revived.current();
  await rig.disarm();
  const crossings = Object.fromEntries(victims.map((victim) => [victim, rig.crossings(victim, name)]));
  const died = Object.values(crossings).some((crossed) => crossed.some((crossing) => crossing.killed));
  // A server's death after the check does not count. A command has ended before it.
  const killed = died && (point?.victim === 'cli' || revived.hasEnded());
  if (revived.hasEnded() && !died) faults.push(`the ${point?.victim ?? ''} ended by itself`);
  return { crossings, killed, faults, ends, ms: performance.now() - begun };
}

/** Restarts the process as soon as it has ended. */
function reviveOnce(rig: TestRig, victim: Victim | undefined) {
  let isForgotten = false;
  let hasEnded = false;
  let starting: Promise<void> | undefined;
  const watch = async (name: Server): Promise<void> => {
    await rig.stack.process(name).exited;
    if (isForgotten) return;
    hasEnded = true;
    starting = rig.stack.start(name);
    starting.catch(() => undefined);
  };
  if (victim === 'api' || victim === 'worker') void watch(victim);
  return {
    /** Resolves when it runs again, at once if it never stopped. */
    current: () => starting,
    hasEnded: () => hasEnded,
    forget() {
      isForgotten = true;
    },
  };
}

/** Repeats the request until there is an answer, as a patient program does. */
async function until<T>(ask: () => Promise<T | undefined> | undefined): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error('was not answered in time');
    await delay(pauseMs);
  }
}

/** The existing rows. */
async function idsOf({ stack: { db } }: TestRig): Promise<string[]> {
  const [payments, vouchers] = await Promise.all([
    db('payments').pluck('payment_id'),
    db('vouchers').pluck('voucher_id'),
  ]);
  return [...payments, ...vouchers];
}

/** Waits until nothing is in progress any more. */
export async function settled(
  { stack: { db } }: Pick<TestRig, 'stack'>,
  { besides = [], timeoutMs = patienceMs }: { besides?: string[]; timeoutMs?: number } = {},
): Promise<void> {
  await waitFor(
    async () => {
      const open = await db('payments')
        .where({ is_final: 0 })
        .whereNotIn('payment_id', besides)
        .select('payment_id', 'state', 'next_check_at');
      const unread = await db('inbox')
        .where({ state: 'new' })
        .whereNull('processed_at')
        .select('inbox_id', 'payment_id');
      const owed = await db('outbox').where({ state: 'pending' }).select('webhook_id', 'payment_id', 'tries');
      const mails = await db('mails').where({ state: 'new' }).select('mail_id');
      if (open.length + unread.length + owed.length + mails.length > 0)
        throw new Error(`still open: ${JSON.stringify({ open, unread, owed, mails })}`);
      return true as const;
    },
    { what: 'everything to end', timeoutMs, everyMs: 250 },
  );
}
