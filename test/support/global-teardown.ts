import { rm } from 'node:fs/promises';
import { endSharedStacks } from './ends-of-stacks';
import { testServices } from './services-of-run';

export default async function globalTeardown(): Promise<void> {
  // Called for each tier of the run; the first call ends everything.
  await endSharedStacks();
  await Promise.all(testServices.children.splice(0).map((child) => child.stop()));
  if (testServices.folder !== undefined) await rm(testServices.folder, { recursive: true, force: true });
}
