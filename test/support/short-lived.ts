import { join } from 'node:path';

/** What Node is told for a process of ours that lives as long as a test: starting is most of what it does. */
export const shortLived = [
  // Room for young objects that a server of many hours has by then: collecting them is a tenth of a start.
  '--min-semi-space-size=16',
  ...['--require', join(__dirname, 'compiled-once.cjs')],
];
