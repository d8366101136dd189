/** The three processes of the product itself, each restartable alone. */
import { join } from 'node:path';
import { startChild, whenReady, type Service } from '../services/child-process';
import { answersOk } from '../services/wait-for';
import type { SandboxFolder } from './sandbox-folder';

const dist = join(__dirname, '..', '..', '..');

interface ProcessPlan {
  name: string;
  logName: string;
  /** Below the build's output folder. */
  program: string;
  readyUrl: string;
  env: Record<string, string>;
}

function nodeProcess({ name, logName, program, readyUrl, env }: ProcessPlan, folder: SandboxFolder): Service {
  return {
    name,
    spawn: () =>
      startChild({
        name,
        command: process.execPath,
        args: ['--enable-source-maps', join(dist, program)],
        env: { ...process.env, ...env },
        logFile: folder.log(logName),
        graceMs: 30_000,
      }),
    ready: (child) =>
      whenReady(child, () => answersOk(readyUrl), { what: `${name} at ${readyUrl}`, timeoutMs: 60_000 }),
  };
}

export interface ProcessUrls {
  api: string;
  ops: string;
  simulator: string;
  workerHealth: string;
}

/** In the order in which they are started. */
export function ownProcesses(
  urls: ProcessUrls,
  env: Record<string, string>,
  folder: SandboxFolder,
): Service[] {
  const plans: ProcessPlan[] = [
    {
      name: 'the simulator',
      logName: 'simulator',
      program: 'simulator/server.js',
      readyUrl: `${urls.simulator}/control/clock`,
      env,
    },
    {
      name: 'the worker',
      logName: 'worker',
      program: 'src/worker.js',
      readyUrl: `${urls.workerHealth}/readyz`,
      env,
    },
    { name: 'the API', logName: 'api', program: 'src/server.js', readyUrl: `${urls.ops}/readyz`, env },
  ];
  return plans.map((plan) => nodeProcess(plan, folder));
}
