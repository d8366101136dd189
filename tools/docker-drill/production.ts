/** deploy/compose/production.yml, run for real: start, payments, killed containers, upgrade, way back, certificates, restore. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../sandbox/services/free-port';
import { say, step } from '../sandbox/services/progress';
import { runCommand, tryCommand } from '../sandbox/services/run-command';
import { waitFor } from '../sandbox/services/wait-for';
import type { Docker } from './docker';
import { Load, type Merchant, type Outcome } from './load';
import { base, nodeImage } from './stand-ins';

const file = 'deploy/compose/production.yml';
/** What the image adds to its base may have this size. */
const imageMax = 350;
const paymentsPerSecond = 5;
const network = '10.250.30';

const shortcode = '174379';
const providerSecrets = {
  STK_CONSUMER_KEY: 'drill-key',
  STK_CONSUMER_SECRET: 'drill-secret',
  STK_PASSKEY: 'drill-passkey',
};
/** The simulator demands the credentials of every provider. */
const otherProviders = {
  MOMO_TOKEN: 'unused',
  XB_SECRET_KEY: 'unused',
  XB_PUBLISHABLE_KEY: 'unused',
  XB_CHALLENGE: 'unused',
  CARDPROC_CONSUMER_KEY: 'unused',
  CARDPROC_CONSUMER_SECRET: 'unused',
};

/** The containers that are killed under load. */
const killed = ['api', 'worker', 'temporal', 'mysql', 'proxy'];

interface Row {
  what: string;
  seconds: number;
  seen: string;
}

/** @returns the number of checks, all of which have passed: the first failure ends the drill. */
export async function drillProduction(docker: Docker, folder: string): Promise<number> {
  const table: Row[] = [];
  const check = async (what: string, work: () => Promise<string>) => {
    const since = Date.now();
    const seen = await step(what, work);
    table.push({ what, seconds: (Date.now() - since) / 1000, seen });
  };
  const clone = join(folder, 'clone');
  await runCommand('git', ['clone', '--quiet', process.cwd(), clone]);
  const deployment = await Deployment.prepare(docker, clone);
  try {
    await check('build the image of an earlier version', () =>
      deployment.build('before', earlierVersion(clone)),
    );
    await check('build the image of this version', () => deployment.build('now'));
    await check(`the image adds at most ${String(imageMax)} MB to its base`, () => deployment.size());
    await check('up --detach --wait, from nothing', () => deployment.start('before'));
    const merchant = await deployment.createMerchant();
    const load = () => new Load(deployment.apiUrl, merchant, paymentsPerSecond);

    await check('a payment through the proxy succeeds', () => deployment.payOnce(load()));
    for (const service of killed)
      await check(`kill ${service} under load`, () => deployment.kill(service, load()));
    await check('the upgrade, under load', () => deployment.upgrade('now', [], load()));
    await check('the way back, under load', () => deployment.upgrade('before', ['back'], load()));
    await check('forward again, under load', () => deployment.upgrade('now', [], load()));
    await check('an upgrade to an image that does not start stops', () => deployment.failUpgrade(load()));
    await check('a renewed certificate is used without a restart', () => deployment.renew());
    await check('restore to the last committed transaction', () => deployment.restore(folder, load()));
    await check('neither MySQL nor Temporal starts where others are used', () => deployment.useOthers());
    await check('malipo verify', () => deployment.verify());
  } catch (error) {
    say(await deployment.describe());
    throw error;
  } finally {
    for (const line of lines(table)) say(line);
  }
  return table.length;
}

function lines(table: readonly Row[]): string[] {
  const width = Math.max(...table.map(({ what }) => what.length));
  return table.map(
    ({ what, seconds, seen }) => `${what.padEnd(width)} ${seconds.toFixed(1).padStart(7)} s  ${seen}`,
  );
}

/** The commit before the last change of the product's code, so that the two images differ. */
async function earlierVersion(clone: string): Promise<string> {
  const changed = ['rev-list', '--max-count=1', 'HEAD', '--', 'src', 'workflows', 'activities'];
  return `${(await runCommand('git', changed, { cwd: clone })).trim()}^`;
}

