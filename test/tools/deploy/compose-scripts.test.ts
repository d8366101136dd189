/** What deploy/compose/production.yml needs before anything starts: the certificates, and the folder of secrets. */
import { execFile } from 'node:child_process';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keepPasswords, mysqlPasswords } from '../../../tools/sandbox/services/docker-mysql';
import { secretSettings, usesSecret } from '../../../src/secret-files';
import { readDatabaseUrl } from '../../../src/store/database-address';

const scripts = join(__dirname, '..', '..', '..', 'deploy', 'compose');
const run = (script: string, env: NodeJS.ProcessEnv, ...args: string[]) =>
  promisify(execFile)('sh', [join(scripts, script), ...args], { env: { PATH: process.env.PATH, ...env } });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-compose-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** @returns a PATH in which these commands come first. */
function withCommands(commands: Record<string, string>): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(commands))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `${bin}:${String(process.env.PATH)}`;
}

describe('certificates.sh', () => {
  const make = () => run('certificates.sh', { CERTIFICATES: folder });
  const certificate = (...path: string[]) => new X509Certificate(readFileSync(join(folder, ...path)));

  it('makes certificates by one authority, for the names of the services', async () => {
    await make();
    const authority = certificate('authority', 'ca.pem');
    expect(authority.ca).toBe(true);
    for (const name of ['mysql', 'temporal', 'client']) {
      const made = certificate(name, `${name}.pem`);
      expect(made.verify(authority.publicKey)).toBe(true);
      expect(made.ca).toBe(false);
      expect(made.checkPrivateKey(createPrivateKey(readFileSync(join(folder, name, `${name}.key`))))).toBe(
        true,
      );
      expect(certificate(name, 'ca.pem').fingerprint256).toBe(authority.fingerprint256);
      expect(made.subjectAltName).toBe(name === 'client' ? undefined : `DNS:${name}, DNS:localhost`);
      const daysLeft = (Date.parse(made.validTo) - Date.now()) / 86_400_000;
      expect(daysLeft).toBeGreaterThan(700);
    }
    // No service gets the authority's key.
    expect(readdirSync(join(folder, 'client')).sort()).toEqual(['ca.pem', 'client.key', 'client.pem']);
    expect(statSync(join(folder, 'authority', 'ca.key')).mode & 0o777).toBe(0o400);
  });

  it('keeps valid certificates, and replaces those that do not fit their key or authority', async () => {
    await make();
    const serials = () =>
      ['mysql', 'temporal', 'client'].map((name) => certificate(name, `${name}.pem`).serialNumber);
    const first = serials();
    expect((await make()).stdout).toBe('');
    expect(serials()).toEqual(first);

    // As after an interruption between two files.
    cpSync(join(folder, 'client', 'client.key'), join(folder, 'mysql', 'mysql.key'), { force: true });
    expect((await make()).stdout).toBe('made the certificate of mysql\n');
    expect(serials()[0]).not.toBe(first[0]);
    expect(serials().slice(1)).toEqual(first.slice(1));

    rmSync(join(folder, 'authority', 'ca.pem'));
    expect((await make()).stdout.split('\n').length - 1).toBe(4);
    expect(certificate('mysql', 'mysql.pem').verify(certificate('client', 'ca.pem').publicKey)).toBe(true);
  });
});

describe('renew.sh', () => {
  /** One round: the first `sleep` ends the script. @returns how long it wanted to sleep. */
  async function oneRound(mysql: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    mkdirSync(join(folder, 'mysql'), { recursive: true });
    writeFileSync(join(folder, 'mysql', 'root_password'), 'of-root');
    const PATH = withCommands({ mysql, sleep: `echo "$1" > ${folder}/slept; kill "$PPID"` });
    const settings = { CERTIFICATES: folder, SECRETS: folder, RENEWED: join(folder, 'renewed') };
    await expect(run('renew.sh', { PATH, ...settings, ...env })).rejects.toMatchObject({ signal: 'SIGTERM' });
    return readFileSync(join(folder, 'slept'), 'utf8').trim();
  }
  const notes = 'echo "$MYSQL_PWD $*" > "$RENEWED.asked"';

  it('makes the certificates, tells MySQL over a verified connection, and comes back a day later', async () => {
    expect(await oneRound(notes)).toBe('86400');
    expect(existsSync(join(folder, 'mysql', 'mysql.pem'))).toBe(true);
    const asked = readFileSync(join(folder, 'renewed.asked'), 'utf8');
    expect(asked).toMatch(/^of-root .*--ssl-mode=VERIFY_IDENTITY .*ALTER INSTANCE RELOAD TLS$/m);
    expect(existsSync(join(folder, 'renewed'))).toBe(true);
  });

  it('tries again after a minute, if MySQL does not load them', async () => {
    expect(await oneRound('exit 1')).toBe('60');
    expect(existsSync(join(folder, 'renewed'))).toBe(false);
  });

  it('asks no MySQL where another one is used', async () => {
    expect(await oneRound(notes, { MYSQL_REPLICAS: '0' })).toBe('86400');
    expect(existsSync(join(folder, 'renewed.asked'))).toBe(false);
  });
});

