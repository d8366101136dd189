/**
 * Bundles each process with its packages into one file, because loading two thousand modules is most of the start time.
 * `npm run build` runs it on tsc's output. The files below dist/src and dist/simulator stay, and can be run as well.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildOnly } from './build-only.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const processes = {
  api: 'dist/src/server.js',
  worker: 'dist/src/worker.js',
  portal: 'dist/src/portal-server.js',
  cli: 'dist/src/cli/main.js',
  // The image is built without these.
  developer: 'dist/packages/cli/run.js',
  simulator: 'dist/simulator/server.js',
};

const leftOut = [
  // Drivers of other databases; knex requires them by name.
  ...['better-sqlite3', 'sqlite3', 'tedious', 'pg', 'pg-query-stream', 'oracledb', 'mysql', 'mariadb'],
  // Loaded only when traces are exported.
  ...['@opentelemetry/otlp-transformer', '@opentelemetry/resources', '@opentelemetry/sdk-trace'],
  // Its native part differs for each platform.
  '@node-rs/argon2',
  // protobufjs requires it at run time, and there must be only one copy.
  'long',
];

/**
 * Stack traces name our own lines as in src, and a package's lines as the bundle's, below a comment with the module's name.
 */
const noSourceMap = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(
  JSON.stringify({ version: 3, sources: [''], names: [], mappings: 'AAAA' }),
).toString('base64')}`;

const packages = {
  name: 'packages',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: inPlace(await readFile(path, 'utf8'), path) + noSourceMap,
    }));
  },
};

/** Temporal's native part, its workflow thread and the source-map reader need their files beside them. */
function inPlace(code, path) {
  const [, found] = path.split(/.*\/node_modules\/(?=(?:@temporalio\/(?:worker|core-bridge)|source-map)\/)/);
  if (found === undefined) return code;
  const folder = found.slice(0, found.lastIndexOf('/') + 1);
  return code
    .replace(/\b__dirname\b/g, `require('node:path').dirname(require.resolve('${found}'))`)
    .replace(
      /\brequire\.resolve\('(\.[^']*)'\)/g,
      (_, relative) => `require.resolve('${new URL(relative, `file:///${folder}`).pathname.slice(1)}')`,
    );
}

/** `@temporalio/worker` requires them when it is loaded. */
const withoutBuildOnly = {
  name: 'without-build-only',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(?:${buildOnly.join('|')})$`) }, ({ path }) => ({
      path,
      namespace: 'build-only',
    }));
    onLoad({ filter: /.*/, namespace: 'build-only' }, () => ({ contents: 'module.exports = {};' }));
  },
};

await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(Object.entries(processes).filter(([, path]) => existsSync(root + path))),
  outdir: 'dist/bundle',
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: leftOut,
  plugins: [withoutBuildOnly, packages],
  sourcemap: true,
  sourcesContent: false,
  // Class names appear in logs and in Temporal.
  keepNames: true,
  logLevel: 'warning',
  logOverride: { 'require-resolve-not-external': 'silent' },
});
