import { join } from 'node:path';

/**
 * What Node is told for a process of ours that lives as long as a test: starting is most of what it does. It is not told
 * to read source maps (`--enable-source-maps`), which takes a sixth of a start: a stack in a test's log has the lines of
 * dist/bundle.
 */
export const shortLived = [
  // Room that a server of many hours has by then: collecting what is young, and growing, is a tenth of a start.
  '--min-semi-space-size=64',
  '--initial-old-space-size=256',
  // A function is optimized once it has run for ten times as long as usual: before that it does not pay.
  '--interrupt-budget=1500000',
  ...['--require', join(__dirname, 'compiled-once.cjs')],
];
