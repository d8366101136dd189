/** Exports spans to a collector, by OTLP over HTTP. OpenTelemetry's packages are loaded only when an exporter opens. */
import { randomUUID } from 'node:crypto';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { errorResponses } from '../../domain/errors';
import { paymentStates } from '../../domain/payment';
import { openCollector } from './collector';
import type { Sink, Span } from './scope';
import type { TracingSettings } from './settings';

export interface ExporterOptions {
  /** The service name of the spans, unless a setting gives one. */
  service: string;
  /** Called with the number of spans that the collector accepted. */
  exported(count: number): void;
  dropped(count: number, reason: DropReason, error?: unknown): void;
}

/**
 * Why spans are lost. `queue_full`: the queue was full. `failed`: the collector did not accept them in time. `closing`:
 * the process ended first.
 */
export const dropReasons = ['queue_full', 'failed', 'closing'] as const;
export type DropReason = (typeof dropReasons)[number];

export interface Exporter extends Sink {
  /** Sends the queued spans, and waits at most this many milliseconds. */
  close(withinMs: number): Promise<void>;
}

const batchMax = 512;
type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];
/** OpenTelemetry's numbers. Importing its constants would load the package. */
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
  /** Spans in the queue, and spans in progress. */
  let [waiting, sending] = [0, 0];
  const posts = new Set<Promise<void>>();
  let isClosed = false;
  const exporter: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length;
      sending += spans.length;
      const end = (refused: number, error?: unknown) => {
        sending -= spans.length;
        // Spans that were counted as lost at the end are not counted twice.
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
    // Called when the queue is empty.
    async shutdown() {
      await Promise.all(posts);
    },
  };
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: queueMax,
    maxExportBatchSize: Math.min(batchMax, queueMax),
    scheduledDelayMillis: delayMs,
    // The collector's own timeout comes first, so that each batch ends once.
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

/** Whole seconds and nanoseconds. */
function hrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.min(999_999_999, Math.round((ms - seconds * 1_000) * 1e6))];
}

// All attributes that a span may have. An attribute that is not in this table, or does not match it, does not leave the
// process. A trace goes to another system, whose readers may have no right to see customers' data.

interface AllowedAttribute {
  meaning: string;
  fits(value: unknown): boolean;
}

/** An id that we generated: no telephone number and no name has this form. */
const id = (value: unknown): boolean =>
  typeof value === 'string' && /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/.test(value);
/** A word of ours, or a provider's or network's name in our settings: no digits, no spaces. */
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
  'malipo.merchant.id': { meaning: 'the merchant of the payment', fits: id },
  'malipo.webhook.id': { meaning: 'the webhook that is sent', fits: id },
  'malipo.rail': { meaning: 'stk, momo, xb, walletpay or cardproc', fits: word },
  'malipo.operation': { meaning: 'deposit, payout or refund', fits: among('deposit', 'payout', 'refund') },
  'malipo.provider': { meaning: 'the provider of the payment', fits: word },
  'malipo.currency': {
    meaning: "the payment's currency, by ISO 4217",
    fits: (value) => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
  },
  'malipo.state': { meaning: 'the state of the payment, or the new state', fits: among(...paymentStates) },
  'malipo.state.before': { meaning: 'the state before the transition', fits: among(...paymentStates) },
  'malipo.cause': {
    meaning: 'the cause of the transition: callback, query, deadline, refused, …',
    fits: word,
  },
  'malipo.outcome': {
    meaning: 'the result of the step: answered, not_sent, unknown; delivered, retry, dead; NOT_SENT, BUSY, …',
    fits: word,
  },
  'malipo.attempt': { meaning: 'the number of the attempt, from 1', fits: whole(1_000_000) },
  'malipo.call': {
    meaning: 'the call to a provider or the engine: initiate, query, start, …',
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
  'http.response.status_code': {
    meaning: 'the status of the answer; absent without an answer',
    fits: whole(599),
  },
} as const satisfies Record<string, AllowedAttribute>;

export type AttributeName = keyof typeof attributeTable;
export type Attributes = Partial<Record<AttributeName, string | number | null | undefined>>;

/** @returns the attributes that may be exported. */
export function allowed(attributes: Attributes): Record<string, string | number> {
  const reported: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (!Object.hasOwn(attributeTable, name) || value === null || value === undefined) continue;
    if (attributeTable[name as AttributeName].fits(value)) reported[name] = value;
  }
  return reported;
}
