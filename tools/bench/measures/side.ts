import type { ClosedLoopPlan } from '../load/closed-loop';
import type { Sample } from '../load/payment';
import { cpuMeter, perPayment, type CpuMs } from './cpu';
import type { HistoryFigures } from './histories';
import { acceptanceMs, fullThroughput, perSecond, percentiles, type Percentiles } from './statistics';

/** One of the things that are compared: payments of one kind, or bare workflows. */
export interface Side {
  name: string;
  closedLoop(plan: ClosedLoopPlan): Promise<Sample[]>;
  /** Process ids by name, of everything that works on its payments. */
  pids: Record<string, number>;
  /** Those that work through processes of their own. */
  forking?: readonly string[];
  /** Counters of anything else that its payments make grow, by name; what is read is never timed. */
  counters?(): Promise<Record<string, number>>;
  /** Resolves when what follows a payment's end is written down, too. */
  quiet(): Promise<void>;
  histories(ids: string[]): Promise<HistoryFigures>;
  /** Where it has a database: how many statements each process sends for as long as `work` goes on. */
  statements?(work: () => Promise<void>): Promise<Record<string, number>>;
}

export interface SideFigures {
  /** By the number of payments under way. */
  accept: Record<'1' | '20', Percentiles>;
  /** Calls that were told to come back, of those who made the payments of `accept` with twenty under way. */
  turned_away_at_20: number;
  settled_per_s: number;
  events_per_payment: number;
  workflow_tasks_per_payment: number;
  history_bytes_per_payment: number;
  /** What Temporal Cloud would count, by kind and in all. */
  actions_per_payment: Record<string, number>;
  /** Statements, each a round trip to the database, by process and in all; absent where there is no database. */
  sql_per_payment?: Record<string, number>;
  /** What each counter grew by, by the number of payments under way; absent where nothing else is counted. */
  grown_per_payment?: Record<'1' | '20', Record<string, number>>;
  /** Absent where the system does not tell. */
  cpu_ms_per_payment?: CpuMs;
}

export interface SidePlan {
  /** Payments before anything is measured. */
  warmUp: number;
  rounds: number;
  /** Payments of each round that have the service to themselves. */
  alone: number;
  /** Payments of each round that share it with nineteen others. */
  crowded: number;
}

const crowd = 20;
/** Histories are all alike; these many are enough to see it. */
const historiesRead = 10;
/** Counted apart from what is timed, because counting takes time. */
const statementsCounted = 60;

interface Collected {
  alone: Sample[];
  crowded: Sample[][];
  cpu: CpuMs[];
  grown: Record<'alone' | 'crowded', Record<string, number>[]>;
}

/** Measures the sides in turns, so that a machine that is busy for a while is busy for all of them. */
export async function measureSides<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  plan: SidePlan,
  progress: (what: string, work: () => Promise<void>) => Promise<void>,
): Promise<Record<Name, SideFigures>> {
  const named = Object.entries(sides) as [Name, Side][];
  const collected = named.map(([name, side]) => ({ name, side, into: nothingYet() }));
  for (const { side } of collected) {
    await progress(`warming up ${side.name}`, async () => {
      await side.closedLoop({ payments: plan.warmUp, concurrency: crowd });
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
    await progress(`counting what ${side.name} take`, async () => {
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
  into.alone.push(...(await side.closedLoop({ payments: plan.alone, concurrency: 1 })));
  await side.quiet();
  const between = await side.counters?.();
  const cpuUsed = await cpuMeter(side.pids, side.forking);
  into.crowded.push(await side.closedLoop({ payments: plan.crowded, concurrency: crowd }));
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

/** A sum of them says nothing: each counts something else. */
function grownPerPayment(parts: readonly Record<string, number>[], payments: number): Record<string, number> {
  const { total: _, ...each } = perPayment(parts, payments);
  return each;
}

async function figuresOf(side: Side, { alone, crowded, cpu, grown }: Collected): Promise<SideFigures> {
  const all = crowded.flat();
  const { events, workflow_tasks, bytes, actions } = await side.histories(
    alone.slice(-historiesRead).map(({ id }) => id),
  );
  const statements = await side.statements?.(async () => {
    await side.closedLoop({ payments: statementsCounted, concurrency: crowd });
    await side.quiet();
  });
  return {
    accept: { '1': percentiles(acceptanceMs(alone)), '20': percentiles(acceptanceMs(all)) },
    turned_away_at_20: all.reduce((sum, { turnedAway = 0 }) => sum + turnedAway, 0),
    settled_per_s: perSecond(crowded.map((samples) => fullThroughput(samples, crowd))),
    events_per_payment: events,
    workflow_tasks_per_payment: workflow_tasks,
    history_bytes_per_payment: bytes,
    actions_per_payment: actions,
    ...(statements && { sql_per_payment: perPayment([statements], statementsCounted) }),
    ...(grown.crowded.length > 0 && {
      grown_per_payment: {
        '1': grownPerPayment(grown.alone, alone.length),
        '20': grownPerPayment(grown.crowded, all.length),
      },
    }),
    ...(cpu.length > 0 && { cpu_ms_per_payment: perPayment(cpu, all.length) }),
  };
}
