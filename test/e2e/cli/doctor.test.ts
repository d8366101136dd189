import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { v7 as uuid } from 'uuid';
import { pausePayouts } from '../../../src/controls/pauses';
import { ConfigError } from '../../../src/config';
import { runCli } from '../../../src/cli/run-cli';
import { createMerchant } from '../../../src/merchants/merchants';
import { storeDenials } from '../../../src/payments/resolve/notifications/counts';
import { openDatabase } from '../../../src/store/database';
import { writeBooks } from '../../support/verify/books';
import { box } from '../../support/verify/books-support';
import { testTemporalAddress } from '../../support/temporal';
import { showAlive } from '../../../src/store/processes';
import { createTestCli, testConfig, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let connection: Connection;
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  connection = await Connection.connect({ address: testTemporalAddress() });
});
beforeEach(async () => {
  cli = await createTestCli();
  cli.session = {
    client: new Client({ connection }),
    config: testConfig(cli.url, { MALIPO_TASK_QUEUE: 'doctor-test' }),
  };
});
afterEach(() => cli.drop());
afterAll(() => connection.close());

interface Finding {
  name: string;
  level: string;
  sentence: string;
}

async function diagnose(): Promise<{ code: number; byName: Record<string, Finding> }> {
  const { code, json } = await cli.run('doctor', '--json');
  return {
    code,
    byName: Object.fromEntries(
      (json['findings'] as Finding[]).map((providerResult) => [providerResult.name, providerResult]),
    ),
  };
}

