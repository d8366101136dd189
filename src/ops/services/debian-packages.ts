import { existsSync } from 'node:fs';
import { findExecutable } from './on-path';
import { step } from './progress';
import { runCommand } from './run-command';

/** Whether system packages can be installed without asking: as root on Debian, Ubuntu and their kin. */
export function canInstallPackages(): boolean {
  return (
    process.getuid?.() === 0 && existsSync('/etc/debian_version') && findExecutable(['apt-get']) !== undefined
  );
}

const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

export async function installPackages(names: string[]): Promise<void> {
  await step(`installing ${names.join(' ')} with apt-get`, async () => {
    await runCommand('apt-get', ['update', '-q'], { env });
    await runCommand('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...names], { env });
  });
}
