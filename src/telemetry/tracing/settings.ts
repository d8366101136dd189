import Joi from 'joi';
import { ConfigError, readVariables } from '../../config';

/** Names and meanings are those of OpenTelemetry's specification. */
interface Variables {
  OTEL_SDK_DISABLED: boolean;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' | 'http/json';
  OTEL_EXPORTER_OTLP_HEADERS?: string;
  OTEL_EXPORTER_OTLP_TIMEOUT: number;
  OTEL_EXPORTER_OTLP_COMPRESSION: 'none' | 'gzip';
  OTEL_TRACES_SAMPLER: string;
  OTEL_TRACES_SAMPLER_ARG: number;
  OTEL_SERVICE_NAME?: string;
  OTEL_RESOURCE_ATTRIBUTES?: string;
  OTEL_BSP_MAX_QUEUE_SIZE: number;
  OTEL_BSP_SCHEDULE_DELAY: number;
}

const samplers = ['always_on', 'always_off', 'traceidratio'];

/** @public Compared with the deployment files by a test. */
export const tracingVariables = Joi.object<Variables>({
  OTEL_SDK_DISABLED: Joi.boolean().empty('').default(false),
  OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .empty(''),
  OTEL_EXPORTER_OTLP_PROTOCOL: Joi.string()
    .valid('http/protobuf', 'http/json')
    .empty('')
    .default('http/protobuf'),
  OTEL_EXPORTER_OTLP_HEADERS: Joi.string()
    .pattern(/^\s*[^=,\s]+=[^,]*(?:,\s*[^=,\s]+=[^,]*)*$/)
    .empty('')
    .messages({
      'string.pattern.base': 'OTEL_EXPORTER_OTLP_HEADERS must be a list such as name=value,name=value',
    }),
  OTEL_EXPORTER_OTLP_TIMEOUT: Joi.number().integer().min(100).max(60_000).empty('').default(10_000),
  OTEL_EXPORTER_OTLP_COMPRESSION: Joi.string().valid('none', 'gzip').empty('').default('none'),
  // A payment's root span has no parent, so a parent-based sampler decides as its root sampler does.
  OTEL_TRACES_SAMPLER: Joi.string()
    .valid(...samplers, ...samplers.map((name) => `parentbased_${name}`))
    .empty('')
    .default('always_on'),
  OTEL_TRACES_SAMPLER_ARG: Joi.number().min(0).max(1).empty('').default(1),
  OTEL_SERVICE_NAME: Joi.string().empty(''),
  OTEL_RESOURCE_ATTRIBUTES: Joi.string().empty(''),
  OTEL_BSP_MAX_QUEUE_SIZE: Joi.number().integer().min(16).max(65_536).empty('').default(2_048),
  OTEL_BSP_SCHEDULE_DELAY: Joi.number().integer().min(10).max(60_000).empty('').default(5_000),
}).unknown(true);

export interface TracingSettings {
  /** Where spans are posted: the endpoint with `/v1/traces`. */
  url: string;
  protocol: 'http/protobuf' | 'http/json';
  headers: Record<string, string>;
  /** The longest time of one export, in milliseconds. */
  timeoutMs: number;
  isCompressed: boolean;
  /** The share of payments that are traced, from 0 to 1. All processes trace a payment, or none does. */
  ratio: number;
  serviceName: string | undefined;
  resource: Record<string, string>;
  /** The most spans in the queue; later ones are dropped. */
  queueMax: number;
  /** The longest time that a span waits for a batch, in milliseconds. */
  delayMs: number;
}

/**
 * @returns undefined if tracing is off: without a collector, it is.
 * @throws ConfigError
 */
export function readTracing(env: NodeJS.ProcessEnv): TracingSettings | undefined {
  // Other programs read these names too. Without a collector, their values are no error here.
  if ((env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '') === '') return undefined;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...v } = readVariables(tracingVariables, env);
  if (endpoint === undefined || v.OTEL_SDK_DISABLED) return undefined;
  const sampler = v.OTEL_TRACES_SAMPLER.replace('parentbased_', '');
  return {
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    protocol: v.OTEL_EXPORTER_OTLP_PROTOCOL,
    headers: pairs(v.OTEL_EXPORTER_OTLP_HEADERS, 'OTEL_EXPORTER_OTLP_HEADERS'),
    timeoutMs: v.OTEL_EXPORTER_OTLP_TIMEOUT,
    isCompressed: v.OTEL_EXPORTER_OTLP_COMPRESSION === 'gzip',
    ratio: sampler === 'traceidratio' ? v.OTEL_TRACES_SAMPLER_ARG : sampler === 'always_off' ? 0 : 1,
    serviceName: v.OTEL_SERVICE_NAME,
    resource: pairs(v.OTEL_RESOURCE_ATTRIBUTES, 'OTEL_RESOURCE_ATTRIBUTES'),
    queueMax: v.OTEL_BSP_MAX_QUEUE_SIZE,
    delayMs: v.OTEL_BSP_SCHEDULE_DELAY,
  };
}

/** `name=value,name=value`, the values percent-encoded. */
function pairs(text: string | undefined, setting: string): Record<string, string> {
  const entries = (text ?? '').split(',').filter((entry) => entry.trim() !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=');
      if (at < 1) throw new ConfigError(`${setting} must be a list such as name=value,name=value`);
      return [entry.slice(0, at).trim(), decoded(entry.slice(at + 1).trim(), setting)];
    }),
  );
}

function decoded(value: string, setting: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new ConfigError(`${setting} has a value with invalid percent-encoding`);
  }
}
