/** docker-compose.yml, run for real from a fresh clone: what a newcomer does, and what must be refused. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { outerAddresses } from '../sandbox/publish-loopback';
import { startChild } from '../sandbox/services/child-process';
import { freePort, isPortFree } from '../sandbox/services/free-port';
import { step } from '../sandbox/services/progress';
import { runCommand, tryCommand } from '../sandbox/services/run-command';
import { answersOk, waitFor } from '../sandbox/services/wait-for';
import type { Docker } from './docker';
import { base } from './stand-ins';

const project = 'malipo-sandbox';
const guard = 'no-deployment-on-this-machine';
const deployment = 'deploy/compose/production.yml';
/** The variable of each published port, with its number in a sandbox without variables. */
const standardPorts = {
  MALIPO_API_PORT: 3000,
  MALIPO_SIMULATOR_PORT: 3001,
  MALIPO_PORTAL_PORT: 3002,
  MALIPO_OPS_PORT: 3100,
  MALIPO_SIMULATOR_STK_PORT: 3210,
  MALIPO_SIMULATOR_MOMO_PORT: 3220,
  MALIPO_SIMULATOR_XB_PORT: 3230,
  MALIPO_SIMULATOR_WALLETPAY_PORT: 3240,
  MALIPO_SIMULATOR_CARDPROC_PORT: 3250,
  MALIPO_TEMPORAL_UI_PORT: 8233,
};
type Ports = typeof standardPorts;

const at = (port: number) => `http://127.0.0.1:${String(port)}`;

const pagesAt = (ports: Ports) => [
  `${at(ports.MALIPO_API_PORT)}/healthz`,
  `${at(ports.MALIPO_SIMULATOR_PORT)}/`,
  `${at(ports.MALIPO_SIMULATOR_PORT)}/control/clock`,
  `${at(ports.MALIPO_PORTAL_PORT)}/`,
  `${at(ports.MALIPO_OPS_PORT)}/docs/guides/first-payment.html`,
  `${at(ports.MALIPO_OPS_PORT)}/docs/guides/shop.html`,
  `${at(ports.MALIPO_TEMPORAL_UI_PORT)}/`,
];
/** The first start builds the image. */
const firstStartMs = 900_000;

