/**
 * Builds both forms of the package: modules for `import`, and in dist/cjs one file for `require`, with the same types. The
 * tests go to dist/test, where they test the package that a shop has installed.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = join(folder, 'dist');
const cjs = join(dist, 'cjs');
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', join(folder, 'tsconfig.build.json')], { stdio: 'inherit' });
mkdirSync(cjs);
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
for (const name of readdirSync(dist).filter((one) => one.endsWith('.d.ts')))
  copyFileSync(join(dist, name), join(cjs, name));
await build({
  ...{ entryPoints: [join(folder, 'src', 'index.ts')], outfile: join(cjs, 'index.js') },
  ...{ bundle: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'error' },
});

const ofPackage = {
  name: 'the package instead of its sources',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/src\/index\.js$/ }, () => ({ path: 'malipo-client', external: true }));
  },
};
const tests = readdirSync(join(folder, 'test')).filter((name) => name.endsWith('.test.ts'));
await build({
  ...{ entryPoints: tests.map((name) => join(folder, 'test', name)), outdir: join(dist, 'test') },
  ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' },
  plugins: [ofPackage],
});
