import type { ChildProcess } from '../../tools/sandbox/services/child-process';
import type { ServerName } from './tiers.cjs';

interface ServicesOfThisRun {
  folder: string | undefined;
  started: Set<ServerName>;
  children: ChildProcess[];
}

/**
 * Jest loads setup and teardown as separate module trees of one process, so their shared state is on the global object.
 */
const holder = globalThis as typeof globalThis & { malipoTestServices?: ServicesOfThisRun };

export const testServices = (holder.malipoTestServices ??= {
  folder: undefined,
  started: new Set(),
  children: [],
});
