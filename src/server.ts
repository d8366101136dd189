import { join } from 'node:path';
import type { Config } from './config';
import { createApp } from './api/app';
import { noteProvidersTime } from './api/request-context';
import { ownEndpoints } from './api/own-endpoints';
import { databaseServices, openStrangersDatabases } from './api/services';
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
import { showWhatWaits } from './telemetry/show-what-waits';
import { openTracing } from './telemetry/open-tracing';
import { readinessChecks } from './telemetry/readiness';
import { watchSchema } from './process/schema-watch';
import { acceptPayment, answerAgain } from './payments/create/accept-payment';
import { backlogAgeMs } from './payments/recovery/backlog';
import { acceptBulk } from './payments/create/bulk/accept-bulk';
import { cancelPayment } from './payments/resolve/cancel';
import type { PaymentsContext } from './rail-kit/context';
import type { Engine } from './rail-kit/engine';
import { nudge, storeNotification, storeHint } from './payments/resolve/inbox';
import { checkOnUnverifiedEvent, checkPaymentNow } from './payments/resolve/check-now';
import { startProcessLease } from './payments/recovery/process-lease';
import type { RailApi } from './rail-kit/rail';
import { getPaymentOrThrow } from './payments/read/payments';
import { readPortalUrl } from './portal/settings';
import { endpointChange, tellDecidersOf } from './portal/mails';
import { readStatementsAt } from './reconciliation/settings';
import { openDatabase } from './store/database';
import { createTestSender } from './webhooks/send-test';

function railApi(context: PaymentsContext, engine: Engine): RailApi {
  return {
    db: context.db,
    accept: (call, draft) => acceptPayment(context, engine, call, draft),
    acceptBulk: (call, bulk) => acceptBulk(context, engine, call, bulk),
    answerAgain: (payment) => answerAgain(context, engine, payment),
    cancel: (payment) => cancelPayment(context, engine, payment),
    checkNow: (payment) => checkPaymentNow(context, engine, payment),
    checkOnUnverifiedEvent: (payment, hint) => checkOnUnverifiedEvent(context, engine, payment, hint),
  };
}

/** What mails lead to. Where there is no portal, nobody works in it. */
function portalOf(env: NodeJS.ProcessEnv, { environment, timezone }: Config) {
  const url = env['MALIPO_PORTAL_URL'] ? readPortalUrl(env, environment) : '';
  const sendsMail = url !== '' && findMailSettings(env, environment) !== undefined;
  return { url, sendsMail, timezone };
}

/** Beside the bundles. */
const siteFolder = join(__dirname, '..', 'site');

/** Serves the merchants' API and the providers' notification routes until it is told to stop. */
async function main(): Promise<void> {
  const begun = beginProcess('api');
  const { env, config, log } = begun;
  const { context, engine, vouchers, client, box, metrics, versions, close } = createProcessContext(
    config,
    log,
    {
      env,
      mustWrite: true,
      observeProvider: noteProvidersTime,
    },
  );
  const tracing = await openTracing(env, { process: 'api', log, registers: metrics.registers });
  const { db } = context;
  const schema = await watchSchema(db, log);
  // Connections of its own: the lease is renewed however busy all others are.
  const leaseDb = openDatabase(config.databaseUrl, { poolMax: 2, mustWrite: true });
  const lease = await startProcessLease(leaseDb, log);
  // Callers who prove nothing wait for each other's connections to the database, and not for those of merchants.
  const strangers = openStrangersDatabases(config.databaseUrl, config.databasePoolMax);
  const api = railApi(context, engine);
  const strangersApi = railApi({ ...context, db: strangers.orders }, engine);
  const notified = { ...context, db: strangers.notifications };

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
    ...databaseServices(db, strangers, config, lease, uses),
    endpoints: ownEndpoints({
      db,
      rails: context.rails.all,
      walletBalance: (merchantId) => walletBalance(db, merchantId, 'KES'),
      timezone: config.timezone,
      vouchers: findMailSettings(env, config.environment) && {
        db,
        wake: (voucher) => vouchers.wake(voucher),
      },
      webhooks: {
        db,
        box,
        environment: config.environment,
        tests: webhookTests,
        tell: (trx, merchantId, { what, url, apiKey }) =>
          tellDecidersOf(trx, { ...portal, merchantId, who: apiKey }, endpointChange(what, url)),
        async wake(paymentId) {
          const payment = await getPaymentOrThrow(db, paymentId);
          await engine.wake(payment).catch((error: unknown) => {
            log.warn('a payment could not be woken; its webhook is sent in a minute', { error });
          });
        },
      },
    }),
    rails: context.rails.all.map((rail) => ({
      name: rail.name,
      description: rail.description,
      endpoints: rail.endpoints(api),
      forStrangers: rail.endpoints(strangersApi),
      // Whether a notification is the provider's is only known once it was looked into.
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
      // It is committed, so it may be acknowledged; the nudge is only a hint and nobody waits for it.
      if (isNew && received.payment) void nudge(context, engine, received.payment);
      return isNew;
    },
    async takeHint(rail, hint) {
      const stored = await storeHint(notified, rail, hint);
      if (stored === 'follow') void nudge(notified, engine, hint.payment);
      return stored;
    },
    observeRefusal: (rail) => {
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
  showPools(metrics.registers, { own: db, lease: leaseDb, ...strangers });
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
      () => Promise.all(Object.values(strangers).map((database) => database.destroy())),
      () => Promise.all([close(), tracing.close()]),
    ],
  });
}

runToEnd(main);
