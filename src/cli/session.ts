import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { readConfig, type Config } from '../config';
import { findMailSettings } from '../mail/settings';
import type { SecretBox } from '../merchants/secrets';
import type { PaymentsContext } from '../payments/rail/context';
import type { Engine } from '../payments/rail/engine';
import { readSecretFiles } from '../secret-files';
import { readPortalUrl } from '../portal/settings';
import type { VoucherEngine } from '../vouchers/voucher-engine';
import type { Acting } from './acting';
import { createLog } from '../ops/logging';
import { createProcessContext } from '../ops/process-context';
import type { Place } from '../ops/versions/server-view';
import { settingsOf } from './settings';

/** The world as a command sees it; tests bring one of their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  /** Where the operator stands: the `.malipo/` in it is used when the environment names no deployment. */
  folder: string;
  openSession(io: Io): Promise<OpenSession>;
  /** Adds commands that are not ours, so that the help and what shells complete are of all. */
  further?(program: Command, io: Io, exit: (code: number) => void): void;
}

/** What the commands work with, opened for one of them and closed after it. */
export interface OpenSession {
  config: Config;
  context: PaymentsContext;
  engine: Engine;
  vouchers: VoucherEngine;
  client: Client;
  box: SecretBox;
  /** Known in the sandbox only. */
  simulatorUrl: string | undefined;
  /** Undefined where workers have no versions. */
  versions?: Place | undefined;
  /** Only of the portal, whose commands read no file of its machine. */
  sent?: SentFile | undefined;
  /** Where people work. @throws ConfigError where that is not set, or wrong. */
  portal(): { url: string; sendsMail: boolean };
  close(): Promise<void>;
}

/** What somebody has sent to the portal: a command reads it in place of a file of that name. */
export interface SentFile {
  name: string;
  content: Buffer;
}

export interface Session extends OpenSession {
  /** Who runs the command. */
  acting: Acting;
}

/** @throws ConfigError naming every setting that is missing or wrong. */
export async function openSession({ env, folder }: Io): Promise<OpenSession> {
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
