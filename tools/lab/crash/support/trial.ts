/** One operation, interrupted at one boundary or at none, until everything that follows from it is over. */
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../../sandbox/services/wait-for';
import type { Operation } from '../operations/operation';
import { judge } from './judge';
import { runCommand } from './command';
import { servers, trialName, type Crossing, type Lane, type Server, type Victim } from './lane';

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
  /** Whether the process was ended; false where this run did not come by. */
  killed: boolean;
  /** What is wrong afterwards, line by line. */
  faults: string[];
  /** The states that its payments ended in. */
  ends: string[];
  ms: number;
}

const patienceMs = 150_000;
const pauseMs = 50;

/** @throws where the trial itself could not be carried out. */
export async function tryPoint(lane: Lane, operation: Operation, point?: Point): Promise<Trial> {
  const name = trialName();
  const story = await operation.begin(lane, name);
  if (!story.isUnsettled) await settled(lane, story.about && { besides: story.about });
  const begun = performance.now();
  const known = (await idsOf(lane)).filter((id) => !story.about?.includes(id));
  const { victims = servers } = operation;
  const armingOf = (victim: Victim) => ({
    trial: name,
    known,
    ...(story.about && { ids: story.about }),
    ...(point?.victim === victim && { point: point.boundary }),
  });
  for (const victim of servers) if (victims.includes(victim)) await lane.arm(victim, armingOf(victim));
  const revived = reviveOnce(lane, point?.victim);
  const faults: string[] = [];
  let ends: string[] = [];
  try {
    if (story.command) faults.push(...(await runCommand(lane, story.command, armingOf('cli'))));
    const id = await until(story.ask);
    if (story.acts) await until(() => story.acts?.(id).then(() => true));
    await revived.current();
    await settled(lane);
    const again = await until(story.ask);
    if (again !== id) faults.push(`a repeated request led from ${id} to ${again}`);
    await revived.current();
    await settled(lane);
    const verdict = await judge(lane, story, { told: id, isInterrupted: revived.hasEnded() });
    faults.push(...verdict.faults);
    ({ ends } = verdict);
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
  revived.forget();
  await revived.current();
  await lane.disarm();
  const crossings = Object.fromEntries(victims.map((victim) => [victim, lane.crossings(victim, name)]));
  const died = Object.values(crossings).some((crossed) => crossed.some((crossing) => crossing.killed));
  // Of a server's death after the judgement nothing is known. A command has ended before it.
  const killed = died && (point?.victim === 'cli' || revived.hasEnded());
  if (revived.hasEnded() && !died) faults.push(`the ${point?.victim ?? ''} ended by itself`);
  return { crossings, killed, faults, ends, ms: performance.now() - begun };
}

/** Starts the process again as soon as it has ended. */
function reviveOnce(lane: Lane, victim: Victim | undefined) {
  let isForgotten = false;
  let hasEnded = false;
  let starting: Promise<void> | undefined;
  const watch = async (name: Server): Promise<void> => {
    await lane.stack.process(name).exited;
    if (isForgotten) return;
    hasEnded = true;
    starting = lane.stack.start(name);
    starting.catch(() => undefined);
  };
  if (victim === 'api' || victim === 'worker') void watch(victim);
  return {
    /** Resolves when it is back, at once where it was never away. */
    current: () => starting,
    hasEnded: () => hasEnded,
    forget() {
      isForgotten = true;
    },
  };
}

/** As patient programs do: the same again, until there is an answer. */
async function until<T>(ask: () => Promise<T | undefined> | undefined): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error('was not answered in time');
    await delay(pauseMs);
  }
}

/** What was there before. */
async function idsOf({ stack: { db } }: Lane): Promise<string[]> {
  const [payments, vouchers] = await Promise.all([
    db('payments').pluck('payment_id'),
    db('vouchers').pluck('voucher_id'),
  ]);
  return [...payments, ...vouchers];
}

/** Waits until nothing is on its way any more. */
export async function settled(
  { stack: { db } }: Pick<Lane, 'stack'>,
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
