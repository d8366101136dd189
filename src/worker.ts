import { Runtime, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities';
import { traced } from '../activities/traced';
import { createJobActivities } from '../activities/recurring-jobs';
import { ConfigError } from './config';
import { repeat, type Repeating } from './domain/repeat';
import { refreshRates } from './fx/feed';
import { rateSource, type RateSource } from './fx/source';
import type { ReadinessCheck } from './api/health';
import {
  currentAttempt,
  currentCancellation,
  heartbeat,
  noteAttempt,
  cleanFailures,
} from './worker/activity-attempt';
import { beginProcess, runToEnd, serve, StartError } from './process/serve';
import { showPools } from './telemetry/figures/pool-figures';
import { UnhurriedWorker, runWorker, openWorkerLine } from './worker/run-worker';
import { temporalLogger } from './telemetry/logging';
import { createProcessContext } from './process/process-context';
import { startDailySeal } from './worker/daily-digest';
import { choresOf, prune } from './worker/prune/prune';
import { verifyTonight } from './verify/verdict';
import { watchSchema } from './process/schema-watch';
import { openTracing } from './telemetry/open-tracing';
import { bundleFile, findBuilt } from './worker/versions/build';
import { makeFirstCurrent } from './worker/versions/first-version';
import { isGivenTasks, whileOnDuty } from './worker/versions/when-current';
import { findWorkerVersion, type WorkerVersion } from './worker/versions/settings';
import { findMailSettings } from './mail/settings';
import { createMailTransport } from './mail/transport';
import { forgetOldGuards } from './payments/create/duplicate-guard';
import { askForReceipts } from './payments/resolve/missing-receipts';
import { checkFloats } from './floats/round';
import { readStatementsAt } from './reconciliation/settings';
import { runLateChecks } from './payments/recovery/late-checks';
import { earlyPolls } from './payments/recovery/poll-early';
import { watchCallbacks } from './payments/recovery/watch-callbacks';
import { createSweeper } from './payments/recovery/sweeper';
import { startHeartbeat } from './store/heartbeat';
import { createDeliverer } from './webhooks/deliver';
import { createEndpointSender } from './webhooks/endpoints/send-events';
import { startSchedules } from './worker/schedules';

/**
 * Places sum up to fewer than the slots, so that no kind of call can take them all: five rails' initiations and reviews
 * with the deliveries of webhooks are 360, and what rides inside workflow tasks has 205 at the most.
 */
const places = { initiations: 40, initiationsInTask: 15, reviews: 20, quickReviews: 20 };
const activitySlots = 400;
const workflowTaskSlots = 240;
const heartbeatEveryMs = 5_000;
const sweepEveryMs = 2_000;
/** So late an endpoint is told at most, while it answers. */
const endpointsEveryMs = 1_000;

/** Runs the workflows and activities of every rail until it is told to stop. */
async function main(): Promise<void> {
  const begun = beginProcess('worker');
  const { env, config, log, ending } = begun;
  const version = findWorkerVersion(env);
  Runtime.install({
    logger: temporalLogger(log),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} },
      metrics: {
        prometheus: {
          bindAddress: config.workerMetricsAddress,
          countersTotalSuffix: true,
          useSecondsForDurations: true,
        },
      },
    },
  });
  const { context, engine, vouchers, client, box, close, metrics, versions } = createProcessContext(
    config,
    log,
    { env, mustWrite: true, showsDatabase: false },
  );
  showPools(metrics.registers, { own: context.db });
  const tracing = await openTracing(env, { process: 'worker', log, registers: metrics.registers });
  const { scopes } = tracing;
  const unfit = new AbortController();
  const schema = await watchSchema(context.db, log, () => {
    process.exitCode = 1;
    unfit.abort();
  });
  const processHeartbeat = await startHeartbeat(context.db, log, {
    kind: 'worker',
    everyMs: heartbeatEveryMs,
  });
  const deliverer = createDeliverer({
    db: context.db,
    box,
    environment: config.environment,
    timeScale: config.timeScale,
    log,
  });
  const endpoints = createEndpointSender({
    db: context.db,
    box,
    environment: config.environment,
    timeScale: config.timeScale,
    log,
  });
  const mailSettings = findMailSettings(env, config.environment);
  const line = await openWorkerLine(config, { log }).catch((error: unknown) => {
    if (error instanceof ConfigError) throw error;
    throw new StartError(
      `Temporal cannot be reached at ${config.temporalAddress}: ${String(error)}; see TEMPORAL_ADDRESS`,
      { cause: error },
    );
  });
  const { activities, idle } = createActivities({
    context,
    deliverer,
    ...(mailSettings && { mail: createMailTransport(mailSettings) }),
    places,
    attempt: currentAttempt,
    observeDelivery: (result) => {
      metrics.delivery(result);
    },
  });
  const source = rateSource(config.fxSource, config.environment);
  const jobs = createJobActivities({
    context,
    timezone: config.timezone,
    jobs: {
      prune: (signal) => prune(context.db, choresOf(config), { log, signal }),
      verify: (signal) => verifyTonight(context.db, context.rails, log, signal),
      checkFloats: (signal) => checkFloats(context, { environment: config.environment, signal }),
      refreshRates: source && ((signal) => refreshRates(context.db, source, log, signal)),
    },
    stopping: ending.signal,
    heartbeat,
    cancelled: currentCancellation,
    attempt: currentAttempt,
  });
  const worker = await UnhurriedWorker.create({
    connection: line.connection,
    namespace: config.temporalNamespace,
    taskQueue: config.taskQueue,
    ...workflowCode(),
    ...(version && versioned(version)),
    activities: { ...(scopes ? traced(activities, scopes, currentAttempt) : activities), ...jobs },
    interceptors: { activity: [noteAttempt, cleanFailures] },
    maxConcurrentWorkflowTaskExecutions: workflowTaskSlots,
    maxConcurrentActivityTaskExecutions: activitySlots,
    maxConcurrentLocalActivityExecutions: workflowTaskSlots,
    // With one partition per queue a handful of pollers is enough; with more, a task can wait for the right one.
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 10 },
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 10 },
    maxCachedWorkflows: 1_000,
    shutdownGraceTime: '20s',
  });

  line.serve(worker);

  const isRunning = () => worker.getState() === 'RUNNING';
  const readiness: ReadinessCheck = {
    name: 'worker',
    check: () =>
      isRunning() ? Promise.resolve() : Promise.reject(new Error(`the worker is ${worker.getState()}`)),
  };
  const sweeper = createSweeper(context, engine);
  const pollEarly = earlyPolls(context);
  const statementsAt = readStatementsAt(env);
  const place = version && versions && { ...versions, deployment: version };
  // What it would take on, a newer one can do. Started again, it says at once why it cannot.
  unfit.signal.addEventListener('abort', () => {
    ending.abort();
    if (isRunning()) worker.shutdown();
  });
  await serve(begun, {
    ops: {
      host: config.workerHealthHost,
      port: config.workerHealthPort,
      setting: 'MALIPO_WORKER_HEALTH',
      readiness: [readiness],
      metrics: {
        contentType: metrics.contentType,
        expose() {
          metrics.ready('worker', isRunning());
          return metrics.expose();
        },
      },
    },
    startJobs() {
      const chores = place
        ? [
            whileOnDuty({ isOnDuty: () => isGivenTasks(place), start: startChores, log }),
            makeFirstCurrent(place, log),
          ]
        : startChores();
      log.info('worker started', {
        task_queue: config.taskQueue,
        ...(version && { deployment: version.name, build: version.buildId }),
      });
      return chores;
    },
    // Temporal's SDK stops the worker at the same signals.
    run: async () => {
      if (!unfit.signal.aborted) await runWorker(worker);
    },
    closing: [
      idle,
      () => schema.stop(),
      () => processHeartbeat.stop(),
      () => Promise.all([deliverer.close(), endpoints.close()]),
      () => line.close(),
      () => Promise.all([close(), tracing.close()]),
    ],
  });

  function startChores(): Repeating[] {
    const round = (work: () => Promise<void>, otherwise: string) =>
      repeat(() => (scopes ? scopes.background(work) : work()), { everyMs: sweepEveryMs, log, otherwise });
    return [
      round(sweepOnce, 'the sweeper could not finish its round'),
      round(watchOnce, 'it could not be seen whether callbacks come'),
      ...context.rails.all.map(({ name }) =>
        round(() => lateChecksOnce(name), 'later looks could not be done'),
      ),
      repeat(() => endpoints.round(), {
        everyMs: endpointsEveryMs,
        log,
        otherwise: 'endpoints with something to be sent could not be found',
      }),
      startDailySeal(context.db, { log }),
      ...(source ? [readRatesOnce(source)] : []),
      ...(config.schedulesJobs
        ? [
            startSchedules(
              client,
              {
                rails: context.rails.all,
                statementsAt,
                convertsMoney: source !== undefined,
                timezone: config.timezone,
                taskQueue: config.taskQueue,
              },
              log,
            ),
          ]
        : []),
    ];
  }

  /** A deployment can convert money from its first minute; later a schedule reads the rates. */
  function readRatesOnce(from: RateSource): Repeating {
    const reading = refreshRates(context.db, from, log, ending.signal).then(
      () => undefined,
      (error: unknown) => {
        log.error('exchange rates could not be refreshed', { error });
      },
    );
    return { stop: () => reading };
  }

  async function sweepOnce(): Promise<void> {
    const found = (await sweeper.sweep()) + (await vouchers.sweep());
    await forgetOldGuards(context.db);
    await askForReceipts(context);
    if (found > 0) log.info('the sweeper took up unfinished payments', { count: found });
  }

  async function lateChecksOnce(rail: string): Promise<void> {
    const { looked, woken } = await runLateChecks(context, engine, rail);
    if (looked > 0) log.info('payments that had ended were looked at', { rail, looked, woken });
  }

  async function watchOnce(): Promise<void> {
    const watched = await watchCallbacks(context);
    const taken = watched ? await pollEarly(watched.health, watched.sinceMs) : 0;
    if (taken > 0) log.info('payments are looked at sooner, because no callbacks come', { count: taken });
  }
}

/** What is not said otherwise beside the workflows (workflows/versions.ts) moves to the version that is promoted. */
function versioned({
  name: deploymentName,
  buildId,
}: WorkerVersion): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  return {
    workerDeploymentOptions: {
      version: { deploymentName, buildId },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** The bundle made by the build; bundling at every start would cost a second. */
function workflowCode(): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'bundlerOptions'> {
  const codePath = findBuilt(bundleFile);
  if (codePath !== undefined) return { workflowBundle: { codePath } };
  return {
    workflowsPath: require.resolve('../workflows'),
    bundlerOptions: { preloadModules: [require.resolve('../workflows/shallow-stacks')] },
  };
}

runToEnd(main);