describe('upgrade.sh', () => {
  /** A Docker that only describes the deployment. */
  const upgrade = (deployment: string, ...args: string[]) =>
    run(
      'upgrade.sh',
      { PATH: withCommands({ docker: `echo '      MALIPO_DEPLOYMENT: ${deployment}'` }) },
      ...args,
    );

  it('refuses a word that it does not know, before it does anything', async () => {
    await expect(upgrade('null', 'apis')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^✗ Unknown: apis\. Use: /) as string,
    });
  });

  it.each([[[]], [['back']], [['worker']]])(
    'leaves workers with versions to their own steps: %j',
    async (args) => {
      await expect(upgrade('malipo-live', ...args)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('MALIPO_DEPLOYMENT') as string,
      });
    },
  );
});

describe('secrets.sh', () => {
  const make = (env: NodeJS.ProcessEnv = {}) =>
    run('secrets.sh', { MALIPO_SECRETS: join(folder, 'secrets'), ...env });
  const text = (...path: string[]) => readFileSync(join(folder, 'secrets', ...path), 'utf8').trimEnd();

  it('makes passwords, keys, and the addresses with them, unreadable to other users', async () => {
    await make();
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'secrets', 'malipo')).sort()).toEqual([
      'DATABASE_URL',
      'MALIPO_AUDIT_KEY',
      'MALIPO_SECRET_KEYS',
    ]);
    expect(text('malipo', 'MALIPO_AUDIT_KEY')).toMatch(/^a1:[A-Za-z0-9+/]{43}=$/);
    expect(text('malipo', 'MALIPO_SECRET_KEYS')).toMatch(/^k1:[A-Za-z0-9+/]{43}=$/);
    const passwords = readdirSync(join(folder, 'secrets', 'mysql')).map((name) => text('mysql', name));
    expect(new Set(passwords).size).toBe(4);
    expect(passwords.filter((password) => !/^[0-9a-f]{48}$/.test(password))).toEqual([]);

    const address = (...path: string[]) => readDatabaseUrl(text(...path).replace(/\?.*$/, ''));
    expect(address('malipo', 'DATABASE_URL')).toMatchObject({
      user: 'malipo',
      password: text('mysql', 'service_password'),
    });
    expect(address('migrate', 'MALIPO_MIGRATE_DATABASE_URL')).toMatchObject({
      user: 'malipo_migrate',
      password: text('mysql', 'migrate_password'),
    });
    expect(text('malipo', 'DATABASE_URL')).toMatch(/\?ssl-ca=\/run\/certificates\/ca\.pem$/);
    expect(text('temporal', 'password')).toBe(text('mysql', 'temporal_password'));
  });

  it('closes a folder that existed before', async () => {
    mkdirSync(join(folder, 'secrets'));
    chmodSync(join(folder, 'secrets'), 0o755);
    await make();
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
  });

  it('makes passwords for the sandbox in the same way, whatever the umask', () => {
    const before = process.umask(0o077);
    try {
      keepPasswords(folder, 'of the sandbox');
    } finally {
      process.umask(before);
    }
    const mode = (...path: string[]) => statSync(join(folder, 'docker-secrets', ...path)).mode & 0o777;
    expect([mode(), mode('mysql')]).toEqual([0o700, 0o755]);
    expect(mysqlPasswords.map((name) => mode('mysql', name))).toEqual(mysqlPasswords.map(() => 0o644));
  });

  it('keeps existing secrets, and takes over secrets of the environment', async () => {
    await make({ MYSQL_PASSWORD: 'of1before', STK_PASSKEY: 'bfb279f9' });
    expect(text('malipo', 'DATABASE_URL')).toContain('malipo:of1before@');
    expect(text('malipo', 'STK_PASSKEY')).toBe('bfb279f9');
    const before = text('mysql', 'root_password');
    await make({ STK_PASSKEY: 'another' });
    expect(text('mysql', 'root_password')).toBe(before);
    expect(text('malipo', 'STK_PASSKEY')).toBe('bfb279f9');
  });

  it('gives each process the secrets that it uses, and takes back a deleted one', async () => {
    await make(Object.fromEntries(secretSettings.map((name) => [name, `of ${name}`])));
    const processes = ['api', 'worker', 'portal', 'migrate'] as const;
    for (const process of processes)
      expect(readdirSync(join(folder, 'secrets', process)).sort()).toEqual(
        secretSettings.filter((name) => usesSecret(process, name)).sort(),
      );
    expect(text('api', 'MOMO_TOKEN')).toBe('of MOMO_TOKEN');
    writeFileSync(join(folder, 'secrets', 'malipo', 'MOMO_TOKEN'), 'another');
    rmSync(join(folder, 'secrets', 'malipo', 'MALIPO_SMTP_URL'));
    await make();
    expect(text('worker', 'MOMO_TOKEN')).toBe('another');
    for (const process of processes) expect(() => text(process, 'MALIPO_SMTP_URL')).toThrow('ENOENT');
  });
});
