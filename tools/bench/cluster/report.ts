/** The cost of a payment in each part of a cluster, as JSON. */
import type { CpuMs } from '../measures/cpu';
import type { SideFigures } from '../measures/side';
import { rounded, sum } from '../measures/statistics';
import { circumstances, type Circumstances } from '../report/circumstances';
import { ratioOf, type Ratio } from '../report/report';
import type { Connections } from './connections';
import {
  cloudBillOf,
  limitsOf,
  projected,
  type CloudBill,
  type Costs,
  type Limit,
  type Projection,
} from './projection';
import type { Size } from './stack';

/** As measured. */
export interface Configuration extends Size {
  ours: SideFigures;
  bare: SideFigures;
  /** How many processors other work used meanwhile. */
  othersCores: number;
  /** Only if they were counted. */
  connections?: {
    open: Connections;
    /** In a statement or a transaction, on average, with twenty payments at once. */
    mysqlBusy: number;
  };
}

/** The idle load, without any payment. */
export interface IdleFigures {
  cpu_ms_per_s?: CpuMs;
  grown_per_s: Record<string, number>;
}

type Accept = SideFigures['accept'];

export interface ConfigurationRow extends Size {
  settled_per_s: number;
  accept: Accept;
  bare: { settled_per_s: number; accept: Accept };
  ratio: Ratio;
  /** By part: all APIs are one part, and all workers. */
  cpu_ms_per_payment: CpuMs;
  others_cores: number;
}

interface PartCpu {
  mean: number;
  least: number;
  most: number;
  /** Of all its processes, without any payment. */
  idle_per_s: number;
  /** The mean without the idle load. */
  of_payment: number;
}

export interface ClusterReport extends Circumstances {
  configurations: ConfigurationRow[];
  /** Of the last configuration, by process. */
  cpu_ms_by_process: CpuMs;
  /** By part, over all configurations. */
  cpu_ms: Record<string, PartCpu>;
  sql: Record<string, number>;
  /** By the number of payments in progress. */
  grown: Record<'1' | '20', Record<string, number>>;
  idle_grown_per_s: Record<string, number>;
  /** By Temporal Cloud's definition, from histories; `grown` has the server's own count. */
  actions: Record<string, number>;
  history: { events: number; workflow_tasks: number; bytes: number };
  /** Of MySQL, including indexes. */
  mysql_table_bytes: number;
  connections: { open: Connections; mysql_busy: number; mysql_busy_ms: number };
  limits: Limit[];
  projection: Projection[];
  cloud: CloudBill;
}

export interface ClusterMeasured {
  /** The last one also has what was counted only once. */
  configurations: readonly Configuration[];
  idle: IdleFigures;
  mysqlTableBytes: number;
}

export function clusterReportOf(measured: ClusterMeasured, now = new Date()): ClusterReport {
  const { configurations, idle, mysqlTableBytes } = measured;
  const last = configurations.at(-1);
  if (last?.connections === undefined) throw new Error('nothing was counted');
  const { ours, connections } = last;
  const rows = configurations.map(rowOf);
  const idleCpu = byPart(idle.cpu_ms_per_s ?? {});
  const cpu = cpuByPart(rows, { ...idleCpu, total: rounded(sum(Object.values(idleCpu))) });
  const grown = { '1': meanGrown(configurations, '1'), '20': meanGrown(configurations, '20') };
  const sql = ours.sql_per_payment ?? {};
  const found = {
    configurations: rows,
    cpu_ms_by_process: ours.cpu_ms_per_payment ?? {},
    cpu_ms: cpu,
    sql,
    grown,
    idle_grown_per_s: idle.grown_per_s,
    actions: ours.actions_per_payment,
    history: {
      events: ours.events_per_payment,
      workflow_tasks: ours.workflow_tasks_per_payment,
      bytes: ours.history_bytes_per_payment,
    },
    mysql_table_bytes: mysqlTableBytes,
    connections: {
      open: connections.open,
      mysql_busy: connections.mysqlBusy,
      mysql_busy_ms: rounded((connections.mysqlBusy * 1_000) / ours.settled_per_s),
    },
  };
  const costs = costsOf(found);
  return {
    ...found,
    limits: limitsOf(costs),
    projection: projected(costs),
    cloud: cloudBillOf(costs),
    ...circumstances(now),
  };
}

