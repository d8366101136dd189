/** The gate before a version of the workers gets anything: this build replays what it would go on with. */
import { bundleFile, findBuild, findBuilt, historiesFolder } from '../ops/versions/build';
import type { Replayed } from '../ops/versions/replay-gate';
import type { Place } from '../ops/versions/server-view';
import { Refusal } from './refusal';
import { count } from './table';

export interface GateOptions {
  sample: number;
  replayedElsewhere?: true;
}

/** More would fill the screen, and one is enough. */
const shownMax = 5;

/**
 * @param receiver of what is open; undefined for workers that have no version.
 * @returns what was replayed, or undefined where that was done elsewhere.
 * @throws Refusal where this is not the build that receives, or does not tell each of them as it was.
 */
export async function letThrough(
  place: Place,
  receiver: string | undefined,
  { sample, replayedElsewhere }: GateOptions,
): Promise<Replayed | undefined> {
  if (replayedElsewhere) return undefined;
  const own = place.deployment.buildId;
  const built = findBuild()?.id;
  // A name that was only set says nothing of the code here, which is what would be replayed.
  if (own !== built)
    throw new Refusal(
      `MALIPO_BUILD_ID says ${String(own)}, and the code here is ${built === undefined ? 'no build' : `build ${built}`}: ` +
        'run the command from the build itself, or give --replayed-elsewhere if it was replayed.',
    );
  const codePath = findBuilt(bundleFile);
  if (own !== (receiver ?? own) || codePath === undefined)
    throw new Refusal(
      `${own === undefined ? 'This is no build' : `This is build ${own}`}, and ${receiver ?? 'another one'} would get what is open: run ` +
        'the command from that build, which replays it first, or give --replayed-elsewhere if that was done.',
    );
  // Workers are heavy, and no other command needs them.
  const { replayAll } = await import('../ops/versions/replay-gate.js');
  const replayed = await replayAll({ place, codePath, histories: findBuilt(historiesFolder), sample });
  if (replayed.saved === 0)
    throw new Refusal(
      'This build has no saved histories: it was built without test/histories, and proves nothing.',
    );
  if (replayed.failures.length > 0) throw new Refusal(toldOfFailures(replayed));
  return replayed;
}

function toldOfFailures({ failures }: Replayed): string {
  const shown = failures.slice(0, shownMax).map(({ workflowId, reason }) => `  ${workflowId}: ${reason}`);
  const more = failures.length > shownMax ? [`  and ${String(failures.length - shownMax)} more`] : [];
  return [
    `Nothing was changed: this build does not go on with ${count(failures.length, 'workflow')} as they were begun.`,
    ...shown,
    ...more,
  ].join('\n');
}

export function toldOfGate(replayed: Replayed | undefined): string {
  if (!replayed) return 'Nothing was replayed here.';
  const open = Object.values(replayed.open).reduce((sum, n) => sum + n, 0);
  return `Replayed as they were: ${count(replayed.saved, 'saved history', 'saved histories')} and ${count(open, 'open workflow')}.`;
}
