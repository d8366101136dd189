/** Our own processes, each of which can restart alone. */
import { join } from 'node:path';
import { overriding } from '../../src/secret-files';
import { startChild, whenReady, type ChildProcess, type Service } from './services/child-process';
import { listensOn } from './services/port-holder';
import { answersOk } from './services/wait-for';
import type { SandboxFolder } from './sandbox-folder';

const bundles = join(__dirname, '..', '..', 'bundle');

export interface ProcessPlan {
  name: string;
  logName: string;
  /** The bundle that the build makes of all its modules. */
  program: string;
  readyUrl: string;
  env: Record<string, string>;
  /** Further options of Node. */
  nodeArgs?: readonly string[];
}

export function nodeProcess(
  { name, logName, program, readyUrl, env, nodeArgs = [] }: ProcessPlan,
  folder: SandboxFolder,
): Service {
  return {
    name,
    spawn: () =>
      startChild({
        name,
        command: process.execPath,
        args: ['--enable-source-maps', ...nodeArgs, join(bundles, program)],
        env: overriding(process.env, env),
        logFile: folder.log(logName),
        graceMs: 30_000,
      }),
    ready: (child) =>
      whenReady(child, () => answersItself(child, readyUrl), {
        what: `${name} at ${readyUrl}`,
        timeoutMs: 60_000,
      }),
  };
}

/** Another server on the same port might answer the check as well. */
async function answersItself(child: ChildProcess, url: string): Promise<boolean> {
  return (await answersOk(url)) && listensOn(child.pid, Number(new URL(url).port));
}

export interface ProcessUrls {
  api: string;
  ops: string;
  simulator: string;
  workerHealth: string;
  portal: string;
  portalHealth: string;
}

/**
 * In the order of their start.
 * @param nodeArgs further options of Node, for the process with that log name
 */
export function ownProcesses(
  urls: ProcessUrls,
  env: Record<string, string>,
  folder: SandboxFolder,
  nodeArgs: (logName: string) => readonly string[] = () => [],
): Service[] {
  const plans: ProcessPlan[] = [
    {
      name: 'the simulator',
      logName: 'simulator',
      program: 'simulator.js',
      readyUrl: `${urls.simulator}/control/clock`,
      env,
    },
    {
      name: 'the worker',
      logName: 'worker',
      program: 'worker.js',
      readyUrl: `${urls.workerHealth}/readyz`,
      env,
    },
    { name: 'the API', logName: 'api', program: 'api.js', readyUrl: `${urls.ops}/readyz`, env },
    {
      name: 'the portal',
      logName: 'portal',
      program: 'portal.js',
      readyUrl: `${urls.portalHealth}/readyz`,
      env,
    },
  ];
  return plans.map((plan) => nodeProcess({ ...plan, nodeArgs: nodeArgs(plan.logName) }, folder));
}
