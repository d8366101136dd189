/** Calculations from the measurements: each value is the measured cost times the rate, and nothing else. */
import type { CpuMs } from '../measures/cpu';
import { rounded } from '../measures/statistics';

/** The cost of one payment. */
export interface Costs {
  /** By part. */
  cpuMs: CpuMs;
  mysqlStatements: number;
  mysqlFsyncs: number;
  /** How long it has a connection in a statement or a transaction, in all its transactions together. */
  mysqlBusyMs: number;
  /** Connections that one process keeps open, busy or not. */
  mysqlOpen: Record<'api' | 'worker', number>;
  mysqlBytes: number;
  postgresStatements: number;
  postgresFsyncs: number;
  postgresBusyMs: number;
  postgresBytes: number;
  /** How long its writes occupy a history shard, one after the other. */
  shardMs: number;
  actions: number;
  historyBytes: number;
}

/** Payments per second. */
const rates = [10, 100, 1_000, 10_000];
/** Above this load, waiting times grow faster than throughput. */
const busyAtMost = 0.6;
/** One machine for each store, of a usual large size. */
const storeCores = 16;
const secondsPerDay = 86_400;

/** How much load one instance of a part can take before there must be two. Node runs on one processor. */
const roomOf: Record<string, { of: string; cores: number }> = {
  api: { of: 'one process', cores: 1 },
  worker: { of: 'one process', cores: 1 },
  mysql: { of: `one server of ${storeCores} processors`, cores: storeCores },
  postgresql: { of: `one server of ${storeCores} processors`, cores: storeCores },
  'temporal frontend': { of: 'one processor', cores: 1 },
  'temporal history': { of: 'one processor', cores: 1 },
  'temporal matching': { of: 'one processor', cores: 1 },
  balancer: { of: 'one processor', cores: 1 },
};

export interface Limit {
  part: string;
  /** What is full at that rate. */
  of: string;
  payments_per_s: number;
}

/** The rate at which each part reaches its limit, the lowest first. */
export function limitsOf({ cpuMs }: Costs): Limit[] {
  return Object.entries(roomOf)
    .map(([part, { of, cores }]) => ({
      part,
      of,
      payments_per_s: Math.floor((cores * busyAtMost * 1_000) / (cpuMs[part] ?? Number.NaN)),
    }))
    .sort((a, b) => a.payments_per_s - b.payments_per_s);
}

export interface Projection {
  payments_per_s: number;
  /** By part, each loaded at most to {@link busyAtMost}. */
  processors: Record<string, number>;
  mysql_statements_per_s: number;
  mysql_fsyncs_per_s: number;
  /** Busy at once. */
  mysql_connections: number;
  mysql_connections_open: number;
  mysql_gb_per_day: number;
  postgres_statements_per_s: number;
  postgres_fsyncs_per_s: number;
  postgres_connections: number;
  postgres_gb_per_day: number;
  history_shards: number;
  task_queue_partitions: number;
  actions_per_s: number;
}

export function projected(costs: Costs): Projection[] {
  return rates.map((rate) => ({
    payments_per_s: rate,
    processors: Object.fromEntries(
      Object.keys(roomOf).map((part) => [part, processorsFor(rate, costs.cpuMs[part] ?? Number.NaN)]),
    ),
    mysql_statements_per_s: Math.round(rate * costs.mysqlStatements),
    mysql_fsyncs_per_s: Math.round(rate * costs.mysqlFsyncs),
    mysql_connections: atWork(rate, costs.mysqlBusyMs),
    mysql_gb_per_day: gigabytesPerDay(rate, costs.mysqlBytes),
    postgres_statements_per_s: Math.round(rate * costs.postgresStatements),
    postgres_fsyncs_per_s: Math.round(rate * costs.postgresFsyncs),
    postgres_connections: atWork(rate, costs.postgresBusyMs),
    postgres_gb_per_day: gigabytesPerDay(rate, costs.postgresBytes),
    mysql_connections_open: Math.ceil(
      processorsFor(rate, costs.cpuMs['api'] ?? Number.NaN) * costs.mysqlOpen.api +
        processorsFor(rate, costs.cpuMs['worker'] ?? Number.NaN) * costs.mysqlOpen.worker,
    ),
    // Each partition is in one process of matching: as many as it needs processors.
    task_queue_partitions: processorsFor(rate, costs.cpuMs['temporal matching'] ?? Number.NaN),
    history_shards: shardsFor(rate, costs.shardMs),
    actions_per_s: Math.round(rate * costs.actions),
  }));
}

function processorsFor(rate: number, cpuMs: number): number {
  return Math.max(1, Math.ceil((rate * cpuMs) / (1_000 * busyAtMost)));
}

/** Little's law: arrivals per second times the time of each. */
function atWork(rate: number, busyMs: number): number {
  return Math.max(1, Math.ceil((rate * busyMs) / 1_000));
}

function gigabytesPerDay(rate: number, bytes: number): number {
  return rounded((rate * bytes * secondsPerDay) / 1e9);
}

/** A shard writes one thing after the other. The number that keeps each below its limit, as a power of two. */
function shardsFor(rate: number, shardMs: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2((rate * shardMs) / (1_000 * busyAtMost))));
}

/**
 * Published prices in US dollars, from https://docs.temporal.io/cloud/pricing, read on 2026-11-23: of the first five
 * million actions of a month, of the last million before 200 million, and of a gigabyte stored for an hour.
 */
const prices = {
  firstMillionActions: 50,
  millionActionsAtScale: 25,
  activeGbHour: 0.042,
  retainedGbHour: 0.00105,
};
/** Closed workflows are kept for a day: the database has the record. */
const retainedHours = 24;

/** US dollars per million payments. */
export interface CloudBill {
  actions_first: number;
  actions_at_scale: number;
  /** For each hour that they wait for their result. */
  active_storage_per_hour: number;
  retained_storage: number;
}

export function cloudBillOf({ actions, historyBytes }: Costs): CloudBill {
  const gigabytes = (1e6 * historyBytes) / 1e9;
  return {
    actions_first: rounded(actions * prices.firstMillionActions),
    actions_at_scale: rounded(actions * prices.millionActionsAtScale),
    active_storage_per_hour: rounded(gigabytes * prices.activeGbHour),
    retained_storage: rounded(gigabytes * retainedHours * prices.retainedGbHour),
  };
}