/** @returns the number of checks, all of which have passed: the first failure ends the drill. */
export async function drillSandbox(docker: Docker, folder: string): Promise<number> {
  const ports = await choosePorts();
  const clone = join(folder, 'clone');
  // A fresh clone has no build, no .env, and nothing that is not committed.
  await runCommand('git', ['clone', '--quiet', process.cwd(), clone]);
  const sandbox = new Sandbox(docker, clone, ports);
  let passed = 0;
  const check = async (title: string, work: () => Promise<void>) => {
    await step(title, work);
    passed += 1;
  };

  await check('docker compose up prints the summary, and Ctrl-C stops it', () =>
    sandbox.upAndInterrupt(folder),
  );
  await check('docker compose up --detach --wait starts it again', () => sandbox.up());
  await check('every printed address answers, on this machine only', () => sandbox.expectLoopbackOnly());
  let payment = '';
  await check('the printed lines make a payment, and its webhook arrives', async () => {
    payment = await sandbox.payAsPrinted();
  });
  await check('malipo runs in the container', async () => {
    const shown = await sandbox.compose('exec', '-T', 'sandbox', 'malipo', 'payment', 'show', payment);
    assert.match(shown, /succeeded/i);
  });
  await check('down and up keep merchants, keys and payments', async () => {
    const keys = await sandbox.keys();
    await sandbox.compose('down');
    assert.equal(await sandbox.containers('--all'), '');
    await sandbox.up();
    assert.equal(await sandbox.keys(), keys);
    const shown = await sandbox.compose('exec', '-T', 'sandbox', 'malipo', 'payment', 'show', payment);
    assert.match(shown, /succeeded/i);
    await sandbox.payAsPrinted();
    const printed = await sandbox.summary();
    assert.ok(printed.includes('The demo succeeded.'), printed);
  });
  await check('another port is chosen by its variable, if one is taken', async () => {
    await sandbox.compose('down');
    const holder = createServer().listen(ports.MALIPO_API_PORT, '127.0.0.1');
    try {
      assert.match(await sandbox.failed(), /address already in use|port is already allocated/);
      await sandbox.compose('down');
      const other = await freePort();
      await sandbox.up({ MALIPO_API_PORT: String(other) });
      assert.ok(await answersOk(`${at(other)}/healthz`));
      assert.match(await sandbox.summary(), new RegExp(`API +${at(other)}\\n`));
    } finally {
      holder.close();
      await sandbox.compose('down');
    }
  });

  for (const variable of ['MALIPO_ENV=live', 'MALIPO_PUBLIC_URL=https://pay.example.com']) {
    await check(`it refuses ${variable} in .env, in a sentence`, async () => {
      const file = join(clone, '.env');
      writeFileSync(file, `${variable}\n`);
      try {
        const output = await sandbox.refused();
        assert.match(output, /settings of a deployment, and no sandbox starts here/);
        assert.ok(output.includes(deployment) && output.trim().split('\n').length === 1, output);
        assert.equal(await sandbox.containers('--all'), '', 'Compose stops before it creates anything');
      } finally {
        rmSync(file);
      }
    });
  }
  await check('it refuses beside a volume of the project malipo', async () => {
    await docker.run('volume', 'create', 'malipo_mysql');
    assert.match(await sandbox.refused(), new RegExp(`"${guard}" didn't complete successfully`));
    const sentence = await sandbox.compose('logs', '--no-log-prefix', guard);
    assert.match(sentence, /has a deployment of Malipo \(the volume malipo_mysql\)/);
    assert.ok(sentence.includes(deployment), sentence);
    await docker.run('volume', 'rm', 'malipo_mysql');
  });
  await check('it refuses beside a container of the project malipo, and never replaces it', async () => {
    const label = 'com.docker.compose.project=malipo';
    const service = 'com.docker.compose.service=mysql';
    await docker.run(
      ...['run', '--detach', '--name', 'malipo-mysql-1', '--label', label, '--label', service],
      ...[base, 'sleep', '3600'],
    );
    const id = () => docker.run('inspect', '--format', '{{.Id}} {{.State.Running}}', 'malipo-mysql-1');
    const before = await id();
    await sandbox.refused();
    // As with COMPOSE_PROJECT_NAME=malipo in a shell.
    await sandbox.refused('--project-name', 'malipo');
    assert.equal(await id(), before);
    await docker.run('rm', '--force', 'malipo-mysql-1');
    await sandbox.compose('--project-name', 'malipo', 'down', '--volumes');
  });
  await check('down --volumes leaves nothing', async () => {
    await sandbox.up();
    await sandbox.compose('down', '--volumes');
    const label = `label=com.docker.compose.project=${project}`;
    assert.equal(await sandbox.containers('--all'), '');
    assert.equal(await docker.run('volume', 'ls', '--quiet', '--filter', label), '');
    assert.equal(await docker.run('network', 'ls', '--quiet', '--filter', label), '');
    const changed = await runCommand('git', ['status', '--porcelain', '--ignored'], { cwd: clone });
    assert.equal(changed, '', 'nor a file in the clone');
  });
  return passed;
}

/** The standard ones, unless something else uses them, such as an `npm start`. */
async function choosePorts(): Promise<Ports> {
  const chosen = { ...standardPorts };
  for (const variable of Object.keys(chosen) as (keyof Ports)[]) {
    if (!(await isPortFree(chosen[variable]))) chosen[variable] = await freePort();
  }
  return chosen;
}

class Sandbox {
  constructor(
    private readonly docker: Docker,
    private readonly clone: string,
    private readonly ports: Ports,
  ) {}

  private env(): NodeJS.ProcessEnv {
    const moved = Object.entries(this.ports).filter(
      ([name, port]) => standardPorts[name as keyof Ports] !== port,
    );
    return { ...this.docker.env, ...Object.fromEntries(moved.map(([name, port]) => [name, String(port)])) };
  }

  private try(args: string[], further: NodeJS.ProcessEnv = {}) {
    const env = { ...this.env(), ...further };
    return tryCommand('docker', ['compose', '--progress', 'plain', ...args], { cwd: this.clone, env });
  }

