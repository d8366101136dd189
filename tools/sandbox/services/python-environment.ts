/** A virtual environment with some packages, made once per user and list of requirements. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { userCache } from './user-cache';

const installWithinMs = 180_000;

/** Its interpreter, or why there is none on this machine. Its other commands contain the folder where it was made. */
export type PythonEnvironment = { python: string } | { absent: string };

/**
 * Nothing is fetched once it exists. Two concurrent calls make the same, and the first one stays.
 * @param requirements a file with each package and its hashes.
 */
export function pythonEnvironment(requirements: string): PythonEnvironment {
  const version = run('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  if (version.fault !== undefined) return { absent: `there is no python3 (${version.fault})` };
  const what = createHash('sha256').update(version.out).update(readFileSync(requirements)).digest('hex');
  const folder = join(userCache, 'python', what.slice(0, 16));
  const found = { python: join(folder, 'bin', 'python') };
  if (existsSync(folder)) return found;

  const own = `${folder}.${String(process.pid)}`;
  mkdirSync(join(userCache, 'python'), { recursive: true });
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:'];
  const patience = ['--retries', '1', '--timeout', '10'];
  const made = run('python3', ['-m', 'venv', own]);
  const filled =
    made.fault === undefined
      ? run(join(own, 'bin', 'python'), [
          ...install,
          ...patience,
          '--require-hashes',
          '--no-deps',
          '-r',
          requirements,
        ])
      : made;
  if (filled.fault !== undefined) {
    rmSync(own, { recursive: true, force: true });
    return { absent: `the packages could not be installed (${filled.fault})` };
  }
  try {
    renameSync(own, folder);
  } catch {
    rmSync(own, { recursive: true, force: true });
  }
  return found;
}

/** @returns the last line of its error output, if it failed */
function run(command: string, args: string[]): { out: string; fault?: string } {
  const { error, status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: installWithinMs,
  });
  if (error) return { out: '', fault: error.message };
  if (status === 0) return { out: stdout };
  const lastLine = stderr.trim().split('\n').at(-1) ?? '';
  return { out: stdout, fault: lastLine === '' ? `it ended with ${String(status)}` : lastLine };
}
