/** Tools without a package: built from source with Go, once per user. */
import { basename, join } from 'node:path';
import { makeOnce } from './make-once';
import { findExecutable } from './on-path';
import { runCommand } from './run-command';

/**
 * Builds a command with `go install`.
 * @param installable its package and version, such as `example.org/tool/cmd/tool@v1.2.3`.
 * @returns the target, or undefined without Go.
 */
export async function buildWithGo(
  target: string,
  installable: string,
  progress: string,
): Promise<string | undefined> {
  const go = findExecutable(['go'], ['/usr/local/go/bin']);
  if (go === undefined) return undefined;
  return makeOnce(target, progress, async (workshop) => {
    await runCommand(go, ['install', installable], {
      env: { ...process.env, GOBIN: workshop, CGO_ENABLED: '0' },
    });
    return join(workshop, commandOf(installable));
  });
}

/** Go's name for it: the folder, without a module's major version. */
function commandOf(installable: string): string {
  const [path = ''] = installable.split('@');
  return basename(path.replace(/\/v\d+$/, ''));
}
