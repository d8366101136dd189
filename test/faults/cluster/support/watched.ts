/** What operators see of a stack: the shipped alerts, in a Prometheus of its own, and `malipo doctor`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prometheus } from '../../../../tools/cluster/prometheus';
import { launch } from '../../../../tools/sandbox/services/child-process';
import { findOrFetchPrometheus } from '../../../../tools/sandbox/services/find-prometheus';
import { freePort } from '../../../../tools/sandbox/services/free-port';
import { tryCommand } from '../../../../tools/sandbox/services/run-command';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { OwnStack } from '../../../support/stack';

const root = join(__dirname, '..', '..', '..', '..');

export interface Alert {
  labels: Record<string, string>;
  state: 'pending' | 'firing';
  activeAt: string;
}

export interface Watch {
  /** The alerts that are pending or firing now. */
  alerts(): Promise<Alert[]>;
  end(): Promise<void>;
}

/** Starts with no data, so that no alert of an earlier fault is left. Resolves after the first scrape of each process. */
export async function watch(stack: OwnStack): Promise<Watch> {
  const found = await findOrFetchPrometheus();
  if (found === undefined) throw new Error('no Prometheus was found');
  const folder = await mkdtemp(join(tmpdir(), 'malipo-watch-'));
  const portOf = (url: string) => Number(new URL(url).port);
  const { api, worker } = stack.members;
  const service = await prometheus({
    program: found.server,
    folder,
    port: await freePort(),
    targets: {
      'malipo-api': api.map(({ name, readyUrl }) => ({ name, port: portOf(readyUrl) })),
      'malipo-worker': worker.map(({ name, readyUrl }) => ({ name, port: portOf(readyUrl) })),
      'malipo-temporal': worker.map(({ name, env }) => ({
        name,
        port: portOf(`http://${env['MALIPO_WORKER_METRICS'] ?? ''}`),
      })),
    },
    rulesFolder: join(root, 'deploy', 'prometheus'),
    logFile: join(folder, 'prometheus.log'),
  });
  const child = await launch(service);
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${service.url}/api/v1/${path}`);
    return ((await answer.json()) as { data: T }).data;
  };
  const targets = api.length + 2 * worker.length;
  await waitFor(
    async () => {
      const { result } = await ask<{ result: unknown[] }>('query?query=up==1');
      return result.length === targets;
    },
    { what: 'a scrape of each process', timeoutMs: 60_000 },
  );
  return {
    alerts: async () => (await ask<{ alerts: Alert[] }>('alerts')).alerts,
    async end() {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @returns the lines that report a fault. */
export async function doctor(stack: OwnStack): Promise<string[]> {
  const program = join(root, 'dist', 'bundle', 'cli.js');
  const env = { PATH: process.env.PATH, ...stack.env };
  const { output } = await tryCommand(process.execPath, [program, 'doctor'], { env });
  return output.split('\n').filter((line) => /^(?:FAULT|LOOK)/.test(line));
}
