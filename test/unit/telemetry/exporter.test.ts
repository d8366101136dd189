import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { openExporter, type DropReason, type Exporter } from '../../../src/telemetry/tracing/exporter';
import type { Span } from '../../../src/telemetry/tracing/scope';
import { readTracing } from '../../../src/telemetry/tracing/settings';
import { startOtlpReceiver, type OtlpReceiver } from '../../support/otlp-receiver';

let collector: OtlpReceiver;
let opened: Exporter[];
beforeEach(async () => {
  collector = await startOtlpReceiver();
  opened = [];
});
afterEach(async () => {
  await collector.close();
  await Promise.all(opened.map((exporter) => exporter.close(0)));
});

async function open(env: Record<string, string> = {}) {
  const settings = readTracing({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    ...env,
  });
  if (!settings) throw new Error('traces are off');
  const counts = { exported: 0, queue_full: 0, failed: 0, closing: 0 };
  const exporter = await openExporter(settings, {
    service: 'malipo-test',
    exported: (count) => (counts.exported += count),
    dropped: (count, reason: DropReason) => (counts[reason] += count),
  });
  opened.push(exporter);
  return { exporter, counts };
}

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');
const span = (n: number, more: Partial<Span> = {}): Span => ({
  name: 'a step',
  kind: 'client',
  traceId: hex(n + 1, 32),
  spanId: hex(n + 1, 16),
  parentSpanId: hex(9_999, 16),
  fromMs: 1_700_000_000_123.5,
  toMs: 1_700_000_000_125.25,
  hasFailed: true,
  attributes: { 'malipo.rail': 'stk', 'malipo.attempt': 3, 'malipo.cause': '254708374149' },
  links: [{ traceId: hex(77, 32), spanId: hex(78, 16) }],
  ...more,
});
const settledCount = (counts: Record<string, number>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

describe('a span', () => {
  it('arrives unchanged, with the attributes that the table allows', async () => {
    const { exporter, counts } = await open({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-team=pay',
    });
    exporter.take(span(0));
    await waitFor(() => Promise.resolve(counts.exported === 1), { what: 'the export', timeoutMs: 10_000 });
    const { attributes, ...others } = span(0);
    expect(collector.spans()).toMatchObject([
      {
        ...others,
        kind: 3,
        service: 'malipo-test',
        attributes: { 'malipo.rail': 'stk', 'malipo.attempt': 3 },
      },
    ]);
    expect(attributes).toHaveProperty(['malipo.cause']);
    expect(collector.bodies[0]?.headers).toMatchObject({ authorization: 'Bearer abc', 'x-team': 'pay' });
  });

  it('is protobuf by default, and compressed if configured', async () => {
    const { exporter, counts } = await open({
      OTEL_EXPORTER_OTLP_PROTOCOL: '',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    });
    exporter.take(span(0));
    await waitFor(() => Promise.resolve(counts.exported === 1), { what: 'the export', timeoutMs: 10_000 });
    const headers = collector.bodies[0]?.headers;
    expect(headers).toMatchObject({ 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' });
  });

  it('is sent when the process ends', async () => {
    const { exporter, counts } = await open({ OTEL_BSP_SCHEDULE_DELAY: '60000' });
    for (let n = 0; n < 700; n += 1) exporter.take(span(n));
    await exporter.close(10_000);
    expect(counts).toEqual({ exported: 700, queue_full: 0, failed: 0, closing: 0 });
    expect(collector.spans()).toHaveLength(700);
  });
});

describe('a collector', () => {
  it('that hangs costs no more memory than the queue, and every span is counted', async () => {
    collector.answerWith(() => undefined);
    const { exporter, counts } = await open({
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    });
    for (let n = 0; n < 5_000; n += 1) exporter.take(span(n));
    // A batch is in progress, and the queue is full.
    expect(counts.queue_full).toBeGreaterThanOrEqual(4_800);
    await waitFor(() => Promise.resolve(settledCount(counts) === 5_000), {
      what: 'all of them to be counted',
      timeoutMs: 30_000,
    });
    expect(counts).toMatchObject({ exported: 0, failed: 5_000 - counts.queue_full });
  });

  it('that is down, or rejects, loses counted spans, and later ones continue', async () => {
    const { exporter, counts } = await open({ OTEL_EXPORTER_OTLP_TIMEOUT: '1000' });
    collector.answerWith((response) => response.writeHead(401).end());
    exporter.take(span(0));
    await waitFor(() => Promise.resolve(counts.failed === 1), { what: 'the refusal', timeoutMs: 10_000 });
    collector.answerWith((response) => response.end('{}'));
    exporter.take(span(1));
    await waitFor(() => Promise.resolve(counts.exported === 1), { what: 'the next', timeoutMs: 10_000 });

    const away = await open({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    });
    away.exporter.take(span(2));
    await waitFor(() => Promise.resolve(away.counts.failed === 1), { what: 'the loss', timeoutMs: 10_000 });
  });

  it('that is busy is tried again, and its rejection of some spans is counted', async () => {
    const { exporter, counts } = await open();
    const answers = [
      { status: 503, body: '' },
      { status: 200, body: '{"partialSuccess":{"rejectedSpans":2}}' },
    ];
    collector.answerWith((response) => {
      const { status, body } = answers.shift() ?? { status: 200, body: '{}' };
      response.writeHead(status).end(body);
    });
    for (let n = 0; n < 5; n += 1) exporter.take(span(n));
    await waitFor(() => Promise.resolve(settledCount(counts) === 5), {
      what: 'the answer',
      timeoutMs: 10_000,
    });
    expect(counts).toMatchObject({ exported: 3, failed: 2 });
    expect(collector.bodies).toHaveLength(2);
  });

  it('that hangs delays the end of no process', async () => {
    collector.answerWith(() => undefined);
    const { exporter, counts } = await open();
    for (let n = 0; n < 10; n += 1) exporter.take(span(n));
    await exporter.close(50);
    exporter.take(span(10));
    expect(counts).toEqual({ exported: 0, queue_full: 0, failed: 0, closing: 11 });
  });
});

describe('sampling', () => {
  const shareOf = ({ isSampled }: Exporter) => {
    const ids = Array.from({ length: 2_000 }, (_, n) => hex(Math.imul(n + 1, 0x9e3779b1) >>> 0, 8).repeat(4));
    const odd = ids.map((id, n) => id.slice(0, 24) + hex(Math.imul(n + 7, 0x85ebca6b) >>> 0, 8));
    return odd.filter((id) => isSampled(id)).length / odd.length;
  };

  it('selects the same payments in every process', async () => {
    const env = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
    const [one, another] = [await open(env), await open(env)];
    expect(shareOf(one.exporter)).toBeGreaterThan(0.2);
    expect(shareOf(one.exporter)).toBeLessThan(0.3);
    for (let n = 0; n < 200; n += 1) {
      const id = hex(Math.imul(n + 1, 0x9e3779b1) >>> 0, 8).padEnd(32, 'a');
      expect(one.exporter.isSampled(id)).toBe(another.exporter.isSampled(id));
    }
  });

  it('selects all by default, and none if configured', async () => {
    expect(shareOf((await open()).exporter)).toBe(1);
    expect(shareOf((await open({ OTEL_TRACES_SAMPLER: 'always_off' })).exporter)).toBe(0);
  });
});
