import { readApproverStanding } from './controls/settings';
import { findMailSettings } from './mail/settings';
import { createMailTransport } from './mail/transport';
import { forgetBucketsRepeatedly } from './merchants/rate-limit';
import type { Deployment } from './operator-actions/action';
import { beginProcess, runToEnd, serve } from './process/serve';
import { redactBody } from './telemetry/redact';
import { createProcessContext } from './process/process-context';
import { databaseChecks } from './telemetry/readiness';
import { watchSchema } from './process/schema-watch';
import { createActs } from './portal/acts';
import { createPortalApp } from './portal/app';
import { startMailPump } from './portal/mails';
import { createOperations } from './portal/operating';
import { readPortalSettings } from './portal/settings';
import { createTestSender } from './webhooks/send-test';

/**
 * Serves the pages of merchants and operators until a signal ends the process. It has the API's dependencies, because
 * actions that move money use the same functions and workflows. Only it has no key of a provider: it asks the workers.
 */
async function main(): Promise<void> {
  const begun = beginProcess('portal');
  const { env, config, log } = begun;
  const settings = readPortalSettings(env, config.environment);
  const mail = findMailSettings(env, config.environment);
  const { context, engine, vouchers, client, box, metrics, versions, ask, close } = createProcessContext(
    config,
    log,
    {
      env,
      process: begun.name,
      mustWrite: true,
      showsDatabase: false,
    },
  );
  const { db } = context;
  const schema = await watchSchema(db, log);
  const deployment: Deployment = {
    ...{ config, context, engine, vouchers, client, box, versions, ask },
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
  const readiness = databaseChecks(db, begun.ending.signal);
  await serve(begun, {
    front: { app, host: settings.host, port: settings.port, setting: 'MALIPO_PORTAL_PORT' },
    ops: {
      ...{ host: settings.healthHost, port: settings.healthPort, setting: 'MALIPO_PORTAL_HEALTH' },
      ...{ metrics, readiness },
    },
    startJobs: () => [
      ...(mail ? [startMailPump(db, createMailTransport(mail), log)] : []),
      forgetBucketsRepeatedly(db, log),
    ],
    closing: [() => Promise.all([schema.stop(), tests.close()]), close],
  });
}

runToEnd(main);
