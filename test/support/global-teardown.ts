import { rm } from 'node:fs/promises';
import { testServices } from './services-of-run';

export default async function globalTeardown(): Promise<void> {
  await Promise.all(testServices.children.map((child) => child.stop()));
  if (testServices.folder !== undefined) await rm(testServices.folder, { recursive: true, force: true });
}
