import { join } from 'node:path';
import type { Config } from './config';
import { createApp } from './api/app';
import { noteProvidersTime } from './api/request-context';
import { ownEndpoints } from './api/own-endpoints';
import { databaseServices, openUnauthenticatedDatabases } from './api/services';
import { createShedding } from './api/limits/shedding';
import { walletBalance } from './ledger/balances';
import { findMailSettings } from './mail/settings';
import { keyUses } from './merchants/key-uses';
import { requestLog } from './merchants/request-log';
import { startApiJobs } from './process/api-jobs';
import { beginProcess, runToEnd, serve } from './process/serve';
import { showPools, replicaFigures } from './telemetry/figures/pool-figures';
import { createProcessContext } from './process/process-context';
import { readReplicaUrls } from './telemetry/settings';
import { showWhatWaits } from './telemetry/show-backlog';
import { openTracing } from './telemetry/open-tracing';
import { readinessChecks } from './telemetry/readiness';
import { watchSchema } from './process/schema-watch';
import { createPayment, answerAgain } from './payments/create/create-payment';
import { backlogAgeMs } from './payments/recovery/backlog';
import { createBulk } from './payments/create/bulk/create-bulk';
import { cancelPayment } from './payments/resolve/cancel';
import type { PaymentsContext } from './rail-kit/context';
import type { Engine } from './rail-kit/engine';
import { signalWorkflow, storeNotification, storeUnverified } from './payments/resolve/inbox';
import { checkOnUnverifiedEvent, checkPaymentNow } from './payments/resolve/check-now';
import { startProcessLease } from './payments/recovery/process-lease';
import type { RailApi } from './rail-kit/rail';
import { getPaymentOrThrow } from './payments/read/payments';
import { readPortalUrl } from './portal/settings';
import { endpointChange, mailDecidersOf } from './portal/mails';
import { readStatementsAt } from './reconciliation/settings';
import { openDatabase } from './store/database';
import { createTestSender } from './webhooks/send-test';

function railApi(context: PaymentsContext, engine: Engine): RailApi {
  return {
    db: context.db,
    accept: (call, draft) => createPayment(context, engine, call, draft),
    acceptBulk: (call, bulk) => createBulk(context, engine, call, bulk),
    answerAgain: (payment) => answerAgain(context, engine, payment),
    cancel: (payment) => cancelPayment(context, engine, payment),
    checkNow: (payment) => checkPaymentNow(context, engine, payment),
    checkOnUnverifiedEvent: (payment, unverified) =>
      checkOnUnverifiedEvent(context, engine, payment, unverified),
  };
}

/** The portal's address for links in mails. Without it, no portal runs. */
function portalOf(env: NodeJS.ProcessEnv, { environment, timezone }: Config) {
  const url = env['MALIPO_PORTAL_URL'] ? readPortalUrl(env, environment) : '';
  const sendsMail = url !== '' && findMailSettings(env, environment) !== undefined;
  return { url, sendsMail, timezone };
}

/** In the same folder as the bundles. */
const siteFolder = join(__dirname, '..', 'site');

