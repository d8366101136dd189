import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../src/cli/run-cli';
import { openSession } from '../../../src/cli/session';
import { settingsOf } from '../../../src/cli/settings';
import { readConfig } from '../../../src/config';
import { checks } from '../../../src/verify/verify';
import { madeUpBeside, providerEnvironment } from '../../../tools/sandbox/credentials';
import { forEachProvider, providerAddresses } from '../../../tools/sandbox/simulated-providers';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';
import { writeBooks } from '../../support/verify/books';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());

describe('malipo', () => {
  it('prints its commands', async () => {
    const { code, out } = await cli.run('--help');
    expect(code).toBe(0);
    for (const noun of [
      'merchant',
      'float',
      'wallet',
      'payment',
      'webhook',
      'case',
      'fx',
      'verify',
      'resume',
      'sandbox',
      'doctor',
    ]) {
      expect(out).toContain(noun);
    }
    expect(await cli.run('help')).toMatchObject({ code: 0 });
  });

  it.each([
    [[]],
    [['frob']],
    [['merchant', 'frob']],
    [['verify', '--loud']],
    [['verify', 'more']],
    [['merchant', 'show']],
  ])('rejects %j', async (args) => {
    const { code, out, err } = await cli.run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).not.toBe('');
  });

  it('reports in one sentence that the database is unreachable', async () => {
    const env = {
      MALIPO_ENV: 'sandbox',
      DATABASE_URL: 'mysql://malipo:hunter2@127.0.0.1:1/x',
      MALIPO_SECRET_KEYS: `a:${Buffer.alloc(32).toString('base64')}`,
      MALIPO_RAILS: 'stk',
      ...stk,
    };
    let err = '';
    const io = {
      out: () => undefined,
      err: (text: string) => void (err += text),
      env,
      folder: '/nowhere',
      openSession,
    };
    expect(await runCli(['merchant', 'list'], io)).toBe(1);
    expect(err).toMatch(/^The database is not available: .*\n$/);
    expect(err).not.toContain('hunter2');
  });
});

describe('malipo verify', () => {
  it('exits with 0 and a table while the books are right, with 1 and the ids otherwise', async () => {
    const books = await writeBooks(cli.db);
    const clean = await cli.run('verify');
    expect(clean.code).toBe(0);
    expect(clean.out).toMatch(/L1 +ok +each entry balances[\s\S]*All \d+ checks passed\./);
    await cli.db('payments').where({ payment_id: books.pending }).update({ state: 'queued' });
    const broken = await cli.run('verify');
    expect(broken.code).toBe(1);
    expect(broken.out).toContain(`  ${books.pending} is queued, but its log ends with pending`);
    expect(broken.out).toContain(`1 of ${String(checks.length)} checks FAILED.`);
    const { json } = await cli.run('verify', '--json');
    expect(json).toMatchObject({ clean: false, took_ms: expect.any(Number), checks: expect.any(Array) });
  });

  it('reports what a run over the changes checked, and why a run checked everything', async () => {
    await cli.db('payments').where({ state: 'queued' }).update({ state: 'pending' });
    const { out: everything } = await cli.run('verify');
    expect(everything).toMatch(/All \d+ checks passed\. Checked everything\. \(\d+ ms\)/);
    expect((await cli.run('verify', '--changes')).out).toMatch(
      /L8 +ok[\s\S]*All \d+ checks passed\. Checked \d+ payments, vouchers and transfers that changed since \S+; a run verified the rest at/,
    );
    await cli.db('verified_state').delete();
    expect(await cli.run('verify', '--changes')).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        'Checked everything, although --changes was used: there was no clean run before.',
      ),
    });
  });

  it('reports that the result could not be stored, and warns loudly about a stored clean state that is now wrong', async () => {
    await cli.db.raw(
      `CREATE TRIGGER proofs_refused BEFORE INSERT ON verified_state FOR EACH ROW
       SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'it is read-only'`,
    );
    expect((await cli.run('verify', '--changes')).out).toMatch(
      /that changed since [\s\S]*The next run cannot continue from this one: it is read-only\./,
    );
    const change = (from: 'pending' | 'queued', state: 'pending' | 'queued') =>
      cli.db('payments').where({ state: from }).update({ state });
    await change('pending', 'queued');
    const broken = await cli.run('verify');
    expect(broken.code).toBe(1);
    expect(broken.out).toContain('THE STATE OF AN EARLIER CLEAN RUN IS STILL STORED');
    await change('queued', 'pending');
    await cli.db.raw('DROP TRIGGER proofs_refused');
  });

  it('fails to compare with a simulator whose address is unknown', async () => {
    expect(await cli.run('verify', '--with-simulator')).toMatchObject({
      code: 1,
      err: expect.stringContaining('The address of the simulator is unknown'),
    });
  });
});

const stk = {
  STK_BASE_URL: 'http://127.0.0.1:3210',
  STK_CONSUMER_KEY: 'a',
  STK_CONSUMER_SECRET: 'b',
  STK_PASSKEY: 'c',
  STK_SHORTCODE: '174379',
};

describe('the settings of a command', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'malipo-cli-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function startedOnce(): Promise<void> {
    const credentials = madeUpBeside({
      providers: {
        stk: { consumer_key: 'a', consumer_secret: 'b', passkey: 'c', shortcode: '174379' },
      },
    });
    await mkdir(join(folder, '.malipo'));
    const write = (name: string, content: object) =>
      writeFile(join(folder, '.malipo', name), JSON.stringify(content));
    await write('sandbox.json', {
      api_url: 'http://127.0.0.1:3000',
      ops_url: 'http://127.0.0.1:3100',
      simulator_url: 'http://127.0.0.1:3001',
      temporal_address: '127.0.0.1:7233',
      temporal_ui_url: 'http://127.0.0.1:8233',
      database_url: 'mysql://malipo:x@127.0.0.1:3306/malipo',
      merchants: [],
      settings: {
        ...providerAddresses(
          forEachProvider((_name, { port }) => `http://127.0.0.1:${String(port.standard)}`),
        ),
        ...providerEnvironment(credentials),
      },
    });
    await write('credentials.json', credentials);
  }

  it('are those of the sandbox in this folder, when the environment names no deployment', async () => {
    await startedOnce();
    const settings = await settingsOf({ TEMPORAL_NAMESPACE: 'mine' }, folder);
    expect(readConfig(settings)).toMatchObject({
      environment: 'sandbox',
      databaseUrl: 'mysql://malipo:x@127.0.0.1:3306/malipo',
      temporalNamespace: 'mine',
    });
    expect(settings).toMatchObject({ ...stk, MALIPO_SIMULATOR_URL: 'http://127.0.0.1:3001' });
    await expect(
      openSession({ env: {}, folder } as never).then((session) => session.close()),
    ).resolves.toBeUndefined();
  });

  it('are never mixed with a sandbox when the environment names one', async () => {
    await startedOnce();
    expect(await settingsOf({ MALIPO_ENV: 'live' }, folder)).toEqual({ MALIPO_ENV: 'live' });
  });

  it('fail with advice when there are none', async () => {
    await expect(settingsOf({}, folder)).rejects.toThrow(/npm start/);
  });
});
