import { createHmac } from 'node:crypto';
import Joi from 'joi';
import { addressRanges, notAddresses } from './domain/ip-address';
import { defaultTimezone } from './domain/time';

/** One environment per deployment; sandbox and live never share a database or a Temporal namespace. */
export type Environment = 'sandbox' | 'live';

interface Key {
  id: string;
  /** 32 bytes. */
  key: Buffer;
}

export interface Config {
  environment: Environment;
  databaseUrl: string;
  databasePoolMax: number;
  temporalAddress: string;
  temporalNamespace: string;
  temporalLine: TemporalLine;
  taskQueue: string;
  apiHost: string;
  apiPort: number;
  /** Where the API serves /readyz and its metrics, for operators only. */
  opsHost: string;
  opsPort: number;
  connectionsMax: number;
  connectionsPerAddress: number;
  keepAliveMs: number;
  /** Orders per minute of requests without API keys: from one address, and from all addresses in one API process. */
  unauthenticatedOrdersPerMinute: number;
  allUnauthenticatedOrdersPerMinute: number;
  /** The address where providers reach us: the base of every notification URL that we send. */
  publicUrl: string;
  /** Where merchants read the documentation. If set, each error has a link to the page of its code. */
  docsUrl?: string | undefined;
  temporalUiUrl: string;
  /** Where Temporal's SDK serves the worker metrics. */
  workerMetricsAddress: string;
  /** Where the worker serves /readyz and our own metrics. */
  workerHealthHost: string;
  workerHealthPort: number;
  timezone: string;
  /** The rails of this deployment, by name; empty for all rails of the build. */
  rails: string[];
  trustedProxies: string[];
  /** Id and 32-byte key. The first key encrypts, all keys decrypt. */
  secretKeys: Key[];
  /** The first key signs the audit log, all keys verify it. */
  auditKeys: Key[];
  /** The source of exchange rates: a file or an https: address (fx/source.ts). */
  fxSource: string | undefined;
  /** A rate that differs from the stored one by more than this factor is not stored (fx/feed.ts). */
  fxJumpMax: number;
  /** How many times faster than real time the sandbox's durations run. Always 1 in live. */
  timeScale: number;
  logLevel: string;
  /** How many payments one API process creates at once before it answers 503 (api/limits/shedding.ts). */
  acceptancesMax: number;
  /** The age of the backlog, in milliseconds, from which the API creates no payments (api/limits/shedding.ts). */
  backlogMaxMs: number;
  /**
   * How long, in milliseconds, a merchant waits for a new payment. Then the API answers with the state known so far.
   */
  creationTimeoutMs: number;
  /** Whether the workers maintain the Temporal Schedules of the recurring jobs (src/worker/schedules.ts). */
  schedulesJobs: boolean;
  /** The least number of days that the texts of notifications, webhooks and mails are stored (worker/prune). */
  bodiesKeptDays: number;
}

/**
 * The address of a provider. In live it needs TLS: each call carries the account's keys and moves its money. Every
 * `<RAIL>_BASE_URL` uses this.
 */
export const providerUrl = Joi.string()
  .uri({ scheme: ['http', 'https'] })
  .when('MALIPO_ENV', {
    is: 'live',
    then: Joi.string()
      .pattern(/^https:/i)
      .messages({ 'string.pattern.base': '{#label} must be an https URL in live' }),
  })
  .prefs({ errors: { wrap: { label: false } } })
  .required();

/** How the connection to Temporal is protected. process/temporal-connection.ts reads the files when it connects. */
export interface TemporalLine {
  tls: boolean;
  caFile?: string;
  serverName?: string;
  certFile?: string;
  keyFile?: string;
  apiKeyFile?: string;
}

interface TemporalVariables {
  TEMPORAL_TLS?: boolean;
  TEMPORAL_TLS_SERVER_CA_CERT_PATH?: string;
  TEMPORAL_TLS_SERVER_NAME?: string;
  TEMPORAL_TLS_CLIENT_CERT_PATH?: string;
  TEMPORAL_TLS_CLIENT_KEY_PATH?: string;
  TEMPORAL_API_KEY_FILE?: string;
}

const temporalKeys = {
  // Temporal's own tools use these names. The API key comes from a file, because other programs can read the
  // environment.
  TEMPORAL_TLS: Joi.boolean().empty(''),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: Joi.string().empty(''),
  TEMPORAL_TLS_SERVER_NAME: Joi.string().empty(''),
  TEMPORAL_TLS_CLIENT_CERT_PATH: Joi.string().empty(''),
  TEMPORAL_TLS_CLIENT_KEY_PATH: Joi.string().empty(''),
  TEMPORAL_API_KEY_FILE: Joi.string().empty(''),
};
const urlWith = (...scheme: string[]) => Joi.string().uri({ scheme });
const clientCertificate = ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'] as const;

