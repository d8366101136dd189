/** How the API, the portal and the worker start, listen and end. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { createOpsApp, type HealthServices } from '../api/health';
import { listen, type Listening, type ListenOptions } from '../api/listen';
import { currentRequest } from '../api/request-context';
import { ConfigError, readConfig, type Config } from '../config';
import { showControls } from '../domain/controls';
import type { Log } from '../domain/log';
import { stopAll, type Repeating } from '../domain/repeat';
import { isTrustedProxy } from '../merchants/ip-allow-list';
import { readSecretFiles } from '../secret-files';
import { createLog } from '../telemetry/logging';
import { logNodeMessages } from '../telemetry/node-messages';
import { redactText } from '../telemetry/redact';
import { findBuildId } from '../worker/versions/settings';

const titles = { api: 'API', portal: 'portal', worker: 'worker' };

/** A process that has read its settings and can write its log. */
export interface Begun {
  name: keyof typeof titles;
  /** The environment, with the secrets from files. */
  env: NodeJS.ProcessEnv;
  config: Config;
  log: Log;
  /** Aborts when the process must end: at a signal, or by its own code. */
  ending: AbortController;
}

/** @throws ConfigError */
export function beginProcess(name: Begun['name']): Begun {
  const env = readSecretFiles(process.env, name);
  const config = readConfig(env);
  const log = createLog({
    level: config.logLevel,
    origin: {
      process: name,
      // The pid distinguishes processes of one machine. In a container, the host name is enough.
      instance: `${hostname()}:${String(process.pid)}`,
      build: findBuildId(env),
      environment: config.environment,
    },
    context: () => ({ request_id: currentRequest()?.requestId }),
  });
  logNodeMessages(log);
  return { name, env, config, log, ending: new AbortController() };
}

/** Why a process cannot start, as a sentence for the operator. */
export class StartError extends Error {}

/** @param setting the variable with the port. */
interface Address extends Pick<ListenOptions, 'host' | 'port'> {
  setting: string;
}

async function listenAt(
  app: RequestListener,
  { setting, ...options }: Address & Omit<ListenOptions, 'host' | 'port'>,
): Promise<Listening> {
  try {
    return await listen(app, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = code === 'EADDRINUSE' ? 'another process uses it' : 'this user may not open it';
    throw new StartError(
      `port ${String(options.port)} of ${options.host} cannot be opened (${code}): ${why}; see ${setting}`,
      { cause: error },
    );
  }
}

export interface Service {
  /** The port for callers. The worker has none. */
  front?: Address & { app: RequestListener };
  /** The port for operators, health checks and Prometheus. */
  ops: Address & Omit<HealthServices, 'log'>;
  /** Called when the ports are open. */
  startJobs(): Repeating[];
  /** Resolves when the process has finished: by default when `ending` aborts. */
  run?(): Promise<void>;
  /** What to close at the end, one after the other. */
  closing: (() => Promise<unknown>)[];
}

/**
 * Serves until the process must end. Then, in this order: readiness fails; the process accepts no requests, answers
 * those in progress, and its jobs end; everything in `closing` closes; the operations port closes last, so that an
 * operator can watch the end.
 */
export async function serve(
  { name, config, log, ending }: Begun,
  { front, ops: { host, port, setting, ...services }, startJobs, run, closing }: Service,
): Promise<void> {
  const title = titles[name];
  const serving =
    front &&
    (await listenAt(front.app, {
      ...{ host: front.host, port: front.port, setting: front.setting },
      connectionsMax: config.connectionsMax,
      connectionsPerAddress: config.connectionsPerAddress,
      isProxy: (address) => isTrustedProxy(address, config.trustedProxies),
      keepAliveMs: config.keepAliveMs,
    }));
  // Opened second: the process is not ready while another process has the port for callers.
  const opsApp = createOpsApp({ log, ...services });
  const ops = await listenAt(opsApp, { host, port, setting, drainMs: 1_000 }).catch(
    async (error: unknown) => {
      await serving?.close();
      throw error;
    },
  );
  if (serving) log.info(`${title} listening`, { host: front.host, port: serving.port, ops_port: ops.port });
  const jobs = startJobs();
  const ended = endAtSignals(title, log, ending);
  try {
    await (run ? run() : ended);
  } finally {
    ending.abort();
    await Promise.all([stopAll(jobs), serving?.close()]);
    for (const close of closing) await close();
    await ops.close();
    log.info(`${title} stopped`);
  }
}

/** The first signal ends the process; later ones change nothing. */
function endAtSignals(title: string, log: Log, ending: AbortController): Promise<unknown> {
  const stop = (signal: string): void => {
    if (ending.signal.aborted) return;
    log.info(`${title} stopping`, { signal });
    ending.abort();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return once(ending.signal, 'abort');
}

/** Ends a process that could not start, whatever it has opened: a half-started process must not look alive. */
function failToStart(error: unknown): never {
  const isReported = error instanceof ConfigError || error instanceof StartError;
  const stack = error instanceof Error && !isReported ? error.stack : undefined;
  const text = stack ?? (error instanceof Error ? error.message : String(error));
  process.stderr.write(`${showControls(redactText(text))}\n`);
  process.exit(1);
}

const leaveAfterMs = 5_000;

/**
 * Runs a process to its end. A connection without answers, such as one to a frozen database, does not keep the process
 * alive.
 */
export function runToEnd(main: () => Promise<void>): void {
  main().then(() => {
    setTimeout(() => process.exit(), leaveAfterMs).unref();
  }, failToStart);
}
