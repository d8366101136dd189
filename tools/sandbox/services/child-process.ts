/** A long-running child process: its output in a log file, its own process group, an orderly stop. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cutText } from '../../../src/domain/cut-text';
import { findExecutable } from './on-path';
import { waitFor, type WaitOptions } from './wait-for';

export interface ChildOptions {
  /** Its name for users: "Temporal", "the worker". */
  name: string;
  command: string;
  args: string[];
  logFile: string;
  env?: NodeJS.ProcessEnv;
  /** How long an orderly stop may take before the process is killed. */
  graceMs?: number;
  /** The signal for an orderly stop; SIGTERM, unless it means something else there. */
  endSignal?: 'SIGTERM' | 'SIGINT';
  /** This process may end before the child; then another process must stop the child. */
  outlivesUs?: boolean | undefined;
}

export interface ChildProcess {
  name: string;
  pid: number;
  logFile: string;
  /** Resolves, never rejects, with how the process ended. */
  exited: Promise<string>;
  isRunning(): boolean;
  /** Sends the signal for an orderly stop, then SIGKILL to the rest of its group after the grace time. */
  stop(): Promise<void>;
}

/** A process that can be started, and started again in the same place after its death. */
export interface Service {
  name: string;
  /** The common name of several that stop at once, because none needs another. */
  group?: string;
  spawn(): Promise<ChildProcess>;
  /** Resolves when it can be used; rejects if the process ended before, or took too long and was stopped. */
  ready(child: ChildProcess): Promise<void>;
}

export async function launch(service: Service): Promise<ChildProcess> {
  const child = await service.spawn();
  await service.ready(child);
  return child;
}

/** The last one to start stops first; a group stops at once. */
export async function stopInOrder(
  running: Iterable<[Service, ChildProcess]>,
  notify: (service: Service) => void = () => undefined,
): Promise<void> {
  const left = [...running];
  for (let last = left.pop(); last !== undefined; last = left.pop()) {
    const [{ group }] = last;
    const together = [last];
    while (group !== undefined && left.at(-1)?.[0].group === group) together.push(...left.splice(-1));
    await Promise.all(
      together.map(async ([service, child]) => {
        if (child.isRunning()) notify(service);
        await child.stop();
      }),
    );
  }
}

export async function startChild(options: ChildOptions): Promise<ChildProcess> {
  const { name, logFile, graceMs = 10_000, endSignal = 'SIGTERM' } = options;
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a', 0o600);
  const [command, args] = diesWithUs(options.command, options.args, endSignal);
  const child = spawn(command, args, {
    env: options.env ?? process.env,
    stdio: ['ignore', log, log],
    // A separate group: Ctrl-C in the terminal reaches only us, and we stop the others in order.
    detached: true,
  });
  closeSync(log);
  if (options.outlivesUs) child.unref();

  let ended: string | undefined;
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      resolve((ended = error.message));
    });
    child.once('exit', (code, signal) => {
      resolve((ended = signal ? `signal ${signal}` : `code ${String(code)}`));
    });
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${name} did not start: ${await exited}`);

  const isRunning = () => ended === undefined;
  return {
    name,
    pid,
    logFile,
    exited,
    isRunning,
    async stop() {
      if (!isRunning()) return;
      signalGroup(pid, endSignal);
      const over = new AbortController();
      await Promise.race([exited, delay(graceMs, undefined, { signal: over.signal }).catch(() => undefined)]);
      over.abort();
      signalGroup(pid, 'SIGKILL');
      await exited;
    },
  };
}

/** Waits until the probe answers, or throws with the end of its log if the process has ended before. */
export async function whenReady(
  child: ChildProcess,
  probe: () => Promise<boolean>,
  options: WaitOptions,
): Promise<void> {
  const died = new AbortController();
  void child.exited.then((how) => {
    died.abort(new Error(`${child.name} ended with ${how} before it was ready:\n${logTail(child.logFile)}`));
  });
  try {
    await waitFor(probe, { ...options, signal: died.signal });
  } catch (error) {
    await child.stop();
    throw error;
  }
}

/** A server that logs its place in the code writes lines of thousands of characters: the start matters. */
const shownOfLine = 400;

function logTail(logFile: string, lines = 15): string {
  const log = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines);
  const shown = log.map((line) => (line.length > shownOfLine ? `${cutText(line, shownOfLine)}…` : line));
  return [...shown, `(the whole log is in ${logFile})`].map((line) => `  ${line}`).join('\n');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is empty: everything in it has ended.
  }
}

/** Linux can end a child when its parent is killed, so that `kill -9` of a start leaves nothing behind. */
function diesWithUs(command: string, args: string[], signal: NodeJS.Signals): [string, string[]] {
  const setpriv = process.platform === 'linux' ? findExecutable(['setpriv'], ['/usr/bin']) : undefined;
  if (setpriv === undefined) return [command, args];
  return [setpriv, ['--pdeathsig', signal.slice('SIG'.length), '--', command, ...args]];
}
