/** One seed: a phase with faults, and one without, in which everything must come to rest. */
import { settled } from '../../crash/support/trial';
import { malipo } from '../../../../test/faults/support/malipo';
import { wreakHavoc, type Struck } from './havoc';
import { judgeAll, notSeenYet } from './model';
import { chanceOf } from './random';
import { recoveriesOf, type Recovery } from './recovery';
import { secondOpinion } from './second-opinion';
import { shop, type Shopped } from './shoppers';
import { startWorld, type World } from './world';

/**
 * The time in which everything except operators' work must come to rest after the faults, at twenty times the speed.
 */
const convergesWithinMs = 180_000;
const shoppersCount = 16;
/** The most log lines about one payment. */
const linesMax = 30;

export interface ChaosOptions {
  seed: number;
  /** Of the first phase, in milliseconds. */
  ms: number;
  /** The longest time of the second phase. */
  restsWithinMs?: number;
  /** A fault of tools/lab/crash/planted, for the worker. */
  plant?: string | undefined;
  say(line: string): void;
}

export interface Chaos {
  shopped: Shopped[];
  struck: Struck[];
  recoveries: Recovery[];
  /** How long it took to come to rest; undefined if it did not. */
  convergedMs?: number;
  payments: Record<string, number>;
  /** Open cases, by reason. */
  asked: Record<string, number>;
  violations: string[];
}

const nothingYet = (): Chaos => ({
  ...{ shopped: [], struck: [], recoveries: [] },
  ...{ payments: {}, asked: {}, violations: [] },
});

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An error of the run itself is a violation too, so that no result is lost. */
export async function runChaos(options: ChaosOptions): Promise<Chaos> {
  const chaos = nothingYet();
  const note = (what: string) => (error: unknown) => {
    chaos.violations.push(`${what}: ${messageOf(error)}`);
  };
  const world = await startWorld(options.plant).catch(note('could not start'));
  if (!world) return chaos;
  await runIn(world, chaos, options).catch(note('could not go on'));
  await world.stop().catch(note('at the end'));
  return chaos;
}

async function runIn(world: World, chaos: Chaos, options: ChaosOptions): Promise<void> {
  const { seed, ms, restsWithinMs = convergesWithinMs, say } = options;
  let healedAt: number | undefined;
  const shopping = Array.from({ length: shoppersCount }, (_, n) => {
    const merchant = world.merchants[n % world.merchants.length] as World['merchants'][number];
    return shop(world, chanceOf(seed * 31 + n + 1), merchant, {
      isOver: () => healedAt !== undefined,
      patientUntil: () => (healedAt ?? Infinity) + restsWithinMs,
      onShopped: (one) => void chaos.shopped.push(one),
    });
  });
  try {
    const { struck, unmended } = await wreakHavoc(world, { seed, ms, say });
    chaos.struck.push(...struck);
    chaos.violations.push(...unmended);
    healedAt = performance.now();
  } finally {
    // If no fault was repaired, there is no wait.
    healedAt ??= -Infinity;
    await Promise.all(shopping);
  }
  await settleAndJudge(world, chaos, { restsUntil: healedAt + restsWithinMs, healedAt, say });
}

async function settleAndJudge(
  world: World,
  chaos: Chaos,
  { restsUntil, healedAt, say }: { restsUntil: number; healedAt: number } & Pick<ChaosOptions, 'say'>,
): Promise<void> {
  const { shopped, violations } = chaos;
  const abandoned = await abandonedBy(world, shopped);
  const isAtRest = await rests(world, { besides: abandoned, until: restsUntil });
  if (isAtRest === true) {
    chaos.convergedMs = performance.now() - healedAt;
    say(`at rest ${(chaos.convergedMs / 1_000).toFixed(1)} s after the end of the last fault`);
  } else violations.push(`did not come to rest: ${isAtRest}`, ...(await historiesOfOpen(world, abandoned)));
  const times = {
    accepted: shopped.flatMap(({ reportedAt }) => reportedAt ?? []),
    ended: await endTimes(world),
  };
  chaos.recoveries.push(...recoveriesOf(chaos.struck, times));
  // A payment with a blocked workflow cannot be advanced; final ones are still checked.
  const isLaterAtRest = await lateChecks(world, abandoned).catch(messageOf);
  if (isLaterAtRest !== true) violations.push(`did not come to rest a day later: ${isLaterAtRest}`);
  Object.assign(chaos, await countsOf(world));
  const isOver = isAtRest === true && isLaterAtRest === true;
  violations.push(...(await judgeAll(world, shopped, { isAtRest: isOver })));
  if (isOver) violations.push(...(await secondOpinion(world)));
}

/** @returns what is still open, if it does not come to rest in time. */
async function rests(
  { stack }: World,
  { besides = [], until }: { besides?: string[]; until: number },
): Promise<true | string> {
  const timeoutMs = Math.max(0, until - performance.now());
  const result = await settled({ stack }, { besides, timeoutMs }).then(() => true as const, messageOf);
  // In tests, `waitFor` waits longer than its limit.
  return result === true && performance.now() > until ? 'too late' : result;
}

/** Open payments and pending webhooks: their history for the analysis, and the processes' log lines about them. */
async function historiesOfOpen({ stack }: World, besides: readonly string[]): Promise<string[]> {
  const { db } = stack;
  const [open, unread, owing] = await Promise.all([
    db('payments').where({ is_final: 0 }).pluck('payment_id'),
    db('inbox').where({ state: 'new' }).whereNull('processed_at').pluck('payment_id'),
    db('outbox').where({ state: 'pending' }).pluck('payment_id'),
  ]);
  const ids = new Set([...open, ...unread, ...owing]);
  const lines = (await stack.logs()).split('\n');
  const histories: string[] = [];
  for (const id of ids) {
    if (id === null || besides.includes(id)) continue;
    const history = await malipo(stack, 'payment', 'show', id).catch(messageOf);
    const written = lines.filter((line) => line.includes(id)).slice(-linesMax);
    histories.push([history, ...written].join('\n'));
  }
  return histories;
}

/** Orders that had to be paid before the real operation, such as a refund; their customers never paid. */
export async function abandonedBy({ stack: { db } }: World, shopped: readonly Shopped[]): Promise<string[]> {
  const unbegun = shopped.filter(({ history }) => !history).map(({ name }) => name);
  const open = await db('payments').where({ is_final: 0 }).select('payment_id', 'order_id');
  return open
    .filter(({ order_id: order }) => unbegun.some((name) => order?.includes(name)))
    .map(({ payment_id: id }) => id);
}

/**
 * A day later: payments that failed without a provider's answer are checked again, and unpaid checkouts have expired.
 */
async function lateChecks(world: World, abandoned: readonly string[]): Promise<true | string> {
  if (abandoned.length === 0 && (await notSeenYet(world)).length === 0) return true;
  await world.operator.malipo('sandbox', 'advance', '25h');
  return rests(world, { until: performance.now() + convergesWithinMs });
}

/** The times when payments ended, by `performance.now()`: this machine's clock is the database's. */
async function endTimes({ stack: { db } }: World): Promise<number[]> {
  const ended = await db('payments').where({ is_final: 1 }).pluck('updated_at');
  return ended.map((at: Date) => at.getTime() - performance.timeOrigin);
}

async function countsOf({ stack: { db } }: World): Promise<Pick<Chaos, 'payments' | 'asked'>> {
  const payments = await db('payments').select('state');
  const cases = await db('cases').whereNull('closed_at').select('reason');
  return {
    payments: countOf(payments.map(({ state }) => state)),
    asked: countOf(cases.map(({ reason }) => reason)),
  };
}

export function countOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
