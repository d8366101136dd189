import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { placeOf, seen, versionIn } from '../operator-actions/deploy';
import { ActionError, InputError } from '../operator-actions/errors';
import { readWholeNumber } from '../operator-actions/read';
import type { Replayed } from '../worker/versions/replay-gate';
import { viewDeployment, type DeploymentView, type Version } from '../worker/versions/server-view';
import { readDuration } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

const lookAgainMs = 2_000;
/** Which workflows are open is known a little later than they are. */
const seenLateMs = 30_000;

interface GateOptions {
  sample: number;
  replayedElsewhere?: true;
}

const gateOf = ({ sample, replayedElsewhere }: GateOptions) => ({
  sample,
  ...(replayedElsewhere && { replayed_elsewhere: true }),
});

export function deployCommands(program: Command, { run, act }: Running): void {
  const deploy = program.command('deploy').description('which version of the workers gets what');
  deploy
    .command('status')
    .description('every version: what it gets, who runs it, and what is open under it')
    .action(run(status));
  act(
    gated(deploy.command('promote <build>')).description(
      'what begins and what moves is done by this version from now on; the way back is the same',
    ),
    {
      kind: 'deploy.promote',
      input: (_: Session, build: string, options: GateOptions) => ({ build, ...gateOf(options) }),
      print: (_, json) => ({
        json,
        text: [
          toldOfGate(json.replayed),
          `Version ${json.current} is current: all that begins, and what is open and moves, is done by its workers.`,
          json.before !== null &&
            `malipo deploy drain ${json.before} says when the workers of before may end.`,
        ]
          .filter((line) => line !== false)
          .join('\n'),
      }),
    },
  );
  act(
    gated(deploy.command('ramp <build> <percent>')).description(
      'so much of what begins and of what moves is done by this version; 0 for nothing more',
    ),
    {
      kind: 'deploy.ramp',
      input: (_: Session, build: string, percent: string, options: GateOptions) => ({
        ...{ build, percent: readPercent(percent) },
        ...gateOf(options),
      }),
      print: (_, { build, ...json }) => ({
        json,
        text: [
          toldOfGate(json.replayed),
          json.percent === 0
            ? `Version ${build} gets nothing any more; what it began and what moves goes on with ${String(json.current)}.`
            : `Version ${build} gets ${String(json.percent)} % of what begins and of what is open and moves.`,
        ].join('\n'),
      }),
    },
  );
  act(
    gated(deploy.command('off')).description(
      'no version is current any more: what begins and what moves is done by workers without one',
    ),
    {
      kind: 'deploy.off',
      input: (_: Session, options: GateOptions) => gateOf(options),
      print: (_, json) => ({
        json,
        text: [
          toldOfGate(json.replayed),
          'No version is current: all that begins, and what is open and moves, is done by workers without a version.',
          `malipo deploy drain ${json.before} says when the workers of before may end.`,
        ].join('\n'),
      }),
    },
  );
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

function readPercent(text: string): number {
  if (/^(?:\d{1,2}|100)$/.test(text)) return Number(text);
  throw new InputError(`"${text}" is no percentage; write a whole number from 0 to 100.`);
}

function toldOfGate(replayed: Replayed | null): string {
  if (!replayed) return 'Nothing was replayed here.';
  const open = Object.values(replayed.open).reduce((sum, n) => sum + n, 0);
  return `Replayed as they were: ${count(replayed.saved, 'saved history', 'saved histories')} and ${count(open, 'open workflow')}.`;
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
    throw new ActionError(`Version ${buildId} is ${version.standing}: it drains once it gets nothing more.`);
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