/** Exported so that a test can compare the deployment files with it. */
export const variables = Joi.object<Variables>({
  MALIPO_ENV: Joi.string().valid('sandbox', 'live').required(),
  DATABASE_URL: urlWith('mysql', 'mariadb').required(),
  /** Only the migration reads it (src/migrate.ts). No API, worker or portal process gets it. */
  MALIPO_MIGRATE_DATABASE_URL: urlWith('mysql', 'mariadb'),
  MALIPO_DATABASE_POOL: Joi.number().integer().min(1).max(100).default(8),
  TEMPORAL_ADDRESS: Joi.string().default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: Joi.string().default('default'),
  MALIPO_TASK_QUEUE: Joi.string().default('malipo'),
  MALIPO_API_HOST: Joi.string().default('127.0.0.1'),
  MALIPO_API_PORT: Joi.number().port().default(3000),
  MALIPO_OPS_HOST: Joi.string().default('127.0.0.1'),
  MALIPO_OPS_PORT: Joi.number().port().default(3100),
  MALIPO_CONNECTIONS_MAX: Joi.number().integer().min(10).default(1_024),
  MALIPO_CONNECTIONS_PER_ADDRESS: Joi.number().integer().min(1),
  MALIPO_KEEP_ALIVE_MS: Joi.number().integer().min(1_000).default(65_000),
  MALIPO_KEYLESS_ORDERS: Joi.number().integer().min(1).default(60),
  // With fewer, no queued caller would get its place in time.
  MALIPO_KEYLESS_ORDERS_OF_ALL: Joi.number().integer().min(20).default(300),
  MALIPO_PUBLIC_URL: urlWith('http', 'https').optional(),
  MALIPO_DOCS_URL: urlWith('http', 'https').allow(''),
  MALIPO_TEMPORAL_UI_URL: Joi.string().uri().default('http://127.0.0.1:8233'),
  MALIPO_WORKER_METRICS: Joi.string().default('127.0.0.1:9464'),
  MALIPO_WORKER_HEALTH: Joi.string()
    .pattern(/^[^:]+:\d+$/)
    .default('127.0.0.1:9465')
    .messages({
      'string.pattern.base': 'MALIPO_WORKER_HEALTH must be a host and a port, as in 127.0.0.1:9465',
    }),
  MALIPO_TIMEZONE: Joi.string().default(defaultTimezone),
  MALIPO_RAILS: Joi.string()
    .allow('')
    .pattern(/^[a-z]+(,[a-z]+)*$/)
    .default('')
    .messages({ 'string.pattern.base': 'MALIPO_RAILS must be a list such as "stk,momo"' }),
  MALIPO_TRUSTED_PROXIES: addressRanges(),
  MALIPO_SECRET_KEYS: Joi.string()
    .pattern(/^[A-Za-z0-9_-]+:[A-Za-z0-9+/]{43}=(,[A-Za-z0-9_-]+:[A-Za-z0-9+/]{43}=)*$/)
    .required()
    .messages({
      'string.pattern.base': 'MALIPO_SECRET_KEYS must be "id:base64 of 32 bytes", comma-separated',
    }),
  MALIPO_AUDIT_KEY: Joi.string()
    .empty('')
    .pattern(/^[A-Za-z0-9_-]{1,64}:[A-Za-z0-9+/]{43}=(,[A-Za-z0-9_-]{1,64}:[A-Za-z0-9+/]{43}=)*$/)
    .when('MALIPO_ENV', { is: 'live', then: Joi.required() })
    .messages({
      'string.pattern.base':
        'MALIPO_AUDIT_KEY must be "id:base64 of 32 bytes"; older keys follow after commas',
    }),
  MALIPO_FX_SOURCE: urlWith('file', 'https', 'http').allow('').default(''),
  MALIPO_FX_JUMP_MAX: Joi.number().min(1.05).max(1_000).default(1.5),
  MALIPO_SANDBOX_TIME_SCALE: Joi.number().min(1).max(1_000_000).default(1),
  MALIPO_LOG_LEVEL: Joi.string().valid('error', 'warn', 'info', 'debug').default('info'),
  MALIPO_ACCEPTANCES_MAX: Joi.number().integer().min(1).default(64),
  MALIPO_BACKLOG_MAX_MS: Joi.number().integer().min(100).default(2_000),
  // A shorter time is too short for a provider; a longer one exceeds the activity's own timeout.
  MALIPO_ACCEPTANCE_TIMEOUT_MS: Joi.number().integer().min(2_000).max(30_000).default(20_000),
  MALIPO_BODIES_KEPT_DAYS: Joi.number().integer().min(30).max(3_650).default(90),
  MALIPO_SCHEDULES: Joi.string().valid('on', 'off').empty('').default('on'),
  ...temporalKeys,
})
  .and(...clientCertificate)
  .unknown(true);

