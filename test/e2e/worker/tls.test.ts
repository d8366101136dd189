/** The connections to the database and to Temporal, with TLS servers and certificates of the test. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { ConfigError, readConfig } from '../../../src/config';
import { launch, type ChildProcess } from '../../../tools/sandbox/services/child-process';
import { findMysql } from '../../../tools/sandbox/services/find-mysql';
import { freePort } from '../../../tools/sandbox/services/free-port';
import { mysqlServer, type MysqlService } from '../../../tools/sandbox/services/mysql-server';
import { temporalOptionsOf } from '../../../src/process/temporal-connection';
import { openDatabase } from '../../../src/store/database';
import { readDatabaseUrl } from '../../../src/store/database-address';
import { newCertificate, type Identity } from '../../support/rails/walletpay/paypal-certificates';
import { tlsFront, type TlsFront } from './temporal-fronts';

let folder: string;
let authority: Identity;
let server: Identity;
const file = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-tls-'));
  authority = newCertificate({ commonName: 'Test CA', isAuthority: true });
  const otherAuthority = newCertificate({ commonName: 'Other CA', isAuthority: true });
  server = newCertificate({ commonName: 'localhost', alternatives: ['localhost'], issuer: authority });
  const client = newCertificate({ commonName: 'malipo', issuer: authority });
  const files = {
    'ca.pem': authority.pem,
    'other-ca.pem': otherAuthority.pem,
    'server.pem': server.pem,
    'server-key.pem': server.keyPem,
    'client.pem': client.pem,
    'client-key.pem': client.keyPem,
    'api-key': 'the-key\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(file(name), content);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the connection to the database', () => {
  let child: ChildProcess;
  let mysql: MysqlService;
  beforeAll(async () => {
    const found = await findMysql({});
    if (found.kind === 'external' || found.kind === 'docker') throw new Error('a local server is needed');
    mysql = await mysqlServer({
      found,
      folder: file('mysql'),
      port: await freePort(),
      logFile: file('mysql.log'),
      durable: false,
      further: [
        `--ssl-ca=${file('ca.pem')}`,
        `--ssl-cert=${file('server.pem')}`,
        `--ssl-key=${file('server-key.pem')}`,
      ],
    });
    child = await launch(mysql);
    const admin = openDatabase(mysql.adminUrl, { poolMax: 1 });
    await admin.raw("CREATE USER 'encrypted'@'%' IDENTIFIED BY 'x' REQUIRE SSL");
    await admin.raw("CREATE USER 'certified'@'%' IDENTIFIED BY 'x' REQUIRE X509");
    await admin.destroy();
  });
  afterAll(() => child.stop());

  /** @returns the cipher of the connection, empty without one. */
  async function cipher(user: string, parameters: Record<string, string>, host = 'localhost') {
    const url = new URL(mysql.adminUrl);
    url.username = user;
    url.password = 'x';
    url.hostname = host;
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const db = openDatabase(url.href, { poolMax: 1 });
    try {
      const [[row]] = (await db.raw("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) as unknown as [
        [{ Value: string }],
      ];
      return row.Value;
    } finally {
      await db.destroy();
    }
  }

  it('is encrypted with the authority that the URL names', async () => {
    expect(await cipher('encrypted', { 'ssl-ca': file('ca.pem') })).toMatch(/AES|CHACHA/);
  });

  it('is rejected by us for a certificate of another authority, or of an unknown one', async () => {
    await expect(cipher('encrypted', { 'ssl-ca': file('other-ca.pem') })).rejects.toThrow(/certificate/);
    await expect(cipher('encrypted', { 'ssl-mode': 'VERIFY_IDENTITY' })).rejects.toThrow(/certificate/);
  });

  it('is rejected by us for a certificate of another host, unless the name is not verified', async () => {
    const byAddress = { 'ssl-ca': file('ca.pem') };
    await expect(cipher('encrypted', byAddress, '127.0.0.1')).rejects.toThrow(
      'use a host name, or ssl-mode=VERIFY_CA',
    );
    expect(await cipher('encrypted', { ...byAddress, 'ssl-mode': 'VERIFY_CA' }, '127.0.0.1')).toMatch(
      /AES|CHACHA/,
    );
  });

  it('is rejected by the server without TLS, if it requires TLS', async () => {
    await expect(cipher('encrypted', {}, '127.0.0.1')).rejects.toThrow(/[Aa]ccess denied/);
  });

  it('authenticates us if the server requires a certificate', async () => {
    const ca = { 'ssl-ca': file('ca.pem') };
    await expect(cipher('certified', ca)).rejects.toThrow(/[Aa]ccess denied/);
    const own = { 'ssl-cert': file('client.pem'), 'ssl-key': file('client-key.pem') };
    expect(await cipher('certified', { ...ca, ...own })).toMatch(/AES|CHACHA/);
  });

  // The last test: from here on the server has other certificates.
  it('follows its files when certificates and authority change, and the old ones are rejected', async () => {
    const former = {
      'ssl-ca': file('ca.pem'),
      'ssl-cert': file('client.pem'),
      'ssl-key': file('client-key.pem'),
    };
    const current = { 'ssl-ca': 'now-ca.pem', 'ssl-cert': 'now-client.pem', 'ssl-key': 'now-client-key.pem' };
    for (const [name, path] of Object.entries(former))
      writeFileSync(file(current[name as keyof typeof current]), readFileSync(path));
    const url = new URL(mysql.adminUrl);
    Object.assign(url, { username: 'certified', password: 'x', hostname: 'localhost' });
    for (const [name, path] of Object.entries(current)) url.searchParams.set(name, file(path));
    const db = openDatabase(url.href, { poolMax: 1, checkEveryMs: 0 });
    const connection = async (): Promise<unknown> => {
      const [[row]] = (await db.raw('SELECT CONNECTION_ID() AS id')) as unknown as [[{ id: unknown }]];
      return row.id;
    };
    const first = await connection();
    expect(await connection()).toBe(first);

    const next = newCertificate({ commonName: 'Next CA', isAuthority: true });
    const ours = newCertificate({ commonName: 'malipo', issuer: next });
    const theirs = newCertificate({ commonName: 'localhost', alternatives: ['localhost'], issuer: next });
    writeFileSync(file('server.pem'), theirs.pem);
    writeFileSync(file('server-key.pem'), theirs.keyPem);
    const trusted = readFileSync(file('ca.pem'));
    writeFileSync(file('ca.pem'), next.pem);
    const admin = openDatabase(mysql.adminUrl, { poolMax: 1 });
    const [[{ version }]] = (await admin.raw('SELECT VERSION() AS version')) as unknown as [
      [{ version: string }],
    ];
    await admin.raw(version.includes('MariaDB') ? 'FLUSH SSL' : 'ALTER INSTANCE RELOAD TLS');
    await admin.destroy();
    writeFileSync(file('ca.pem'), trusted);

    // Without its key: the old one stays in use.
    writeFileSync(file('now-client.pem'), ours.pem);
    expect(await connection()).toBe(first);
    writeFileSync(file('now-client-key.pem'), ours.keyPem);
    writeFileSync(file('now-ca.pem'), next.pem);
    expect(await connection()).not.toBe(first);
    await db.destroy();
    await expect(cipher('certified', former)).rejects.toThrow(/certificate/);
  });
});

