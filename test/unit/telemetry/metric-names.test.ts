/** The names of our metrics: Prometheus' conventions, our prefix, and no name in a rule or a page that we do not export. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { Registry } from 'prom-client';
import type { Config } from '../../../src/config';
import { openDatabase } from '../../../src/store/database';
import {
  databaseClock,
  openWork,
  stuckWork,
  taskQueueFigures,
} from '../../../src/telemetry/figures/api-figures';
import { showCertificates } from '../../../src/telemetry/figures/certificate-figures';
import { floatFigures } from '../../../src/telemetry/figures/float-figures';
import { replicaFigures, showPools } from '../../../src/telemetry/figures/pool-figures';
import { createMetrics } from '../../../src/telemetry/metrics';
import { openTracing } from '../../../src/telemetry/open-tracing';
import { metricsIn } from '../../support/deploy/promql';
import { alertRules, dashboards, questionsOf, recordingRules } from '../../support/deploy/shipped-rules';
import { fakeContext } from '../../support/payments/fakes';
import { silentLog } from '../../support/silent-log';

const root = join(__dirname, '..', '..', '..');
/** No server listens here: these metrics are registered and never read. */
const nowhere = 'mysql://nobody:nothing@127.0.0.1:1/none';

/** Users of the database that pages name. */
const databaseUsers = ['malipo_migrate'];

/** Metrics of Node.js (prom-client's defaults), of Temporal's SDK, and of Prometheus itself. */
const ofOthers = /^(?:nodejs_|process_|temporal_|up$)/;

const retired = [
  'acceptance',
  'appointment',
  'broken',
  'callback',
  'care',
  'come',
  'figure',
  'hint',
  'initiating',
  'instruction',
  'look',
  'news',
  'notice',
  'people',
  'person',
  'promise',
  'refusal',
  'told',
  'turned',
  'work',
];

interface Metric {
  name: string;
  type: string;
  help: string;
}

let ours: Metric[];
beforeAll(async () => {
  const { registers } = createMetrics();
  const db = openDatabase(nowhere);
  const context = fakeContext(db);
  showPools(registers, { own: db });
  showCertificates(registers, { databaseUrl: nowhere } as Config);
  stuckWork(registers, db);
  openWork(registers, context);
  floatFigures(registers, context);
  taskQueueFigures(registers, {} as Client, { temporalNamespace: 'default', taskQueue: 'malipo' });
  databaseClock(registers, db);
  const replicas = replicaFigures(registers, [nowhere]);
  const tracing = await openTracing(
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
    { process: 'api', log: silentLog, registers },
  );
  await Promise.all([tracing.close(), replicas.close(), db.destroy()]);
  const all = (await Registry.merge(registers).getMetricsAsJSON()) as unknown as Metric[];
  ours = all.filter(({ name }) => !ofOthers.test(name));
});

const named = (found: Metric[]): string[] => found.map(({ name }) => name);

it('every metric has the prefix malipo_ and a help sentence', () => {
  expect(ours.length).toBeGreaterThan(40);
  expect(named(ours.filter(({ name }) => !/^malipo_[a-z]+(?:_[a-z]+)*$/.test(name)))).toEqual([]);
  expect(named(ours.filter(({ help }) => !/^[A-Z].*\.$/.test(help)))).toEqual([]);
});

it('counters, and only counters, end in _total', () => {
  expect(named(ours.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter')))).toEqual(
    [],
  );
});

it('histograms are in seconds, and no unit other than the base unit is in a name', () => {
  expect(named(ours.filter(({ name, type }) => type === 'histogram' && !name.endsWith('_seconds')))).toEqual(
    [],
  );
  const units = /_(?:ms|milliseconds|minutes|hours|days|kilobytes|percent)(?:_|$)/;
  expect(named(ours).filter((name) => units.test(name))).toEqual([]);
});

it('no name contains a word that our vocabulary has retired', () => {
  const words = new RegExp(`_(?:${retired.join('|')})s?(?:_|$)`);
  expect(named(ours).filter((name) => words.test(name))).toEqual([]);
});

it('every series has the environment of its process, and none without one', async () => {
  const named = createMetrics({ environment: 'live' });
  named.begins('stk', 'deposit');
  named.request('/api/v1/balance', 200, 0.1);
  const series = (text: string) => text.split('\n').filter((line) => /^[a-z]/.test(line));
  const exported = series(await named.expose());
  expect(exported.length).toBeGreaterThan(30);
  expect(exported.filter((line) => !/[{,]environment="live"[,}]/.test(line))).toEqual([]);
  expect(await createMetrics().expose()).not.toContain('environment');
});

describe('a metric that we export', () => {
  const unknown = (names: readonly string[]) => {
    const known = new Set([...named(ours), ...recordingRules().map(({ record }) => record)]);
    return names.filter((name) => !ofOthers.test(name) && !known.has(name));
  };

  it.each(alertRules())('is each metric in the rule of $alert', ({ expr }) => {
    expect(unknown(metricsIn(expr))).toEqual([]);
  });

  it.each([...dashboards()])('is each metric in the dashboard %s', (_file, dashboard) => {
    expect(unknown(questionsOf(dashboard).flatMap(({ expr }) => metricsIn(expr)))).toEqual([]);
  });

  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.md'),
  );
  const inPages = pages.flatMap((file) =>
    [...readFileSync(join(root, 'docs', file), 'utf8').matchAll(/`(malipo_\w+)(?:\{[^`]*\})?`/g)].map(
      ([, name = '']) => ({ file, name }),
    ),
  );

  it('is each metric that a page of the documentation names', () => {
    expect(inPages.length).toBeGreaterThan(5);
    const metrics = inPages.filter(({ name }) => !databaseUsers.includes(name));
    expect(metrics.filter(({ name }) => unknown([name]).length > 0)).toEqual([]);
  });
});
