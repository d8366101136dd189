import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import type { Command } from 'commander';
import { lookAtTaskQueue, taskQueueKinds, unversioned } from '../ops/task-queue';
import { changeRouting, type Change } from '../ops/versions/change-routing';
import { viewDeployment, type DeploymentView, type Place, type Version } from '../ops/versions/server-view';
import { nobody } from '../operators/operators';
import { letThrough, toldOfGate, type GateOptions } from './deploy-gate';
import { readDuration, readWholeNumber } from './parse';
import { Refusal, UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { count, table } from './table';
import { clockOf } from './wall-clock';

const lookAgainMs = 2_000;
/** gRPC: the routing is not what was seen, or another tool's to change. */
const failedPrecondition = 9;
/** Which workflows are open is known a little later than they are. */
const seenLateMs = 30_000;

export function deployCommands(program: Command, run: Runner): void {
  const deploy = program.command('deploy').description('which version of the workers gets what');
  deploy
    .command('status')
    .description('every version: what it gets, who runs it, and what is open under it')
    .action(run(status));
  gated(deploy.command('promote <build>'))
    .description('what begins and what moves is done by this version from now on; the way back is the same')
    .action(run(promote));
  gated(deploy.command('ramp <build> <percent>'))
    .description('so much of what begins and of what moves is done by this version; 0 for nothing more')
    .action(run(ramp));
  gated(deploy.command('off'))
    .description('no version is current any more: what begins and what moves is done by workers without one')
    .action(run(off));
  deploy
    .command('drain [build]')
    .description('what still needs workers of a version that is not current, or of each of them')
    .option('--wait <duration>', 'wait so long for nothing to need them, such as 30m', readDuration)
    .action(run(drain));
}

function gated(command: Command): Command {
  return command
    .option('--sample <n>', 'replay so many open workflows of each type', readWholeNumber, 20)
    .option(
      '--replayed-elsewhere',
      'replay nothing here: you have seen that this build goes on with what is open',
    );
}

function placeOf({ versions }: Session): Place {
  if (!versions)
    throw new Refusal(
      'The workers have no versions: MALIPO_DEPLOYMENT is not set (docs/upgrades.md says what for).',
    );
  return versions;
}

async function seen(place: Place): Promise<DeploymentView> {
  const view = await viewDeployment(place);
  if (!view) throw new Refusal(`No worker of the deployment ${place.deployment.name} was ever seen.`);
  return view;
}

function versionIn({ versions }: DeploymentView, buildId: string): Version {
  const found = versions.find((version) => version.buildId === buildId);
  if (found) return found;
  const names = versions.map((version) => version.buildId).join(', ');
  throw new Refusal(
    `There is no version ${buildId}: none of its workers was ever seen. There are: ${names}.`,
  );
}

async function status(session: Session): Promise<Report> {
  const place = placeOf(session);
  const view = await viewDeployment(place);
  const { name } = place.deployment;
  if (!view)
    return {
      json: { deployment: name, versions: [] },
      text: `No worker of the deployment ${name} was ever seen.`,
    };
  const clock = clockOf(session.config.timezone);
  const rows = view.versions.map((version) => [
    version.buildId,
    version.percent === 0 ? version.standing : `${version.standing} ${String(version.percent)} %`,
    version.since ? clock(version.since) : '-',
    `${String(version.pollers.workflows)} / ${String(version.pollers.activities)}`,
    version.open,
    version.staying,
  ]);
  const own = place.deployment.buildId;
  return {
    json: {
      deployment: name,
      current: view.currentBuildId ?? null,
      this_build: own ?? null,
      unversioned_workers: view.unversionedPollers,
      versions: view.versions.map(({ buildId, ...version }) => ({ build: buildId, ...version })),
    },
    text: [
      `Deployment ${name}${own === undefined ? '' : `; this is build ${own}`}.`,
      table(['build', 'is', 'since', 'workers (workflows / activities)', 'open', 'that stay'], rows),
      view.currentBuildId === undefined &&
        'No version is current: what begins waits for malipo deploy promote.',
      view.unversionedPollers > 0 &&
        `${count(view.unversionedPollers, 'worker')} without a version, which gets nothing once one is current.`,
    ]
      .filter((line) => line !== false)
      .join('\n'),
  };
}

async function promote(session: Session, buildId: string, options: GateOptions): Promise<Report> {
  const place = placeOf(session);
  const view = await seen(place);
  const version = versionIn(view, buildId);
  if (version.standing === 'current') throw new Refusal(`Version ${buildId} is current.`);
  refuseUnmanned(version);
  const replayed = await letThrough(place, buildId, options);
  refuseUnmanned(versionIn(await seen(place), buildId));
  await change(session, view, { current: buildId });
  const before = view.currentBuildId;
  return {
    json: { current: buildId, before: before ?? null, replayed: replayed ?? null },
    text: [
      toldOfGate(replayed),
      `Version ${buildId} is current: all that begins, and what is open and moves, is done by its workers.`,
      before !== undefined && `malipo deploy drain ${before} says when the workers of before may end.`,
    ]
      .filter((line) => line !== false)
      .join('\n'),
  };
}

async function ramp(session: Session, buildId: string, text: string, options: GateOptions): Promise<Report> {
  const place = placeOf(session);
  const percent = readPercent(text);
  const view = await seen(place);
  const version = versionIn(view, buildId);
  const { currentBuildId: current, ramping } = view;
  if (version.standing === 'current')
    throw new Refusal(`Version ${buildId} is current; promote or ramp another one instead.`);
  if (percent === 0 && version.standing !== 'ramping')
    throw new Refusal(`Version ${buildId} is not ramping, and gets nothing.`);
  if (ramping && ramping.buildId !== buildId && ramping.percent > 0)
    throw new Refusal(
      `Version ${ramping.buildId} ramps: malipo deploy ramp ${ramping.buildId} 0 ends that first.`,
    );
  // What one of them no longer gets, the other one goes on with.
  const isMore = percent >= version.percent;
  const receiver = isMore ? buildId : current;
  if (receiver === undefined)
    throw new Refusal('No version is current that would get the rest: promote one.');
  refuseUnmanned(versionIn(view, receiver));
  const replayed = await letThrough(place, receiver, options);
  refuseUnmanned(versionIn(await seen(place), receiver));
  await change(session, view, { ramping: buildId, percent });
  return {
    json: {
      ramping: percent === 0 ? null : buildId,
      percent,
      current: current ?? null,
      replayed: replayed ?? null,
    },
    text: [
      toldOfGate(replayed),
      percent === 0
        ? `Version ${buildId} gets nothing any more; what it began and what moves goes on with ${String(current)}.`
        : `Version ${buildId} gets ${String(percent)} % of what begins and of what is open and moves.`,
    ].join('\n'),
  };
}

/** Which build they are, workers without a version do not say: this one is replayed, and they have to be of it. */
async function off(session: Session, options: GateOptions): Promise<Report> {
  const place = placeOf(session);
  const view = await seen(place);
  const { currentBuildId: before, ramping } = view;
  if (ramping)
    throw new Refusal(
      `Version ${ramping.buildId} ramps: malipo deploy ramp ${ramping.buildId} 0 ends that first.`,
    );
  if (before === undefined)
    throw new Refusal('No version is current: workers without a version do all already.');
  await refuseWithoutUnversioned(place);
  const replayed = await letThrough(place, undefined, options);
  await refuseWithoutUnversioned(place);
  await change(session, view, { current: undefined });
  return {
    json: { current: null, before, replayed: replayed ?? null },
    text: [
      toldOfGate(replayed),
      'No version is current: all that begins, and what is open and moves, is done by workers without a version.',
      `malipo deploy drain ${before} says when the workers of before may end.`,
    ].join('\n'),
  };
}

async function refuseWithoutUnversioned({ client, namespace, taskQueue }: Place): Promise<void> {
  for (const kind of taskQueueKinds) {
    const { seen: asking } = await lookAtTaskQueue(client, { temporalNamespace: namespace, taskQueue }, kind);
    if (!asking.includes(unversioned))
      throw new Refusal('No worker without a version runs: what it gets would stand still.');
  }
}

function readPercent(text: string): number {
  if (/^(?:\d{1,2}|100)$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is no percentage; write a whole number from 0 to 100.`);
}

function refuseUnmanned({ buildId, pollers }: Version): void {
  if (pollers.workflows > 0 && pollers.activities > 0) return;
  throw new Refusal(`No worker of version ${buildId} runs: what it gets would stand still.`);
}

type Wish = Change extends infer One ? (One extends Change ? Omit<One, 'by'> : never) : never;

async function change(session: Session, view: DeploymentView, wish: Wish): Promise<void> {
  const by = session.acting.by === nobody ? 'an operator' : session.acting.by;
  try {
    await changeRouting(placeOf(session), view, { ...wish, by });
  } catch (error) {
    if (!isGrpcServiceError(error) || (error.code as number) !== failedPrecondition) throw error;
    throw new Refusal(
      `Temporal does not take this: ${error.details}. Look at malipo deploy status, and try again.`,
    );
  }
}

async function drain(
  session: Session,
  buildId: string | undefined,
  { wait = 0 }: { wait?: number },
): Promise<Report> {
  const place = placeOf(session);
  const until = performance.now() + wait;
  for (;;) {
    const view = await seen(place);
    const draining = drainingIn(view, buildId);
    const isOver = draining.every(mayEnd);
    if (isOver || performance.now() >= until) return toldOfDrain(draining, isOver);
    await delay(lookAgainMs);
  }
}

function drainingIn(view: DeploymentView, buildId: string | undefined): Version[] {
  if (buildId === undefined)
    return view.versions.filter(({ standing, pollers, staying }) => {
      const isNeeded = standing === 'current' || standing === 'ramping';
      return !isNeeded && pollers.workflows + pollers.activities + staying > 0;
    });
  const version = versionIn(view, buildId);
  if (version.percent > 0)
    throw new Refusal(`Version ${buildId} is ${version.standing}: it drains once it gets nothing more.`);
  return [version];
}

/** Nothing that stays with it is open. What moves is gone with its next task, and what a worker has begun it ends. */
function mayEnd({ standing, staying, since }: Version): boolean {
  if (standing === 'drained') return true;
  return staying === 0 && (since === undefined || Date.now() - since.getTime() > seenLateMs);
}

function toldOfDrain(draining: Version[], isOver: boolean): Report {
  const rows = draining.map((version) => [
    version.buildId,
    version.open,
    version.staying,
    mayEnd(version) ? 'may end' : version.staying > 0 ? 'have to run' : 'have to run for half a minute more',
  ]);
  return {
    json: {
      drained: isOver,
      versions: draining.map((version) => ({ build: version.buildId, may_end: mayEnd(version), ...version })),
    },
    text:
      draining.length === 0
        ? 'Workers of no other version than those that get something are running.'
        : table(['build', 'open', 'that stay', 'its workers'], rows),
    ok: isOver,
  };
}
