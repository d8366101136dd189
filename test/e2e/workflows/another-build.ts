/** A build beside the one that is tested: the same programs under another name, with workflows that may be others. */
import { execFile } from 'node:child_process';
import { cpSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { buildFile, bundleFile, historiesFolder, type Build } from '../../../src/worker/versions/build';
import { shortLived } from '../../support/short-lived';
import type { Stack } from '../../support/stack';

const run = promisify(execFile);
const dist = join(__dirname, '..', '..', '..', 'dist');

export interface Answer {
  exitCode: number;
  /** What it said, as JSON: its answer, or its complaint. */
  said: Record<string, unknown> & { error?: { message: string } };
}

export interface AnotherBuild extends Build {
  /** Its worker, as a file beside the bundles that are tested. */
  worker: string;
  /** Runs an operator's command from this build. */
  malipo(stack: Stack, ...args: string[]): Promise<Answer>;
  remove(): void;
}

/** The build that the tests run. */
export function ownBuild(): AnotherBuild {
  const { id } = JSON.parse(readFileSync(join(dist, buildFile), 'utf8')) as Build;
  return buildIn(dist, id, () => undefined);
}

/** @param change makes other code of the workflows' bundle. It lies within dist, where packages are found. */
export function makeBuild(id: string, change: (code: string) => string = (code) => code): AnotherBuild {
  const folder = mkdtempSync(join(dist, 'another-'));
  mkdirSync(join(folder, 'bundle'));
  for (const program of ['worker.js', 'cli.js'])
    linkSync(join(dist, 'bundle', program), join(folder, 'bundle', program));
  writeFileSync(join(folder, bundleFile), change(readFileSync(join(dist, bundleFile), 'utf8')));
  writeFileSync(join(folder, buildFile), JSON.stringify({ id, from: 'code' } satisfies Build));
  cpSync(join(dist, historiesFolder), join(folder, historiesFolder), { recursive: true });
  return buildIn(folder, id, () => {
    rmSync(folder, { recursive: true, force: true });
  });
}

function buildIn(folder: string, id: string, remove: () => void): AnotherBuild {
  const bundles = join(folder, 'bundle');
  return {
    id,
    from: 'code',
    worker: relative(join(dist, 'bundle'), join(bundles, 'worker.js')),
    remove,
    async malipo({ env }, ...args) {
      const given = [...shortLived, join(bundles, 'cli.js'), ...args, '--json'];
      try {
        const { stdout } = await run(process.execPath, given, { env: { PATH: process.env.PATH, ...env } });
        return { exitCode: 0, said: JSON.parse(stdout) as Answer['said'] };
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        return { exitCode: code, said: JSON.parse(stdout === '' ? stderr : stdout) as Answer['said'] };
      }
    },
  };
}

const told = 'flows[command.flow](command);';

/** Payments that take one step more than those that are under way: none of these is told by it as it was begun. */
export function oneStepMore(code: string): string {
  const changed = code.replace(
    told,
    `[${told.slice(0, -1)}, workflow_1.upsertSearchAttributes({ MalipoStatus: ['received'] })][0];`,
  );
  if (changed === code) throw new Error(`the bundle has no such words any more: ${told}`);
  return changed;
}
