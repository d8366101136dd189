/** Our processes as a newer version, which knows migrations that this one does not, and has other workflows. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { newestMigration } from '../../../src/store/migrations';
import { makeBuild } from '../../e2e/workflows/another-build';

const bundles = join(__dirname, '..', '..', '..', 'dist', 'bundle');

export interface NewerVersion {
  /** The bundle file of each process. */
  bundle: { api: string; worker: string };
  remove(): Promise<void>;
}

/**
 * @param added names and kinds of the migrations after the last one of this version.
 * @param workflows changes the code of the workflows.
 */
export async function newerVersion(
  added: Record<string, string>,
  workflows: (code: string) => string,
): Promise<NewerVersion> {
  const last = new RegExp(`^ *"${newestMigration}": \\w+$`, 'm');
  const entries = Object.entries(added).map(
    ([migration, kind]) => `"${migration}": { kind: "${kind}", up: async () => {}, down: async () => {} }`,
  );
  async function make(name: string, file: string): Promise<void> {
    const text = await readFile(join(bundles, `${name}.js`), 'utf8');
    const newer = text.replace(last, (line) => [line, ...entries].join(',\n'));
    if (newer === text) throw new Error(`the list of migrations was not found in the bundle of ${name}`);
    // The worker's file is a link to the bundle under test.
    await rm(file, { force: true });
    await writeFile(file, newer);
  }
  const build = makeBuild('newer', workflows);
  const api = join(bundles, `newer-api-${String(process.pid)}.js`);
  await Promise.all([make('api', api), make('worker', join(bundles, build.worker))]);
  return {
    bundle: { api: basename(api), worker: build.worker },
    async remove() {
      build.remove();
      await rm(api, { force: true });
    },
  };
}
