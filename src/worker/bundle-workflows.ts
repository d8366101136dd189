/** Bundles the workflows once, at build time, so that no worker has to do it when it starts. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { bundleFile } from './versions/build';

const dist = join(__dirname, '..', '..');
const workflowsPath = join(dist, 'workflows', 'index.js');
const payloadConverterPath = join(dist, 'workflows', 'lenient-payloads.js');
const preloadModules = [join(dist, 'workflows', 'without-stacks.js')];

async function main(): Promise<void> {
  if (!existsSync(workflowsPath)) throw new Error(`there are no workflows to bundle at ${workflowsPath}`);
  const { code } = await bundleWorkflowCode({
    ...{ workflowsPath, preloadModules, payloadConverterPath },
    logger: warningsOnly,
  });
  await writeFile(join(dist, bundleFile), code);
}

const quiet = () => undefined;
const loud = (message: string) => {
  process.stderr.write(`${message}\n`);
};
const warningsOnly = {
  log: quiet,
  trace: quiet,
  debug: quiet,
  info: quiet,
  warn: loud,
  error: loud,
};

main().catch((error: unknown) => {
  process.stderr.write(
    `bundling the workflows failed: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
});
