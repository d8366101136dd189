/** A long-running process of ours: its output in a log file, its own process group, an orderly end. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cutText } from '../../../src/domain/cut-text';
import { findExecutable } from './on-path';
import { waitFor, type WaitOptions } from './wait-for';

export interface ChildOptions {
  /** As people call it: "Temporal", "the worker". */
  name: string;
  command: string;
  args: string[];
  logFile: string;
  env?: NodeJS.ProcessEnv;
  /** How long an orderly end may take before the process is killed. */
  graceMs?: number;
  /** What tells it to end in order; SIGTERM unless it means something else there. */
  endSignal?: 'SIGTERM' | 'SIGINT';
  /** This process may end before the child does; then another process has to end the child. */
  outlivesUs?: boolean | undefined;
}

export interface ChildProcess {
  name: string;
  pid: number;
  logFile: string;
  /** Resolves, never rejects, with how the process ended. */
  exited: Promise<string>;
  isRunning(): boolean;
  /** The signal that ends it in order, then SIGKILL for what is left of its group once the grace is over. */
  stop(): Promise<void>;
}

/** Something that can be brought up, and brought up again in the same place when it has died. */
export interface Service {
  name: string;
  /** Of several that end together, since none needs another for an orderly end: their common name. */
  group?: string;
  spawn(): Promise<ChildProcess>;
  /** Resolves when it is of use; rejects when the process ended before, or takes too long and was stopped. */
  ready(child: ChildProcess): Promise<void>;
}

export async function launch(service: Service): Promise<ChildProcess> {
  const child = await service.spawn();
  await service.ready(child);
  return child;
}

/** What was started last ends first, and those of a group at once. */
export async function stopInOrder(
  running: Iterable<[Service, ChildProcess]>,
  tell: (service: Service) => void = () => undefined,
): Promise<void> {
  const left = [...running];
  for (let last = left.pop(); last !== undefined; last = left.pop()) {
    const [{ group }] = last;
    const together = [last];
    while (group !== undefined && left.at(-1)?.[0].group === group) together.push(...left.splice(-1));
    await Promise.all(
      together.map(async ([service, child]) => {
        if (child.isRunning()) tell(service);
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
    // A group of its own: Ctrl-C in the terminal reaches us alone, and we end the others in their order.
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

/** Waits until the probe answers, or says with the end of its log that the process has died before. */
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

/** A server that logs where it was in its code writes lines of thousands of characters: what matters comes first. */
const shownOfLine = 400;

function logTail(logFile: string, lines = 15): string {
  const log = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines);
  const shown = log.map((line) => (line.length > shownOfLine ? `${cutText(line, shownOfLine)}…` : line));
  return [...shown, `(all of it in ${logFile})`].map((line) => `  ${line}`).join('\n');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is empty: everything in it has ended.
  }
}

/** Linux can end a child when its parent is killed outright, so that `kill -9` of a start leaves nothing behind. */
function diesWithUs(command: string, args: string[], signal: NodeJS.Signals): [string, string[]] {
  const setpriv = process.platform === 'linux' ? findExecutable(['setpriv'], ['/usr/bin']) : undefined;
  if (setpriv === undefined) return [command, args];
  return [setpriv, ['--pdeathsig', signal.slice('SIG'.length), '--', command, ...args]];
}
