import Joi from 'joi';
import { ConfigError, readVariables } from '../config';
import { overriding } from '../secret-files';
import { keptSandboxFolder, readKeptKeys, readKeptSandbox } from './kept-sandbox';

/**
 * The settings of the deployment to work on. An environment that names one is complete by itself: a folder that
 * happens to hold a sandbox must never lend its credentials to live. Otherwise it is the sandbox of this folder, as
 * `npm start` has left it, or with MALIPO_TARGET=cluster that of `npm run cluster`, with what it does not describe taken
 * from the environment.
 * @throws ConfigError when there is neither.
 */
export async function settingsOf(env: NodeJS.ProcessEnv, root: string): Promise<NodeJS.ProcessEnv> {
  if (env['MALIPO_ENV'] !== undefined) return env;
  const folder = keptSandboxFolder(root, env['MALIPO_TARGET'] === 'cluster' ? 'cluster' : 'sandbox');
  const [sandbox, keys] = await Promise.all([readKeptSandbox(folder), readKeptKeys(folder)]);
  if (!sandbox || !keys) {
    throw new ConfigError(
      'No deployment is named: set MALIPO_ENV, DATABASE_URL and the other settings, or stand in a folder where `npm start` has made a sandbox.',
    );
  }
  return overriding(env, {
    MALIPO_ENV: 'sandbox',
    DATABASE_URL: sandbox.database_url,
    TEMPORAL_ADDRESS: sandbox.temporal_address,
    MALIPO_TEMPORAL_UI_URL: sandbox.temporal_ui_url,
    MALIPO_PUBLIC_URL: sandbox.api_url,
    MALIPO_SECRET_KEYS: keys.secret_keys,
    MALIPO_AUDIT_KEY: keys.audit_key,
    MALIPO_SIMULATOR_URL: sandbox.simulator_url,
    // As this start has it, which gives way to others: never the usual port.
    ...(sandbox.portal && { MALIPO_PORTAL_URL: sandbox.portal.url }),
    ...sandbox.settings,
  });
}

interface Variables {
  MALIPO_BACKUP_STAMP?: string;
}

/** @public Compared with the deployment files by a test. */
export const variables = Joi.object<Variables>({
  MALIPO_BACKUP_STAMP: Joi.string().empty(''),
}).unknown(true);

/** @returns the file that each backup writes when it has succeeded; undefined where none is named. */
export function findBackupStamp(env: NodeJS.ProcessEnv): string | undefined {
  return readVariables(variables, env).MALIPO_BACKUP_STAMP;
}
