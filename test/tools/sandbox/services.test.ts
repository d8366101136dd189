import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import {
  launch,
  startChild,
  stopInOrder,
  whenReady,
  type ChildProcess,
  type Service,
} from '../../../tools/sandbox/services/child-process';
import { findMysql } from '../../../tools/sandbox/services/find-mysql';
import { findTemporal } from '../../../tools/sandbox/services/find-temporal';
import { freePort, isPortFree } from '../../../tools/sandbox/services/free-port';
import { mysqlServer } from '../../../tools/sandbox/services/mysql-server';
import { findPortHolder } from '../../../tools/sandbox/services/port-holder';
import { runCommand } from '../../../tools/sandbox/services/run-command';
import { createSchema } from '../../../tools/sandbox/services/schema';
import { searchAttributeNames } from '../../../src/domain/search-attributes';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { isAlive } from '../../../tools/sandbox/services/process-identity';
import { openDatabase } from '../../../src/store/database';
import { migrationStateOf } from '../../../src/store/migrating/migration-state';
import { createTestDatabase } from '../../support/database';
import { testTemporalAddress } from '../../support/temporal';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-services-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function node(name: string, program: string, graceMs = 5_000) {
  const logFile = join(folder, `${name}.log`);
  return startChild({ name, command: process.execPath, args: ['-e', program], logFile, graceMs });
}

function saysReady(logFile: string): () => Promise<boolean> {
  return () => Promise.resolve(readFileSync(logFile, 'utf8').includes('ready'));
}

describe('the services of a test run', () => {
  it('give each caller a migrated database of its own', async () => {
    const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    expect(one.url).not.toBe(other.url);
    expect((await migrationStateOf(one.db)).pending).toEqual([]);
    await Promise.all([one.drop(), other.drop()]);
  });

  it('include a Temporal server that knows our search attributes', async () => {
    const connection = await Connection.connect({ address: testTemporalAddress() });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace: 'default',
    });
    expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining([...searchAttributeNames]));
    await connection.close();
  });
});

describe('a server that the environment names', () => {
  it('is used, and nothing is started or fetched', async () => {
    const url = 'mysql://someone:secret@db.example.org/malipo';
    await expect(findMysql({ DATABASE_URL: url })).resolves.toEqual({
      kind: 'external',
      url,
      migrateUrl: undefined,
    });
    process.env['MALIPO_MYSQL_SERVER'] = join(folder, 'no-server');
    try {
      await expect(findMysql({})).rejects.toThrow(/MALIPO_MYSQL_SERVER: .*no-server is no program/);
    } finally {
      delete process.env['MALIPO_MYSQL_SERVER'];
    }
    const address = 'temporal.example.org:7233';
    await expect(findTemporal({ TEMPORAL_ADDRESS: address })).resolves.toEqual({ kind: 'external', address });
  });
});

describe('a private MySQL', () => {
  it('keeps its data and its password over a restart, and requires the password', async () => {
    const found = await findMysql({});
    if (found.kind === 'external') throw new Error('an empty environment names no server');
    const options = { found, folder: join(folder, 'mysql'), logFile: join(folder, 'mysql.log') };

    const before = await mysqlServer({ ...options, port: await freePort() });
    const first = await launch(before);
    const db = openDatabase(await createSchema(before.adminUrl, 'kept'));
    // Another starting server would delete the temporary tables of a shared folder.
    const [[{ folder: temporary }]] = (await db.raw('SELECT @@tmpdir AS folder')) as [[{ folder: string }]];
    expect(temporary).toBe(join(options.folder, 'tmp'));
    await db.raw('CREATE TABLE notes (text VARCHAR(20))');
    await db('notes').insert({ text: 'still here' });
    await db.destroy();
    // Killed, not stopped: committed data must survive that.
    process.kill(first.pid, 'SIGKILL');
    await first.exited;

    const after = await mysqlServer({ ...options, port: await freePort() });
    const second = await launch(after);
    const again = openDatabase(await createSchema(after.adminUrl, 'kept'));
    expect(await again('notes').select('text')).toEqual([{ text: 'still here' }]);
    await again.destroy();

    for (const user of ['root', '']) {
      const otherUrl = new URL(after.adminUrl);
      otherUrl.username = user;
      otherUrl.password = '';
      await expect(createSchema(otherUrl.href, 'theirs')).rejects.toThrow(/Access denied/);
    }
    await second.stop();
  });
});

