/**
 * Makes one file of each process, with all packages in it: finding and reading two thousand modules is most of what a
 * start costs. `npm run build` runs it on what tsc wrote. The files below dist/src and dist/simulator stay what they
 * were, and can be run as well.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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
  // Drivers of databases that are not ours; knex asks for them by name.
  ...['better-sqlite3', 'sqlite3', 'tedious', 'pg', 'pg-query-stream', 'oracledb', 'mysql', 'mariadb'],
  // Bundling workflows, which the build has done.
  ...['webpack', '@swc/core', 'swc-loader', 'source-map-loader'],
  // Loaded where traces are exported, and only there.
  ...['@opentelemetry/otlp-transformer', '@opentelemetry/resources', '@opentelemetry/sdk-trace'],
  // Its native part is another file for each kind of machine.
  '@node-rs/argon2',
  // protobufjs finds it by itself at run time, and there should be one.
  'long',
];

/** Our own lines are told as in src; a package's as the bundle's, which names the module above them. */
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

/** Temporal's native part, its thread of workflows and what reads source maps are files beside those which ask for them. */
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

await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(Object.entries(processes).filter(([, path]) => existsSync(root + path))),
  outdir: 'dist/bundle',
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: leftOut,
  plugins: [packages],
  sourcemap: true,
  sourcesContent: false,
  // Names of classes are told, in logs and to Temporal.
  keepNames: true,
  logLevel: 'warning',
  logOverride: { 'require-resolve-not-external': 'silent' },
});
