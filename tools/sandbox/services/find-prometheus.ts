import { join } from 'node:path';
import { canInstallPackages, takeFromPackage } from './debian-packages';
import { findExecutable } from './on-path';
import { cachedBinaries } from './user-cache';

/** The server that scrapes our metrics, and the tool that tests the shipped rules. */
export interface FoundPrometheus {
  server: string;
  promtool: string;
}

/** Undefined if one of them is missing. */
export function findPrometheus(): FoundPrometheus | undefined {
  const [server, promtool] = ['prometheus', 'promtool'].map((name) =>
    findExecutable([name], [cachedBinaries]),
  );
  return server === undefined || promtool === undefined ? undefined : { server, promtool };
}

export async function findOrFetchPrometheus(): Promise<FoundPrometheus | undefined> {
  const found = findPrometheus();
  if (found !== undefined || !canInstallPackages()) return found;
  await takeFromPackage('prometheus', [join('usr', 'bin', 'prometheus'), join('usr', 'bin', 'promtool')]);
  return findPrometheus();
}
