/** The report of a cluster as text. */
import { facts, table } from '../../../src/cli/table';
import { headlineOf } from '../report/circumstances';
import type { ClusterReport } from './report';

type Section = (report: ClusterReport) => string;

const sections: Section[] = [
  headlineOf,
  configurationsText,
  partsText,
  processesText,
  countsText,
  temporalText,
  connectionsText,
  limitsText,
  projectionText,
  cloudText,
];

export function clusterText(report: ClusterReport): string {
  return sections.map((section) => section(report)).join('\n\n');
}

/** A document has a table with these columns. */
const configurationHead = [
  'APIs',
  'workers',
  'settled/s',
  'of bare',
  'accept p50',
  'p99',
  'of 20, p50',
  'p99',
  'CPU ms',
  'bare/s',
  'bare accept p50',
  'others',
];

function configurationsText({ configurations }: ClusterReport): string {
  const rows = configurations.map(
    ({ apis, workers, settled_per_s, accept, bare, ratio, cpu_ms_per_payment, others_cores }) => [
      apis,
      workers,
      settled_per_s,
      ratio.settled,
      accept['1'].p50_ms,
      accept['1'].p99_ms,
      accept['20'].p50_ms,
      accept['20'].p99_ms,
      cpu_ms_per_payment['total'] ?? '',
      bare.settled_per_s,
      bare.accept['1'].p50_ms,
      others_cores,
    ],
  );
  return `STK pushes, time to create in ms, one at a time and 20 at once (others: processors busy with other work):\n${table(configurationHead, rows)}`;
}

function partsText({ cpu_ms: cpu }: ClusterReport): string {
  const rows = Object.entries(cpu).map(([part, { of_payment, mean, least, most, idle_per_s }]) => [
    part,
    of_payment,
    mean,
    least,
    most,
    idle_per_s,
  ]);
  return table(['CPU ms per payment', 'without idle', 'mean', 'least', 'most', 'idle, ms per second'], rows);
}

function processesText({ configurations, cpu_ms_by_process: cpu }: ClusterReport): string {
  const { apis, workers } = configurations.at(-1) ?? { apis: 0, workers: 0 };
  const head = `CPU ms per payment, by process, of ${apis} × API and ${workers} × worker`;
  return table([head, ''], Object.entries(cpu));
}

/** The stores' usual names; an unknown counter keeps its own. */
function countsText({ grown, idle_grown_per_s: idle, sql, mysql_table_bytes: bytes }: ClusterReport): string {
  const { total = 0, ...byProcess } = sql;
  const processes = Object.entries(byProcess).map(([name, n]) => `${name} ${n}`);
  const rows = Object.keys(grown['20']).map((name) => [
    name.replaceAll('_', ' '),
    grown['1'][name] ?? '',
    grown['20'][name] ?? '',
    idle[name] ?? '',
  ]);
  return [
    table(['per payment', 'one at a time', '20 at a time', 'idle, per second'], rows),
    facts([
      ['mysql statements per payment', `${total} (${processes.join(', ')})`],
      ['mysql table bytes per payment', bytes],
    ]),
  ].join('\n\n');
}

function temporalText({ actions, history }: ClusterReport): string {
  const kinds = Object.entries(actions).filter(([name, n]) => name !== 'total' && n > 0);
  const named = kinds.map(([name, n]) => `${name.replaceAll('_', ' ')} ${n}`);
  return facts([
    ['actions per payment, from histories', `${actions['total'] ?? 0} (${named.join(', ')})`],
    ['history events per payment', history.events],
    ['workflow tasks per payment', history.workflow_tasks],
    ['history bytes per payment', history.bytes],
  ]);
}

function connectionsText({ connections }: ClusterReport): string {
  const { open, mysql_busy, mysql_busy_ms } = connections;
  const reported = (of: Record<string, number>) =>
    Object.entries(of)
      .map(([name, n]) => `${name} ${n}`)
      .join(', ');
  return facts([
    ['connections to mysql', reported(open.mysql)],
    ['of them busy at once', `${mysql_busy}, ${mysql_busy_ms} ms per payment`],
    ['connections to postgresql', reported(open.postgresql)],
  ]);
}

function limitsText({ limits }: ClusterReport): string {
  return table(
    ['60 % busy at payments/s', '', ''],
    limits.map(({ part, of, payments_per_s }) => [part, of, payments_per_s]),
  );
}

function projectionText({ projection }: ClusterReport): string {
  const parts = Object.keys(projection[0]?.processors ?? {});
  const line = (name: string, of: (row: ClusterReport['projection'][number]) => number | string) => [
    name,
    ...projection.map(of),
  ];
  return table(['on paper, at payments/s', ...projection.map((row) => row.payments_per_s)].map(String), [
    ...parts.map((part) => line(`processors: ${part}`, (row) => row.processors[part] ?? '')),
    line('mysql statements/s', (row) => row.mysql_statements_per_s),
    line('mysql fsyncs/s', (row) => row.mysql_fsyncs_per_s),
    line('mysql connections busy', (row) => row.mysql_connections),
    line('mysql connections open', (row) => row.mysql_connections_open),
    line('mysql GB a day', (row) => row.mysql_gb_per_day),
    line('postgresql statements/s', (row) => row.postgres_statements_per_s),
    line('postgresql fsyncs/s', (row) => row.postgres_fsyncs_per_s),
    line('postgresql connections busy', (row) => row.postgres_connections),
    line('postgresql GB a day', (row) => row.postgres_gb_per_day),
    line('history shards', (row) => row.history_shards),
    line('task queue partitions', (row) => row.task_queue_partitions),
    line('actions/s', (row) => row.actions_per_s),
  ]);
}

function cloudText({ cloud }: ClusterReport): string {
  const prices = facts([
    ['actions, of the first five million a month', cloud.actions_first],
    ['actions, at 100 to 200 million a month', cloud.actions_at_scale],
    ['storage, each hour that they wait', cloud.active_storage_per_hour],
    ['storage, kept for a day', cloud.retained_storage],
  ]);
  return `Temporal Cloud's price of a million payments, in US dollars:\n${prices}`;
}
