/**
 * Real faults under load, seen as an operator and a merchant see them: which shipped alert comes first, after how long,
 * what `malipo doctor` says, and what merchants are answered. Then the fault ends: nothing is lost or doubled.
 */
import { rm, statfs, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from '../../../tools/sandbox/services/child-process';
import { installPackages, unpackPackages } from '../../../tools/sandbox/services/debian-packages';
import { findExecutable } from '../../../tools/sandbox/services/on-path';
import { runCommand } from '../../../tools/sandbox/services/run-command';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { isAlive } from '../../../tools/sandbox/services/process-identity';
import { startStack, type OwnStack, type TestMerchant } from '../../support/stack';
import { everythingEndsWell } from '../support/ending-well';
import { ownCluster, type OwnCluster } from './support/own-cluster';
import { slowestOf, steadyLoad, type SentRequest } from './support/steady-load';
import { doctor, watch } from './support/watched';

jest.setTimeout(3_600_000);

/** The slowest rule waits ten minutes. */
const alertMs = 14 * 60_000;
/** Alerts that come together have the same cause. */
const togetherMs = 20_000;

type Clock = 'api' | 'worker' | 'mysql';

interface World {
  stack: OwnStack;
  cluster: OwnCluster;
  /** Moves the clock of these processes, in seconds. */
  moveClock(of: Clock, seconds: number): Promise<void>;
}

/** @returns what ends the fault. */
type Incident = (world: World) => Promise<() => Promise<unknown>>;

const signal = (pids: readonly number[], name: NodeJS.Signals) => {
  for (const pid of pids) process.kill(-pid, name);
};

/** Processes that run and do not answer, as on a machine that swaps. */
function hanging(pidsOf: (world: World) => readonly number[]): Incident {
  return (world) => {
    const pids = pidsOf(world);
    signal(pids, 'SIGSTOP');
    return Promise.resolve(async () => {
      signal(pids, 'SIGCONT');
      await delay(0);
    });
  };
}

const wrongClock =
  (of: Clock): Incident =>
  async ({ moveClock }) => {
    await moveClock(of, 60);
    return () => moveClock(of, 0);
  };

const membersOf = ({ stack }: World, kind: 'api' | 'worker') =>
  stack.names(kind).map((name) => stack.pidOf(name));

/** For each fault, the alert that has to come first. */
const incidents: Record<string, { alert: string; begin: Incident }> = {
  'one API of two hangs': {
    alert: 'MalipoProcessDown',
    begin: hanging((world) => membersOf(world, 'api').slice(1)),
  },
  'all workers hang': { alert: 'MalipoProcessDown', begin: hanging((world) => membersOf(world, 'worker')) },
  'all workers are dead': {
    alert: 'MalipoProcessDown',
    async begin({ stack }) {
      await stack.kill('worker');
      return () => stack.start('worker');
    },
  },
  'a worker has no memory left': {
    alert: 'MalipoProcessDown',
    async begin({ stack }) {
      const [name = ''] = stack.names('worker');
      await runCommand('prlimit', ['--pid', String(stack.pidOf(name)), '--as=1']);
      await waitFor(() => Promise.resolve(!isAlive(stack.pidOf(name))), {
        what: 'the worker to end',
        timeoutMs: 120_000,
      });
      return () => stack.start('worker');
    },
  },
  'Temporal hangs': {
    alert: 'MalipoNotReady',
    begin: hanging(({ cluster }) => cluster.temporal.services.map((service) => cluster.pidOf(service))),
  },
  'the provider hangs': {
    alert: 'MalipoOutcomesUnknown',
    begin: hanging(({ stack }) => [stack.pidOf('simulator')]),
  },
  'the database hangs': {
    alert: 'MalipoNotReady',
    begin: hanging(({ cluster }) => [cluster.pidOf(cluster.mysql)]),
  },
  'the database takes no writes': {
    alert: 'MalipoDatabaseRefusesWrites',
    async begin({ cluster }) {
      await cluster.admin.raw('SET GLOBAL read_only = ON');
      return () => cluster.admin.raw('SET GLOBAL read_only = OFF');
    },
  },
  "the database's disk is full": {
    alert: 'MalipoDatabaseRefusesWrites',
    async begin({ cluster }) {
      const filler = join(cluster.disk, 'filler');
      await writeFile(filler, '');
      const { bfree, bsize } = await statfs(cluster.disk);
      await runCommand('sh', ['-c', `head -c ${String(bfree * bsize)} /dev/zero >> ${filler} || true`]);
      return async () => {
        await truncate(filler, 0);
        await rm(filler);
      };
    },
  },
  "the database's disk is slow": {
    alert: 'MalipoPoolExhausted',
    async begin({ cluster, stack }) {
      if (findExecutable(['strace']) === undefined) await installPackages(['strace']);
      const calls = 'fsync,fdatasync';
      const slow = await startChild({
        name: 'strace',
        command: 'strace',
        args: [
          ...[
            '-f',
            '-qq',
            '-e',
            `trace=${calls}`,
            '-e',
            `inject=${calls}:delay_exit=1500000`,
            '-o',
            '/dev/null',
          ],
          ...['-p', String(cluster.pidOf(cluster.mysql))],
        ],
        logFile: join(stack.folder, 'strace.log'),
        endSignal: 'SIGINT',
      });
      return () => slow.stop();
    },
  },
  'the clock of the APIs is a minute ahead': { alert: 'MalipoClockSkew', begin: wrongClock('api') },
  // It takes new payments for old ones, and ends them before they are sent.
  'the clock of the workers is a minute ahead': { alert: 'MalipoCreateErrors', begin: wrongClock('worker') },
  'the clock of the database is a minute ahead': { alert: 'MalipoClockSkew', begin: wrongClock('mysql') },
  'the certificate for the database ends tomorrow': {
    alert: 'MalipoCertificateExpires',
    async begin({ cluster }) {
      await cluster.certificates.renewMysqlClient(new Date(Date.now() + 86_400_000));
      return () => cluster.certificates.renewMysqlClient();
    },
  },
};

describe('an incident', () => {
  let cluster: OwnCluster;
  let stack: OwnStack;
  let merchant: TestMerchant;
  let world: World;
  const table: string[][] = [['fault', 'first alert', 'after', 'with it', 'merchants', 'doctor']];
  const clocks = Object.fromEntries(
    (['api', 'worker', 'mysql'] as const).map((name) => [
      name,
      join(tmpdir(), `malipo-clock-${name}-${process.pid}`),
    ]),
  ) as Record<Clock, string>;

  beforeAll(async () => {
    const { folder } = await unpackPackages(['libfaketime']);
    const library = join(folder, 'usr', 'lib', 'x86_64-linux-gnu', 'faketime', 'libfaketime.so.1');
    const moveClock = (of: Clock, seconds: number) => writeFile(clocks[of], `+${String(seconds)}s\n`);
    for (const of of Object.keys(clocks) as Clock[]) await moveClock(of, 0);
    const envOf = (of: Clock) => ({
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: clocks[of],
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    cluster = await ownCluster({ mysqlDisk: '700m', each: 1, mysqlEnv: envOf('mysql') });
    stack = await startStack({
      timeScale: 1,
      database: cluster.database,
      env: { ...cluster.temporal.settings, MALIPO_SCHEDULES: 'off' },
      envOf: { api: envOf('api'), worker: envOf('worker') },
    });
    merchant = await stack.createMerchant();
    world = { stack, cluster, moveClock };
  });
  afterAll(async () => {
    process.stdout.write(table.map((row) => `| ${row.join(' | ')} |\n`).join(''));
    await stack.stop();
    await cluster.end();
    for (const file of Object.values(clocks)) await rm(file, { force: true });
  });

  it.each(Object.entries(incidents))('%s', async (name, { alert, begin }) => {
    const watched = await watch(stack);
    const load = steadyLoad(stack, merchant, 1);
    let end: (() => Promise<unknown>) | undefined;
    try {
      await load.acceptMore(10);
      const before = (await watched.alerts()).filter(({ state }) => state === 'firing');
      expect(before).toEqual([]);
      const since = Date.now();
      const from = performance.now();
      end = await begin(world);
      const firing = async () => {
        const alerts = await watched.alerts();
        return [
          ...new Set(
            alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels['alertname'] ?? ''),
          ),
        ];
      };
      const first = await waitFor(
        async () => {
          const names = await firing();
          return names.length > 0 && names;
        },
        { what: 'an alert', timeoutMs: alertMs, everyMs: 1_000 },
      );
      const after = (Date.now() - since) / 1_000;
      await delay(togetherMs);
      const others = (await firing()).filter((other) => !first.includes(other));
      const said = await doctor(stack);
      await end();
      end = undefined;
      const during = load.asked.filter(({ beganMs }) => beganMs >= from);
      await load.acceptMore(10);
      await load.end();
      table.push([
        name,
        first.join(', '),
        `${after.toFixed(0)} s`,
        others.join(', '),
        answersOf(during),
        said.join('; ') || 'healthy',
      ]);
      process.stdout.write(`${table.at(-1)?.join(' | ') ?? ''}\n`);
      const accepted = load.asked.flatMap(({ paymentId }) => paymentId ?? []);
      await everythingEndsWell(stack, { merchants: [merchant], accepted, timeoutMs: 900_000 });
      expect(first).toContain(alert);
    } finally {
      await end?.();
      await load.end();
      await watched.end();
    }
  });
});

/** How many requests had each answer, and the slowest. */
function answersOf(asked: readonly SentRequest[]): string {
  const counts = new Map<string, number>();
  for (const { status, otherwise = '' } of asked) {
    const [, code = ''] = /"(?:error_)?code":"(\w+)"/.exec(otherwise) ?? [];
    const answer = status === undefined ? 'none' : `${String(status)} ${code}`.trim();
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
  }
  const listed = [...counts].map(([answer, count]) => `${String(count)} × ${answer}`);
  return `${listed.join(', ')}; slowest ${(slowestOf(asked) / 1_000).toFixed(1)} s`;
}
