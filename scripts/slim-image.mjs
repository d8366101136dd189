/**
 * Deletes from node_modules what an image does not run: the packages that only bundle workflows, and Temporal's native part
 * for other systems. The Dockerfile runs it after the build and `npm prune`.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnly } from './build-only.mjs';

const { packages } = JSON.parse(await readFile('node_modules/.package-lock.json', 'utf8'));
const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));

/** As Node finds it: from the package's own node_modules upwards. */
function placeOf(name, from) {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
    const place = join(at, 'node_modules', name);
    if (place in packages) return place;
    if (at === '') return undefined;
  }
}

const needed = new Set();
function need(name, from) {
  const place = buildOnly.includes(name) ? undefined : placeOf(name, from);
  if (place === undefined || needed.has(place)) return;
  needed.add(place);
  const { dependencies: own, optionalDependencies: optional, peerDependencies: peers } = packages[place];
  for (const further of Object.keys({ ...own, ...optional, ...peers })) need(further, place);
}
for (const name of Object.keys(dependencies)) need(name, '');

for (const place of Object.keys(packages)) {
  // A package inside one that is deleted goes with it.
  if (!needed.has(place)) await rm(place, { recursive: true, force: true });
}

const natives = 'node_modules/@temporalio/core-bridge/releases';
const ours = `${{ x64: 'x86_64', arm64: 'aarch64' }[process.arch]}-unknown-linux-gnu`;
for (const system of await readdir(natives)) {
  if (system !== ours) await rm(join(natives, system), { recursive: true });
}
