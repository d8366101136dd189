/** One start per folder: two would compete for its ports and data. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { identityOf, livingProcess } from './services/process-identity';
import type { SandboxFolder } from './sandbox-folder';

/**
 * Takes the lock until this process ends.
 * @throws an Error with the start that runs here already.
 */
export function lockFolder({ lock, path }: SandboxFolder): void {
  const holder = livingHolder(lock);
  if (holder !== undefined) {
    throw new Error(
      `the sandbox in ${path} is running already (process ${String(holder)}); stop it with Ctrl-C there`,
    );
  }
  rmSync(lock, { force: true });
  try {
    writeFileSync(lock, `${identityOf(process.pid)}\n`, { flag: 'wx' });
  } catch {
    throw new Error(`another start in ${path} was faster`);
  }
  process.once('exit', () => {
    rmSync(lock, { force: true });
  });
}

function livingHolder(lock: string): number | undefined {
  try {
    return livingProcess(readFileSync(lock, 'utf8'));
  } catch {
    return undefined;
  }
}
