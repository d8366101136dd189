import { Client } from '@temporalio/client';
import type { Config } from '../config';
import { readOutflowDefaults } from '../controls/settings';
import type { Log } from '../domain/log';
import { secretBox, type SecretBox } from '../merchants/secrets';
import { railsOf, type PaymentsContext } from '../rail-kit/context';
import { createEngine, tracedEngine, type Engine } from '../rail-kit/engine';
import { sandboxAheadMs } from '../payments/read/payment-clock';
import { tokenShelf } from '../rail-kit/access-token';
import { createRails } from '../rails';
import { openDatabase } from '../store/database';
import { createVoucherEngine, type VoucherEngine } from '../vouchers/voucher-engine';
import { openClientLine } from './client-line';
import { createMetrics, type Metrics, type MetricsSettings } from '../telemetry/metrics';
import type { Place } from '../worker/versions/server-view';
import { findDeployment } from '../worker/versions/settings';

/** What every process of the product is made of: the API, the worker and the command line. */
export interface ProcessContext {
  context: PaymentsContext;
  engine: Engine;
  vouchers: VoucherEngine;
  client: Client;
  box: SecretBox;
  metrics: Metrics;
  /** Where the versions of the workers are asked for; undefined where they have none. */
  versions: Place | undefined;
  close(): Promise<void>;
}

export interface ProcessSettings extends MetricsSettings {
  /** The process's own, with the secrets that stand in files. */
  env: NodeJS.ProcessEnv;
  /** See DatabaseOptions; an operator may look at a replica. */
  mustWrite?: boolean;
  /** Told how long a provider was waited for, in milliseconds, by whoever asked it here or in a worker; see EngineSettings. */
  observeProvider?: (ms: number | undefined) => void;
}

export function createProcessContext(
  config: Config,
  log: Log,
  { env, mustWrite = false, observeProvider, showsDatabase = true }: ProcessSettings,
): ProcessContext {
  const metrics = createMetrics({ showsDatabase });
  const db = openDatabase(config.databaseUrl, {
    poolMax: config.databasePoolMax,
    mustWrite,
    auditKeys: config.auditKeys,
  });
  const box = secretBox(config.secretKeys);
  const rails = railsOf(
    createRails(
      {
        environment: config.environment,
        publicUrl: config.publicUrl,
        timezone: config.timezone,
        timeScale: config.timeScale,
        env,
        log,
        tokens: tokenShelf(db, box),
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
  // A process may start before the engine does, and says so in its readiness.
  const connection = openClientLine(config, { log });
  const { temporalNamespace: namespace, taskQueue } = config;
  const client = new Client({ connection, namespace });
  const deployment = findDeployment(env);
  return {
    context: {
      db,
      rails,
      log,
      timeScale: config.timeScale,
      acceptanceTimeoutMs: config.acceptanceTimeoutMs,
      observeTransition: (rail, kind, to, cause) => {
        metrics.transition(rail, kind, to, cause);
      },
      outflowDefaults: readOutflowDefaults(env, config.environment),
      sandboxAheadMs: config.environment === 'sandbox' ? () => sandboxAheadMs(db) : undefined,
    },
    engine: tracedEngine(
      createEngine(client, rails, { ...config, ...(observeProvider && { observeProvider }) }),
    ),
    vouchers: createVoucherEngine(client, { db, log, ...config }),
    client,
    box,
    metrics,
    versions: deployment && { client, namespace, taskQueue, deployment },
    async close() {
      await connection.close();
      await db.destroy();
    },
  };
}
