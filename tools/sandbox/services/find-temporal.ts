import { join } from 'node:path';
import { buildWithGo } from './go-tool';
import { findExecutable, isExecutable } from './on-path';
import { cachedBinaries } from './user-cache';

/** Later releases carry a `replace` line and cannot be installed with `go install`. */
const installable = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const progress = 'building the Temporal CLI with Go (3 to 6 minutes, only once per user)';

export type FoundTemporal = { kind: 'external'; address: string } | { kind: 'binary'; path: string };

/** @throws an Error that lists the ways to get Temporal. */
export async function findTemporal(env: NodeJS.ProcessEnv = process.env): Promise<FoundTemporal> {
  if (env.TEMPORAL_ADDRESS) return { kind: 'external', address: env.TEMPORAL_ADDRESS };
  const cached = join(cachedBinaries, 'temporal');
  const path =
    findExecutable(['temporal']) ??
    (isExecutable(cached) ? cached : await buildWithGo(cached, installable, progress));
  if (path !== undefined) return { kind: 'binary', path };
  throw new Error(
    [
      'Temporal was not found, and there is no Go here to build it with. Any one of these helps:',
      '  - install the Temporal CLI so that `temporal` is on the PATH (https://docs.temporal.io/cli)',
      `  - put its binary at ${cached}`,
      '  - install Go 1.25 or later; the next start builds the CLI with it, once',
      '  - set TEMPORAL_ADDRESS=host:port to use a Temporal server that is running already',
    ].join('\n'),
  );
}
