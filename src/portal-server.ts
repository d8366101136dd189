import { readConfig } from './config';
import { readApproverStanding } from './controls/settings';
import { createOpsApp } from './http/health';
import { listen } from './http/listen';
import { currentRequest } from './http/request-context';
import { findMailSettings } from './mail/settings';
import { createMailTransport } from './mail/transport';
import { isTrustedProxy } from './merchants/ip-allow-list';
import { forgetBucketsRepeatedly } from './merchants/rate-limit';
import type { Deployment } from './operator-actions/action';
import { failToStart } from './ops/fail-to-start';
import { createLog } from './ops/logging';
import { logNodeMessages } from './ops/node-messages';
import { redactBody } from './ops/redact-body';
import { createProcessContext } from './ops/process-context';
import { databaseChecks } from './ops/readiness';
import { watchSchema } from './ops/schema-watch';
import { createActs } from './portal/acts';
import { createPortalApp } from './portal/app';
import { startMailPump } from './portal/mail-pump';
import { createOperations } from './portal/operating';
import { readPortalSettings } from './portal/settings';
import { readSecretFiles } from './secret-files';
import { createTestSender } from './webhooks/send-test';

/**
 * Serves the pages of merchants and operators until it is told to stop. It is given what the API is: what moves money here
 * goes by the same functions, and the same workflows.
 */
async function main(): Promise<void> {
  const env = readSecretFiles(process.env);
  const config = readConfig(env);
  const settings = readPortalSettings(env, config.environment);
  const mail = findMailSettings(env, config.environment);
  const log = createLog({
    level: config.logLevel,
    context: () => ({ process: 'portal', request_id: currentRequest()?.requestId }),
  });
  logNodeMessages(log);
  const { context, engine, vouchers, client, box, metrics, versions, close } = createProcessContext(
    config,
    log,
    {
      env,
      mustWrite: true,
      inTask: true,
      showsDatabase: false,
    },
  );
  const { db } = context;
  const schema = await watchSchema(db, log);
  const deployment: Deployment = {
    ...{ config, context, engine, vouchers, client, box, versions },
    simulatorUrl: undefined,
    portal: () => ({ url: settings.url, sendsMail: mail !== undefined }),
  };
  const tests = createTestSender({ box, environment: config.environment });
  const app = createPortalApp({
    db,
    box,
    tests,
    acts: createActs({ context, engine }),
    operations: createOperations(deployment),
    redact: redactBody,
    config,
    settings,
    sendsMail: mail !== undefined,
    rails: context.rails.all.map(({ name }) => name),
    outflowDefaults: context.outflowDefaults === true,
    standingSeconds: readApproverStanding(env, config.environment),
    statementRails: context.rails.all.flatMap(({ name, statement }) => (statement ? [name] : [])),
    log,
    metrics,
    misfit: schema.misfit,
  });
  let stopping = false;
  const readiness = databaseChecks({ db, isStopping: () => stopping });
  const server = await listen(app, {
    host: settings.host,
    port: settings.port,
    connectionsMax: config.connectionsMax,
    connectionsPerAddress: config.connectionsPerAddress,
    isProxy: (address) => isTrustedProxy(address, config.trustedProxies),
    keepAliveMs: config.keepAliveMs,
  });
  // Second, so that it is never called ready while the portal's port is somebody else's.
  const ops = await listen(createOpsApp({ log, metrics, readiness }), {
    host: settings.healthHost,
    port: settings.healthPort,
    drainMs: 1_000,
  });
  const pump = mail && startMailPump(db, createMailTransport(mail), log);
  const tidying = forgetBucketsRepeatedly(db, log);
  log.info('portal listening', { host: settings.host, port: server.port, ops_port: ops.port });

  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info('portal stopping', { signal });
    void Promise.all([server.close(), tidying.stop()])
      .then(() => Promise.all([pump?.stop(), schema.stop(), tests.close()]))
      .then(() => close())
      // Last: until the end an operator can see how it ends.
      .then(() => ops.close())
      .then(() => {
        log.info('portal stopped');
      });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

void main().catch(failToStart);
