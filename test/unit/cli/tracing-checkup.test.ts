/** What the doctor reports about traces. */
import { readConfig } from '../../../src/config';
import type { Diagnosis } from '../../../src/domain/diagnosis';
import type { Patient } from '../../../src/cli/doctor/checkup';
import { tracingCheckups } from '../../../src/cli/doctor/tracing-checkups';
import { portReserve } from '../../support/ports';
import { startOtlpReceiver, type OtlpReceiver } from '../../support/otlp-receiver';
import { createServer, type Server } from 'node:http';

const ports = portReserve();
let collector: OtlpReceiver;
let api: Server;
let apiPort: number;
let nobody: number;
let metrics = '';
beforeAll(async () => {
  collector = await startOtlpReceiver();
  [apiPort, nobody] = [await ports.take(), await ports.take()];
  api = createServer((_request, response) => response.end(metrics));
  await new Promise<void>((resolve) => api.listen(apiPort, '127.0.0.1', resolve));
});
afterAll(async () => {
  await collector.close();
  await new Promise((resolve) => api.close(resolve));
  ports.letGo();
});
beforeEach(() => {
  collector.answerWith((response) => response.end('{}'));
});

function examine(settings: Record<string, string>): Promise<Diagnosis> {
  const env = {
    MALIPO_ENV: 'sandbox',
    DATABASE_URL: 'mysql://malipo@localhost/malipo',
    MALIPO_SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    MALIPO_OPS_HOST: '0.0.0.0',
    MALIPO_OPS_PORT: String(apiPort),
    MALIPO_WORKER_HEALTH: `127.0.0.1:${String(nobody)}`,
    ...settings,
  };
  const [checkup] = tracingCheckups;
  if (!checkup) throw new Error('there is no checkup');
  return checkup.examine({ env, config: readConfig(env) } as unknown as Patient);
}
const on = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_TRACES_SAMPLER: 'traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.1',
});

it('reports that tracing is off', async () => {
  expect(await examine({})).toMatchObject({
    level: 'ok',
    sentence: expect.stringMatching(/are off/) as string,
  });
});

it('reports the last export of the process beside it, and the processes that it cannot reach', async () => {
  const seconds = Date.now() / 1_000 - 70;
  metrics = `malipo_trace_export_timestamp_seconds{environment="live"} ${String(seconds)}\nmalipo_trace_spans_dropped_total{reason="failed",environment="live"} 3\n`;
  const { level, sentence } = await examine(on());
  expect(level).toBe('ok');
  expect(sentence).toBe(
    `Traces of 10 % of payments go to ${collector.url}, which accepted an empty export just now. The last export of the API ` +
      'succeeded 1 min ago, and 3 spans were lost. No worker that exports traces can be reached from here.',
  );
});

it('asks for attention when all exports of a process have failed', async () => {
  metrics =
    'malipo_trace_export_timestamp_seconds{environment="live"} 0\nmalipo_trace_spans_dropped_total{reason="failed",environment="live"} 3\n';
  expect(await examine(on())).toMatchObject({
    level: 'attention',
    sentence: expect.stringMatching(/The API has exported no traces yet, and 3 spans were lost\./) as string,
  });
});

it.each([
  [
    'refuses',
    (response: { writeHead(status: number): { end(): void } }) => response.writeHead(401).end(),
    'HTTP 401',
  ],
  ['hangs', () => undefined, 'not in time'],
])('asks for attention when the collector %s', async (_how, answer, why) => {
  collector.answerWith(answer);
  const { level, sentence, remedy } = await examine({ ...on(), OTEL_EXPORTER_OTLP_TIMEOUT: '300' });
  expect([level, sentence.includes(`accepts none from here (${why})`)]).toEqual(['attention', true]);
  expect(remedy).toContain('OTEL_EXPORTER_OTLP_HEADERS');
});
