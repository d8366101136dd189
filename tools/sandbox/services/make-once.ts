/** Programs and folders of our cache that take long to get: made once per user, beside their place, and moved atomically. */
import { statSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { oneAtATime } from './one-at-a-time';
import { isExecutable } from './on-path';
import { identityOf, livingProcess } from './process-identity';
import { step } from './progress';

/**
 * A reader sees the complete program or none, also when a process dies or two make the same.
 * @param target where the program or folder stays.
 * @param progress the title of the step.
 * @param make gets an empty folder, which is deleted afterwards, and returns the path in it of what it made.
 */
export async function makeOnce(
  target: string,
  progress: string,
  make: (workshop: string) => Promise<string>,
): Promise<string> {
  const folder = dirname(target);
  await mkdir(folder, { recursive: true });
  await step(progress, () =>
    oneAtATime(`${target}.lock`, async () => {
      // Another clone may have made it while we waited.
      if (isExecutable(target) || isFolder(target)) return;
      const workshop = await newWorkshop(target);
      try {
        await rename(await make(workshop), target);
      } finally {
        await rm(workshop, { recursive: true, force: true });
      }
    }),
  );
  return target;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Deletes the workshops of processes that died at the same work: hundreds of megabytes. */
async function newWorkshop(target: string): Promise<string> {
  const [folder, start] = [dirname(target), `${basename(target)}.making.`];
  for (const name of await readdir(folder)) {
    const owner = name.startsWith(start) ? name.slice(start.length).replace('-', ' ') : undefined;
    if (owner !== undefined && livingProcess(owner) === undefined)
      await rm(join(folder, name), { recursive: true, force: true });
  }
  const workshop = join(folder, start + identityOf(process.pid).replace(' ', '-'));
  await mkdir(workshop);
  return workshop;
}
