/** Checks whether traces are on, and whether the collector accepts them from here and from our processes. */
import { request } from 'undici';
import { attention, ok, type Diagnosis } from '../../domain/diagnosis';
import { readSecretFiles } from '../../secret-files';
import { openCollector } from '../../telemetry/tracing/collector';
import { readTracing, type TracingSettings } from '../../telemetry/tracing/settings';
import { ageText } from '../table';
import type { Checkup, Patient } from './checkup';

const collectorMs = 5_000;
const metricsMs = 2_000;

export const tracingCheckups: Checkup[] = [
  {
    name: 'traces',
    async examine({ env, config }) {
      const settings = readTracing(readSecretFiles(env));
      if (!settings) return ok('Traces are off (OTEL_EXPORTER_OTLP_ENDPOINT is not set).');
      const [denial, ...processes] = await Promise.all([
        collectorErrorOf(settings),
        ...placesOf(config).map(lastExportOf),
      ]);
      return judge(settings, denial, processes);
    },
  },
];

function judge(
  { url, ratio }: TracingSettings,
  denial: string | undefined,
  processes: LastExport[],
): Diagnosis {
  const { origin } = new URL(url);
  const share =
    ratio === 1 ? 'of all payments' : `of ${String(Number((ratio * 100).toPrecision(3)))} % of payments`;
  const own = processes.map(lastExportText).join(' ');
  if (denial !== undefined)
    return attention(
      `Traces are on, but the collector at ${origin} accepts none from here (${denial}). ${own} This does not affect payments.`,
      'OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS (docs/tracing.md)',
    );
  const sentence = `Traces ${share} go to ${origin}, which accepted an empty export just now. ${own}`;
  const isFailing = processes.some(({ succeededAt, failed = 0 }) => succeededAt === 0 && failed > 0);
  return isFailing ? attention(sentence, 'the log of that process (docs/tracing.md)') : ok(sentence);
}

/** Sends an empty export. @returns why the collector does not accept it; undefined if it does. */
async function collectorErrorOf(settings: TracingSettings): Promise<string | undefined> {
  const collector = await openCollector({
    ...settings,
    timeoutMs: Math.min(collectorMs, settings.timeoutMs),
  });
  try {
    await collector.post([]);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? 'no answer';
  } finally {
    await collector.close();
  }
}

interface Place {
  name: string;
  url: string;
}

interface LastExport {
  name: string;
  /** In seconds since 1970; 0 before the first export; undefined if this machine cannot read the process's metrics. */
  succeededAt?: number;
  failed?: number;
}

/** Where API and worker show their metrics if they run on this machine. */
function placesOf({ opsHost, opsPort, workerHealthHost, workerHealthPort }: Patient['config']): Place[] {
  const at = (name: string, host: string, port: number) => ({
    name,
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${String(port)}/metrics`,
  });
  return [at('API', opsHost, opsPort), at('worker', workerHealthHost, workerHealthPort)];
}

async function lastExportOf({ name, url }: Place): Promise<LastExport> {
  try {
    const { body } = await request(url, { signal: AbortSignal.timeout(metricsMs) });
    const text = await body.text();
    const succeededAt = /^malipo_trace_export_timestamp_seconds(?:\{.*\})? (\S+)$/m.exec(text)?.[1];
    const failed = /^malipo_trace_spans_dropped_total\{reason="failed"[^}]*\} (\S+)$/m.exec(text)?.[1];
    if (succeededAt === undefined) return { name };
    return { name, succeededAt: Number(succeededAt), failed: Number(failed ?? 0) };
  } catch {
    return { name };
  }
}

function lastExportText({ name, succeededAt, failed = 0 }: LastExport): string {
  if (succeededAt === undefined) return `No ${name} that exports traces can be reached from here.`;
  const lost = failed > 0 ? `, and ${String(failed)} spans were lost` : '';
  if (succeededAt === 0) return `The ${name} has exported no traces yet${lost}.`;
  return `The last export of the ${name} succeeded ${ageText(Date.now() - succeededAt * 1_000)} ago${lost}.`;
}
