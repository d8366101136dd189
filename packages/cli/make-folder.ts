import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { InputError, textOf } from '../../src/operator-actions/errors';

/**
 * Makes a folder and those above it. Node's own `recursive` never ends where nobody can make a folder, as in /proc.
 * @param given the folder as the user wrote it, for the error
 */
export async function makeFolder(folder: string, { given = folder, mode = 0o777 } = {}): Promise<void> {
  await makeWithParents(folder, mode).catch((error: unknown) => {
    throw new InputError(`The folder ${given} cannot be made: ${textOf(error)}`);
  });
}

async function makeWithParents(folder: string, mode: number): Promise<void> {
  if (await isFolder(folder)) return;
  if (dirname(folder) !== folder) await makeWithParents(dirname(folder), mode);
  await mkdir(folder, { mode }).catch(async (error: unknown) => {
    // Another process may have made it in the meantime.
    if (!(await isFolder(folder))) throw error;
  });
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