class Deployment {
  private version = 'now';

  private constructor(
    private readonly docker: Docker,
    private readonly clone: string,
    readonly apiUrl: string,
  ) {}

  /** As docs/production.md says: .env from its example, the secrets by secrets.sh, the provider's by hand. */
  static async prepare(docker: Docker, clone: string): Promise<Deployment> {
    const ports = {
      MALIPO_API_PORT: await freePort(),
      MALIPO_PORTAL_PORT: await freePort(),
      MALIPO_TEMPORAL_UI_PORT: await freePort(),
    };
    const settings = {
      ...ports,
      MALIPO_ENV: 'sandbox',
      MALIPO_NETWORK: network,
      MALIPO_PUBLIC_URL: 'http://proxy:3000',
      STK_SHORTCODE: shortcode,
      STK_BASE_URL: 'http://simulator:3210',
      MALIPO_MEMORY: '1g',
      // The machine may be busy with other things: then the API would turn payments away, as it should.
      MALIPO_BACKLOG_MAX_MS: 10_000,
    };
    const example = readFileSync(join(clone, '.env.example'), 'utf8').replaceAll(
      new RegExp(`^(?:${Object.keys(settings).join('|')})=.*\n`, 'gm'),
      '',
    );
    const own = Object.entries(settings).map(([name, value]) => `${name}=${String(value)}\n`);
    writeFileSync(join(clone, '.env'), example + own.join(''));
    const makeSecrets = () => runCommand('sh', ['deploy/compose/secrets.sh'], { cwd: clone });
    await makeSecrets();
    for (const [name, value] of Object.entries(providerSecrets))
      writeFileSync(join(clone, 'secrets', 'malipo', name), `${value}\n`);
    await makeSecrets();
    return new Deployment(docker, clone, `http://127.0.0.1:${String(ports.MALIPO_API_PORT)}`);
  }

  private env(): NodeJS.ProcessEnv {
    return { ...this.docker.env, MALIPO_VERSION: this.version };
  }

  private options(): string[] {
    return ['compose', '--progress', 'plain', '--project-directory', '.', '--file', file];
  }

  compose(...args: string[]): Promise<string> {
    return runCommand('docker', [...this.options(), ...args], { cwd: this.clone, env: this.env() });
  }

  private malipo(...args: string[]): Promise<string> {
    return this.compose('exec', '-T', 'worker', 'node', 'dist/bundle/cli.js', ...args);
  }

  /** For whoever looks at a failure. */
  async describe(): Promise<string> {
    const show = async (...args: string[]) =>
      (await tryCommand('docker', [...this.options(), ...args], { cwd: this.clone, env: this.env() })).output;
    return (await show('ps', '--all')) + (await show('logs', '--tail', '5', 'api', 'worker'));
  }

  async build(version: string, commit: Promise<string> | string = 'HEAD'): Promise<string> {
    this.version = version;
    const source = `${this.clone}-${version}`;
    await runCommand('git', ['clone', '--quiet', this.clone, source]);
    await runCommand('git', ['checkout', '--quiet', await commit], { cwd: source });
    copyFileSync(join(this.clone, '.env'), join(source, '.env'));
    await runCommand('docker', [...this.options(), 'build', 'api'], { cwd: source, env: this.env() });
    return (await runCommand('git', ['rev-parse', '--short', 'HEAD'], { cwd: source })).trim();
  }

  async size(): Promise<string> {
    const sizeOf = async (image: string) =>
      Number(await this.docker.run('image', 'inspect', '--format', '{{.Size}}', image)) / 1_000_000;
    const added = (await sizeOf('malipo:now')) - (await sizeOf(nodeImage));
    assert.ok(added <= imageMax, `${added.toFixed(0)} MB`);
    return `${added.toFixed(0)} MB`;
  }

  async start(version: string): Promise<string> {
    this.version = version;
    await this.compose('up', '--detach', '--wait');
    await this.startSimulator();
    return `${String((await this.ids()).length)} containers`;
  }

