import { ConfigError } from '../../../src/config';
import { readTracing } from '../../../src/telemetry/tracing/settings';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example:4318/' };

it.each([
  ['nothing is set', {}],
  ['the endpoint is empty, as compose files pass on missing values', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  [
    'only variables of other programs are set',
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_SAMPLER: 'xray' },
  ],
  ['everything is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'true' }],
])('tracing is off if %s', (_when, env) => {
  expect(readTracing(env)).toBeUndefined();
});

it('reads the settings by OpenTelemetry’s names', () => {
  const headers = 'authorization=Bearer%20a%3Db, x-team=pay';
  expect(
    readTracing({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: headers,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=live',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
    }),
  ).toEqual({
    url: 'https://collector.example:4318/v1/traces',
    protocol: 'http/protobuf',
    headers: { authorization: 'Bearer a=b', 'x-team': 'pay' },
    timeoutMs: 10_000,
    isCompressed: false,
    ratio: 0.1,
    serviceName: undefined,
    resource: { 'deployment.environment.name': 'live' },
    queueMax: 2_048,
    delayMs: 5_000,
  });
});

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 's3cr3t-without-a-name'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'name=s3cr3t%'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
])('rejects %s=%s, and does not repeat it', (name, value) => {
  const read = () => readTracing({ ...endpoint, [name]: value });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(name);
  expect(read).not.toThrow(/s3cr3t/);
});