function rowOf({ apis, workers, ours, bare, othersCores }: Configuration): ConfigurationRow {
  return {
    apis,
    workers,
    settled_per_s: ours.settled_per_s,
    accept: ours.accept,
    bare: { settled_per_s: bare.settled_per_s, accept: bare.accept },
    ratio: ratioOf(ours, bare),
    cpu_ms_per_payment: byPart(ours.cpu_ms_per_payment ?? {}),
    others_cores: othersCores,
  };
}

/** `api-1` and `api-2` belong to the part `api`. */
export function byPart(cpu: CpuMs): CpuMs {
  const parts: CpuMs = {};
  for (const [name, ms] of Object.entries(cpu)) {
    const part = name.replace(/-\d{1,2}$/, '');
    parts[part] = rounded((parts[part] ?? 0) + ms);
  }
  return parts;
}

function cpuByPart(rows: readonly ConfigurationRow[], idle: CpuMs): ClusterReport['cpu_ms'] {
  const last = rows.at(-1);
  const parts = [...new Set(rows.flatMap((row) => Object.keys(row.cpu_ms_per_payment)))];
  const partOf = (part: string): PartCpu => {
    const each = rows.map((row) => row.cpu_ms_per_payment[part] ?? 0);
    const idlePerS = idle[part] ?? 0;
    // The idle load was measured with the last configuration's processes.
    const net = rows.map(
      (row, n) =>
        (each[n] ?? 0) -
        (idlePerS * processesOf(part, row)) / (processesOf(part, last ?? row) * row.settled_per_s),
    );
    return {
      mean: mean(each),
      least: Math.min(...each),
      most: Math.max(...each),
      idle_per_s: idlePerS,
      of_payment: Math.max(0, mean(net)),
    };
  };
  const found = Object.fromEntries(parts.map((part) => [part, partOf(part)]));
  const { total, ...others } = found;
  if (!total) return found;
  return {
    ...others,
    total: { ...total, of_payment: rounded(sum(Object.values(others).map((cpu) => cpu.of_payment))) },
  };
}

function processesOf(part: string, { apis, workers }: Size): number {
  if (part === 'api') return apis;
  return part === 'worker' ? workers : 1;
}

function mean(values: readonly number[]): number {
  return rounded(sum(values) / values.length);
}

function meanGrown(configurations: readonly Configuration[], underWay: '1' | '20'): Record<string, number> {
  const each = configurations.map(({ ours }) => ours.grown_per_payment?.[underWay] ?? {});
  const names = [...new Set(each.flatMap((grown) => Object.keys(grown)))];
  return Object.fromEntries(names.map((name) => [name, mean(each.map((grown) => grown[name] ?? 0))]));
}

type CostSources = Pick<
  ClusterReport,
  'configurations' | 'cpu_ms' | 'grown' | 'idle_grown_per_s' | 'sql' | 'actions' | 'history' | 'connections'
> &
  Pick<ClusterReport, 'mysql_table_bytes'>;

/** Without the idle load. */
function costsOf(of: CostSources): Costs {
  const { apis = 1, workers = 1 } = of.configurations.at(-1) ?? {};
  // The time of one payment among twenty, during which the idle load continues.
  const secondsEach = mean(of.configurations.map((row) => 1 / row.settled_per_s));
  const net = (name: string) =>
    Math.max(0, rounded((of.grown['20'][name] ?? 0) - secondsEach * (of.idle_grown_per_s[name] ?? 0)));
  const open = byPart(of.connections.open.mysql);
  return {
    cpuMs: Object.fromEntries(Object.entries(of.cpu_ms).map(([part, { of_payment: ms }]) => [part, ms])),
    mysqlStatements: of.sql['total'] ?? 0,
    mysqlFsyncs: net('mysql_fsyncs'),
    mysqlBusyMs: of.connections.mysql_busy_ms,
    mysqlOpen: { api: (open['api'] ?? 0) / apis, worker: (open['worker'] ?? 0) / workers },
    mysqlBytes: of.mysql_table_bytes,
    postgresStatements: net('postgres_statements'),
    postgresFsyncs: net('postgres_fsyncs'),
    postgresBusyMs: net('postgres_busy_ms'),
    postgresBytes: of.grown['20']['postgres_table_bytes'] ?? 0,
    shardMs: net('shard_write_ms'),
    actions: of.actions['total'] ?? 0,
    historyBytes: of.history.bytes,
  };
}