  /** With this build's files, in a container of the deployment's network. */
  private async startSimulator(): Promise<void> {
    const env = {
      MALIPO_SIMULATOR_HOST: '0.0.0.0',
      MALIPO_SIMULATOR_STATE: '/tmp/state',
      STK_SHORTCODE: shortcode,
      ...providerSecrets,
      ...otherProviders,
    };
    await this.docker.run(
      ...['run', '--detach', '--name', 'simulator', '--network', 'malipo_default', '--init'],
      ...['--volume', `${join(process.cwd(), 'dist')}:/app/dist:ro`],
      ...['--volume', `${join(process.cwd(), 'node_modules')}:/app/node_modules:ro`],
      ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...['--workdir', '/app', nodeImage, 'node', 'dist/bundle/simulator.js'],
    );
    const listens = async () => (await this.docker.run('logs', 'simulator')).includes('"listening"');
    await waitFor(listens, { what: 'the simulator', timeoutMs: 30_000 });
  }

  async createMerchant(): Promise<Merchant> {
    const limits = [
      '--stk-rate',
      '100000',
      '--stk-burst',
      '100000',
      '--api-rate',
      '100000',
      '--api-burst',
      '100000',
    ];
    const made = JSON.parse(
      await this.malipo('merchant', 'create', '--name', 'Drill', ...limits, '--json'),
    ) as Merchant;
    return made;
  }

  async payOnce(load: Load): Promise<string> {
    load.begin();
    await load.atLeast(1);
    return this.settled(await load.end());
  }

  /** The running containers, of a service or of all. */
  private async ids(...services: string[]): Promise<string[]> {
    return (await this.compose('ps', '--quiet', ...services)).split('\n').filter((id) => id !== '');
  }

  private inspect(id: string, format: string): Promise<string> {
    return this.docker.run('inspect', '--format', format, id).then((text) => text.trim());
  }

  private published(): Promise<string> {
    return this.docker.run(
      'ps',
      '--format',
      '{{.Ports}}',
      '--filter',
      'label=com.docker.compose.service=proxy',
    );
  }

  async kill(service: string, load: Load): Promise<string> {
    const ports = await this.published();
    const [id = ''] = await this.ids(service);
    const restarts = Number(await this.inspect(id, '{{.RestartCount}}'));
    load.begin();
    await load.atLeast(10);
    const since = Date.now();
    // By its process: a container that an operator kills with Docker stays down.
    process.kill(Number(await this.inspect(id, '{{.State.Pid}}')), 'SIGKILL');
    await waitFor(
      async () =>
        Number(await this.inspect(id, '{{.RestartCount}}')) > restarts &&
        (await this.inspect(id, '{{.State.Health.Status}}')) === 'healthy',
      { what: `${service} to be healthy again`, timeoutMs: 180_000, everyMs: 500 },
    );
    const back = (Date.now() - since) / 1000;
    await load.atLeast(20);
    const outcome = await load.end();
    assert.equal(await this.published(), ports);
    // Of the others, some calls meet nobody: merchants repeat them.
    if (service === 'worker') assert.deepEqual(outcome.failed, []);
    return `healthy after ${back.toFixed(1)} s; ${await this.settled(outcome)}`;
  }

  async upgrade(version: string, args: string[], load: Load): Promise<string> {
    const ports = await this.published();
    this.version = version;
    load.begin();
    await load.atLeast(10);
    await runCommand('sh', ['deploy/compose/upgrade.sh', ...args], { cwd: this.clone, env: this.env() });
    await load.atLeast(10);
    const outcome = await load.end();
    assert.deepEqual(outcome.failed, []);
    await this.allCallbacks(outcome);
    assert.equal(await this.published(), ports);
    const image = (
      await this.docker.run('image', 'inspect', '--format', '{{.Id}}', `malipo:${version}`)
    ).trim();
    for (const id of await this.ids('api', 'worker'))
      assert.equal(await this.inspect(id, '{{.Image}}'), image);
    assert.equal((await this.ids('api')).length, 2);
    assert.equal((await this.ids('worker')).length, 2);
    return this.settled(outcome);
  }

