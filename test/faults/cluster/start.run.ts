/** `npm run cluster` itself: one command starts everything, keeps it running, and stops it at the end. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrometheus } from '../../../tools/sandbox/services/find-prometheus';
import { findPortHolder } from '../../../tools/sandbox/services/port-holder';
import { isPortFree } from '../../../tools/sandbox/services/free-port';
import { isMysqlReady } from '../../../tools/sandbox/services/schema';
import { tryCommand } from '../../../tools/sandbox/services/run-command';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import type { SandboxDescription } from '../../../tools/sandbox/sandbox-description';
import { clusterIn, cliProgram, end, portVariables } from '../../support/sandbox/started';
import { call, paymentIdOf, stkPush } from '../../support/merchant-client';

jest.setTimeout(900_000);
const patienceMs = 300_000;

interface Target {
  health: string;
  labels: { job: string; part: string };
}

describe('npm run cluster', () => {
  let root: string;
  let env: Record<string, string>;
  let started: ReturnType<typeof clusterIn>;
  let cluster: SandboxDescription;
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'malipo-cluster-'));
    env = await portVariables();
    started = clusterIn(root, env);
    await waitFor(() => Promise.resolve(/Ctrl-C stops|✗/.test(started.output.text)), {
      what: 'the cluster',
      timeoutMs: patienceMs,
    });
    const file = join(root, '.malipo', 'cluster', 'sandbox.json');
    cluster = JSON.parse(readFileSync(file, 'utf8')) as SandboxDescription;
  });
  afterAll(async () => {
    await end(started.child);
    rmSync(root, { recursive: true, force: true });
  });

  const malipo = (...args: string[]) =>
    tryCommand(process.execPath, [cliProgram, ...args], {
      cwd: root,
      env: { ...process.env, MALIPO_TARGET: 'cluster' },
    });
  const shop = () => {
    const [merchant] = cluster.merchants;
    if (!merchant) throw new Error('there is no merchant');
    return { apiKey: merchant.api_key, apiSecret: merchant.api_secret };
  };
  const push = () => call({ apiUrl: cluster.api_url }, shop(), 'POST', '/api/v1/stk_push', stkPush());

  it('pays on every rail, and finds the books right', async () => {
    expect(started.output.text).toContain('The demo succeeded.');
    const { code, output } = await malipo('verify', '--with-simulator');
    expect([code, output]).toEqual([0, expect.stringMatching(/All \d+ checks passed/)]);
  });

  it('has its first API and worker at the ports of npm start', () => {
    expect(new URL(cluster.ops_url).port).toBe(env.MALIPO_OPS_PORT);
    const [, health] = (env.MALIPO_WORKER_HEALTH ?? '').split(':');
    expect(started.output.text).toMatch(new RegExp(`Workers .* at ${String(health)}, `));
  });

  it('uses TLS with the database and with Temporal', async () => {
    const { output } = await malipo('doctor');
    expect(output).toMatch(/ok +database line +The connection to the database is encrypted/);
    expect(output).toMatch(/ok +temporal +Temporal answers .*namespace malipo exists/);
    expect(cluster.settings).toHaveProperty('TEMPORAL_TLS_CLIENT_CERT_PATH');
    const plain = new URL(cluster.database_url);
    plain.search = '';
    await expect(isMysqlReady(plain.href)).rejects.toThrow(/[Aa]ccess denied|secure transport|SSL/);
  });

  it('is scraped by Prometheus, with every part up and every rule valid', async () => {
    if (findPrometheus() === undefined) {
      process.stdout.write('there is no Prometheus: that it watches the cluster was not tried\n');
      expect(started.output.text).toContain('Prometheus   was not found, and is not started');
      return;
    }
    const url = /Prometheus +(http:\/\/\S+)\/alerts/.exec(started.output.text)?.[1] ?? '';
    const ask = async (path: string) =>
      (await (await fetch(`${url}/api/v1/${path}`)).json()) as { data: never };
    const targets = async () =>
      ((await ask('targets')).data as { activeTargets: Target[] }).activeTargets.map(
        ({ health, labels }) => `${labels.part} ${health}`,
      );
    const temporal = ['temporal-frontend-1', 'temporal-frontend-2', 'temporal-history-2'];
    const parts = ['api-1', 'api-2', 'worker-1', 'worker-2', 'worker-3', 'balancer', ...temporal];
    await waitFor(
      async () => {
        const up = await targets();
        return parts.every((part) => up.includes(`${part} up`)) && up.every((one) => one.endsWith(' up'));
      },
      { what: 'every part to be up', timeoutMs: 60_000 },
    );
    const { groups } = (await ask('rules')).data as {
      groups: { rules: { name: string; health: string }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(10);
    expect(rules.filter(({ health }) => health !== 'ok' && health !== 'unknown')).toEqual([]);
  });

  it('restarts dead processes, while the other API creates the payments', async () => {
    const victim = Number(/APIs at (\d+)/.exec(started.output.text)?.[1]);
    const holder = await findPortHolder(victim);
    if (!holder) throw new Error('the API is not there');
    process.kill(holder.pid, 'SIGKILL');
    // The dying process may still accept connections: its port closes when its last thread has ended.
    const isGone = () => !existsSync(`/proc/${String(holder.pid)}`) || undefined;
    await waitFor(() => Promise.resolve(isGone()), { what: 'the API to be dead', timeoutMs: 10_000 });
    const answer = await push();
    expect(answer.status).toBe(200);
    expect(paymentIdOf(answer)).not.toBe('');
    await waitFor(() => Promise.resolve(started.output.text.includes('✓ api-1 is running again')), {
      what: 'the API to run again',
      timeoutMs: patienceMs,
    });
    expect((await findPortHolder(victim))?.pid).not.toBe(holder.pid);
  });

  it('leaves no process behind', async () => {
    expect(await end(started.child)).toBe(0);
    const ports = [new URL(cluster.api_url), new URL(cluster.ops_url), new URL(cluster.simulator_url)].map(
      ({ port }) => Number(port),
    );
    const [temporal] = cluster.temporal_address.split(':').slice(1).map(Number);
    for (const port of [...ports, temporal ?? 0, Number(new URL(cluster.database_url).port)])
      expect([port, await isPortFree(port)]).toEqual([port, true]);
    expect(existsSync(join(root, '.malipo', 'cluster', 'start.lock'))).toBe(false);
  });
});
