/** Traces of a process: off unless a collector is named, and then never in the way of a payment. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Log } from '../domain/log';
import { dropReasons, openExporter, type DropReason } from './tracing/exporter';
import { createScopes, type Scopes } from './tracing/scope';
import { readTracing } from './tracing/settings';

export interface Tracing {
  /** Undefined where traces are off. */
  scopes: Scopes | undefined;
  close(): Promise<void>;
}

/** A process that ends has stopped taking work by then; a collector that hangs keeps it no longer. */
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
  const tellLoss = sparing(log, new URL(settings.url).origin);
  const exporter = await openExporter(settings, {
    service: `malipo-${process}`,
    exported: metrics.exported,
    dropped(count, reason, error) {
      metrics.dropped(count, reason);
      tellLoss(count, reason, error);
    },
  });
  log.info('traces are exported', { to: new URL(settings.url).origin, ratio: settings.ratio });
  return { scopes: createScopes(exporter), close: () => exporter.close(closeWithinMs) };
}

function tracingMetrics(registers: Registry[]) {
  const exported = new Counter({
    name: 'trace_spans_exported_total',
    help: 'Spans that the collector took.',
    registers,
  });
  const dropped = new Counter({
    name: 'trace_spans_dropped_total',
    help: 'Spans that were lost: too many waited (queue_full), the collector did not take them (failed), the process ended (closing).',
    labelNames: ['reason'],
    registers,
  });
  const succeeded = new Gauge({
    name: 'trace_export_succeeded_timestamp_seconds',
    help: 'When the collector took spans last, in seconds since 1970; 0 before the first time.',
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

/** A collector that is away loses every batch: one line a minute, with the count of all since the last. */
function sparing(log: Log, collector: string) {
  let lost = 0;
  let toldAtMs = -Infinity;
  return (count: number, reason: DropReason, error: unknown): void => {
    lost += count;
    const nowMs = performance.now();
    if (nowMs - toldAtMs < logEveryMs && reason !== 'closing') return;
    // Its message may quote the collector's answer.
    const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
    log.warn('spans of traces are lost; payments are not touched by that', {
      collector,
      lost,
      reason,
      why: code ?? name,
    });
    lost = 0;
    toldAtMs = nowMs;
  };
}
