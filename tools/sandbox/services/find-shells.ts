import { canInstallPackages, installPackages } from './debian-packages';
import { findExecutable } from './on-path';

const names = ['zsh', 'fish'];

/** The shells for completion tests, besides bash; undefined if one is not available. */
export async function findOrInstallShells(): Promise<string[] | undefined> {
  const find = () => names.map((name) => findExecutable([name])).filter((path) => path !== undefined);
  if (find().length < names.length && canInstallPackages()) await installPackages(names);
  const found = find();
  return found.length < names.length ? undefined : found;
}
