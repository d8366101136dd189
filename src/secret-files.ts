/**
 * Secrets from files: each setting of the list below may be given as `<NAME>_FILE=/path` in place of `<NAME>`, since
 * environments are read by too many (other processes of the account, crash reports, `docker inspect`).
 */
import { readFileSync } from 'node:fs';
import { ConfigError } from './config';

/** What nobody but us may know. A test compares this list with all settings that the code reads. */
export const secretSettings = [
  'DATABASE_URL',
  'MALIPO_MIGRATE_DATABASE_URL',
  'MALIPO_REPLICA_URLS',
  'MALIPO_SECRET_KEYS',
  'MALIPO_AUDIT_KEY',
  // A feed of rates may know its customers by a key in the address.
  'MALIPO_FX_SOURCE',
  'MALIPO_SMTP_URL',
  // What a collector of traces knows us by.
  'OTEL_EXPORTER_OTLP_HEADERS',
  'STK_CONSUMER_KEY',
  'STK_CONSUMER_SECRET',
  'STK_PASSKEY',
  'STK_SECURITY_CREDENTIAL',
  'MOMO_TOKEN',
  'MOMO_REQUEST_KEY',
  'XB_SECRET_KEY',
  'XB_PUBLISHABLE_KEY',
  'XB_CHALLENGE',
  'XB_WEBHOOK_SECRET',
  'WALLETPAY_CLIENT_ID',
  'WALLETPAY_CLIENT_SECRET',
  'WALLETPAY_WEBHOOK_ID',
  'CARDPROC_CONSUMER_KEY',
  'CARDPROC_CONSUMER_SECRET',
] as const;

/**
 * Every process does this with its environment before anything else reads it.
 * @returns the settings with what stands in the files, and without the files' names.
 * @throws ConfigError naming every setting whose file cannot be read or is empty, or which is given twice.
 */
export function readSecretFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const settings = { ...env };
  const faults: string[] = [];
  for (const name of secretSettings) {
    try {
      const secret = readSecret(env, name);
      if (secret !== undefined) settings[name] = secret;
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a name of the list above
      delete settings[fileOf(name)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return settings;
}

/**
 * One secret, as it stands or from its file without the line end that editors add. Empty is not set, as compose files
 * pass on what is not there.
 * @throws ConfigError naming the setting, and never what it holds.
 */
export function readSecret(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const given = env[name];
  const setting = fileOf(name);
  const file = env[setting] ?? '';
  if (file === '') return given;
  if ((given ?? '') !== '') throw new ConfigError(`${name} and ${setting}: only one of them may be set`);
  const secret = textOf(file, setting).replace(/\r?\n$/, '');
  if (secret === '') throw new ConfigError(`${setting}: the file is empty`);
  return secret;
}

/** Settings that win over those of the environment, in whichever way it gives them. */
export function overriding(
  env: NodeJS.ProcessEnv,
  settings: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const hidden = new Set<string>(secretSettings.filter((name) => name in settings).map(fileOf));
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name))), ...settings };
}

function fileOf(name: string): string {
  return `${name}_FILE`;
}

function textOf(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${setting}: the file cannot be read (${code})`, { cause: error });
  }
}
