/** Opens a process's tracing: off unless a collector is configured. Tracing never delays a payment. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Log } from '../domain/log';
import { dropReasons, openExporter, type DropReason } from './tracing/exporter';
import { createScopes, type Scopes } from './tracing/scope';
import { readTracing } from './tracing/settings';

export interface Tracing {
  /** Undefined if tracing is off. */
  scopes: Scopes | undefined;
  close(): Promise<void>;
}

/** Limits how long a hanging collector can delay the end of a process, which takes no work by then. */
const closeWithinMs = 2_000;
const logEveryMs = 60_000;

/** @throws ConfigError */
export async function openTracing(
  env: NodeJS.ProcessEnv,
  { process, log, registers }: { process: 'api' | 'worker'; log: Log; registers: Registry[] },
): Promise<Tracing> {
  const settings = readTracing(env);
  if (!settings) return { scopes: undefined, close: () => Promise.resolve() };
  const metrics = tracingMetrics(registers);
  const logLoss = sparing(log, new URL(settings.url).origin);
  const exporter = await openExporter(settings, {
    service: `malipo-${process}`,
    exported: metrics.exported,
    dropped(count, reason, error) {
      metrics.dropped(count, reason);
      logLoss(count, reason, error);
    },
  });
  log.info('traces are exported', { to: new URL(settings.url).origin, ratio: settings.ratio });
  return { scopes: createScopes(exporter), close: () => exporter.close(closeWithinMs) };
}

function tracingMetrics(registers: Registry[]) {
  const exported = new Counter({
    name: 'malipo_trace_spans_exported_total',
    help: 'Spans that the collector accepted.',
    registers,
  });
  const dropped = new Counter({
    name: 'malipo_trace_spans_dropped_total',
    help: 'Lost spans: the queue was full (queue_full), the collector did not accept them (failed), the process ended (closing).',
    labelNames: ['reason'],
    registers,
  });
  const succeeded = new Gauge({
    name: 'malipo_trace_export_timestamp_seconds',
    help: 'Unix time of the last spans that the collector accepted; 0 before the first ones.',
    registers,
  });
  for (const reason of dropReasons) dropped.inc({ reason }, 0);
  return {
    exported(count: number) {
      exported.inc(count);
      succeeded.setToCurrentTime();
    },
    dropped(count: number, reason: DropReason) {
      dropped.inc({ reason }, count);
    },
  };
}

/** Logs lost spans at most once a minute, with the number since the last line: a collector that is down loses every batch. */
function sparing(log: Log, collector: string) {
  let lost = 0;
  let reportedAtMs = -Infinity;
  return (count: number, reason: DropReason, error: unknown): void => {
    lost += count;
    const nowMs = performance.now();
    if (nowMs - reportedAtMs < logEveryMs && reason !== 'closing') return;
    // Only code and name: the error's message may quote the collector's answer.
    const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
    log.warn('spans of traces are lost; payments are not affected', {
      collector,
      lost,
      reason,
      why: code ?? name,
    });
    lost = 0;
    reportedAtMs = nowMs;
  };
}
