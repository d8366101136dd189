import type { ClosedLoopPlan } from '../load/closed-loop';
import type { Sample } from '../load/payment';
import { cpuMeter, perPayment, type CpuMs } from './cpu';
import type { HistoryFigures } from './histories';
import { creationMs, fullThroughput, median, perSecond, percentiles, type Percentiles } from './statistics';

/** One of the compared subjects: payments of one kind, or bare workflows. */
export interface Side {
  name: string;
  closedLoop(plan: ClosedLoopPlan): Promise<Sample[]>;
  /** Process ids by name, of everything that works on its payments. */
  pids: Record<string, number>;
  /** Processes that work through children. */
  forking?: readonly string[];
  /** Further counters that its payments increase, by name; they are never read during a measurement. */
  counters?(): Promise<Record<string, number>>;
  /** Resolves when all later work of a payment is stored too. */
  quiet(): Promise<void>;
  histories(ids: string[]): Promise<HistoryFigures>;
  /** With a database: how many statements each process sends during `work`. */
  statements?(work: () => Promise<void>): Promise<Record<string, number>>;
}

/** The figures of one round, which are compared with those of the other side in the same round. */
export interface RoundFigures {
  settled: number;
  /** Medians in milliseconds, with one caller and with twenty. */
  accept_p50: number;
  accept_p50_at_20: number;
  /** Per payment; absent if the system does not report it. */
  cpu_ms?: number;
}

export interface SideFigures {
  rounds: RoundFigures[];
  /** By the number of payments in progress. */
  accept: Record<'1' | '20', Percentiles>;
  /** Rejected calls of the payments in `accept` with twenty in progress. */
  turned_away_at_20: number;
  settled_per_s: number;
  events_per_payment: number;
  workflow_tasks_per_payment: number;
  history_bytes_per_payment: number;
  /** By Temporal Cloud's definition, by kind and in total. */
  actions_per_payment: Record<string, number>;
  /** Statements, each a round trip to the database, by process and in total; absent without a database. */
  sql_per_payment?: Record<string, number>;
  /** The increase of each counter, by the number of payments in progress; absent without counters. */
  grown_per_payment?: Record<'1' | '20', Record<string, number>>;
  /** Absent if the system does not report it. */
  cpu_ms_per_payment?: CpuMs;
}

export interface SidePlan {
  /** Payments before any measurement. */
  warmUp: number;
  rounds: number;
  /** Payments of each round, one at a time. */
  alone: number;
  /** Payments of each round, twenty at a time. */
  crowded: number;
}

const limit = 20;
/** Histories are all alike; so many are enough. */
const historiesRead = 10;
/** Counted separately from the measurements, because counting takes time. */
const statementsCounted = 60;

interface Collected {
  alone: Sample[][];
  crowded: Sample[][];
  cpu: CpuMs[];
  grown: Record<'alone' | 'crowded', Record<string, number>[]>;
}

/** Measures the sides alternately, so that a machine that is busy for a while affects all of them. */
export async function measureSides<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  plan: SidePlan,
  progress: (what: string, work: () => Promise<void>) => Promise<void>,
): Promise<Record<Name, SideFigures>> {
  const named = Object.entries(sides) as [Name, Side][];
  const collected = named.map(([name, side]) => ({ name, side, into: nothingYet() }));
  for (const { side } of collected) {
    await progress(`warming up ${side.name}`, async () => {
      await side.closedLoop({ payments: plan.warmUp, concurrency: limit });
      await side.quiet();
    });
  }
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const { side, into } of collected) {
      await progress(`${side.name}, round ${round} of ${plan.rounds}`, () => measureRound(side, plan, into));
    }
  }
  const figures: Partial<Record<Name, SideFigures>> = {};
  for (const { name, side, into } of collected) {
    await progress(`counting the statements of ${side.name}`, async () => {
      figures[name] = await figuresOf(side, into);
    });
  }
  return figures as Record<Name, SideFigures>;
}

function nothingYet(): Collected {
  return { alone: [], crowded: [], cpu: [], grown: { alone: [], crowded: [] } };
}

async function measureRound(side: Side, plan: SidePlan, into: Collected): Promise<void> {
  const begun = await side.counters?.();
  into.alone.push(await side.closedLoop({ payments: plan.alone, concurrency: 1 }));
  await side.quiet();
  const between = await side.counters?.();
  const cpuUsed = await cpuMeter(side.pids, side.forking);
  into.crowded.push(await side.closedLoop({ payments: plan.crowded, concurrency: limit }));
  await side.quiet();
  if (cpuUsed) into.cpu.push(await cpuUsed());
  const ended = await side.counters?.();
  if (begun && between && ended) {
    into.grown.alone.push(grownBetween(begun, between));
    into.grown.crowded.push(grownBetween(between, ended));
  }
}

export function grownBetween(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, n]) => [name, n - (before[name] ?? 0)]));
}

/** A sum over different counters has no meaning. */
function grownPerPayment(parts: readonly Record<string, number>[], payments: number): Record<string, number> {
  const { total: _, ...each } = perPayment(parts, payments);
  return each;
}

function roundFigures(alone: readonly Sample[], crowded: readonly Sample[], cpu?: CpuMs): RoundFigures {
  const { total } = cpu ? perPayment([cpu], crowded.length) : {};
  return {
    settled: perSecond([fullThroughput(crowded, limit)]),
    accept_p50: median(creationMs(alone)),
    accept_p50_at_20: median(creationMs(crowded)),
    ...(total !== undefined && { cpu_ms: total }),
  };
}

async function figuresOf(side: Side, { alone, crowded, cpu, grown }: Collected): Promise<SideFigures> {
  const [all, each] = [crowded.flat(), alone.flat()];
  const { events, workflow_tasks, bytes, actions } = await side.histories(
    each.slice(-historiesRead).map(({ id }) => id),
  );
  const statements = await side.statements?.(async () => {
    await side.closedLoop({ payments: statementsCounted, concurrency: limit });
    await side.quiet();
  });
  return {
    rounds: alone.map((samples, round) => roundFigures(samples, crowded[round] ?? [], cpu[round])),
    accept: { '1': percentiles(creationMs(each)), '20': percentiles(creationMs(all)) },
    turned_away_at_20: all.reduce((sum, { turnedAway = 0 }) => sum + turnedAway, 0),
    settled_per_s: perSecond(crowded.map((samples) => fullThroughput(samples, limit))),
    events_per_payment: events,
    workflow_tasks_per_payment: workflow_tasks,
    history_bytes_per_payment: bytes,
    actions_per_payment: actions,
    ...(statements && { sql_per_payment: perPayment([statements], statementsCounted) }),
    ...(grown.crowded.length > 0 && {
      grown_per_payment: {
        '1': grownPerPayment(grown.alone, each.length),
        '20': grownPerPayment(grown.crowded, all.length),
      },
    }),
    ...(cpu.length > 0 && { cpu_ms_per_payment: perPayment(cpu, all.length) }),
  };
}