interface Variables extends TemporalVariables {
  MALIPO_ENV: Environment;
  DATABASE_URL: string;
  MALIPO_MIGRATE_DATABASE_URL?: string;
  MALIPO_DATABASE_POOL: number;
  TEMPORAL_ADDRESS: string;
  TEMPORAL_NAMESPACE: string;
  MALIPO_TASK_QUEUE: string;
  MALIPO_API_HOST: string;
  MALIPO_API_PORT: number;
  MALIPO_OPS_HOST: string;
  MALIPO_OPS_PORT: number;
  MALIPO_CONNECTIONS_MAX: number;
  MALIPO_CONNECTIONS_PER_ADDRESS?: number;
  MALIPO_KEEP_ALIVE_MS: number;
  MALIPO_KEYLESS_ORDERS: number;
  MALIPO_KEYLESS_ORDERS_OF_ALL: number;
  MALIPO_PUBLIC_URL?: string;
  MALIPO_DOCS_URL?: string;
  MALIPO_TEMPORAL_UI_URL: string;
  MALIPO_WORKER_METRICS: string;
  MALIPO_WORKER_HEALTH: string;
  MALIPO_TIMEZONE: string;
  MALIPO_RAILS: string;
  MALIPO_TRUSTED_PROXIES: string[];
  MALIPO_SECRET_KEYS: string;
  MALIPO_AUDIT_KEY?: string;
  MALIPO_FX_SOURCE: string;
  MALIPO_FX_JUMP_MAX: number;
  MALIPO_SANDBOX_TIME_SCALE: number;
  MALIPO_LOG_LEVEL: string;
  MALIPO_ACCEPTANCES_MAX: number;
  MALIPO_BACKLOG_MAX_MS: number;
  MALIPO_ACCEPTANCE_TIMEOUT_MS: number;
  MALIPO_BODIES_KEPT_DAYS: number;
  MALIPO_SCHEDULES: 'on' | 'off';
}

export class ConfigError extends Error {}

/** For rules that need a sentence for the operator. A rule over several settings has no path. */
const ownWords: Record<string, (context: Joi.Context, message: string) => string> = {
  'string.pattern.base': (_context, message) => message,
  [notAddresses]: (_context, message) => message,
  'any.only': ({ label, valids }) => `${String(label)} must be one of ${(valids as unknown[]).join(', ')}`,
  'object.and': ({ presentWithLabels: set, missingWithLabels: missing }) =>
    `${list(set)} needs ${list(missing)}`,
  'object.oxor': ({ presentWithLabels: set }) => `${list(set)}: only one of them may be set`,
};

/** For a pattern without its own message. */
const wordless = { 'string.pattern.base': '{#label} has a wrong format' };

function list(names: unknown): string {
  return Array.isArray(names) ? names.join(' and ') : '';
}

/** Validates settings with a joi schema, and reports all errors at once. Rails use it for their settings. */
export function readVariables<T>(schema: Joi.ObjectSchema<T>, env: NodeJS.ProcessEnv): T {
  const result = schema.validate(env, { abortEarly: false, convert: true, messages: wordless });
  if (result.error) {
    // Joi quotes the rejected value, which may be a secret. So the message contains only names, rules and our own text.
    const faults = result.error.details.map(
      ({ path, type, message, context }) =>
        ownWords[type]?.(context ?? {}, message) ?? `${path.join('.')}: ${type}`,
    );
    throw new ConfigError(`the settings are not valid:\n  ${faults.join('\n  ')}`);
  }
  return result.value;
}

/** `id:base64,id:base64` */
export const keysIn = (text: string): Key[] =>
  text.split(',').map((entry) => {
    const [id = '', key = ''] = entry.split(':');
    return { id, key: Buffer.from(key, 'base64') };
  });

/** For a sandbox without an audit key: the database does not contain the derived one either. */
function auditKeyOf({ id, key }: Key): Key {
  return { id, key: createHmac('sha256', key).update('malipo audit log').digest() };
}

