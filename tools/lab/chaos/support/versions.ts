/** A second version of the workers that joins, is given what begins and what is open, and goes again. */
import { waitFor } from '../../../sandbox/services/wait-for';
import type { World } from './world';

const version = { MALIPO_DEPLOYMENT: 'chaos', MALIPO_BUILD_ID: 'next' };

async function startWorker({ stack, second }: World): Promise<void> {
  second.isThere = true;
  second.times += 1;
  second.worker = await stack.startAnother('worker', version);
}

/**
 * The first that has a version makes itself current; from then on an operator says which is. Those without one get
 * nothing more (docs/upgrades.md).
 */
export async function versionJoins(world: World): Promise<void> {
  await startWorker(world);
  const operator = world.operator.with(version);
  const isCurrent = async () => {
    const said = await operator.malipo('deploy', 'status', '--json');
    if ((JSON.parse(said) as { current: string | null }).current === version.MALIPO_BUILD_ID) return true;
    if (world.second.times > 1)
      await operator.malipo('deploy', 'promote', version.MALIPO_BUILD_ID, '--replayed-elsewhere');
    return false;
  };
  await waitFor(async () => (await isCurrent()) || undefined, {
    what: 'the second version to be current',
    timeoutMs: 30_000,
  });
}

/** It has not come so far, or Temporal has lost what it knew of it. */
async function unlessNone(done: Promise<unknown>): Promise<void> {
  await done.catch((error: unknown) => {
    const isNone = error instanceof Error && /was ever seen|No version is current/.test(error.message);
    if (!isNone) throw error;
  });
}

/** As the runbook has it: nothing goes to that version any more, and then its workers end. */
export async function versionGoes(world: World): Promise<void> {
  const { second } = world;
  if (!second.isThere) return;
  // What is open with it needs somebody of it until it is off.
  if (!second.worker?.child.isRunning()) await startWorker(world);
  const operator = world.operator.with(version);
  await unlessNone(operator.malipo('deploy', 'off', '--replayed-elsewhere'));
  await unlessNone(operator.malipo('deploy', 'drain', version.MALIPO_BUILD_ID, '--wait', '2m'));
  await second.worker?.child.stop();
  second.isThere = false;
}
