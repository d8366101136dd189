/** The running processes export every metric and label that rules and dashboards use, and name themselves in the log. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { accepted, ended } from '../../support/rails/stk/payments';
import { createTestDatabase } from '../../support/database';
import { startStack, type Stack } from '../../support/stack';
import { labelsIn, metricsIn } from '../../support/deploy/promql';
import { alertRules, dashboards, questionsOf, recordingRules } from '../../support/deploy/shipped-rules';

/** Prometheus' own, what it computes for the alerts, and what it adds to each target. */
const ofPrometheus = {
  metrics: ['up', ...recordingRules().map(({ record }) => record)],
  labels: ['environment', 'instance', 'job'],
};

/** Temporal's metrics that a worker exports only after such work. */
const ofDoneWork = ['temporal_activity_schedule_to_start_latency', 'temporal_workflow_completed_total'];

let stack: Stack;
/** What the API, the worker and Temporal's SDK in the worker export. */
let exported: string[];
/** The labels of each exported metric; empty for one without a value yet. */
let served: Map<string, Set<string>>;
beforeAll(async () => {
  const database = await createTestDatabase();
  // The fastest possible replica: the database itself.
  stack = await startStack({ database, env: { MALIPO_REPLICA_URLS: database.url } });
  const merchant = await stack.createMerchant();
  // A successful delivery runs within a workflow task; a retried webhook is a separate activity.
  let isFirst = true;
  merchant.receiver.answerWith((_request, response) => {
    response.statusCode = isFirst ? 500 : 200;
    isFirst = false;
    response.end();
  });
  await ended(stack.db, (await accepted(stack, merchant)).payment_id);
  const places = {
    api: `${stack.opsUrl}/metrics`,
    worker: `http://${stack.env['MALIPO_WORKER_HEALTH'] ?? ''}/metrics`,
    temporal: `http://${stack.env['MALIPO_WORKER_METRICS'] ?? ''}/metrics`,
  };
  served = await waitFor(
    async () => {
      exported = await Promise.all(Object.values(places).map(async (url) => (await fetch(url)).text()));
      const found = namedIn(exported.join('\n'));
      return ofDoneWork.every((name) => found.has(name)) ? found : undefined;
    },
    { what: "Temporal's metrics of a worker that has worked", timeoutMs: 120_000 },
  );
});
afterAll(() => stack.stop());

const askedBy = [
  ...alertRules().map(({ alert, expr }) => ({ who: alert, expr })),
  ...[...dashboards().values()].flatMap((one) =>
    questionsOf(one).map(({ title, expr }) => ({ who: `${one.title}, ${title}`, expr })),
  ),
];

it.each(askedBy)('$who uses exported metrics, by labels that they have', ({ expr }) => {
  const asked = metricsIn(expr).filter((name) => !ofPrometheus.metrics.includes(name));
  expect(asked.filter((name) => !served.has(name))).toEqual([]);
  const labels = new Set([...ofPrometheus.labels, ...asked.flatMap((name) => [...(served.get(name) ?? [])])]);
  if (asked.some((name) => (served.get(name)?.size ?? 0) === 0)) return;
  expect(labelsIn(expr).filter((label) => !labels.has(label))).toEqual([]);
});

it('every series of the API, the worker and Temporal’s SDK has the environment', () => {
  for (const text of exported) {
    const samples = text.split('\n').filter((line) => /^[a-z]/.test(line));
    expect(samples.length).toBeGreaterThan(20);
    expect(samples.filter((line) => !/[{,]environment="sandbox"[,}]/.test(line))).toEqual([]);
  }
});

it('every line of the log names the process, its instance, build and environment', async () => {
  // The simulator has no log, and prints one line.
  const lines = (await stack.logs())
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"listening"'));
  const named = lines.map((line) => JSON.parse(line) as Record<string, string>);
  expect(new Set(named.map((line) => line['process']))).toEqual(new Set(['api', 'worker']));
  const origin = {
    instance: expect.stringMatching(/.:\d+$/) as string,
    build: expect.stringMatching(/./) as string,
    environment: 'sandbox',
  };
  for (const line of named) expect(line).toMatchObject(origin);
  const called = { message: 'request', level: 'info', route: '/api/v1/stk_push', status: 200 };
  expect(named).toContainEqual(expect.objectContaining(called));
});

it('an API process exports the lag of a database replica', async () => {
  const text = await (await fetch(`${stack.opsUrl}/metrics`)).text();
  expect(text).toMatch(/^malipo_database_replica_up\{replica="[^"]+",environment="sandbox"\} 1$/m);
  expect(Number(/^malipo_database_replica_lag_seconds\{.*\} (.*)$/m.exec(text)?.[1])).toBeLessThan(60);
});

it('a polling worker is visible in Temporal’s pollers', async () => {
  for (const kind of ['workflow', 'activity'])
    await waitFor(
      async () => {
        const text = await (await fetch(`${stack.opsUrl}/metrics`)).text();
        return (
          new RegExp(`^malipo_task_queue_pollers\\{kind="${kind}",environment="sandbox"\\} [1-9]`, 'm').test(
            text,
          ) || undefined
        );
      },
      { what: `a poller of ${kind} tasks`, timeoutMs: 120_000 },
    );
});

it('a worker exports nothing of the database, because an alert fires when no API process does', async () => {
  const text = await (await fetch(`http://${stack.env['MALIPO_WORKER_HEALTH'] ?? ''}/metrics`)).text();
  for (const name of [
    'malipo_verify_violations',
    'malipo_database_metrics_read_timestamp_seconds',
    'malipo_cases_open',
  ])
    expect(text).not.toContain(name);
  expect(text).toContain('malipo_ready{check="worker",environment="sandbox"} 1');
});

function namedIn(text: string): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const [, name = ''] of text.matchAll(/^# TYPE (\S+)/gm)) names.set(name, new Set());
  for (const [, sample = '', labels = ''] of text.matchAll(/^([a-z_]\w*)\{([^}]*)\}/gm)) {
    const known = names.get(sample) ?? names.get(sample.replace(/_(?:bucket|sum|count)$/, ''));
    for (const [, label = ''] of labels.matchAll(/([a-z_]+)="/g)) known?.add(label);
  }
  return names;
}
