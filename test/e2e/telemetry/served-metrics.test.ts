/** What rules and dashboards ask for is served by the processes as they run, under the names and the labels that they ask by. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { accepted, ended } from '../../support/rails/stk/payment-story';
import { createTestDatabase } from '../../support/database';
import { startStack, type Stack } from '../../support/stack';
import { labelsIn, metricsIn } from '../../support/deploy/promql';
import { alertRules, dashboards, questionsOf } from '../../support/deploy/shipped-rules';

/** Prometheus' own, and what it adds to each target. */
const ofPrometheus = { metrics: ['up'], labels: ['instance', 'job'] };

/** What a worker shows of Temporal only once it has done such work. */
const ofDoneWork = ['temporal_activity_schedule_to_start_latency', 'temporal_workflow_completed_total'];

let stack: Stack;
/** The labels that each metric was seen with; none for one that has no value yet. */
let served: Map<string, Set<string>>;
beforeAll(async () => {
  const database = await createTestDatabase();
  // A copy that keeps up as no other does.
  stack = await startStack({ database, env: { MALIPO_REPLICA_URLS: database.url } });
  const merchant = await stack.createMerchant();
  // What goes well is done within workflow tasks; a webhook that is sent again is an activity of its own.
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
      const texts = await Promise.all(Object.values(places).map(async (url) => (await fetch(url)).text()));
      const found = namedIn(texts.join('\n'));
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

it.each(askedBy)('$who asks for metrics that are served, by labels that they have', ({ expr }) => {
  const asked = metricsIn(expr).filter((name) => !ofPrometheus.metrics.includes(name));
  expect(asked.filter((name) => !served.has(name))).toEqual([]);
  const labels = new Set([...ofPrometheus.labels, ...asked.flatMap((name) => [...(served.get(name) ?? [])])]);
  if (asked.some((name) => (served.get(name)?.size ?? 0) === 0)) return;
  expect(labelsIn(expr).filter((label) => !labels.has(label))).toEqual([]);
});

it('an API process shows how far a copy of the database is behind', async () => {
  const text = await (await fetch(`${stack.opsUrl}/metrics`)).text();
  expect(text).toMatch(/^database_replica_up\{replica="[^"]+"\} 1$/m);
  expect(Number(/^database_replica_lag_seconds\{.*\} (.*)$/m.exec(text)?.[1])).toBeLessThan(60);
});

it('a worker that takes work is seen to do so, as Temporal tells', async () => {
  for (const kind of ['workflow', 'activity'])
    await waitFor(
      async () => {
        const text = await (await fetch(`${stack.opsUrl}/metrics`)).text();
        return new RegExp(`^task_queue_pollers\\{kind="${kind}"\\} [1-9]`, 'm').test(text) || undefined;
      },
      { what: `a poller of ${kind} tasks`, timeoutMs: 120_000 },
    );
});

it('a worker shows nothing of the database: that no API process does is an alert', async () => {
  const text = await (await fetch(`http://${stack.env['MALIPO_WORKER_HEALTH'] ?? ''}/metrics`)).text();
  for (const name of ['promises_broken', 'figures_read_timestamp_seconds', 'cases_open'])
    expect(text).not.toContain(name);
  expect(text).toContain('ready{check="worker"} 1');
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