/** @throws ConfigError with every missing or invalid setting. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const v = readVariables(variables, env);
  if (v.MALIPO_ENV === 'live') {
    const faults = [
      v.MALIPO_SANDBOX_TIME_SCALE !== 1 && 'MALIPO_SANDBOX_TIME_SCALE is for the sandbox only',
      !v.MALIPO_PUBLIC_URL?.startsWith('https://') && 'MALIPO_PUBLIC_URL must be an https URL in live',
      v.MALIPO_FX_SOURCE.startsWith('http:') && 'MALIPO_FX_SOURCE must be a file or an https URL in live',
    ].filter((fault) => fault !== false);
    if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  }
  const publicUrl = v.MALIPO_PUBLIC_URL ?? `http://${v.MALIPO_API_HOST}:${String(v.MALIPO_API_PORT)}`;
  return {
    environment: v.MALIPO_ENV,
    databaseUrl: v.DATABASE_URL,
    databasePoolMax: v.MALIPO_DATABASE_POOL,
    temporalAddress: v.TEMPORAL_ADDRESS,
    temporalNamespace: v.TEMPORAL_NAMESPACE,
    temporalLine: readTemporalLine(env),
    taskQueue: v.MALIPO_TASK_QUEUE,
    apiHost: v.MALIPO_API_HOST,
    apiPort: v.MALIPO_API_PORT,
    opsHost: v.MALIPO_OPS_HOST,
    opsPort: v.MALIPO_OPS_PORT,
    connectionsMax: v.MALIPO_CONNECTIONS_MAX,
    connectionsPerAddress: v.MALIPO_CONNECTIONS_PER_ADDRESS ?? Math.ceil(v.MALIPO_CONNECTIONS_MAX / 10),
    keepAliveMs: v.MALIPO_KEEP_ALIVE_MS,
    unauthenticatedOrdersPerMinute: v.MALIPO_KEYLESS_ORDERS,
    allUnauthenticatedOrdersPerMinute: v.MALIPO_KEYLESS_ORDERS_OF_ALL,
    publicUrl: publicUrl.replace(/\/$/, ''),
    ...(v.MALIPO_DOCS_URL && { docsUrl: v.MALIPO_DOCS_URL.replace(/\/$/, '') }),
    temporalUiUrl: v.MALIPO_TEMPORAL_UI_URL.replace(/\/$/, ''),
    workerMetricsAddress: v.MALIPO_WORKER_METRICS,
    workerHealthHost: v.MALIPO_WORKER_HEALTH.split(':')[0] ?? '',
    workerHealthPort: Number(v.MALIPO_WORKER_HEALTH.split(':')[1]),
    timezone: v.MALIPO_TIMEZONE,
    rails: v.MALIPO_RAILS.split(',').filter((name) => name !== ''),
    trustedProxies: v.MALIPO_TRUSTED_PROXIES,
    secretKeys: keysIn(v.MALIPO_SECRET_KEYS),
    auditKeys: v.MALIPO_AUDIT_KEY ? keysIn(v.MALIPO_AUDIT_KEY) : keysIn(v.MALIPO_SECRET_KEYS).map(auditKeyOf),
    fxSource: v.MALIPO_FX_SOURCE === '' ? undefined : v.MALIPO_FX_SOURCE,
    fxJumpMax: v.MALIPO_FX_JUMP_MAX,
    timeScale: v.MALIPO_SANDBOX_TIME_SCALE,
    logLevel: v.MALIPO_LOG_LEVEL,
    acceptancesMax: v.MALIPO_ACCEPTANCES_MAX,
    backlogMaxMs: v.MALIPO_BACKLOG_MAX_MS,
    creationTimeoutMs: v.MALIPO_ACCEPTANCE_TIMEOUT_MS,
    schedulesJobs: v.MALIPO_SCHEDULES === 'on',
    bodiesKeptDays: v.MALIPO_BODIES_KEPT_DAYS,
  };
}

/** @throws ConfigError if a setting needs TLS and another one disables it. */
export function readTemporalLine(env: NodeJS.ProcessEnv): TemporalLine {
  const v = readVariables(
    Joi.object<TemporalVariables>(temporalKeys)
      .and(...clientCertificate)
      .unknown(true),
    env,
  );
  const given = {
    ...(v.TEMPORAL_TLS_SERVER_CA_CERT_PATH && { caFile: v.TEMPORAL_TLS_SERVER_CA_CERT_PATH }),
    ...(v.TEMPORAL_TLS_SERVER_NAME && { serverName: v.TEMPORAL_TLS_SERVER_NAME }),
    ...(v.TEMPORAL_TLS_CLIENT_CERT_PATH && { certFile: v.TEMPORAL_TLS_CLIENT_CERT_PATH }),
    ...(v.TEMPORAL_TLS_CLIENT_KEY_PATH && { keyFile: v.TEMPORAL_TLS_CLIENT_KEY_PATH }),
    ...(v.TEMPORAL_API_KEY_FILE && { apiKeyFile: v.TEMPORAL_API_KEY_FILE }),
  };
  // Each of them needs TLS: without it the API key would cross the network unencrypted.
  const isMeant = Object.keys(given).length > 0;
  if (v.TEMPORAL_TLS === false && isMeant) {
    throw new ConfigError('TEMPORAL_TLS is false, but other settings of the connection to Temporal need it');
  }
  return { tls: v.TEMPORAL_TLS ?? isMeant, ...given };
}
