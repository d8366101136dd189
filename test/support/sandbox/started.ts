/** `npm start` and `npm run cluster`, as built, in a folder of this test. */
import { spawn, type ChildProcess as NodeChild } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { unclaimedPort } from '../../../tools/sandbox/services/free-port';
import { providerNames, simulatedProviders } from '../../../tools/sandbox/simulated-providers';

export const dist = join(__dirname, '..', '..', '..', 'dist');
export const startProgram = join(dist, 'tools', 'sandbox', 'main.js');
const clusterProgram = join(dist, 'tools', 'cluster', 'main.js');
export const cliProgram = join(dist, '..', 'scripts', 'malipo.mjs');

export function startIn(folder: string, env: Record<string, string>, ...args: string[]) {
  return runIn(folder, startProgram, env, ...args);
}

export function clusterIn(folder: string, env: Record<string, string>, ...args: string[]) {
  return runIn(folder, clusterProgram, env, ...args);
}

function runIn(folder: string, program: string, env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output.text += chunk.toString();
    });
  }
  return { child, output };
}

export async function end(child: NodeChild): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

/** A free port for each port that a start needs. */
export async function portVariables(): Promise<Record<string, string>> {
  const plain = [
    'MALIPO_API_PORT',
    'MALIPO_OPS_PORT',
    'MALIPO_SIMULATOR_PORT',
    'MALIPO_PORTAL_PORT',
    ...providerNames.map((name) => simulatedProviders[name].port.variable),
    'MALIPO_SIMULATOR_SMTP_PORT',
    'MALIPO_TEMPORAL_PORT',
    'MALIPO_TEMPORAL_UI_PORT',
    'MALIPO_MYSQL_PORT',
  ];
  const ports = await Promise.all([...plain, 'portal', 'metrics', 'health'].map(() => unclaimedPort()));
  return {
    ...Object.fromEntries(plain.map((name, at) => [name, String(ports[at])])),
    MALIPO_PORTAL_HEALTH: `127.0.0.1:${String(ports.at(-3))}`,
    MALIPO_WORKER_METRICS: `127.0.0.1:${String(ports.at(-2))}`,
    MALIPO_WORKER_HEALTH: `127.0.0.1:${String(ports.at(-1))}`,
  };
}
