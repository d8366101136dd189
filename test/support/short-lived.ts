import { join } from 'node:path';

/** A function is optimized only after ten times the usual work: optimizing earlier does not pay. */
const optimizedLate =
  Number.parseInt(process.versions.node) < 22
    ? ['--interrupt-budget=1500000']
    : ['--invocation-count-for-maglev=4000', '--invocation-count-for-turbofan=30000'];

/**
 * Node's options for our processes that live as long as a test, and spend most of that time starting.
 * `--enable-source-maps` is not among them, because it takes a sixth of a start: stack traces in a test's log have the
 * lines of dist/bundle.
 */
export const shortLived = [
  // The heap size that a server reaches after hours: young collections, and growing, take a tenth of a start.
  '--min-semi-space-size=64',
  '--initial-old-space-size=256',
  ...optimizedLate,
  ...['--require', join(__dirname, 'compiled-once.cjs')],
];
