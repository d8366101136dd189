import type { Command } from 'commander';
import { readConfig } from '../config';
import { findMailSettings } from '../mail/settings';
import { readSecretFiles } from '../secret-files';
import { readPortalUrl } from '../portal/settings';
import type { Deployment } from '../operator-actions/action';
import { createLog } from '../telemetry/logging';
import { createProcessContext } from '../process/process-context';
import { settingsOf } from './settings';

/** The world as a command sees it; tests bring one of their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  /** Where the operator stands: the `.malipo/` in it is used when the environment names no deployment. */
  folder: string;
  openSession(io: Io): Promise<Session>;
  /** Adds commands that are not ours, so that the help and what shells complete are of all. */
  further?(program: Command, io: Io, exit: (code: number) => void): void;
}

/** What the commands work with, opened for one of them and closed after it. */
export interface Session extends Deployment {
  close(): Promise<void>;
}

/** @throws ConfigError naming every setting that is missing or wrong. */
export async function openSession({ env, folder }: Io): Promise<Session> {
  const settings = readSecretFiles(await settingsOf(env, folder));
  const config = readConfig(settings);
  // Standard output belongs to the answer.
  const log = createLog({ level: 'error', stream: process.stderr, context: () => ({ process: 'cli' }) });
  const { context, engine, vouchers, client, box, versions, close } = createProcessContext(config, log, {
    env: settings,
  });
  const simulatorUrl = settings['MALIPO_SIMULATOR_URL'];
  const portal = () => ({
    url: readPortalUrl(settings, config.environment),
    sendsMail: findMailSettings(settings, config.environment) !== undefined,
  });
  return { config, context, engine, vouchers, client, box, simulatorUrl, versions, portal, close };
}
