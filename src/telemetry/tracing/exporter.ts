/** Takes spans to a collector, by OTLP over HTTP. OpenTelemetry's packages are loaded by what opens it, and by nothing else. */
import { randomUUID } from 'node:crypto';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { errorResponses } from '../../domain/errors';
import { paymentStates } from '../../domain/payment';
import { openCollector } from './collector';
import type { Sink, Span } from './scope';
import type { TracingSettings } from './settings';

export interface ExporterOptions {
  /** What the spans come from, unless a setting names it. */
  service: string;
  /** Told of spans that the collector took. */
  exported(count: number): void;
  dropped(count: number, reason: DropReason, error?: unknown): void;
}

/**
 * Why spans are lost. `queue_full`: more wait than may. `failed`: the collector did not take them in time. `closing`: the
 * process ended first.
 */
export const dropReasons = ['queue_full', 'failed', 'closing'] as const;
export type DropReason = (typeof dropReasons)[number];

export interface Exporter extends Sink {
  /** Sends what waits, and waits for that no longer than this many milliseconds. */
  close(withinMs: number): Promise<void>;
}

const batchMax = 512;
type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];
/** OpenTelemetry's numbers: to use their names would be to load them. */
const numbers: unknown = {
  kinds: { internal: 0, server: 1, client: 2 },
  statuses: { unset: { code: 0 }, failed: { code: 2 } },
  exported: { code: 0 },
};
const { kinds, statuses, exported } = numbers as {
  kinds: Record<Span['kind'], ReadableSpan['kind']>;
  statuses: Record<'unset' | 'failed', ReadableSpan['status']>;
  exported: Result;
};
const sampled = 1;

export async function openExporter(settings: TracingSettings, options: ExporterOptions): Promise<Exporter> {
  const [{ BatchSpanProcessor, SamplingDecision, TraceIdRatioBasedSampler }, { resourceFromAttributes }] =
    await Promise.all([import('@opentelemetry/sdk-trace'), import('@opentelemetry/resources')]);
  const { ratio, queueMax, delayMs, timeoutMs } = settings;
  const resource = resourceFromAttributes({
    'service.namespace': 'malipo',
    'service.instance.id': randomUUID(),
    ...settings.resource,
    'service.name': settings.serviceName ?? settings.resource['service.name'] ?? options.service,
  });
  const sampler = new TraceIdRatioBasedSampler(ratio);
  const collector = await openCollector(settings);
  /** Spans that wait for their batch, and those that are on their way. */
  let [waiting, sending] = [0, 0];
  const posts = new Set<Promise<void>>();
  let isClosed = false;
  const exporter: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length;
      sending += spans.length;
      const end = (refused: number, error?: unknown) => {
        sending -= spans.length;
        // What was counted as lost when the process ended is not counted twice.
        if (!isClosed && spans.length > refused) options.exported(spans.length - refused);
        if (!isClosed && refused > 0) options.dropped(refused, 'failed', error);
        done(exported);
      };
      const post = collector
        .post(spans)
        .then(end, (error: unknown) => {
          end(spans.length, error);
        })
        .finally(() => posts.delete(post));
      posts.add(post);
    },
    // Called once nothing waits any more.
    async shutdown() {
      await Promise.all(posts);
    },
  };
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: queueMax,
    maxExportBatchSize: Math.min(batchMax, queueMax),
    scheduledDelayMillis: delayMs,
    // The collector's own deadline comes first, so that each batch ends once.
    exportTimeoutMillis: timeoutMs + 1_000,
  });

  return {
    isSampled: (traceId) =>
      sampler.shouldSample(undefined, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED,
    take(span) {
      if (isClosed || waiting >= queueMax) {
        options.dropped(1, isClosed ? 'closing' : 'queue_full');
        return;
      }
      waiting += 1;
      processor.onEnd({ ...readable(span), resource });
    },
    async close(withinMs) {
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)));
      await Promise.race([processor.shutdown(), tooLate]);
      clearTimeout(timer);
      isClosed = true;
      if (waiting + sending > 0) options.dropped(waiting + sending, 'closing');
      await collector.close();
    },
  };
}