describe('a database URL', () => {
  const base = 'mysql://malipo:hunter2@db.example.org/malipo';
  it.each([
    ['?ssl=true', 'unknown parameters: ssl;'],
    ['?ssl-ca=/nowhere/ca.pem', 'ssl-ca of the database URL: /nowhere/ca.pem cannot be read (ENOENT)'],
    ['?ssl-mode=REQUIRED', 'ssl-mode of the database URL must be VERIFY_IDENTITY or VERIFY_CA'],
    ['?ssl-cert=/nowhere/cert.pem', 'ssl-cert and ssl-key of the database URL need each other'],
    ['?charset=latin1&timezone=Z', 'unknown parameters: charset, timezone;'],
  ])('with %s is rejected, without its password in the message', (query, sentence) => {
    const read = () => readDatabaseUrl(`${base}${query}`);
    expect(read).toThrow(sentence);
    expect(read).not.toThrow('hunter2');
  });

  it('is rejected when it is opened, like any invalid setting', () => {
    expect(() => openDatabase(`${base}?ssl=true`)).toThrow(ConfigError);
  });
});

function line(env: Record<string, string>, address = 'localhost:7233') {
  return temporalOptionsOf(
    readConfig({
      MALIPO_ENV: 'sandbox',
      DATABASE_URL: 'mysql://malipo@127.0.0.1/malipo',
      MALIPO_SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
      TEMPORAL_ADDRESS: address,
      ...env,
    }),
  );
}

describe('the settings of the connection to Temporal', () => {
  it('mean no TLS if none is set', () => {
    const empty = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '', TEMPORAL_API_KEY_FILE: '', TEMPORAL_TLS: '' };
    expect(line(empty)).toEqual({ address: 'localhost:7233' });
  });

  it('become the options of both connections', () => {
    const options = line({
      TEMPORAL_NAMESPACE: 'shop.a1b2c',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('ca.pem'),
      TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
      TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: file('client-key.pem'),
      TEMPORAL_API_KEY_FILE: file('api-key'),
    });
    expect(options).toMatchObject({
      tls: { serverNameOverride: 'temporal.internal' },
      apiKey: 'the-key',
      metadata: { 'temporal-namespace': 'shop.a1b2c' },
    });
    expect(options.tls?.serverRootCACertificate?.toString()).toContain('BEGIN CERTIFICATE');
    expect(options.tls?.clientCertPair?.key.toString()).toContain('PRIVATE KEY');
  });

  it('use the system’s authorities if only TLS or only a key is set', () => {
    expect(line({ TEMPORAL_TLS: 'true' })).toEqual({ address: 'localhost:7233', tls: {} });
    expect(line({ TEMPORAL_API_KEY_FILE: file('api-key') }).tls).toEqual({});
  });

  it.each([
    ['a missing file', { TEMPORAL_API_KEY_FILE: '/nowhere/key' }, 'TEMPORAL_API_KEY_FILE'],
    [
      'half a client certificate',
      { TEMPORAL_TLS_CLIENT_CERT_PATH: '/cert' },
      'TEMPORAL_TLS_CLIENT_CERT_PATH needs TEMPORAL_TLS_CLIENT_KEY_PATH',
    ],
    ['a key without TLS', { TEMPORAL_TLS: 'false', TEMPORAL_API_KEY_FILE: '/key' }, 'TEMPORAL_TLS is false'],
  ])('refuse %s', (_what, env, sentence) => {
    expect(() => line(env as Record<string, string>)).toThrow(sentence);
  });
});

describe('the connection to Temporal', () => {
  let front: TlsFront;
  let address: string;
  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    front = await tlsFront(server, authority);
    ({ address } = front);
  });
  afterAll(() => front.close());

  const settings = (ca: string, withCertificate = true): Record<string, string> => ({
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: file(ca),
    TEMPORAL_TLS_SERVER_NAME: 'localhost',
    ...(withCertificate && {
      TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: file('client-key.pem'),
    }),
  });

  const connections = [
    {
      name: 'the client',
      async open(options: ReturnType<typeof line>) {
        const connection = await Connection.connect({ ...options, connectTimeout: 3_000 });
        await connection.close();
      },
    },
    {
      name: 'the worker',
      async open(options: ReturnType<typeof line>) {
        const connection = await NativeConnection.connect(options);
        await connection.close();
      },
    },
  ];

  it.each(connections)('of $name works with the right authority and our certificate', async ({ open }) => {
    await expect(open(line(settings('ca.pem'), address))).resolves.toBeUndefined();
  });

  it.each(connections)('of $name is rejected without', async ({ open }) => {
    await expect(open(line(settings('other-ca.pem'), address))).rejects.toThrow();
    await expect(open(line(settings('ca.pem', false), address))).rejects.toThrow();
    await expect(open(line({}, address))).rejects.toThrow();
  });
});
