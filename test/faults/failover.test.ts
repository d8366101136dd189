/** The primary is demoted under load: it continues as a read-only replica, and the proxy leads to another server. */
import { randomBytes } from 'node:crypto';
import { readFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, type ChildProcess } from '../../tools/sandbox/services/child-process';
import { findMysql } from '../../tools/sandbox/services/find-mysql';
import { freePort } from '../../tools/sandbox/services/free-port';
import { mysqlServer, type MysqlService } from '../../tools/sandbox/services/mysql-server';
import { createAccounts, createSchema } from '../../tools/sandbox/services/schema';
import { waitFor } from '../../tools/sandbox/services/wait-for';
import { openDatabase, type Database } from '../../src/store/database';
import { prepareSchema } from '../../src/store/prepare-schema';
import * as momo from '../support/rails/momo/payments';
import { simulatorControl } from '../support/rails/simulator-control';
import type { ApiAnswer } from '../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { everythingEndsWell, nothingIsOpen } from './support/ending-well';
import { inParallel, pushUntilAccepted, sendUntilAccepted } from './support/patient-merchant';
import { hostOf, startProxy, type Proxy } from './support/proxy';

interface Member {
  service: MysqlService;
  child: ChildProcess;
  admin: Database;
}

/** The statements that make a replica follow, show how far it is, and end that. */
const replication = {
  mariadb: {
    options: [],
    follow: (host: string, port: string, user: string, password: string) =>
      `CHANGE MASTER TO MASTER_HOST='${host}', MASTER_PORT=${port}, MASTER_USER='${user}',
         MASTER_PASSWORD='${password}', MASTER_USE_GTID=slave_pos`,
    start: 'START SLAVE',
    stop: 'STOP SLAVE',
    position: '@@gtid_binlog_pos',
    isReached: (position: string) => `MASTER_GTID_WAIT('${position}', 1) = 0`,
  },
  mysql: {
    options: ['--gtid-mode=ON', '--enforce-gtid-consistency=ON'],
    follow: (host: string, port: string, user: string, password: string) =>
      `CHANGE REPLICATION SOURCE TO SOURCE_HOST='${host}', SOURCE_PORT=${port}, SOURCE_USER='${user}',
         SOURCE_PASSWORD='${password}', SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1`,
    start: 'START REPLICA',
    stop: 'STOP REPLICA',
    position: '@@global.gtid_executed',
    isReached: (position: string) => `WAIT_FOR_EXECUTED_GTID_SET('${position}', 1) = 0`,
  },
};

