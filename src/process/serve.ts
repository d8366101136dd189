/** What the API, the portal and the worker have in common: how they begin, what they listen on, and how they end. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
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

const titles = { api: 'API', portal: 'portal', worker: 'worker' };

/** A process that has read its settings and can write to its log. */
export interface Begun {
  name: keyof typeof titles;
  /** The environment, with the secrets that stand in files. */
  env: NodeJS.ProcessEnv;
  config: Config;
  log: Log;
  /** Aborts when the process has to end: at a signal, or by its own code. */
  ending: AbortController;
}

/** @throws ConfigError */
export function beginProcess(name: Begun['name']): Begun {
  const env = readSecretFiles(process.env);
  const config = readConfig(env);
  const log = createLog({
    level: config.logLevel,
    context: () => ({ process: name, request_id: currentRequest()?.requestId }),
  });
  logNodeMessages(log);
  return { name, env, config, log, ending: new AbortController() };
}

/** Why a process cannot start, in a sentence for the operator. */
export class StartError extends Error {}

/** @param setting the variable that names the port. */
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
    const why = code === 'EADDRINUSE' ? 'another process has it' : 'it may not be opened';
    throw new StartError(
      `port ${String(options.port)} of ${options.host} cannot be opened (${code}): ${why}; see ${setting}`,
      { cause: error },
    );
  }
}

export interface Service {
  /** What callers are served. The worker has no port of that kind. */
  front?: Address & { app: RequestListener };
  /** What operators and their machines are served. */
  ops: Address & Omit<HealthServices, 'log'>;
  /** Called once the ports are open. */
  startJobs(): Repeating[];
  /** Resolves when the process has done its work: by default when `ending` aborts. */
  run?(): Promise<void>;
  /** What to close at the end: one after the other, each once the one before is done. */
  closing: (() => Promise<unknown>)[];
}

/**
 * Serves until the process is to end, and ends it in this order: it is no longer ready; no request is accepted, those in
 * flight are answered, and the jobs end; all of `closing`; the operations port, so that an operator sees how it ends.
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
  // Second, so that the process is never called ready while the port of its callers is somebody else's.
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

/** Ends a process that could not be started, whatever it has opened so far: half of one must not look alive. */
function failToStart(error: unknown): never {
  const isTold = error instanceof ConfigError || error instanceof StartError;
  const stack = error instanceof Error && !isTold ? error.stack : undefined;
  const text = stack ?? (error instanceof Error ? error.message : String(error));
  process.stderr.write(`${showControls(redactText(text))}\n`);
  process.exit(1);
}

const leaveAfterMs = 5_000;

/** Runs a process to its end. A connection that nobody answers any more, such as one to a frozen database, does not keep it. */
export function runToEnd(main: () => Promise<void>): void {
  main().then(() => {
    setTimeout(() => process.exit(), leaveAfterMs).unref();
  }, failToStart);
}
