/** Reads the files that a sandbox on this machine writes for the command line, in the folder of its start. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The part of `sandbox.json` that commands read. */
export interface KeptSandbox {
  api_url: string;
  /** The simulator's front page and, below /control, its control API. */
  simulator_url: string;
  temporal_address: string;
  temporal_ui_url: string;
  database_url: string;
  /** Further settings for the commands, by name: the providers, and the protection of connections. */
  settings: Record<string, string>;
  merchants: KeptMerchant[];
  /** Where the owner of the first merchant signs in. The cluster has none. */
  portal?: { url: string };
}

export interface KeptMerchant {
  name: string;
  api_key: string;
  api_secret: string;
  webhook_secret: string;
}

/** The part of `credentials.json` that commands read. */
interface KeptKeys {
  secret_keys: string;
  audit_key: string;
}

/** The folder of `npm start`, or of `npm run cluster`, which is inside it. */
export function keptSandboxFolder(root: string, target: 'sandbox' | 'cluster' = 'sandbox'): string {
  return resolve(root, '.malipo', target === 'cluster' ? 'cluster' : '.');
}

/** @returns undefined if no sandbox was started. */
export function readKeptSandbox(folder: string): Promise<KeptSandbox | undefined> {
  return readJsonIfThere(join(folder, 'sandbox.json'));
}

/** @returns undefined if no sandbox was started. */
export function readKeptKeys(folder: string): Promise<KeptKeys | undefined> {
  return readJsonIfThere(join(folder, 'credentials.json'));
}

export async function readJsonIfThere<T>(path: string): Promise<T | undefined> {
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as T) : undefined;
}