describe('a primary that becomes a replica', () => {
  let folder: string;
  let members: [Member, Member];
  let proxy: Proxy;
  let adminProxy: Proxy;
  let db: Database;
  let words: (typeof replication)['mariadb' | 'mysql'];
  let stack: Stack;
  let merchant: TestMerchant;

  async function member(id: number): Promise<Member> {
    const found = await findMysql({});
    if (found.kind === 'external' || found.kind === 'docker') throw new Error('a local server is needed');
    words = replication[found.kind];
    const own = join(folder, String(id));
    await mkdir(own, { recursive: true });
    // Each replays what the other creates at its start, so both have the same administrator.
    if (id > 1) await writeFile(join(own, 'password'), await readFile(join(folder, '1', 'password')));
    const service = await mysqlServer({
      found,
      folder: own,
      port: await freePort(),
      logFile: join(folder, `${String(id)}.log`),
      durable: false,
      further: [
        `--server-id=${String(id)}`,
        '--log-bin=changes',
        '--binlog-format=ROW',
        '--log-bin-trust-function-creators=1',
        ...words.options,
      ],
    });
    const child = await launch(service);
    return { service, child, admin: openDatabase(service.adminUrl, { poolMax: 1, patienceMs: 20_000 }) };
  }

  async function valueOf(admin: Database, expression: string): Promise<string> {
    const [[row]] = (await admin.raw(`SELECT ${expression} AS value`)) as unknown as [[{ value: unknown }]];
    return String(row.value);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'malipo-failover-'));
    members = [await member(1), await member(2)];
    const [first, second] = members;
    const { hostname, port } = new URL(first.service.adminUrl);
    // MySQL accepts at most 32 characters.
    const password = randomBytes(12).toString('hex');
    await first.admin.raw(`CREATE USER replica@'127.0.0.1' IDENTIFIED BY '${password}'`);
    await first.admin.raw("GRANT REPLICATION SLAVE ON *.* TO replica@'127.0.0.1'");
    await second.admin.raw(words.follow(hostname, port, 'replica', password));
    await second.admin.raw('SET GLOBAL read_only = ON');
    await second.admin.raw(words.start);

    const adminUrl = await createSchema(first.service.adminUrl, 'malipo');
    const login = (user: string) => ({ user, password: 'test', host: first.service.loginHost });
    const accounts = await createAccounts(first.service.adminUrl, 'malipo', {
      migrate: login('malipo_migrate'),
      service: login('malipo'),
    });
    await prepareSchema(accounts);
    proxy = await startProxy(hostOf(first.service.adminUrl));
    adminProxy = await startProxy(hostOf(first.service.adminUrl));
    db = openDatabase(adminProxy.via(adminUrl), { patienceMs: 20_000 });
    stack = await startStack({
      timeScale: 20,
      database: { url: proxy.via(accounts.serviceUrl), db, drop: () => db.destroy() },
    });
    merchant = await stack.createMerchant();
    await momo.fund(stack, merchant, 10_000_000n);
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all([proxy.close(), adminProxy.close()]);
    for (const { admin, child } of members) {
      await admin.destroy();
      await child.stop();
    }
    await rm(folder, { recursive: true, force: true });
  });

  /** Like an orchestrator, except that it would also close old connections. */
  async function failOver(): Promise<void> {
    const [from, to] = members;
    await from.admin.raw('SET GLOBAL read_only = ON');
    const position = await valueOf(from.admin, words.position);
    await waitFor(async () => (await valueOf(to.admin, words.isReached(position))) === '1', {
      what: 'the replica to have all data',
      timeoutMs: 60_000,
    });
    await to.admin.raw(words.stop);
    await to.admin.raw('SET GLOBAL read_only = OFF');
    for (const each of [proxy, adminProxy]) each.turnTo(hostOf(to.service.adminUrl));
    adminProxy.cut();
  }

  it('loses no payment and doubles none, without a restart of any process', async () => {
    const answered: ApiAnswer[] = [];
    const load = inParallel(24, 4, async (n) => {
      if (n % 3 !== 2) {
        const { paymentId, answers } = await pushUntilAccepted(stack, merchant);
        answered.push(...answers);
        return paymentId;
      }
      const payout = { path: '/api/v1/momo/payout', body: momo.transferBody() };
      const { answers } = await sendUntilAccepted(stack, merchant, payout);
      answered.push(...answers);
      return momo.idOf(answers.at(-1) as ApiAnswer);
    });
    await waitFor(async () => answered.length > 6, { what: 'some payments', timeoutMs: 60_000 });
    await failOver();
    const ids = await load;
    await nothingIsOpen(stack.db, 120_000);
    await everythingEndsWell(stack, { merchants: [merchant], accepted: ids });
    expect(new Set(ids).size).toBe(24);
    // No payout was paid twice: each was submitted with one id, and all of them are ours.
    const paidOut = (await simulatorControl(stack.simulatorUrl, 'momo').successes()).filter(
      ({ kind }) => kind === 'payout',
    );
    expect(paidOut).toHaveLength(8);
    expect(new Set(paidOut.map(({ reference }) => reference)).size).toBe(8);

    const errors = answered.filter(({ status }) => status !== 200);
    expect(errors.filter(({ headers }) => !headers.get('retry-after'))).toEqual([]);
    expect(errors.filter(({ status }) => status === 500)).toEqual([]);
    // The old server does not have the new primary's data: it served no client any more.
    const [old] = (await members[0].admin.raw('SELECT COUNT(*) AS n FROM malipo.payments')) as unknown as [
      [{ n: string | number }],
    ];
    expect(Number(old[0].n)).toBeLessThan(24);
  });
});