  async failUpgrade(load: Load): Promise<string> {
    await this.docker.run('tag', base, 'malipo:broken');
    const before = await this.ids('api', 'worker');
    load.begin();
    this.version = 'broken';
    const { code, output } = await tryCommand('sh', ['deploy/compose/upgrade.sh', 'worker', 'api'], {
      cwd: this.clone,
      env: this.env(),
    });
    this.version = 'now';
    await load.atLeast(10);
    const outcome = await load.end();
    assert.notEqual(code, 0);
    assert.match(output, /The old ones go on\.|the old ones go on\./);
    assert.deepEqual((await this.ids('api', 'worker')).sort(), before.sort());
    assert.deepEqual(outcome.failed, []);
    await this.allCallbacks(outcome);
    return this.settled(outcome);
  }

  /** Every payment that was accepted has succeeded, and no callback was lost. */
  private async settled({ asked, busy, failed, accepted, slowestMs }: Outcome): Promise<string> {
    const states = await waitFor(
      async () => {
        const states = await this.states(accepted);
        return [...states.values()].every((state) => state === 'succeeded') && states;
      },
      { what: 'all payments to succeed', timeoutMs: 300_000, everyMs: 1_000 },
    );
    assert.equal(states.size, accepted.length);
    return [
      `${String(asked)} payments asked for, ${String(failed.length)} calls failed, ${String(busy)} repeated as the API was busy, all ${String(accepted.length)} succeeded`,
      `${String(await this.withoutCallback(accepted))} callbacks lost, slowest answer ${slowestMs.toFixed(0)} ms`,
    ].join('; ');
  }

  private async states(payments: readonly string[]): Promise<Map<string, string>> {
    const list = payments.map((id) => `'${id}'`).join(',') || "''";
    const rows = await this.sql(
      `SELECT payment_id, state FROM malipo.payments WHERE payment_id IN (${list})`,
    );
    return new Map(rows.map((row) => row.split('\t')).map(([id = '', state = '']) => [id, state]));
  }

  private async allCallbacks({ accepted }: Outcome): Promise<void> {
    await waitFor(async () => (await this.withoutCallback(accepted)) === 0, {
      what: 'the callback of each payment',
      timeoutMs: 30_000,
    });
  }

  /** @returns how many of these payments have no callback: this provider never repeats one. */
  private async withoutCallback(payments: readonly string[]): Promise<number> {
    const list = payments.map((id) => `'${id}'`).join(',') || "''";
    const rows = await this.sql(
      `SELECT COUNT(DISTINCT payment_id) FROM malipo.inbox WHERE payment_id IN (${list})`,
    );
    return payments.length - Number(rows[0]);
  }

  private async sql(statement: string): Promise<string[]> {
    const command =
      'MYSQL_PWD=$(cat /run/secrets/mysql/root_password) mysql --user=root --batch --skip-column-names';
    const output = await runCommand(
      'docker',
      [...this.options(), 'exec', '-T', 'mysql', 'sh', '-c', command],
      { cwd: this.clone, env: this.env(), input: statement },
    );
    return output.split('\n').filter((line) => line !== '');
  }

  async renew(): Promise<string> {
    const notBefore = async () => (await this.sql("SHOW STATUS LIKE 'Ssl_server_not_before'")).join();
    const uptimeOf = async () => Number((await this.sql("SHOW STATUS LIKE 'Uptime'")).join().split('\t')[1]);
    const [before, uptime] = [await notBefore(), await uptimeOf()];
    await this.compose('exec', '-T', 'certificates-renewal', 'rm', '/certificates/mysql/mysql.pem');
    await this.compose('restart', 'certificates-renewal');
    const after = await waitFor(
      async () => {
        const now = await notBefore();
        return now !== before && now;
      },
      { what: 'MySQL to use the new certificate', timeoutMs: 60_000 },
    );
    assert.ok((await uptimeOf()) >= uptime);
    return after.replace('Ssl_server_not_before\t', 'from ');
  }