function readable(span: Span): Omit<ReadableSpan, 'resource'> {
  const { traceId, spanId, parentSpanId, fromMs, toMs } = span;
  const place = (id: string) => ({ traceId, spanId: id, traceFlags: sampled });
  return {
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => place(spanId),
    ...(parentSpanId !== undefined && { parentSpanContext: place(parentSpanId) }),
    startTime: hrTime(fromMs),
    endTime: hrTime(Math.max(fromMs, toMs)),
    duration: hrTime(Math.max(0, toMs - fromMs)),
    status: span.hasFailed ? statuses.failed : statuses.unset,
    attributes: allowed(span.attributes),
    links: span.links.map((link) => ({ context: { ...link, traceFlags: sampled } })),
    events: [],
    ended: true,
    instrumentationScope: { name: 'malipo' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Whole seconds, and nanoseconds. */
function hrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.min(999_999_999, Math.round((ms - seconds * 1_000) * 1e6))];
}

// All that a span may say. What is not in this table, or does not look like what the table says, leaves no process: a
// trace goes to another system, whose readers need not be those who may see a customer's data.

interface AllowedAttribute {
  meaning: string;
  fits(value: unknown): boolean;
}

/** Of our own making: neither a telephone number nor a name has this shape. */
const id = (value: unknown): boolean =>
  typeof value === 'string' && /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/.test(value);
/** A word of ours, or the name that a provider or a network goes by in our settings: no digits, no spaces. */
const word = (value: unknown): boolean =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z_-]{0,63}$/.test(value);
const among =
  (...words: readonly string[]) =>
  (value: unknown): boolean =>
    typeof value === 'string' && words.includes(value);
const whole =
  (most: number) =>
  (value: unknown): boolean =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;

export const attributeTable = {
  'malipo.payment.id': { meaning: 'the payment', fits: id },
  'malipo.merchant.id': { meaning: 'whose payment it is', fits: id },
  'malipo.webhook.id': { meaning: 'the webhook that is tried', fits: id },
  'malipo.rail': { meaning: 'stk, momo, xb, walletpay or cardproc', fits: word },
  'malipo.operation': { meaning: 'deposit, payout or refund', fits: among('deposit', 'payout', 'refund') },
  'malipo.provider': { meaning: 'whom the payment goes through', fits: word },
  'malipo.currency': {
    meaning: 'of the payment, by ISO 4217',
    fits: (value) => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
  },
  'malipo.state': { meaning: 'the state that the payment is in, or enters', fits: among(...paymentStates) },
  'malipo.state.before': { meaning: 'the state that it leaves', fits: among(...paymentStates) },
  'malipo.cause': {
    meaning: 'what made it enter its state: callback, query, deadline, refused, …',
    fits: word,
  },
  'malipo.outcome': {
    meaning: 'how the step ended: answered, not_sent, unknown; delivered, retry, dead; NOT_SENT, BUSY, …',
    fits: word,
  },
  'malipo.attempt': { meaning: 'which try this is, from 1', fits: whole(1_000_000) },
  'malipo.call': {
    meaning: 'what was asked of a provider or the engine: initiate, query, start, …',
    fits: word,
  },
  'malipo.peer': {
    meaning: 'who is called: a provider, the engine (Temporal), or the merchant',
    fits: among('provider', 'engine', 'merchant'),
  },
  'malipo.error.code': { meaning: 'a code of docs/errors.md', fits: among(...Object.keys(errorResponses)) },
  'malipo.failure.code': { meaning: 'why the payment failed, in our words', fits: word },
  'http.request.method': { meaning: 'GET or POST', fits: among('GET', 'HEAD', 'POST') },
  'http.route': {
    meaning: 'the path as declared, without the ids and tokens of the call',
    fits: (value) => typeof value === 'string' && /^\/[\w./:-]{0,99}$/.test(value),
  },
  'http.response.status_code': { meaning: 'of the answer; absent where none came', fits: whole(599) },
} as const satisfies Record<string, AllowedAttribute>;

export type AttributeName = keyof typeof attributeTable;
export type Attributes = Partial<Record<AttributeName, string | number | null | undefined>>;

/** What may be told of these. */
export function allowed(attributes: Attributes): Record<string, string | number> {
  const told: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (!Object.hasOwn(attributeTable, name) || value === null || value === undefined) continue;
    if (attributeTable[name as AttributeName].fits(value)) told[name] = value;
  }
  return told;
}
