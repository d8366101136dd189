import { Runtime, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities';
import { traced } from '../activities/traced';
import { createQuestionActivities } from '../activities/provider-questions';
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
import { startDailyDigest } from './worker/daily-digest';
import { jobsOf, prune } from './worker/prune/prune';
import { verifyTonight } from './verify/verdict';
import { watchSchema } from './process/schema-watch';
import { openTracing } from './telemetry/open-tracing';
import { bundleFile, findBuilt } from './worker/versions/build';
import { makeFirstCurrent } from './worker/versions/first-version';
import { getsTasks, whileCurrent } from './worker/versions/when-current';
import { findWorkerVersion, type WorkerVersion } from './worker/versions/settings';
import { findMailSettings } from './mail/settings';
import { createMailTransport } from './mail/transport';
import { forgetOldGuards } from './payments/create/duplicate-guard';
import { askForReceipts } from './payments/resolve/missing-receipts';
import { checkFloats } from './floats/check-run';
import { readStatementsAt } from './reconciliation/settings';
import { runLateChecks } from './payments/recovery/late-checks';
import { earlyPolls } from './payments/recovery/poll-early';
import { watchCallbacks } from './payments/recovery/watch-notifications';
import { createSweeper } from './payments/recovery/sweeper';
import { startHeartbeat } from './store/heartbeat';
import { createDeliverer } from './webhooks/deliver';
import { createEndpointSender } from './webhooks/endpoints/send-events';
import { startSchedules } from './worker/schedules';

/**
 * The sum is below the number of slots, so that no kind of call can occupy all of them. Five rails' submissions and
 * reviews with webhook deliveries need 360; local activities have at most 205.
 */
const places = { initiations: 40, initiationsInTask: 15, reviews: 20, quickReviews: 20 };
const activitySlots = 400;
const workflowTaskSlots = 240;
const heartbeatEveryMs = 5_000;
const sweepEveryMs = 2_000;
/** The longest delay of an event at a webhook endpoint that answers. */
const endpointsEveryMs = 1_000;

/** Runs the workflows and activities of every rail until a signal ends the process. */
async function main(): Promise<void> {
  const begun = beginProcess('worker');
  const { env, config, log, ending } = begun;
  const version = findWorkerVersion(env);
  Runtime.install({
    logger: temporalLogger(log),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} },
      metrics: {
        globalTags: { environment: config.environment },
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
    { env, process: begun.name, mustWrite: true, showsDatabase: false },
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
      prune: (signal) => prune(context.db, jobsOf(config), { log, signal }),
      verify: (signal) => verifyTonight(context.db, context.rails, log, signal),
      checkFloats: (signal) => checkFloats(context, { environment: config.environment, signal }),
      refreshRates: source && ((signal) => readRates(source, signal)),
    },
    stopping: ending.signal,
    heartbeat,
    cancelled: currentCancellation,
    attempt: currentAttempt,
  });
  const questions = createQuestionActivities({ context, box, stopping: ending.signal });
  const worker = await UnhurriedWorker.create({
    connection: line.connection,
    namespace: config.temporalNamespace,
    taskQueue: config.taskQueue,
    ...workflowCode(),
    ...(version && versioned(version)),
    activities: {
      ...(scopes ? traced(activities, scopes, currentAttempt) : activities),
      ...jobs,
      ...questions,
    },
    interceptors: { activity: [noteAttempt, cleanFailures] },
    maxConcurrentWorkflowTaskExecutions: workflowTaskSlots,
    maxConcurrentActivityTaskExecutions: activitySlots,
    maxConcurrentLocalActivityExecutions: workflowTaskSlots,
    // With one partition per queue, a few pollers are enough. With more partitions, a task can wait for a poller of its
    // partition.
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
  // A newer worker can do the work. After a restart this process logs why it cannot start.
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
      const recurringJobs = place
        ? [
            whileCurrent({ isCurrent: () => getsTasks(place), start: startRecurringJobs, log }),
            makeFirstCurrent(place, log),
          ]
        : startRecurringJobs();
      log.info('worker started', {
        task_queue: config.taskQueue,
        ...(version && { deployment: version.name, build: version.buildId }),
      });
      return recurringJobs;
    },
    // Temporal's SDK shuts the worker down on the same signals.
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

  function startRecurringJobs(): Repeating[] {
    const round = (work: () => Promise<void>, otherwise: string) =>
      repeat(() => (scopes ? scopes.background(work) : work()), { everyMs: sweepEveryMs, log, otherwise });
    return [
      round(sweepOnce, 'the sweeper could not finish its run'),
      round(watchOnce, 'the health of provider notifications could not be checked'),
      ...context.rails.all.map(({ name }) =>
        round(() => lateChecksOnce(name), 'late status checks could not be run'),
      ),
      repeat(() => endpoints.round(), {
        everyMs: endpointsEveryMs,
        log,
        otherwise: 'endpoints with events to send could not be read',
      }),
      startDailyDigest(context.db, { log }),
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

  function readRates(from: RateSource, signal: AbortSignal): Promise<number> {
    return refreshRates(context.db, from, log, { jumpMax: config.fxJumpMax, signal });
  }

  /** The deployment can convert money at once after its start. Later a schedule refreshes the rates. */
  function readRatesOnce(from: RateSource): Repeating {
    const reading = readRates(from, ending.signal).then(
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
    if (found > 0) log.info('the sweeper resumed unfinished payments', { count: found });
  }

  async function lateChecksOnce(rail: string): Promise<void> {
    const { checked, signalled } = await runLateChecks(context, engine, rail);
    if (checked > 0) log.info('late checks done', { rail, checked, signalled });
  }

  async function watchOnce(): Promise<void> {
    const watched = await watchCallbacks(context);
    const taken = watched ? await pollEarly(watched.health, watched.sinceMs) : 0;
    if (taken > 0)
      log.info('payments are checked earlier, because provider notifications have stopped', { count: taken });
  }
}

/**
 * The default for workflows without their own setting (workflows/versions.ts): they continue on the promoted version.
 */
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

/** The bundle that the build wrote. Bundling at each start would take a second. */
function workflowCode(): Pick<
  WorkerOptions,
  'workflowBundle' | 'workflowsPath' | 'bundlerOptions' | 'dataConverter'
> {
  const codePath = findBuilt(bundleFile);
  if (codePath !== undefined) return { workflowBundle: { codePath } };
  return {
    workflowsPath: require.resolve('../workflows'),
    bundlerOptions: { preloadModules: [require.resolve('../workflows/without-stacks')] },
    dataConverter: { payloadConverterPath: require.resolve('../workflows/lenient-payloads') },
  };
}

runToEnd(main);
