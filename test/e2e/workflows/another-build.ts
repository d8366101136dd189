/** A second build beside the one under test: the same programs with another name, and possibly other workflows. */
import { execFile } from 'node:child_process';
import { cpSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { buildFile, bundleFile, historiesFolder, type Build } from '../../../src/worker/versions/build';
import { shortLived } from '../../support/short-lived';
import type { Stack } from '../../support/stack';

const run = promisify(execFile);
const dist = join(__dirname, '..', '..', '..', 'dist');

export interface BuildAnswer {
  exitCode: number;
  /** Its output, as JSON: the result, or the error. */
  reply: Record<string, unknown> & { error?: { message: string } };
}

export interface AnotherBuild extends Build {
  /** Its worker, as a file beside the bundles under test. */
  worker: string;
  /** Runs an operator's command from this build. */
  malipo(stack: Stack, ...args: string[]): Promise<BuildAnswer>;
  remove(): void;
}

/** The build that the tests run. */
export function ownBuild(): AnotherBuild {
  const { id } = JSON.parse(readFileSync(join(dist, buildFile), 'utf8')) as Build;
  return buildIn(dist, id, () => undefined);
}

/** @param change changes the workflow bundle's code. The result is in dist, where packages are found. */
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
        return { exitCode: 0, reply: JSON.parse(stdout) as BuildAnswer['reply'] };
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        return {
          exitCode: code,
          reply: JSON.parse(stdout === '' ? stderr : stdout) as BuildAnswer['reply'],
        };
      }
    },
  };
}

const reported = 'flows[command.flow](command)';

/** Payments with one step more than those in progress: none of their histories replays with it. */
export function oneStepMore(code: string): string {
  return withStep(
    code,
    `[${reported}, workflow_1.upsertSearchAttributes({ MalipoStatus: ['received'] })][0]`,
  );
}

/** The same, as a release does it: workflows in progress continue without the step, and later ones have it at their end. */
export function patchedStep(code: string): string {
  const step = `if (workflow_1.patched('loyalty')) workflow_1.upsertMemo({ loyalty: 1 });`;
  return withStep(code, `${reported}.then((result) => { ${step} return result; })`);
}

function withStep(code: string, step: string): string {
  const changed = code.replace(reported, () => step);
  if (changed === code) throw new Error(`the bundle has no such words any more: ${reported}`);
  return changed;
}