  compose(...args: string[]): Promise<string> {
    return runCommand('docker', ['compose', ...args], { cwd: this.clone, env: this.env() });
  }

  /** The ids of the project's containers, running or all. */
  containers(...which: string[]): Promise<string> {
    const label = `label=com.docker.compose.project=${project}`;
    return this.docker.run('ps', '--quiet', ...which, '--filter', label);
  }

  summary(): Promise<string> {
    return this.compose('logs', '--no-log-prefix', 'sandbox');
  }

  keys(): Promise<string> {
    return this.compose('exec', '-T', 'sandbox', 'cat', '.malipo/env');
  }

  async up(env?: NodeJS.ProcessEnv): Promise<void> {
    const { code, output } = await this.try(['up', '--detach', '--wait'], env);
    assert.equal(code, 0, output);
  }

  /** @returns what Compose printed. */
  async failed(...options: string[]): Promise<string> {
    const { code, output } = await this.try([...options, 'up', '--detach']);
    assert.notEqual(code, 0, output);
    return output;
  }

  /** Before a server was started. @returns what Compose printed. */
  async refused(...options: string[]): Promise<string> {
    const output = await this.failed(...options);
    const started = await this.docker.run('ps', '--format', '{{.Names}}');
    assert.deepEqual(
      started
        .split('\n')
        .filter((name) => /sandbox-(?:sandbox|database|temporal)/.test(name) && !name.includes(guard)),
      [],
    );
    return output;
  }

  async upAndInterrupt(folder: string): Promise<void> {
    const logFile = join(folder, 'up.log');
    const up = await startChild({
      name: 'docker compose up',
      command: 'docker',
      args: ['compose', '--file', join(this.clone, 'docker-compose.yml'), 'up'],
      env: this.env(),
      logFile,
      endSignal: 'SIGINT',
      graceMs: 180_000,
    });
    try {
      const printed = await waitFor(
        () => {
          const text = readFileSync(logFile, 'utf8');
          return Promise.resolve((text.includes('To copy these lines') || !up.isRunning()) && text);
        },
        { what: 'the summary', timeoutMs: firstStartMs, everyMs: 500 },
      );
      for (const words of ['The demo succeeded.', 'Malipo is running (sandbox).'])
        assert.ok(printed.includes(words), printed.slice(-8_000));
    } finally {
      await up.stop();
    }
    assert.equal(await this.containers(), '');
  }

  /** @returns the payment's id. */
  async payAsPrinted(): Promise<string> {
    const printed = await this.summary();
    const [lines] = /^ +eval "[^]*?Shoes"\}'$/m.exec(printed) ?? [];
    assert.ok(lines !== undefined, printed);
    const answer = await runCommand('bash', ['-euc', lines], { cwd: this.clone, env: this.env() });
    const [, payment] = /"payment_id":"([\w-]+)"/.exec(answer) ?? [];
    assert.ok(payment !== undefined, answer);
    await waitFor(
      async () =>
        (await this.summary())
          .split('\n')
          .some((line) =>
            ['webhook: ', payment, '"status":"Success"', '(signature verified)'].every((part) =>
              line.includes(part),
            ),
          ),
      { what: `the webhook of ${payment}`, timeoutMs: 60_000, everyMs: 500 },
    );
    return payment;
  }

  async expectLoopbackOnly(): Promise<void> {
    for (const page of pagesAt(this.ports)) assert.ok(await answersOk(page), page);
    const published = (await this.docker.run('ps', '--format', '{{.Ports}}'))
      .split(/[\n,]/)
      .map((one) => one.trim())
      .filter((one) => one.includes('->'));
    assert.ok(published.length > 0);
    assert.deepEqual(
      published.filter((one) => !one.startsWith('127.0.0.1:')),
      [],
    );
    // Free at this machine's other addresses, so nothing listens there.
    const others = outerAddresses().flatMap((address) =>
      Object.values(this.ports).map((port) => isPortFree(port, address)),
    );
    assert.deepEqual(
      (await Promise.all(others)).filter((isFree) => !isFree),
      [],
    );
  }
}
