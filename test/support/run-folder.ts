import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildProcess } from '../../tools/sandbox/services/child-process';
import { findChromium } from '../../tools/sandbox/services/find-chromium';
import { killSharedStacks } from './ends-of-stacks';
import { testServices } from './services-of-run';

/** A folder for the data of a run's servers. However the run ends, the servers stop and the folder is deleted. */
export async function runFolder(): Promise<string> {
  if (testServices.folder !== undefined) return testServices.folder;
  const folder = await mkdtemp(join(tmpdir(), 'malipo-test-'));
  testServices.folder = folder;
  // Jest ends at once on Ctrl-C, without its teardown.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  process.once('exit', () => {
    killSharedStacks();
    for (const child of testServices.children) killGroup(child);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  // Longer timeouts cost nothing when the condition comes true; only a failed wait takes longer.
  process.env.MALIPO_TEST_PATIENCE ??= '5';
  const chromium = findChromium();
  if (chromium !== undefined) process.env.CHROMIUM_PATH = chromium;
  return folder;
}

function killGroup(child: ChildProcess): void {
  if (child.isRunning()) process.kill(-child.pid, 'SIGKILL');
}
