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
  it('shows what there is', async () => {
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
  ])('does not understand %j', async (args) => {
    const { code, out, err } = await cli.run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).not.toBe('');
  });

  it('says in one sentence that the database is away', async () => {
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
    expect(err).toMatch(/^The database cannot be used now: .*\n$/);
    expect(err).not.toContain('hunter2');
  });
});

describe('malipo verify', () => {
  it('ends with 0 and a table while the books are right, with 1 and the ids when not', async () => {
    const books = await writeBooks(cli.db);
    const clean = await cli.run('verify');
    expect(clean.code).toBe(0);
    expect(clean.out).toMatch(/L1 +kept +each entry balances[\s\S]*All \d+ promises are kept\./);
    await cli.db('payments').where({ payment_id: books.pending }).update({ state: 'queued' });
    const broken = await cli.run('verify');
    expect(broken.code).toBe(1);
    expect(broken.out).toContain(`  ${books.pending} is queued, its log ends with pending`);
    expect(broken.out).toContain(`1 promise of ${String(checks.length)} is BROKEN.`);
    const { json } = await cli.run('verify', '--json');
    expect(json).toMatchObject({ clean: false, took_ms: expect.any(Number), checks: expect.any(Array) });
  });

  it('says what a look at the news is about, and why one is at everything', async () => {
    await cli.db('payments').where({ state: 'queued' }).update({ state: 'pending' });
    const { out: everything } = await cli.run('verify');
    expect(everything).toMatch(/All \d+ promises are kept\. Looked at everything\. \(\d+ ms\)/);
    expect((await cli.run('verify', '--news')).out).toMatch(
      /L8 +kept[\s\S]*All \d+ promises are kept\. Looked at \d+ payments, vouchers and transfers with news since \S+; everything before was proved at/,
    );
    await cli.db('proofs').delete();
    expect(await cli.run('verify', '--news')).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        'Looked at everything although only the news were asked for: nothing was proved before.',
      ),
    });
  });

  it('says that no proof was kept, and loudly that one stands which is refuted', async () => {
    await cli.db.raw(
      `CREATE TRIGGER proofs_refused BEFORE INSERT ON proofs FOR EACH ROW
       SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'it is read-only'`,
    );
    expect((await cli.run('verify', '--news')).out).toMatch(
      /with news since [\s\S]*No proof was kept of it: it is read-only\./,
    );
    const change = (from: 'pending' | 'queued', state: 'pending' | 'queued') =>
      cli.db('payments').where({ state: from }).update({ state });
    await change('pending', 'queued');
    const broken = await cli.run('verify');
    expect(broken.code).toBe(1);
    expect(broken.out).toContain('THE PROOF OF BEFORE STANDS, and is none any more');
    await change('queued', 'pending');
    await cli.db.raw('DROP TRIGGER proofs_refused');
  });

  it('refuses to compare with a simulator that it does not know', async () => {
    expect(await cli.run('verify', '--with-simulator')).toMatchObject({
      code: 1,
      err: expect.stringContaining('No simulator is known'),
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

  it('are refused with a way out when there are none', async () => {
    await expect(settingsOf({}, folder)).rejects.toThrow(/npm start/);
  });
});
