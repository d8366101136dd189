/** Tools that have no package: built from their source with Go, once per user. */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { oneAtATime } from './one-at-a-time';
import { findExecutable, isExecutable } from './on-path';
import { step } from './progress';
import { runCommand } from './run-command';
import { cachedBinaries } from './user-cache';

/**
 * Builds a command with `go install`.
 * @param installable its package and version, such as `example.org/tool/cmd/tool@v1.2.3`.
 * @returns the target, or undefined where there is no Go.
 */
export async function buildWithGo(
  target: string,
  installable: string,
  progress: string,
): Promise<string | undefined> {
  const go = findExecutable(['go'], ['/usr/local/go/bin']);
  if (go === undefined) return undefined;
  await mkdir(cachedBinaries, { recursive: true });
  await step(progress, () =>
    oneAtATime(`${target}.lock`, async () => {
      // Another clone may have built it while we waited.
      if (!isExecutable(target)) await build(go, target, installable);
    }),
  );
  return target;
}

/** Built beside its place and moved there whole: whoever looks sees all of it or nothing. */
async function build(go: string, target: string, installable: string): Promise<void> {
  const workshop = await mkdtemp(join(cachedBinaries, 'building-'));
  try {
    await runCommand(go, ['install', installable], {
      env: { ...process.env, GOBIN: workshop, CGO_ENABLED: '0' },
    });
    await rename(join(workshop, commandOf(installable)), target);
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** As Go names it: after the folder, without a module's major version. */
function commandOf(installable: string): string {
  const [path = ''] = installable.split('@');
  return basename(path.replace(/\/v\d+$/, ''));
}
