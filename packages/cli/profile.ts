/** Whose keys a developer's commands use: those of the environment, or those that `malipo login` has kept. */
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { keptSandboxFolder, readJsonIfThere, readKeptSandbox } from '../../src/cli/kept-sandbox';
import { ActionError, InputError } from '../../src/operator-actions/errors';
import type { Io } from './answers';

export interface Keys {
  api_url: string;
  api_key: string;
  api_secret: string;
  /** `whsec_…`, where the developer has it: what is forwarded is signed with it. */
  webhook_secret?: string | undefined;
  /** Known of a sandbox on this machine. */
  simulator_url?: string | undefined;
}

export interface Profile extends Keys {
  merchant_id: string;
  merchant_name: string;
}

type World = Pick<Io, 'env' | 'folder'>;

export const defaultName = 'default';

/** @throws InputError for a name that is no plain word. */
function profileFile({ env }: Pick<Io, 'env'>, name: string): string {
  if (!/^[\w-]{1,40}$/.test(name)) throw new InputError('A profile is named by letters, digits, - and _.');
  const folder = env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? homedir(), '.config');
  return join(folder, 'malipo', `${name}.json`);
}

export async function writeProfile(io: World, name: string, profile: Profile): Promise<string> {
  const file = profileFile(io, name);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 });
  // Appears whole or not at all, and only this user can read it.
  await rename(unfinished, file);
  return file;
}

/** @throws ActionError where nobody has logged in, or others may read the secret. */
export async function readProfile(io: World, name: string): Promise<Keys> {
  const given = keysGiven(io);
  if (given) return given;
  const file = profileFile(io, name);
  const profile = await readJsonIfThere<Profile>(file);
  if (!profile) throw new ActionError(`There is no profile ${name}: malipo login makes one.`);
  if (((await stat(file)).mode & 0o077) !== 0)
    throw new ActionError(`Others may read ${file}, which holds a secret: chmod 600 ${file}`);
  return profile;
}

/** From the environment: never from the arguments, which every process of the machine may read. */
function keysGiven({ env }: Pick<Io, 'env'>): Keys | undefined {
  const { MALIPO_API_KEY: key, MALIPO_API_SECRET: secret } = env;
  if (!key || !secret) return undefined;
  return {
    api_url: originOf(env['MALIPO_API_URL'] ?? 'http://127.0.0.1:3000'),
    api_key: key,
    api_secret: secret,
    webhook_secret: env['MALIPO_WEBHOOK_SECRET'],
    simulator_url: env['MALIPO_SIMULATOR_URL'],
  };
}

/** What is logged in with: the environment's keys, or those of the first merchant of the sandbox in this folder. */
export async function keysToKeep(io: World, merchant: string | undefined): Promise<Keys> {
  const given = merchant === undefined ? keysGiven(io) : undefined;
  if (given) return given;
  const sandbox = await readKeptSandbox(keptSandboxFolder(io.folder));
  const found = sandbox?.merchants.find(({ name }) => merchant === undefined || name === merchant);
  if (!sandbox || !found) {
    throw new ActionError(
      'There are no keys: set MALIPO_API_KEY and MALIPO_API_SECRET (and MALIPO_API_URL), or stand where `npm start` has made a sandbox.',
    );
  }
  return {
    api_url: sandbox.api_url,
    api_key: found.api_key,
    api_secret: found.api_secret,
    webhook_secret: found.webhook_secret,
    simulator_url: sandbox.simulator_url,
  };
}

function originOf(text: string): string {
  if (!URL.canParse(text))
    throw new InputError('MALIPO_API_URL must be a URL, such as http://127.0.0.1:3000.');
  return new URL(text).href.replace(/\/$/, '');
}
