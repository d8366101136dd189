/** A virtual environment with some packages in it, made once for a user and a list of requirements. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { userCache } from './user-cache';

const installWithinMs = 180_000;

/** Its interpreter, or why there is none on this machine. Other commands in it name the folder in which it was made. */
export type PythonEnvironment = { python: string } | { absent: string };

/**
 * Nothing is fetched once it is there; two who make it at the same moment make the same, and the first counts.
 * @param requirements a file that names each package with its hashes.
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
      ? run(join(own, 'bin', 'python'), [...install, ...patience, '--require-hashes', '-r', requirements])
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

/** @returns what went wrong in the last of its words, if anything did */
function run(command: string, args: string[]): { out: string; fault?: string } {
  const { error, status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: installWithinMs,
  });
  if (error) return { out: '', fault: error.message };
  if (status === 0) return { out: stdout };
  const said = stderr.trim().split('\n').at(-1) ?? '';
  return { out: stdout, fault: said === '' ? `it ended with ${String(status)}` : said };
}
