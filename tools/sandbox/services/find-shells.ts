import { canInstallPackages, installPackages } from './debian-packages';
import { findExecutable } from './on-path';

const names = ['zsh', 'fish'];

/** What the completion of commands is tested in, beside bash; undefined where one of them is not to be had. */
export async function findOrInstallShells(): Promise<string[] | undefined> {
  const find = () => names.map((name) => findExecutable([name])).filter((path) => path !== undefined);
  if (find().length < names.length && canInstallPackages()) await installPackages(names);
  const found = find();
  return found.length < names.length ? undefined : found;
}
