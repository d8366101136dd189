/** What docker-compose.yml has made before anything starts: the certificates of its parts, and the folder of secrets. */
import { execFile } from 'node:child_process';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keepPasswords, mysqlPasswords } from '../../../tools/sandbox/services/docker-mysql';
import { secretSettings } from '../../../src/secret-files';
import { readDatabaseUrl } from '../../../src/store/database-address';

const scripts = join(__dirname, '..', '..', '..', 'deploy', 'compose');
const run = (script: string, env: NodeJS.ProcessEnv) =>
  promisify(execFile)('sh', [join(scripts, script)], { env: { PATH: process.env.PATH, ...env } });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-compose-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('certificates.sh', () => {
  const make = () => run('certificates.sh', { CERTIFICATES: folder });
  const certificate = (...path: string[]) => new X509Certificate(readFileSync(join(folder, ...path)));

  it('makes certificates by one authority, for the names by which the parts are reached', async () => {
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
    // What signs others is given to none of the parts.
    expect(readdirSync(join(folder, 'client')).sort()).toEqual(['ca.pem', 'client.key', 'client.pem']);
    expect(statSync(join(folder, 'authority', 'ca.key')).mode & 0o777).toBe(0o400);
  });

  it('leaves what is good, and makes anew what does not fit its key or its authority', async () => {
    await make();
    const serials = () =>
      ['mysql', 'temporal', 'client'].map((name) => certificate(name, `${name}.pem`).serialNumber);
    const first = serials();
    expect((await make()).stdout).toBe('');
    expect(serials()).toEqual(first);

    // As after an end between two files.
    cpSync(join(folder, 'client', 'client.key'), join(folder, 'mysql', 'mysql.key'), { force: true });
    expect((await make()).stdout).toBe('made the certificate of mysql\n');
    expect(serials()[0]).not.toBe(first[0]);
    expect(serials().slice(1)).toEqual(first.slice(1));

    rmSync(join(folder, 'authority', 'ca.pem'));
    expect((await make()).stdout.split('\n').length - 1).toBe(4);
    expect(certificate('mysql', 'mysql.pem').verify(certificate('client', 'ca.pem').publicKey)).toBe(true);
  });
});

describe('secrets.sh', () => {
  const make = (env: NodeJS.ProcessEnv = {}) =>
    run('secrets.sh', { MALIPO_SECRETS: join(folder, 'secrets'), ...env });
  const text = (...path: string[]) => readFileSync(join(folder, 'secrets', ...path), 'utf8').trimEnd();

  it('makes passwords, keys, and the addresses with them, where nobody else looks', async () => {
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

  it('closes a folder that was there before', async () => {
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

  it('keeps what is there, and takes over what an environment holds', async () => {
    await make({ MYSQL_PASSWORD: 'of1before', STK_PASSKEY: 'bfb279f9' });
    expect(text('malipo', 'DATABASE_URL')).toContain('malipo:of1before@');
    expect(text('malipo', 'STK_PASSKEY')).toBe('bfb279f9');
    const before = text('mysql', 'root_password');
    await make({ STK_PASSKEY: 'another' });
    expect(text('mysql', 'root_password')).toBe(before);
    expect(text('malipo', 'STK_PASSKEY')).toBe('bfb279f9');
  });

  it('knows every secret that the service reads', () => {
    const script = readFileSync(join(scripts, 'secrets.sh'), 'utf8');
    expect(secretSettings.filter((name) => !new RegExp(`\\b${name}\\b`).test(script))).toEqual([]);
  });
});
