import Joi from 'joi';
import { ConfigError, readVariables } from '../config';
import { overriding } from '../secret-files';
import { keptSandboxFolder, readKeptKeys, readKeptSandbox } from './kept-sandbox';

/**
 * The settings of the deployment. If the environment sets MALIPO_ENV, it is used alone: the sandbox of a folder must never
 * give its credentials to live. Otherwise the settings are those of the sandbox in this folder (`npm start`, or with
 * MALIPO_TARGET=cluster `npm run cluster`); the environment gives the rest.
 * @throws ConfigError if there is neither.
 */
export async function settingsOf(env: NodeJS.ProcessEnv, root: string): Promise<NodeJS.ProcessEnv> {
  if (env['MALIPO_ENV'] !== undefined) return env;
  const folder = keptSandboxFolder(root, env['MALIPO_TARGET'] === 'cluster' ? 'cluster' : 'sandbox');
  const [sandbox, keys] = await Promise.all([readKeptSandbox(folder), readKeptKeys(folder)]);
  if (!sandbox || !keys) {
    throw new ConfigError(
      'There is no deployment: set MALIPO_ENV, DATABASE_URL and the other settings, or change to a folder where `npm start` has made a sandbox.',
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
    // The address of this start. It is not always the default port, which another process may use.
    ...(sandbox.portal && { MALIPO_PORTAL_URL: sandbox.portal.url }),
    ...sandbox.settings,
  });
}

interface Variables {
  MALIPO_BACKUP_STAMP?: string;
}

/** @public A test compares it with the deployment files. */
export const variables = Joi.object<Variables>({
  MALIPO_BACKUP_STAMP: Joi.string().empty(''),
}).unknown(true);

/** @returns the file that each backup writes when it has succeeded; undefined if it is not set. */
export function findBackupStamp(env: NodeJS.ProcessEnv): string | undefined {
  return readVariables(variables, env).MALIPO_BACKUP_STAMP;
}
