/** Runs simulator/server.ts as a separate process, compiled on the fly, so that it can be killed for real. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { transformFileSync } from '@swc/core';
import { credentials } from '../../support/simulator/credentials';
import type { Addresses } from '../../support/simulator/http-client';

const root = resolve(__dirname, '../../..');

/** @returns the path of the compiled server. */
export function compileSimulator(folder: string): string {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const sources = readdirSync(join(root, 'simulator'), { recursive: true, encoding: 'utf8' });
  for (const source of sources.filter((name) => name.endsWith('.ts'))) {
    const { code } = transformFileSync(join(root, 'simulator', source), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
    });
    const target = join(folder, source.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
  }
  return join(folder, 'server.js');
}

export interface SimulatorProcess extends Addresses {
  process: ChildProcess;
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }>;
}

export function spawnServer(server: string, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [server], { env: { PATH: process.env['PATH'], ...env } });
}

export async function startSimulatorProcess(server: string, stateFolder: string): Promise<SimulatorProcess> {
  const child = spawnServer(server, {
    ...credentials,
    MALIPO_SIMULATOR_PORT: '0',
    MALIPO_SIMULATOR_STATE: stateFolder,
  });
  if (!child.stdout) throw new Error('the process has no standard output');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { listening, providers } = JSON.parse(line) as { listening: string; providers: Addresses['origins'] };
  return {
    url: listening,
    origins: providers,
    process: child,
    async end(wanted) {
      const exited = once(child, 'exit');
      child.kill(wanted);
      const [code, signal] = (await exited) as [number | null, string | null];
      return { code, signal };
    },
  };
}
