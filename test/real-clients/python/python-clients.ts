/** A virtual environment with the clients in it, made once for a user and a list of requirements. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { userCache } from '../../../src/ops/services/user-cache';

const requirements = join(__dirname, 'requirements.txt');
const installWithinMs = 180_000;

/** The interpreter that knows the clients, or why there is none on this machine. */
export type PythonClients = { python: string } | { absent: string };

/**
 * Before any test is told of, because what cannot run is to be shown as skipped. Nothing is fetched once it is there;
 * two who make it at the same moment make the same, and the first counts.
 */
export function pythonClients(): PythonClients {
  const version = run('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  if (version.fault !== undefined) return { absent: `there is no python3 (${version.fault})` };
  const what = createHash('sha256').update(version.out).update(readFileSync(requirements)).digest('hex');
  const folder = join(userCache, 'python', what.slice(0, 16));
  const found = { python: pythonIn(folder) };
  if (existsSync(folder)) return found;

  const own = `${folder}.${String(process.pid)}`;
  mkdirSync(join(userCache, 'python'), { recursive: true });
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:'];
  const made = run('python3', ['-m', 'venv', own]);
  const filled =
    made.fault === undefined
      ? run(pythonIn(own), [
          ...install,
          '--retries',
          '1',
          '--timeout',
          '10',
          '--require-hashes',
          '-r',
          requirements,
        ])
      : made;
  if (filled.fault !== undefined) {
    rmSync(own, { recursive: true, force: true });
    return { absent: `the clients could not be installed (${filled.fault})` };
  }
  try {
    renameSync(own, folder);
  } catch {
    rmSync(own, { recursive: true, force: true });
  }
  return found;
}

function pythonIn(folder: string): string {
  return join(folder, 'bin', 'python');
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