describe('a child process', () => {
  it('that dies before it is ready is reported at once, with the end of its log', async () => {
    const child = await node('short-lived', 'console.log("no space left"); process.exit(3)');
    const started = Date.now();
    await expect(
      whenReady(child, () => Promise.resolve(false), { what: 'it', timeoutMs: 30_000 }),
    ).rejects.toThrow(/ended with code 3 before it was ready:\n.*no space left/);
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it('that cannot be found is an error, not a crash', async () => {
    const logFile = join(folder, 'missing.log');
    const start = async () => {
      const child = await startChild({ name: 'it', command: '/does/not/exist', args: [], logFile });
      await whenReady(child, () => Promise.resolve(false), { what: 'it', timeoutMs: 30_000 });
    };
    await expect(start()).rejects.toThrow(/it (did not start|ended)/);
  });

  it('that ignores SIGTERM is killed after its grace time', async () => {
    const child = await node(
      'stubborn',
      'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("ready")',
      200,
    );
    await whenReady(child, saysReady(child.logFile), { what: 'it', timeoutMs: 10_000 });
    await child.stop();
    await expect(child.exited).resolves.toBe('signal SIGKILL');
  });

  it('is stopped by its own stop signal', async () => {
    const child = await startChild({
      name: 'polite',
      command: process.execPath,
      args: [
        '-e',
        'process.on("SIGTERM", () => {}).on("SIGINT", () => process.exit(7)); setInterval(() => {}, 1000); console.log("ready")',
      ],
      logFile: join(folder, 'polite.log'),
      endSignal: 'SIGINT',
      graceMs: 60_000,
    });
    await whenReady(child, saysReady(child.logFile), { what: 'it', timeoutMs: 60_000 });
    await child.stop();
    await expect(child.exited).resolves.toBe('code 7');
  });

  it('takes its own children with it', async () => {
    const child = await node(
      'parent',
      `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
         .once("spawn", function () { console.log("ready " + this.pid); }); setInterval(() => {}, 1000)`,
    );
    await whenReady(child, saysReady(child.logFile), { what: 'it', timeoutMs: 10_000 });
    const grandchild = Number(/ready (\d+)/.exec(readFileSync(child.logFile, 'utf8'))?.[1]);
    await child.stop();
    await waitFor(() => Promise.resolve(!isAlive(grandchild)), { what: 'its end', timeoutMs: 5_000 });
  });
});

describe('processes that were started together', () => {
  it('stop in the reverse order, and those of a group at once', async () => {
    const order: string[] = [];
    const left = new Map<string, () => void>();
    const one = (name: string, group?: string) => {
      const exited = new Promise<string>((resolve) => left.set(name, () => resolve('code 0')));
      const child: ChildProcess = {
        name,
        pid: 0,
        logFile: '',
        exited,
        isRunning: () => true,
        async stop() {
          order.push(`${name} is told`);
          await exited;
          order.push(`${name} ended`);
        },
      };
      const service: Service = { name, spawn: async () => child, ready: async () => undefined };
      return [group === undefined ? service : { ...service, group }, child] as [Service, ChildProcess];
    };
    const all = [one('first'), one('second', 'group'), one('third', 'group'), one('last')];
    const ending = stopInOrder(all);
    for (const name of ['last', 'second', 'third', 'first']) {
      await waitFor(async () => order.includes(`${name} is told`), { what: name, timeoutMs: 10_000 });
      left.get(name)?.();
      await waitFor(async () => order.includes(`${name} ended`), { what: name, timeoutMs: 10_000 });
    }
    await ending;
    expect(order).toEqual([
      ...['last is told', 'last ended'],
      ...['third is told', 'second is told', 'second ended', 'third ended'],
      ...['first is told', 'first ended'],
    ]);
  });
});

describe('a command', () => {
  it('reads its input, and its end', async () => {
    expect(await runCommand('cat', [], { input: 'one line' })).toBe('one line');
    expect(await runCommand('cat', [])).toBe('');
    // It ends without reading any of it.
    expect(await runCommand('true', [], { input: 'x'.repeat(1_000_000) })).toBe('');
  });
});

describe('a port', () => {
  it('is free, or used by a process that can be named', async () => {
    const port = await freePort();
    expect(await isPortFree(port)).toBe(true);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    expect(await isPortFree(port)).toBe(false);
    expect(await findPortHolder(port)).toMatchObject({ pid: process.pid });
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('waitFor', () => {
  it('reports what it waited for and the last reason', async () => {
    const probe = () => Promise.reject(new Error('connection refused'));
    await expect(waitFor(probe, { what: 'the API', timeoutMs: 60, everyMs: 10 })).rejects.toThrow(
      'for the API: connection refused',
    );
  });
});
