import { canInstallPackages, installPackages } from './debian-packages';
import { findExecutable } from './on-path';

/** @throws an Error that says how to get HAProxy. */
export async function findHaproxy(): Promise<string> {
  const found = find();
  if (found !== undefined) return found;
  if (canInstallPackages()) {
    await installPackages(['haproxy']);
    const installed = find();
    if (installed !== undefined) return installed;
  }
  throw new Error('HAProxy was not found: install it; it need not run (`sudo apt-get install haproxy`)');
}

function find(): string | undefined {
  return findExecutable(['haproxy'], ['/usr/sbin', '/usr/local/sbin']);
}
