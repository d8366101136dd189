/** Starts the bare side: a worker and a client, each a separate process. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { TemporalSettings } from '../../../src/process/temporal-connection';
import type { ClosedLoopPlan } from '../load/closed-loop';
import type { Sample } from '../load/payment';
import type { ChildSettings, ChildReport, WorkerSettings } from './child';

export interface BareSide {
  closedLoop(plan: ClosedLoopPlan): Promise<Sample[]>;
  /** Process ids by name: worker, client. */
  pids: Record<string, number>;
  stop(): Promise<void>;
}

export interface BareOptions {
  taskQueue?: string;
  worker?: WorkerSettings;
  /** Further options of Node, by the name of the process. */
  nodeArgs?: (name: string) => readonly string[];
}

export async function startBareSide(
  temporal: TemporalSettings,
  folder: string,
  { taskQueue = 'bare', worker: further, nodeArgs = () => [] }: BareOptions = {},
): Promise<BareSide> {
  const bundle = join(folder, 'bare-bundle.js');
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('./workflow'),
    preloadModules: [require.resolve('../../../workflows/without-stacks')],
    logger: silent,
  });
  await writeFile(bundle, code);
  const settings: ChildSettings = { temporal, taskQueue, bundle, ...(further && { worker: further }) };
  const worker = await startProcess(require.resolve('./worker'), settings, nodeArgs('worker'));
  const client = await startProcess(require.resolve('./client'), settings, nodeArgs('client'));
  return {
    async closedLoop(plan) {
      client.send(plan);
      return (await reported(client)) as Sample[];
    },
    pids: { worker: worker.pid ?? 0, client: client.pid ?? 0 },
    async stop() {
      for (const child of [client, worker]) {
        const exited = once(child, 'exit');
        child.disconnect();
        await exited;
      }
    },
  };
}

/** A forked process sees its channel close when we end, in any way, and ends too. */
async function startProcess(
  program: string,
  settings: ChildSettings,
  nodeArgs: readonly string[],
): Promise<ChildProcess> {
  const child = fork(program, [JSON.stringify(settings)], {
    execArgv: ['--enable-source-maps', ...nodeArgs],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await reported(child);
  return child;
}

/** The process's next message. @throws an Error if it reports a failure, or ends instead. */
async function reported(child: ChildProcess): Promise<unknown> {
  const over = new AbortController();
  const message = once(child, 'message', { signal: over.signal });
  const exit = once(child, 'exit', { signal: over.signal }).then(() => {
    throw new Error('a process of the bare side has ended');
  });
  message.catch(() => undefined);
  exit.catch(() => undefined);
  try {
    const [report] = (await Promise.race([message, exit])) as [ChildReport];
    if (report.kind === 'failed') throw new Error(`the bare side: ${report.why}`);
    return report.kind === 'done' ? report.result : undefined;
  } finally {
    over.abort();
  }
}

const quiet = () => undefined;
const silent = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };
