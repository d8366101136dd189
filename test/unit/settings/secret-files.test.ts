/** Secrets in files, for each process that reads settings. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSchema, type ObjectSchema } from 'joi';
import { createSimulator } from '../../../simulator/simulator';
import { ConfigError, readConfig, variables } from '../../../src/config';
import { redactText } from '../../../src/telemetry/redact';
import { overriding, readSecret, readSecretFiles, secretSettings } from '../../../src/secret-files';

const src = join(__dirname, '..', '..', '..', 'src');
const secret = 'hunter2';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-secrets-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(content: string): string {
  const path = join(folder, `secret-${String(readdirSync(folder).length)}`);
  writeFileSync(path, content);
  return path;
}

function faultOf(env: NodeJS.ProcessEnv): string {
  try {
    readSecretFiles(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

interface KeyDescription {
  type: string;
  flags?: { only?: boolean };
}

/** Every free setting: neither a number nor a choice. */
async function freeSettings(): Promise<string[]> {
  const files = ['.', 'rails', 'telemetry']
    .flatMap((parent) => readdirSync(join(src, parent)).map((name) => join(src, parent, name, 'settings.ts')))
    .filter((path) => existsSync(path));
  const modules = await Promise.all(files.map((path) => import(path) as Promise<Record<string, unknown>>));
  const schemas = modules.flatMap((module) =>
    Object.values(module).filter((value) => isSchema(value) && value.type === 'object'),
  ) as ObjectSchema[];
  return [variables, ...schemas].flatMap((schema) =>
    Object.entries(schema.describe().keys as Record<string, KeyDescription>)
      .filter(([, { type, flags }]) => type === 'string' && flags?.only !== true)
      .map(([name]) => name),
  );
}

/**
 * Public or widely known settings. A new setting that is not secret is added here, a secret one to `secretSettings`.
 */
const open = [
  'MALIPO_PUBLIC_URL',
  'MALIPO_DOCS_URL',
  'MALIPO_TEMPORAL_UI_URL',
  'MALIPO_WORKER_METRICS',
  'MALIPO_WORKER_HEALTH',
  'MALIPO_PORTAL_URL',
  'MALIPO_PORTAL_HEALTH',
  'MALIPO_TIMEZONE',
  'MALIPO_RAILS',
  'MALIPO_TRUSTED_PROXIES',
  'MALIPO_MAIL_FROM',
  'MALIPO_STATEMENTS_AT',
  'MALIPO_BACKUP_STAMP',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_RESOURCE_ATTRIBUTES',
  'STK_SHORTCODE',
  'STK_PARTY_B',
  'STK_INITIATOR',
  'STK_PULL_NUMBER',
  'MOMO_REQUEST_KEY_ID',
  'XB_FAILURES',
  'WALLETPAY_CERT_HOSTS',
  'WALLETPAY_CA_URL',
];
const openEndings = /_(?:BASE_URL|ADDRESS|ADDRESSES|HOST|NAME|NAMESPACE|QUEUE|PATH|FILE)$/;

describe('the list of secrets', () => {
  it('contains every setting of the code that may be secret', async () => {
    const free = await freeSettings();
    const listed = new Set<string>([...secretSettings, ...open]);
    expect(free.filter((name) => !listed.has(name) && !openEndings.test(name))).toEqual([]);
    expect([...listed].filter((name) => !free.includes(name))).toEqual([]);
  });
});

describe('a secret', () => {
  it.each(secretSettings)('%s may come from a file, without the line end of its editor', (name) => {
    const settings = readSecretFiles({ [`${name}_FILE`]: file(`${secret}\r\n`), OTHER: 'x' });
    expect(settings).toEqual({ [name]: secret, OTHER: 'x' });
  });

  it('of several lines stays unchanged', () => {
    const pem = '-----BEGIN-----\nabc\n-----END-----';
    expect(readSecretFiles({ MOMO_REQUEST_KEY_FILE: file(`${pem}\n`) })).toEqual({ MOMO_REQUEST_KEY: pem });
  });

  it('with an empty value or file name is not set, as compose files pass it on', () => {
    expect(readSecretFiles({ MOMO_TOKEN: '', MOMO_TOKEN_FILE: file(secret) })).toEqual({
      MOMO_TOKEN: secret,
    });
    expect(readSecretFiles({ MOMO_TOKEN: secret, MOMO_TOKEN_FILE: '' })).toEqual({ MOMO_TOKEN: secret });
    expect(readSecret({}, 'MOMO_TOKEN')).toBeUndefined();
  });

  it('is reported by name and path, together with all other errors', () => {
    const empty = file('\n');
    const reported = faultOf({
      MOMO_TOKEN: secret,
      MOMO_TOKEN_FILE: file(secret),
      STK_PASSKEY_FILE: join(folder, 'nowhere'),
      STK_CONSUMER_SECRET_FILE: folder,
      XB_CHALLENGE_FILE: empty,
      XB_SECRET_KEY_FILE: secret,
    });
    expect(reported.split('\n').sort()).toEqual([
      'MOMO_TOKEN and MOMO_TOKEN_FILE: only one of them may be set',
      `STK_CONSUMER_SECRET_FILE: ${folder} cannot be read (EISDIR)`,
      `STK_PASSKEY_FILE: ${join(folder, 'nowhere')} cannot be read (ENOENT)`,
      `XB_CHALLENGE_FILE: ${empty} is empty`,
      // The secret itself, in place of a path.
      'XB_SECRET_KEY_FILE: the file cannot be read (ENOENT)',
    ]);
    // As the process writes it before it ends.
    expect(redactText(reported)).toBe(reported);
  });

  it('reaches the settings', () => {
    const env = readSecretFiles({
      MALIPO_ENV: 'sandbox',
      DATABASE_URL_FILE: file('mysql://malipo@db/malipo\n'),
      MALIPO_SECRET_KEYS_FILE: file(`k1:${Buffer.alloc(32).toString('base64')}\n`),
    });
    expect(readConfig(env)).toMatchObject({
      databaseUrl: 'mysql://malipo@db/malipo',
      secretKeys: [{ id: 'k1' }],
    });
  });

  it('of the sandbox overrides one of the shell, as a value or a file', () => {
    const shell = { MOMO_TOKEN_FILE: '/nowhere', STK_PASSKEY_FILE: '/elsewhere' };
    expect(overriding(shell, { MOMO_TOKEN: secret })).toEqual({
      MOMO_TOKEN: secret,
      STK_PASSKEY_FILE: '/elsewhere',
    });
  });

  it('reaches the simulator, which reports the same errors', async () => {
    const reported = await createSimulator({
      env: { MOMO_TOKEN_FILE: join(folder, 'nowhere'), STK_PASSKEY: secret, STK_PASSKEY_FILE: file(secret) },
    }).catch((error: unknown) => String(error));
    expect(reported).toContain('MOMO_TOKEN_FILE: the file cannot be read (ENOENT)');
    expect(reported).toContain('STK_PASSKEY and STK_PASSKEY_FILE: only one of them may be set');
    expect(reported).not.toMatch(/MOMO_TOKEN is missing|hunter2/);
  });
});
