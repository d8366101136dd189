import type { Command } from 'commander';
import { readConfig } from '../config';
import { findMailSettings } from '../mail/settings';
import { readSecretFiles } from '../secret-files';
import { readPortalUrl } from '../portal/settings';
import type { Deployment } from '../operator-actions/action';
import { createLog } from '../telemetry/logging';
import { createProcessContext } from '../process/process-context';
import { settingsOf } from './settings';

/** What a command reads and writes outside the database. Tests pass their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  /** The working directory: its `.malipo/` is used if the environment names no deployment. */
  folder: string;
  openSession(io: Io): Promise<Session>;
  /** Adds more commands, so that the help and the shell completion include them. */
  further?(program: Command, io: Io, exit: (code: number) => void): void;
}

/** The deployment of a command, opened before it runs and closed after it. */
export interface Session extends Deployment {
  close(): Promise<void>;
}

/** @throws ConfigError naming every setting that is missing or wrong. */
export async function openSession({ env, folder }: Io): Promise<Session> {
  const settings = readSecretFiles(await settingsOf(env, folder));
  const config = readConfig(settings);
  // Standard output is only for the output of the command.
  const log = createLog({ level: 'error', stream: process.stderr, origin: { process: 'cli' } });
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