/** Serves the merchants' API and the providers' notification routes until a signal ends the process. */
async function main(): Promise<void> {
  const begun = beginProcess('api');
  const { env, config, log } = begun;
  const { context, engine, vouchers, client, box, metrics, versions, close } = createProcessContext(
    config,
    log,
    {
      env,
      process: begun.name,
      mustWrite: true,
      observeProvider: noteProvidersTime,
    },
  );
  const tracing = await openTracing(env, { process: 'api', log, registers: metrics.registers });
  const { db } = context;
  const schema = await watchSchema(db, log);
  // A separate pool: the lease is renewed even when all other connections are busy.
  const leaseDb = openDatabase(config.databaseUrl, { poolMax: 2, mustWrite: true });
  const lease = await startProcessLease(leaseDb, log);
  // A separate pool, so that unauthenticated callers use no connections of merchants.
  const unauthenticated = openUnauthenticatedDatabases(config.databaseUrl, config.databasePoolMax);
  const api = railApi(context, engine);
  const unauthenticatedApi = railApi({ ...context, db: unauthenticated.orders }, engine);
  const notified = { ...context, db: unauthenticated.notifications };

  const portal = portalOf(env, config);
  const webhookTests = createTestSender({ box, environment: config.environment });
  const uses = keyUses(db);
  const requests = requestLog(db);
  const shown = showWhatWaits(context, metrics, {
    fetchesStatements: readStatementsAt(env) !== undefined,
  });
  const app = createApp({
    config,
    log,
    metrics,
    misfit: schema.misfit,
    requests,
    scopes: tracing.scopes,
    ...databaseServices(db, unauthenticated, config, lease, uses),
    endpoints: ownEndpoints({
      db,
      rails: context.rails.all,
      walletBalance: (merchantId) => walletBalance(db, merchantId, 'KES'),
      timezone: config.timezone,
      vouchers: findMailSettings(env, config.environment) && {
        db,
        signalOrStart: (voucher) => vouchers.signalOrStart(voucher),
      },
      webhooks: {
        db,
        box,
        environment: config.environment,
        tests: webhookTests,
        notify: (trx, merchantId, { what, url, apiKey }) =>
          mailDecidersOf(trx, { ...portal, merchantId, who: apiKey }, endpointChange(what, url)),
        async signalOrStart(paymentId) {
          const payment = await getPaymentOrThrow(db, paymentId);
          await engine.signalOrStart(payment, 'merchant').catch((error: unknown) => {
            log.warn('a payment was not signalled; its webhook is sent within a minute', { error });
          });
        },
      },
    }),
    rails: context.rails.all.map((rail) => ({
      name: rail.name,
      description: rail.description,
      endpoints: rail.endpoints(api),
      unauthenticatedEndpoints: rail.endpoints(unauthenticatedApi),
      // We know whether a notification is authentic only after its verification.
      notificationRoutes: rail.notificationRoutes(railApi(notified, engine)),
    })),
    shedding: createShedding({
      acceptancesMax: config.acceptancesMax,
      backlogMaxMs: config.backlogMaxMs,
      backlogAgeMs: async () => {
        const ageMs = await backlogAgeMs(db);
        metrics.inboxAge(ageMs / 1_000);
        return ageMs;
      },
    }),
    async takeNotification(rail, sourceAddress, received) {
      const isNew = await storeNotification(
        received.isProven ? context : notified,
        rail,
        sourceAddress,
        received,
      );
      // The notification is committed, so it may be acknowledged. The signal only saves time, and this call does not
      // wait for it.
      if (isNew && received.payment) {
        const source = received.isProven ? 'notification' : 'unverifiedEvent';
        void signalWorkflow(context, engine, received.payment, source);
      }
      return isNew;
    },
    async takeUnverified(rail, unverified) {
      const stored = await storeUnverified(notified, rail, unverified);
      if (stored === 'follow') {
        void signalWorkflow(notified, engine, unverified.payment, 'unverifiedEvent');
      }
      return stored;
    },
    observeDenial: (rail) => {
      shown.refused(rail);
    },
  });
  const readiness = readinessChecks({
    db,
    client,
    temporalNamespace: config.temporalNamespace,
    versions,
    ending: begun.ending.signal,
  });
  showPools(metrics.registers, { own: db, lease: leaseDb, ...unauthenticated });
  const replicas = replicaFigures(metrics.registers, readReplicaUrls(env));
  await serve(begun, {
    front: { app, host: config.apiHost, port: config.apiPort, setting: 'MALIPO_API_PORT' },
    ops: {
      ...{ host: config.opsHost, port: config.opsPort, setting: 'MALIPO_OPS_PORT' },
      ...{ metrics, readiness, siteFolder },
    },
    startJobs: () => [
      shown,
      ...startApiJobs({ context, client, config, metrics, readiness, uses, requests, replicas }),
    ],
    closing: [
      () => Promise.all([lease.close(), schema.stop(), uses.write().catch(() => undefined)]),
      () => requests.write().catch(() => undefined),
      () => leaseDb.destroy(),
      () => Promise.all([replicas.close(), webhookTests.close()]),
      () => Promise.all(Object.values(unauthenticated).map((database) => database.destroy())),
      () => Promise.all([close(), tracing.close()]),
    ],
  });
}

runToEnd(main);
