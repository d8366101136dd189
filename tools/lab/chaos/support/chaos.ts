/** One seed: a while in which everything breaks, and one in which nothing does and all has to come to rest. */
import { settled } from '../../crash/support/trial';
import { malipo } from '../../../../test/faults/support/malipo';
import { wreakHavoc, type Struck } from './havoc';
import { judgeAll, notSeenYet } from './model';
import { chanceOf } from './random';
import { recoveriesOf, type Recovery } from './recovery';
import { secondOpinion } from './second-opinion';
import { shop, type Shopped } from './shoppers';
import { startWorld, type World } from './world';

/** Within this everything that is not a person's comes to rest once nothing breaks any more, at twenty times the speed. */
const convergesWithinMs = 180_000;
const shoppersCount = 16;
/** Of what the processes wrote about one payment. */
const linesMax = 30;

export interface ChaosOptions {
  seed: number;
  /** Of the first phase, in milliseconds. */
  ms: number;
  /** How long the second one may take. */
  restsWithinMs?: number;
  /** A fault of tools/lab/crash/planted that is put into the worker. */
  plant?: string | undefined;
  say(line: string): void;
}

export interface Chaos {
  shopped: Shopped[];
  struck: Struck[];
  recoveries: Recovery[];
  /** How long it took to come to rest; undefined where it did not. */
  convergedMs?: number;
  payments: Record<string, number>;
  /** Open questions to a person, by their reason. */
  asked: Record<string, number>;
  violations: string[];
}

const nothingYet = (): Chaos => ({
  ...{ shopped: [], struck: [], recoveries: [] },
  ...{ payments: {}, asked: {}, violations: [] },
});

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What goes wrong with the run itself is a violation as well: nothing that was seen is lost. */
export async function runChaos(options: ChaosOptions): Promise<Chaos> {
  const chaos = nothingYet();
  const note = (what: string) => (error: unknown) => {
    chaos.violations.push(`${what}: ${messageOf(error)}`);
  };
  const world = await startWorld(options.plant).catch(note('could not start'));
  if (!world) return chaos;
  await runIn(world, chaos, options).catch(note('could not go on'));
  await world.stop().catch(note('in the end'));
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
    // Where nothing was mended, nobody is waited for.
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
    say(`at rest ${(chaos.convergedMs / 1_000).toFixed(1)} s after the last fault was over`);
  } else violations.push(`did not come to rest: ${isAtRest}`, ...(await storiesOfOpen(world, abandoned)));
  const times = { accepted: shopped.flatMap(({ toldAt }) => toldAt ?? []), ended: await endTimes(world) };
  chaos.recoveries.push(...recoveriesOf(chaos.struck, times));
  // Whose workflow stands still cannot be moved on; what has ended is judged all the same.
  const isLaterAtRest = await lateChecks(world, abandoned).catch(messageOf);
  if (isLaterAtRest !== true) violations.push(`did not come to rest a day later: ${isLaterAtRest}`);
  Object.assign(chaos, await countsOf(world));
  const isOver = isAtRest === true && isLaterAtRest === true;
  violations.push(...(await judgeAll(world, shopped, { isAtRest: isOver })));
  if (isOver) violations.push(...(await secondOpinion(world)));
}

/** @returns what is still open, where it does not come to rest in time. */
async function rests(
  { stack }: World,
  { besides = [], until }: { besides?: string[]; until: number },
): Promise<true | string> {
  const timeoutMs = Math.max(0, until - performance.now());
  const said = await settled({ stack }, { besides, timeoutMs }).then(() => true as const, messageOf);
  // Tests wait more patiently than they were told to.
  return said === true && performance.now() > until ? 'it did so too late' : said;
}

/** Of what is open, or owes somebody something: as an operator would read it, and what the processes wrote about it. */
async function storiesOfOpen({ stack }: World, besides: readonly string[]): Promise<string[]> {
  const { db } = stack;
  const [open, unread, owing] = await Promise.all([
    db('payments').where({ is_final: 0 }).pluck('payment_id'),
    db('inbox').where({ state: 'new' }).whereNull('processed_at').pluck('payment_id'),
    db('outbox').where({ state: 'pending' }).pluck('payment_id'),
  ]);
  const ids = new Set([...open, ...unread, ...owing]);
  const lines = (await stack.logs()).split('\n');
  const stories: string[] = [];
  for (const id of ids) {
    if (id === null || besides.includes(id)) continue;
    const story = await malipo(stack, 'payment', 'show', id).catch(messageOf);
    const written = lines.filter((line) => line.includes(id)).slice(-linesMax);
    stories.push([story, ...written].join('\n'));
  }
  return stories;
}

/** Orders that were to be paid before what was wanted could begin, such as a refund; their customers never came. */
export async function abandonedBy({ stack: { db } }: World, shopped: readonly Shopped[]): Promise<string[]> {
  const unbegun = shopped.filter(({ story }) => !story).map(({ name }) => name);
  const open = await db('payments').where({ is_final: 0 }).select('payment_id', 'order_id');
  return open
    .filter(({ order_id: order }) => unbegun.some((name) => order?.includes(name)))
    .map(({ payment_id: id }) => id);
}

/**
 * A day later: what was given up while its provider could not be asked is looked at again, and a checkout that nobody came
 * to is over.
 */
async function lateChecks(world: World, abandoned: readonly string[]): Promise<true | string> {
  if (abandoned.length === 0 && (await notSeenYet(world)).length === 0) return true;
  await world.operator.malipo('sandbox', 'advance', '25h');
  return rests(world, { until: performance.now() + convergesWithinMs });
}

/** When payments came to their ends, by `performance.now()`: this machine's clock is the database's. */
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
