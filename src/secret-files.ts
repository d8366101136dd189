/**
 * Secrets from files: each setting of the list below can be given as `<NAME>_FILE=/path`. Environments are visible to
 * other processes of the account, crash reports and `docker inspect`.
 */
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { ConfigError } from './config';

export type ProcessName = 'api' | 'worker' | 'portal' | 'migrate';

const everyServer: readonly ProcessName[] = ['api', 'worker', 'portal'];
/** To verify notifications, and to look up a number's network, before a payment is created. */
const apiAndWorker: readonly ProcessName[] = ['api', 'worker'];
const worker: readonly ProcessName[] = ['worker'];

/**
 * All secret settings, and the processes that use each. A process has no other secret: `readSecretFiles` drops them. The
 * command line uses all of them; in a deployment it runs beside a worker. Tests compare this table with all settings that
 * the code reads, and with the secrets that the deployment files give to each process.
 */
export const secretUses = {
  // The migration grants the rights of the account in it.
  DATABASE_URL: [...everyServer, 'migrate'],
  MALIPO_MIGRATE_DATABASE_URL: ['migrate'],
  MALIPO_REPLICA_URLS: ['api'],
  MALIPO_SECRET_KEYS: everyServer,
  MALIPO_AUDIT_KEY: everyServer,
  // The address of a rate feed may contain an API key.
  MALIPO_FX_SOURCE: worker,
  // The API sends no mail. It accepts vouchers only if they can be sent.
  MALIPO_SMTP_URL: everyServer,
  // Headers authenticate us to a trace collector.
  OTEL_EXPORTER_OTLP_HEADERS: apiAndWorker,
  STK_CONSUMER_KEY: worker,
  STK_CONSUMER_SECRET: worker,
  STK_PASSKEY: worker,
  STK_SECURITY_CREDENTIAL: worker,
  MOMO_TOKEN: apiAndWorker,
  MOMO_REQUEST_KEY: apiAndWorker,
  XB_SECRET_KEY: worker,
  XB_PUBLISHABLE_KEY: worker,
  XB_CHALLENGE: apiAndWorker,
  XB_WEBHOOK_SECRET: apiAndWorker,
  WALLETPAY_CLIENT_ID: apiAndWorker,
  WALLETPAY_CLIENT_SECRET: apiAndWorker,
  WALLETPAY_WEBHOOK_ID: apiAndWorker,
  CARDPROC_CONSUMER_KEY: worker,
  CARDPROC_CONSUMER_SECRET: worker,
} as const satisfies Record<string, readonly ProcessName[]>;

export type SecretSetting = keyof typeof secretUses;

export const secretSettings = Object.keys(secretUses) as SecretSetting[];

/** @param process undefined for the command line, which uses every secret. */
export function usesSecret(process: ProcessName | undefined, name: SecretSetting): boolean {
  return process === undefined || (secretUses[name] as readonly ProcessName[]).includes(process);
}

/**
 * Every process calls this on its environment first.
 * @param process whose secrets are read; all of them for the command line.
 * @returns the settings with the contents of their files, without the `_FILE` names, and without secrets of other
 *   processes: their files need not exist here.
 * @throws ConfigError with every setting whose file is unreadable or empty, or that is given twice.
 */
export function readSecretFiles(env: NodeJS.ProcessEnv, process?: ProcessName): NodeJS.ProcessEnv {
  const settings = { ...env };
  const faults: string[] = [];
  for (const name of secretSettings) {
    Reflect.deleteProperty(settings, name);
    Reflect.deleteProperty(settings, fileOf(name));
    if (!usesSecret(process, name)) continue;
    try {
      const secret = readSecret(env, name);
      if (secret !== undefined) settings[name] = secret;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error.message);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return settings;
}

/**
 * Reads one secret: its value, or the content of its file without the line end that editors add. An empty value is not
 * set, because compose files pass empty values for missing ones.
 * @throws ConfigError with the setting's name, never with its value.
 */
export function readSecret(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const given = env[name];
  const setting = fileOf(name);
  const file = env[setting] ?? '';
  if (file === '') return given;
  if ((given ?? '') !== '') throw new ConfigError(`${name} and ${setting}: only one of them may be set`);
  const secret = textOf(file, setting).replace(/\r?\n$/, '');
  if (secret === '') throw new ConfigError(`${setting}: ${shownPath(file)} is empty`);
  return secret;
}

/** Settings that override the environment, whether it gives a value or a file. */
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

/** A setting may hold the secret itself by mistake, so only what is surely a path is shown. */
export function shownPath(path: string): string {
  return isAbsolute(path) ? path : 'the file';
}

function textOf(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${setting}: ${shownPath(path)} cannot be read (${code})`, { cause: error });
  }
}
