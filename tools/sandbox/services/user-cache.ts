import { homedir } from 'node:os';
import { join } from 'node:path';

/** Files that take minutes to make, shared by all clones of one user. */
export const userCache = join(homedir(), '.cache', 'malipo');

export const cachedBinaries = join(userCache, 'bin');

/** One file per port and process; see port-claims.ts. */
export const claimedPorts = join(userCache, 'ports');