describe('malipo doctor', () => {
  it('finds a deployment healthy while a worker runs', async () => {
    const native = await NativeConnection.connect({ address: testTemporalAddress() });
    const worker = await Worker.create({
      connection: native,
      taskQueue: 'doctor-test',
      workflowsPath: require.resolve('../../../workflows'),
      activities: { nothing: () => Promise.resolve() },
    });
    await worker.runUntil(async () => {
      const deadline = Date.now() + 20_000;
      let found = await diagnose();
      while (found.code !== 0 && Date.now() < deadline) found = await diagnose();
      expect(Object.values(found.byName).filter(({ level }) => level === 'fault')).toEqual([]);
      expect(found.code).toBe(0);
    });
    await native.close();
    expect((await cli.run('doctor')).out).toMatch(/schema +The schema is current\./);
  });

  it('tells which processes are of another version', async () => {
    await showAlive(cli.db, '0190c0de-0000-7000-8000-000000000001', 'worker');
    expect((await diagnose()).byName['processes']).toMatchObject({ level: 'ok' });
    await cli
      .db('processes')
      .insert({ process_id: 'older', seen_at: new Date(), kind: 'api', knows: '001-foundation' });
    expect((await diagnose()).byName['processes']).toMatchObject({
      level: 'attention',
      sentence: expect.stringContaining(
        'Processes of another version run: 1 api at 001-foundation.',
      ) as unknown,
    });
    await cli.db('processes').delete();
  });

  it('tells whose callbacks have stopped, and what to look at', async () => {
    expect((await diagnose()).byName['callbacks']).toMatchObject({ level: 'ok' });
    const row = { missed_in_a_row: 5, received_in_a_row: 0, expected: '9', received: '4' } as const;
    await cli.db('notification_health').insert([
      { rail: 'xb', account: 'momo', kind: 'deposit', verdict: 'late', since: new Date(), ...row },
      { rail: 'stk', account: 'stk', kind: 'deposit', verdict: 'healthy', since: new Date(), ...row },
    ]);
    expect((await diagnose()).byName['callbacks']).toMatchObject({
      level: 'attention',
      sentence: expect.stringContaining(
        'Notifications about xb deposits through momo arrive late',
      ) as unknown,
    });
    const since = new Date(Date.now() - 13 * 60_000);
    await cli.db('notification_health').where({ rail: 'stk' }).update({ verdict: 'stopped', since });
    await storeDenials(cli.db, new Map([['stk', 40]]));
    expect((await diagnose()).byName['callbacks']).toMatchObject({
      level: 'attention',
      sentence:
        'Notifications about stk deposits (for 13 min) have stopped: payments settle late, by status checks. Denied in the last hour: 40 of stk.',
      remedy: expect.stringContaining('malipo doctor --live stk') as unknown,
    });
  });

  it('tells for how long Temporal keeps what has ended, and when that is long', async () => {
    expect((await diagnose()).byName['temporal retention']).toMatchObject({
      level: 'ok',
      sentence: 'Temporal stores ended workflows for 1 d 0 h.',
    });
    const temporalNamespace = `long-${uuid()}`;
    await connection.workflowService.registerNamespace({
      namespace: temporalNamespace,
      workflowExecutionRetentionPeriod: { seconds: (90 * 86_400) as never },
    });
    cli.session.config = testConfig(cli.url, { TEMPORAL_NAMESPACE: temporalNamespace });
    expect((await diagnose()).byName['temporal retention']).toMatchObject({
      level: 'attention',
      sentence: expect.stringContaining('for 90 d'),
    });
  });

  it('says that nobody does the work', async () => {
    cli.session.config = testConfig(cli.url, { MALIPO_TASK_QUEUE: 'nobody-polls-this' });
    const { code, byName } = await diagnose();
    expect(code).toBe(1);
    expect(byName['worker']).toMatchObject({
      level: 'fault',
      sentence: expect.stringContaining('No worker'),
    });
    expect((await cli.run('doctor')).out).toMatch(/FAULT +worker[\s\S]*1 fault found\.\n$/);
  });

  it('sees what the database lost', async () => {
    await cli.db.raw('DROP TRIGGER ledger_postings_no_delete');
    const [rows] = (await cli.db.raw(
      `SELECT CONSTRAINT_NAME AS name FROM information_schema.TABLE_CONSTRAINTS
       WHERE CONSTRAINT_SCHEMA = DATABASE() AND TABLE_NAME = 'ledger_accounts' AND CONSTRAINT_TYPE = 'CHECK'`,
    )) as [{ name: string }[]];
    for (const { name } of rows) await cli.db.raw(`ALTER TABLE ledger_accounts DROP CONSTRAINT ${name}`);
    await cli.db('knex_migrations').delete();
    await cli.db.raw('CREATE TABLE scratch (a INT) ENGINE=MyISAM');
    const { code, byName } = await diagnose();
    expect(code).toBe(1);
    expect(byName['append-only ledger']).toMatchObject({
      level: 'fault',
      sentence: expect.stringContaining('rejects DELETE'),
    });
    expect(byName['constraints']).toMatchObject({
      level: 'fault',
      sentence: expect.stringContaining('ledger_accounts.balance'),
    });
    expect(byName['schema']).toMatchObject({
      level: 'fault',
      sentence: expect.stringContaining('001-baseline'),
    });
    expect(byName['storage engine']).toMatchObject({
      level: 'fault',
      sentence: expect.stringContaining('scratch'),
    });
  });

  it('counts what waits for a person', async () => {
    const books = await writeBooks(cli.db);
    const long = new Date(Date.now() - 120_000);
    const row = { rail: 'loud', body: '{}', received_at: long };
    await cli.db('inbox').insert([
      { ...row, payment_id: books.pending, event_key: Buffer.alloc(32, 1) },
      { ...row, payment_id: null, event_key: Buffer.alloc(32, 2), state: 'parked' },
    ] as never);
    await cli.db('cases').insert({ reason: 'account_refused', detail: '', opened_at: long });
    await cli.db('outbox').where({ payment_id: books.corrected }).update({ state: 'unaddressed' });
    const mail = { kind: 'claim', recipient: 'ana@example.org', subject: 'Hi', body: 'Hi', created_at: long };
    await cli.db('mails').insert({ ...mail, mail_id: uuid(), state: 'dead' });
    await pausePayouts(cli.db, {}, { by: 'amina', reason: 'a key was stolen', withRefunds: false });
    const { byName } = await diagnose();
    expect(byName['stopped payouts']).toMatchObject({
      level: 'attention',
      sentence: expect.stringMatching(
        /^Payouts are paused since \d+ s ago by amina \(a key was stolen\); see malipo/,
      ),
    });
    expect(byName['dead webhooks']).toMatchObject({
      level: 'attention',
      sentence: expect.stringMatching(/^1 webhook/),
    });
    expect(byName['unaddressed webhooks']).toMatchObject({
      level: 'attention',
      sentence: expect.stringMatching(/^2 webhooks/),
    });
    expect(byName['dead mails']).toMatchObject({
      level: 'attention',
      sentence: expect.stringMatching(/^1 mail is dead/),
    });
    expect(byName['open cases']?.level).toBe('attention');
    expect(byName['parked notifications']?.level).toBe('attention');
    expect(byName['unread notifications']).toMatchObject({
      level: 'fault',
      sentence: expect.stringContaining('has not been processed for 12'),
    });
  });

  it('says in live which merchants have no limit on what they pay out but the default ones', async () => {
    const { merchant_id: id } = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' });
    const live = { MALIPO_ENV: 'live', MALIPO_PUBLIC_URL: 'https://pay.example.com' };
    const found = async () => (await diagnose()).byName['limits on payouts'];
    expect(await found()).toMatchObject({ level: 'ok' });
    cli.session = {
      ...cli.session,
      config: testConfig(cli.url, live),
      context: { ...cli.context, outflowDefaults: true },
    };
    expect(await found()).toMatchObject({
      level: 'attention',
      sentence: '1 merchant has only the default limits on payouts; see malipo limit set.',
    });
    const limit = ['--currency', 'KES', '--amount', '10', '--merchant', id, '--reason', 'agreed'];
    await cli.json('limit', 'set', 'per_day', ...limit);
    expect(await found()).toMatchObject({ level: 'ok' });
  });

  it('calls a commit that a power cut may lose a fault in live', async () => {
    const config = testConfig(cli.url, { MALIPO_ENV: 'live', MALIPO_PUBLIC_URL: 'https://pay.example.com' });
    cli.session.config = config;
    const [[{ flush }]] = (await cli.db.raw('SELECT @@innodb_flush_log_at_trx_commit AS flush')) as [
      [{ flush: string }],
    ];
    const { byName } = await diagnose();
    expect(byName['durable commits']?.level).toBe(Number(flush) === 1 ? 'ok' : 'fault');
    cli.session.config = { ...config, publicUrl: 'http://pay.example.com' };
    expect((await diagnose()).byName['public URL']?.level).toBe('fault');
  });

  it('warns when the account of the service can do too much, and misses what it needs', async () => {
    const service = openDatabase(cli.url, { poolMax: 1 });
    const asService = async () => {
      cli.session.context = { ...cli.context, db: service };
      return (await diagnose()).byName['database account'];
    };
    expect((await diagnose()).byName['database account']).toMatchObject({
      level: 'attention',
      sentence: expect.stringContaining('ALL PRIVILEGES, GRANT OPTION on *.*'),
    });
    expect(await asService()).toMatchObject({ level: 'ok' });

    const account = decodeURIComponent(new URL(cli.url).username);
    await cli.db.raw("GRANT DELETE ON ledger_entries TO ?@'%'", [account]);
    expect(await asService()).toMatchObject({
      level: 'attention',
      sentence: expect.stringContaining('DELETE on ledger_entries'),
    });
    await cli.db.raw("REVOKE INSERT ON outbox FROM ?@'%'", [account]);
    expect(await asService()).toMatchObject({
      level: 'fault',
      sentence: 'The account lacks INSERT on outbox; run the migration, which grants it.',
    });
    await service.destroy();
  });

  it('goes on where something cannot be reached', async () => {
    const lost = Connection.lazy({ address: '127.0.0.1:1' });
    cli.session.client = new Client({ connection: lost });
    const { code, byName } = await diagnose();
    expect(code).toBe(1);
    expect(byName['temporal']).toMatchObject({
      level: 'fault',
      sentence: expect.stringMatching(/^Temporal does not answer: .+\. [2-9] checks did not run\.$/),
    });
    expect(byName['schema']?.level).toBe('ok');
    expect(byName['search attributes']).toBeUndefined();
    await lost.close();
  });

  it('reports a database without a connection once, however many checks need it', async () => {
    const db = openDatabase(cli.url, { poolMax: 1, patienceMs: 500 });
    await db.transaction(async () => {
      // It has the only connection.
      cli.session.context = { ...cli.context, db };
      const { code, byName } = await diagnose();
      expect(code).toBe(1);
      const { database, ...others } = byName;
      expect(database).toMatchObject({
        level: 'fault',
        sentence: expect.stringMatching(
          /^The database does not answer: no connection in time\. \d\d checks did not run\.$/,
        ),
      });
      expect(
        Object.values(others).filter(({ sentence }) => /does not answer|failed to run/.test(sentence)),
      ).toEqual([]);
      expect(byName['temporal']?.level).toBe('ok');
    });
    await db.destroy();
  });

  it('tells settings that are not usable as its diagnosis', async () => {
    let out = '';
    const code = await runCli(['doctor', '--json'], {
      out: (text) => (out += text),
      err: () => undefined,
      env: {},
      folder: '/nowhere',
      openSession: () => Promise.reject(new ConfigError('STK_PASSKEY: any.required')),
    });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      healthy: false,
      findings: [{ name: 'settings', level: 'fault', sentence: 'STK_PASSKEY: any.required' }],
    });
  });
});