  /** By the words of docs/restore.md, "To the last committed transaction", with Compose. */
  async restore(folder: string, load: Load): Promise<string> {
    const dump = join(folder, 'malipo.sql');
    const dumpCommand =
      'MYSQL_PWD=$(cat /run/secrets/mysql/root_password) mysqldump --user=root --single-transaction --source-data=2 ' +
      '--set-gtid-purged=COMMENTED --routines --triggers --events --hex-blob malipo';
    load.begin();
    await load.atLeast(10);
    await runCommand(
      'sh',
      ['-euc', `docker ${this.options().join(' ')} exec -T mysql sh -c '${dumpCommand}' > '${dump}'`],
      {
        cwd: this.clone,
        env: this.env(),
      },
    );
    await load.atLeast(20);
    const outcome = await load.end();
    const counted = async () =>
      (
        await this.sql(
          'SELECT COUNT(*), SUM(ABS(amount)) FROM malipo.ledger_postings; SELECT COUNT(*) FROM malipo.payments',
        )
      ).join(' ');
    await this.compose('stop', 'api', 'worker', 'proxy');
    const before = await counted();

    // The disk of the data is lost, the binary log's is not.
    await this.compose(
      'rm',
      '--stop',
      '--force',
      'mysql',
      'temporal',
      'temporal-schema',
      'temporal-namespace',
      'temporal-ui',
    );
    await this.docker.run('volume', 'rm', 'malipo_mysql');
    const saved = join(folder, 'binlog');
    await runCommand('mkdir', [saved]);
    await this.docker.run(
      'run',
      '--rm',
      '--volume',
      'malipo_mysql-binlog:/log',
      '--volume',
      `${saved}:/saved`,
      base,
      'sh',
      '-c',
      'cp /log/binlog.* /saved/',
    );
    await this.docker.run('volume', 'rm', 'malipo_mysql-binlog');
    await this.compose('up', '--detach', '--wait', 'mysql');

    const import_ = 'MYSQL_PWD=$(cat /run/secrets/mysql/root_password) mysql --user=root --binary-mode';
    const into = `docker ${this.options().join(' ')} exec -T mysql sh -c '${import_}`;
    await runCommand('sh', ['-euc', `${into} malipo' < '${dump}'`], { cwd: this.clone, env: this.env() });
    const head = readFileSync(dump, 'utf8').slice(0, 10_000);
    const [, from = '', position = ''] =
      /SOURCE_LOG_FILE='(binlog\.\d+)', SOURCE_LOG_POS=(\d+)/.exec(head) ?? [];
    assert.ok(position !== '', head);
    const files = `$(ls '${saved}' | grep -E '^binlog\\.[0-9]+$' | awk '$0 >= "${from}"')`;
    const tool = `docker run --rm --volume '${saved}:/saved:ro' --workdir /saved --entrypoint mysqlbinlog percona/percona-server:8.4`;
    await runCommand(
      'sh',
      ['-euc', `${tool} --start-position=${position} --database=malipo ${files} | ${into}'`],
      {
        cwd: this.clone,
        env: this.env(),
      },
    );
    assert.equal(await counted(), before);
    await this.compose('up', '--detach', '--wait');
    await this.malipo('resume');
    await this.malipo('doctor');
    return this.settled(outcome);
  }

  /** A second deployment: the renewal starts without MySQL, and nothing of the rest is MySQL or Temporal. */
  async useOthers(): Promise<string> {
    const env = { ...this.env(), MYSQL_REPLICAS: '0', TEMPORAL_REPLICAS: '0', MALIPO_NETWORK: '10.250.31' };
    const other = (...args: string[]) =>
      runCommand('docker', [...this.options(), '--project-name', 'other', ...args], { cwd: this.clone, env });
    await other('up', '--detach', '--wait', 'certificates-renewal');
    await other('create');
    const services = (await other('ps', '--all', '--format', '{{.Service}}')).trim().split('\n');
    await other('down', '--volumes');
    assert.ok(services.includes('api') && services.includes('certificates-renewal'), services.join());
    assert.deepEqual(
      services.filter((name) => name === 'mysql' || name.startsWith('temporal')),
      [],
    );
    return [...new Set(services)].sort().join(' ');
  }

  async verify(): Promise<string> {
    return (await this.malipo('verify')).trim().split('\n').at(-1) ?? '';
  }
}
