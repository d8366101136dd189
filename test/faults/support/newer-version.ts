/** The processes as a version would have them that knows migrations which this one does not. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { newestMigration } from '../../../src/store/migrations';

const bundles = join(__dirname, '..', '..', '..', 'dist', 'bundle');

export interface NewerVersion {
  /** Of each process, its file among the bundles. */
  bundle: { api: string; worker: string };
  remove(): Promise<void>;
}

/** @param added names and kinds of what comes after the last one of this version. */
export async function newerVersion(added: Record<string, string>): Promise<NewerVersion> {
  const made: string[] = [];
  async function make(name: string): Promise<string> {
    const text = await readFile(join(bundles, `${name}.js`), 'utf8');
    const last = new RegExp(`^ *"${newestMigration}": \\w+$`, 'm');
    const entries = Object.entries(added).map(
      ([migration, kind]) => `"${migration}": { kind: "${kind}", up: async () => {}, down: async () => {} }`,
    );
    const file = join(bundles, `newer-${name}-${String(process.pid)}.js`);
    const newer = text.replace(last, (line) => [line, ...entries].join(',\n'));
    if (newer === text) throw new Error(`the list of migrations was not found in the bundle of ${name}`);
    await writeFile(file, newer);
    made.push(file);
    return basename(file);
  }
  return {
    bundle: { api: await make('api'), worker: await make('worker') },
    async remove() {
      await Promise.all(made.map((file) => rm(file, { force: true })));
    },
  };
}
