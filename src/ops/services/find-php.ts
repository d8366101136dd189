import { canInstallPackages, installPackages } from './debian-packages';
import { findExecutable } from './on-path';

/** What the client and the samples in PHP are tested with. */
export async function findOrInstallPhp(): Promise<string | undefined> {
  const found = findExecutable(['php']);
  if (found !== undefined || !canInstallPackages()) return found;
  await installPackages(['php-cli', 'php-curl']);
  return findExecutable(['php']);
}
