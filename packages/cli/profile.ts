/** The keys for the developer's commands: from the environment, or as `malipo login` stored them. */
import { rename, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { keptSandboxFolder, readJsonIfThere, readKeptSandbox } from '../../src/cli/kept-sandbox';
import { ActionError, InputError } from '../../src/operator-actions/errors';
import type { Io } from './answers';
import { makeFolder } from './make-folder';

export interface Keys {
  api_url: string;
  api_key: string;
  api_secret: string;
  /** `whsec_…`, if the developer has it. It signs the forwarded events. */
  webhook_secret?: string | undefined;
  /** Known for a sandbox on this machine. */
  simulator_url?: string | undefined;
}

/** Where a command's keys come from, in words for a refusal. */
export interface FoundKeys extends Keys {
  source: string;
}

export interface Profile extends Keys {
  merchant_id: string;
  merchant_name: string;
}

type World = Pick<Io, 'env' | 'folder'>;

export const defaultName = 'default';

/** @throws InputError for a name with other characters than letters, digits, - and _. */
function profileFile({ env }: Pick<Io, 'env'>, name: string): string {
  if (!/^[\w-]{1,40}$/.test(name))
    throw new InputError('The name of a profile must have only letters, digits, - and _.');
  const folder = env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? homedir(), '.config');
  return join(folder, 'malipo', `${name}.json`);
}

export async function writeProfile(io: World, name: string, profile: Profile): Promise<string> {
  const file = profileFile(io, name);
  await makeFolder(dirname(file), { mode: 0o700 });
  const unfinished = `${file}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 });
  // A rename makes the file appear complete or not at all. Only this user can read it.
  await rename(unfinished, file);
  return file;
}

const howToLogIn =
  'run `source .malipo/env` in the folder of npm start, or create a profile with `npx malipo login`.';

/** @throws ActionError if there is no such profile, or if other users can read its secret. */
export async function readProfile(io: World, name: string): Promise<FoundKeys> {
  const given = await keysGiven(io);
  if (given) return given;
  const file = profileFile(io, name);
  const profile = await readJsonIfThere<Profile>(file);
  if (!profile) throw new ActionError(`There is no profile ${name}; ${howToLogIn}`);
  if (((await stat(file)).mode & 0o077) !== 0)
    throw new ActionError(`Other users can read ${file}, which contains a secret: chmod 600 ${file}`);
  return { ...profile, source: `the profile ${name} (${file})` };
}

/** The profile of that name, if there is one. */
export function findProfile(io: World, name: string): Promise<Profile | undefined> {
  return readJsonIfThere<Profile>(profileFile(io, name));
}

/**
 * From the environment, never from arguments: every process of the machine can read those. Without an address the keys
 * are only for the sandbox that made them: a default address would send the secret to whatever listens there.
 */
async function keysGiven({ env, folder }: World): Promise<FoundKeys | undefined> {
  const { MALIPO_API_KEY: key, MALIPO_API_SECRET: secret } = env;
  if (!key || !secret) return undefined;
  const sandbox = await readKeptSandbox(keptSandboxFolder(folder));
  const own = sandbox?.merchants.find(({ api_key: known }) => known === key);
  const url = urlGiven(env) ?? (own && sandbox?.api_url);
  if (url === undefined) {
    throw new ActionError(
      'MALIPO_API_KEY is set, but not the address of its API: set MALIPO_URL, too, such as https://pay.example.org.',
    );
  }
  return {
    api_url: url,
    api_key: key,
    api_secret: secret,
    webhook_secret: env['MALIPO_WEBHOOK_SECRET'] ?? own?.webhook_secret,
    simulator_url: env['MALIPO_SIMULATOR_URL'] ?? (own && sandbox?.simulator_url),
    source: 'the environment (MALIPO_API_KEY)',
  };
}

/** MALIPO_API_URL is its earlier name. */
function urlGiven(env: NodeJS.ProcessEnv): string | undefined {
  const { MALIPO_URL: url, MALIPO_API_URL: earlier } = env;
  if (url && earlier && originOf(url) !== originOf(earlier))
    throw new ActionError('MALIPO_URL and MALIPO_API_URL name different addresses: unset one of them.');
  const given = [url, earlier].find(Boolean);
  return given === undefined ? undefined : originOf(given);
}

/** The keys for `login`: from the environment, or from a merchant of the sandbox in this folder (the first by default). */
export async function keysToKeep(io: World, merchant: string | undefined): Promise<FoundKeys> {
  const given = merchant === undefined ? await keysGiven(io) : undefined;
  if (given) return given;
  const sandbox = await readKeptSandbox(keptSandboxFolder(io.folder));
  const found = sandbox?.merchants.find(({ name }) => merchant === undefined || name === merchant);
  if (!sandbox || !found) {
    throw new ActionError(
      'There are no keys: set MALIPO_URL, MALIPO_API_KEY and MALIPO_API_SECRET, or change to a folder where `npm start` has made a sandbox.',
    );
  }
  return {
    api_url: sandbox.api_url,
    api_key: found.api_key,
    api_secret: found.api_secret,
    webhook_secret: found.webhook_secret,
    simulator_url: sandbox.simulator_url,
    source: '.malipo/sandbox.json',
  };
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Nothing of it is repeated: it may contain a password.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new InputError(
      'MALIPO_URL must be an http address without user, query and fragment, such as http://127.0.0.1:3000.',
    );
  return url.href.replace(/\/$/, '');
}
