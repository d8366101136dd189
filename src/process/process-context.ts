import { Client } from '@temporalio/client';
import type { Config } from '../config';
import { readOutflowDefaults } from '../controls/settings';
import type { Log } from '../domain/log';
import type { AskWorker } from '../domain/provider-questions';
import { secretBox, type SecretBox } from '../merchants/secrets';
import { railsOf, type PaymentsContext } from '../rail-kit/context';
import { createEngine, tracedEngine, type Engine } from '../rail-kit/engine';
import { holdOf } from '../payments/read/on-hold';
import { sandboxAheadMs } from '../payments/read/payment-clock';
import { tokenCache } from '../rail-kit/access-token';
import { createRails } from '../rails';
import { usesSecret, type ProcessName } from '../secret-files';
import { openDatabase } from '../store/database';
import { createVoucherEngine, type VoucherEngine } from '../vouchers/voucher-engine';
import { askWorkerBy } from './ask-worker';
import { openClientLine } from './client-line';
import { shownMerchants } from './shown-merchants';
import { showCertificates } from '../telemetry/figures/certificate-figures';
import { createMetrics, type Metrics, type MetricsSettings } from '../telemetry/metrics';
import type { DeploymentAddress } from '../worker/versions/server-view';
import { findDeployment } from '../worker/versions/settings';

/** The dependencies that the API, the worker and the command line share. */
export interface ProcessContext {
  context: PaymentsContext;
  engine: Engine;
  vouchers: VoucherEngine;
  client: Client;
  box: SecretBox;
  metrics: Metrics;
  /** Where Temporal is queried for worker versions; undefined if workers have no versions. */
  versions: DeploymentAddress | undefined;
  /** In a process without the providers' keys. */
  ask: AskWorker | undefined;
  close(): Promise<void>;
}

export interface ProcessSettings extends Pick<MetricsSettings, 'showsDatabase'> {
  /** The process's environment, with the secrets from files. */
  env: NodeJS.ProcessEnv;
  /** Whose secrets these are; every secret for the command line. */
  process?: ProcessName;
  /** See DatabaseOptions. An operator's command may read from a replica. */
  mustWrite?: boolean;
  /**
   * Called with the time, in milliseconds, that a provider took, for calls of this process or a worker; see
   * EngineSettings.
   */
  observeProvider?: (ms: number | undefined) => void;
}

export function createProcessContext(
  config: Config,
  log: Log,
  { env, process, mustWrite = false, observeProvider, showsDatabase = true }: ProcessSettings,
): ProcessContext {
  const metrics = createMetrics({ environment: config.environment, showsDatabase });
  showCertificates(metrics.registers, config);
  const db = openDatabase(config.databaseUrl, {
    poolMax: config.databasePoolMax,
    mustWrite,
    auditKeys: config.auditKeys,
  });
  const box = secretBox(config.secretKeys);
  // A process may start before Temporal. Then its readiness check fails.
  const connection = openClientLine(config, { log });
  const { temporalNamespace: namespace, taskQueue } = config;
  const client = new Client({ connection, namespace });
  // The portal: the API looks up networks itself, because a merchant's payment waits for them.
  const ask = usesSecret(process, 'MOMO_TOKEN') ? undefined : askWorkerBy({ client, taskQueue, box, log });
  const rails = railsOf(
    createRails(
      {
        environment: config.environment,
        publicUrl: config.publicUrl,
        timezone: config.timezone,
        timeScale: config.timeScale,
        env,
        ...(process && { process }),
        ask,
        log,
        tokens: tokenCache(db, box),
        observe: (rail, call, answer, durationMs, aheadMs) => {
          const aheadSeconds = aheadMs === undefined ? undefined : aheadMs / 1_000;
          metrics.providerCall(rail, call, answer, durationMs / 1_000, aheadSeconds);
          observeProvider?.(durationMs);
        },
      },
      config.rails,
    ),
  );
  for (const { name, operations } of rails.all)
    for (const kind of Object.keys(operations)) metrics.begins(name, kind);
  const deployment = findDeployment(env);
  const portalUrl = env['MALIPO_PORTAL_URL'];
  const shown = { merchantName: shownMerchants(db), ...(portalUrl && { portalUrl }) };
  return {
    context: {
      db,
      rails,
      log,
      timeScale: config.timeScale,
      creationTimeoutMs: config.creationTimeoutMs,
      observeTransition: (rail, kind, to, cause) => {
        metrics.transition(rail, kind, to, cause);
      },
      outflowDefaults: readOutflowDefaults(env, config.environment),
      sandboxAheadMs: config.environment === 'sandbox' ? () => sandboxAheadMs(db) : undefined,
    },
    engine: tracedEngine(
      createEngine(client, rails, {
        ...config,
        ...(observeProvider && { observeProvider }),
        ...shown,
        isOnHold: (payment) => holdOf(payment) !== undefined,
      }),
    ),
    vouchers: createVoucherEngine(client, { db, log, ...config, ...shown }),
    client,
    box,
    metrics,
    ask,
    versions: deployment && { client, namespace, taskQueue, deployment },
    async close() {
      await connection.close();
      await db.destroy();
    },
  };
}
