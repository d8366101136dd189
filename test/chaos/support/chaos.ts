/** One seed: a while in which everything breaks, and one in which nothing does and all has to come to rest. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settled } from '../../crash/support/trial';
import { malipo } from '../../faults/support/malipo';
import { exportTables, hasPython, secondChecker } from '../../second-checker/export-tables';
import { wreakHavoc, type Struck } from './havoc';
import { judgeAll, notSeenYet } from './model';
import { chanceOf } from './random';
import { recoveriesOf, type Recovery } from './recovery';
import { shop, type Shopped } from './shoppers';
import { startWorld, type World } from './world';

/** Within this everything that is not a person's comes to rest once nothing breaks any more, at twenty times the speed. */
const convergesWithinMs = 180_000;
const shoppersCount = 16;

export interface ChaosOptions {
  seed: number;
  /** Of the first phase, in milliseconds. */
  ms: number;
  /** A fault of test/crash/planted that is put into the worker. */
  plant?: string | undefined;
  say(line: string): void;
}

export interface Chaos {
  shopped: Shopped[];
  struck: Struck[];
  recoveries: Recovery[];
  /** How long it took to come to rest. */
  convergedMs: number;
  payments: Record<string, number>;
  /** Open questions to a person, by their reason. */
  asked: Record<string, number>;
  violations: string[];
}

export async function runChaos({ seed, ms, plant, say }: ChaosOptions): Promise<Chaos> {
  const world = await startWorld(plant);
  try {
    let isOver = false;
    const patienceMs = ms + convergesWithinMs;
    const shopping = Array.from({ length: shoppersCount }, (_, n) => {
      const merchant = world.merchants[n % world.merchants.length] as World['merchants'][number];
      return shop(world, chanceOf(seed * 31 + n + 1), merchant, { isOver: () => isOver, patienceMs });
    });
    const struck = await wreakHavoc(world, chanceOf(seed), { ms, say });
    isOver = true;
    const healedAt = performance.now();
    const shopped = (await Promise.all(shopping)).flat();
    const lane = { stack: world.stack };
    const violations: string[] = [];
    const abandoned = await abandonedBy(world, shopped);
    await settled(lane, { besides: abandoned, timeoutMs: convergesWithinMs }).catch((error: unknown) => {
      violations.push(`did not come to rest: ${error instanceof Error ? error.message : String(error)}`);
    });
    if (violations.length > 0) violations.push(...(await storiesOfOpen(world)));
    const convergedMs = performance.now() - healedAt;
    say(`at rest ${(convergedMs / 1_000).toFixed(1)} s after the last fault was over`);
    const recoveries = recoveriesOf(struck, { accepted: toldTimes(shopped), ended: await endTimes(world) });
    await lateLooks(world, abandoned);
    if (violations.length === 0)
      violations.push(...(await judgeAll(world, shopped)), ...(await secondOpinion(world)));
    return { shopped, struck, recoveries, convergedMs, violations, ...(await countsOf(world)) };
  } finally {
    await world.stop();
  }
}

/** As an operator would read them. */
async function storiesOfOpen({ stack }: World): Promise<string[]> {
  const open = await stack.db('payments').where({ is_final: 0 }).pluck('payment_id');
  return Promise.all(open.map((id) => malipo(stack, 'payment', 'show', id)));
}

/** Orders that were to be paid before what was wanted could begin, such as a refund; their customers never came. */
async function abandonedBy({ stack: { db } }: World, shopped: readonly Shopped[]): Promise<string[]> {
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
async function lateLooks(world: World, abandoned: readonly string[]): Promise<void> {
  if (abandoned.length === 0 && (await notSeenYet(world)).length === 0) return;
  await world.operator.malipo('sandbox', 'advance', '25h');
  await settled({ stack: world.stack }, { timeoutMs: convergesWithinMs });
}

async function secondOpinion({ stack, merchants }: World): Promise<string[]> {
  if (!hasPython) return [];
  const folder = await mkdtemp(join(tmpdir(), 'malipo-chaos-'));
  try {
    const [tables, books, webhooks] = ['tables', 'books', 'webhooks'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await exportTables(stack.db, tables);
    await writeFile(books, await (await fetch(`${stack.simulatorUrl}/control/books?detail=1`)).text());
    const received = merchants.flatMap(({ receiver }) => receiver.received);
    const lines = received.map(({ headers, rawBody }) =>
      JSON.stringify({ id: headers['webhook-id'], body: rawBody }),
    );
    await writeFile(webhooks, lines.join('\n'));
    const { isClean, lines: said } = await secondChecker(tables, '--books', books, '--webhooks', webhooks);
    return isClean ? [] : said.slice(0, -1).map((line) => `second checker: ${line}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const toldTimes = (shopped: readonly Shopped[]): number[] => shopped.flatMap(({ toldAt }) => toldAt ?? []);

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
