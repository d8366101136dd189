/** A second version of the workers that starts, gets new and open workflows, and stops again. */
import { waitFor } from '../../../sandbox/services/wait-for';
import type { World } from './world';

const version = { MALIPO_DEPLOYMENT: 'chaos', MALIPO_BUILD_ID: 'next' };

async function startWorker({ stack, second }: World): Promise<void> {
  second.isThere = true;
  second.times += 1;
  second.worker = await stack.startAnother('worker', version);
}

/**
 * The first version makes itself current; later an operator chooses. Workers without a version get no more tasks
 * (docs/upgrades.md).
 */
export async function versionJoins(world: World): Promise<void> {
  await startWorker(world);
  const operator = world.operator.with(version);
  const isCurrent = async () => {
    const output = await operator.malipo('deploy', 'status', '--json');
    if ((JSON.parse(output) as { current: string | null }).current === version.MALIPO_BUILD_ID) return true;
    if (world.second.times > 1)
      await operator.malipo('deploy', 'promote', version.MALIPO_BUILD_ID, '--replayed-elsewhere');
    return false;
  };
  await waitFor(async () => (await isCurrent()) || undefined, {
    what: 'the second version to be current',
    timeoutMs: 30_000,
  });
}

/** It has not got so far, or Temporal has lost its data. */
async function unlessNone(done: Promise<unknown>): Promise<void> {
  await done.catch((error: unknown) => {
    const isNone = error instanceof Error && /was ever seen|No version is current/.test(error.message);
    if (!isNone) throw error;
  });
}

/** As in the runbook: the version gets no more workflows, and then its workers stop. */
export async function versionGoes(world: World): Promise<void> {
  const { second } = world;
  if (!second.isThere) return;
  // Its open workflows need a worker of it until it is retired.
  if (!second.worker?.child.isRunning()) await startWorker(world);
  const operator = world.operator.with(version);
  await unlessNone(operator.malipo('deploy', 'unset', '--replayed-elsewhere'));
  await unlessNone(operator.malipo('deploy', 'drain', version.MALIPO_BUILD_ID, '--wait', '2m'));
  await second.worker?.child.stop();
  second.isThere = false;
}
