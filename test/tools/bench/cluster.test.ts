/** The benchmark's report of a cluster, its calculations, and what docs/scale.md shows of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonIn } from '../../../tools/bench/cluster/counters';
import { cloudBillOf, limitsOf, projected, type Costs } from '../../../tools/bench/cluster/projection';
import { byPart, clusterReportOf, type Configuration } from '../../../tools/bench/cluster/report';
import { clusterText } from '../../../tools/bench/cluster/text';
import type { SideFigures } from '../../../tools/bench/measures/side';
import { samplesOf } from '../../../tools/bench/measures/prometheus-text';
import { readOptions } from '../../../tools/bench/options';

const costs: Costs = {
  cpuMs: {
    api: 6,
    worker: 12,
    'temporal frontend': 10,
    'temporal history': 20,
    'temporal matching': 5,
    balancer: 1,
    postgresql: 30,
    mysql: 8,
  },
  mysqlStatements: 40,
  mysqlFsyncs: 6,
  mysqlBusyMs: 50,
  mysqlOpen: { api: 12, worker: 8 },
  mysqlBytes: 6_000,
  postgresStatements: 60,
  postgresFsyncs: 10,
  postgresBusyMs: 80,
  postgresBytes: 9_000,
  shardMs: 30,
  actions: 7,
  historyBytes: 5_000,
};

function side(settledPerSecond: number): SideFigures {
  return {
    rounds: [{ settled: settledPerSecond, accept_p50: 50, accept_p50_at_20: 400, cpu_ms: 30 }],
    accept: { '1': { p50_ms: 50, p99_ms: 80 }, '20': { p50_ms: 400, p99_ms: 900 } },
    turned_away_at_20: 0,
    settled_per_s: settledPerSecond,
    events_per_payment: 17,
    workflow_tasks_per_payment: 2,
    history_bytes_per_payment: 5_000,
    actions_per_payment: { starts: 1, markers: 2, total: 3 },
    sql_per_payment: { 'api-1': 15, 'worker-1': 25, total: 40 },
    cpu_ms_per_payment: { 'api-1': 4, 'api-2': 2, 'worker-1': 12, mysql: 8, driver: 4, total: 30 },
    grown_per_payment: { '1': { mysql_fsyncs: 9 }, '20': { mysql_fsyncs: 6 } },
  };
}

const open = { mysql: { 'api-1': 3, 'worker-1': 5 }, postgresql: { 'temporal history': 12 } };
const configuration = (apis: number, workers: number, perSecond: number): Configuration => ({
  apis,
  workers,
  ours: side(perSecond),
  bare: side(2 * perSecond),
  othersCores: 0.1,
});

function exampleReport() {
  return clusterReportOf(
    {
      configurations: [
        configuration(1, 1, 12),
        { ...configuration(2, 2, 10), connections: { open, mysqlBusy: 0.5 } },
      ],
      idle: { cpu_ms_per_s: { 'api-1': 2, 'api-2': 3, mysql: 1 }, grown_per_s: { mysql_fsyncs: 1 } },
      mysqlTableBytes: 6_000,
    },
    new Date('2026-01-02T03:04:05Z'),
  );
}

describe('npm run bench -- --cluster', () => {
  it('is a separate measurement, for every number of APIs and workers', () => {
    expect(readOptions([]).cluster).toBeUndefined();
    expect(() => readOptions(['--cluster', '--hot'])).toThrow('one measure');
    const sizes = readOptions(['--cluster']).cluster?.sizes ?? [];
    const named = sizes.map(({ apis, workers }) => `${apis}/${workers}`).sort();
    expect(named).toEqual([1, 2, 4].flatMap((apis) => [1, 2, 4].map((workers) => `${apis}/${workers}`)));
  });

  it('reports parts from the measurements of processes', () => {
    expect(byPart({ 'api-1': 1, 'api-12': 2, 'worker-1': 4, 'temporal history': 8, total: 15 })).toEqual({
      api: 3,
      worker: 4,
      'temporal history': 8,
      total: 15,
    });
    const { cpu_ms: cpu, connections, grown } = exampleReport();
    // Two idle APIs take 5 ms a second: for one it is 2.5 at twelve payments a second, for both 5 at ten.
    expect(cpu['api']).toEqual({ mean: 6, least: 6, most: 6, idle_per_s: 5, of_payment: 5.65 });
    expect(cpu['total']).toMatchObject({ mean: 30, idle_per_s: 6, of_payment: 29.56 });
    // Half a connection, ten payments a second: each uses one for 50 ms.
    expect(connections.mysql_busy_ms).toBe(50);
    expect(grown).toEqual({ '1': { mysql_fsyncs: 9 }, '20': { mysql_fsyncs: 6 } });
  });

  it('reads the server’s own counters', () => {
    const text = [
      '# TYPE action counter',
      'action{action_type="grpc_StartWorkflowExecution",namespace="malipo"} 63',
      'action_else{namespace="malipo"} 7',
    ].join('\n');
    expect(samplesOf(text, 'action')).toEqual([
      { labels: { action_type: 'grpc_StartWorkflowExecution', namespace: 'malipo' }, value: 63 },
    ]);
    expect(jsonIn(' row_to_json \n---\n {"wal_sync":1096}\n(1 row)\n')).toEqual({ wal_sync: 1_096 });
  });
});

describe('its calculations', () => {
  const at = (rate: number) => projected(costs).find((row) => row.payments_per_s === rate);

  it('are the cost times the rate, with no part busier than 60 %', () => {
    expect(at(100)).toMatchObject({
      processors: { api: 1, worker: 2, postgresql: 5, mysql: 2 },
      mysql_statements_per_s: 4_000,
      mysql_connections: 5,
      mysql_connections_open: 28,
      mysql_gb_per_day: 51.84,
      postgres_fsyncs_per_s: 1_000,
      actions_per_s: 700,
    });
  });

  it('have so many history shards that none is busier than that, as a power of two', () => {
    expect(at(10)?.history_shards).toBe(1);
    expect(at(1_000)?.history_shards).toBe(64);
  });

  it('list first what is full first', () => {
    const [first, ...others] = limitsOf(costs);
    expect(first).toMatchObject({ part: 'temporal history', payments_per_s: 30 });
    expect(others.at(-1)).toMatchObject({ part: 'mysql', payments_per_s: 1_200 });
  });

  it('price actions, and the hours that a history is stored', () => {
    expect(cloudBillOf(costs)).toEqual({
      actions_first: 350,
      actions_at_scale: 175,
      active_storage_per_hour: 0.21,
      retained_storage: 0.13,
    });
  });
});

it('docs/scale.md shows when each part is full, as the command prints it', () => {
  const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'scale.md'), 'utf8').split('\n');
  const rowsAfterHead = (lines: string[]) => {
    const head = lines.findIndex((line) => line.startsWith('60 % busy at payments/s'));
    expect(head).toBeGreaterThan(0);
    const rows = lines.slice(head + 1).map((line) => line.trim().split(/ {2,}/));
    return rows.slice(
      0,
      rows.findIndex((row) => row.length < 3),
    );
  };
  const parts = (lines: string[]) =>
    rowsAfterHead(lines).map(([part, unit]) => `${String(part)}: ${String(unit)}`);
  const printed = parts([...clusterText(exampleReport()).split('\n'), '']);
  expect(parts(page).sort()).toEqual(printed.sort());
});
