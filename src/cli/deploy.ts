import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { placeOf, seen, versionIn } from '../operator-actions/deploy';
import { ActionError, InputError } from '../operator-actions/errors';
import { readWholeNumber } from '../operator-actions/read';
import type { Replayed } from '../worker/versions/replay-check';
import { viewDeployment, type DeploymentView, type Version } from '../worker/versions/server-view';
import { readDuration } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

const pollEveryMs = 2_000;
/** Temporal's list of open workflows is behind by less than this. */
const seenLateMs = 30_000;

interface ReplayCheckOptions {
  sample: number;
  replayedElsewhere?: true;
}

const replayCheckOf = ({ sample, replayedElsewhere }: ReplayCheckOptions) => ({
  sample,
  ...(replayedElsewhere && { replayed_elsewhere: true }),
});

export function deployCommands(program: Command, { run, act }: Running): void {
  const deploy = program
    .command('deploy')
    .description('versions of the workers, and which version gets which work');
  deploy
    .command('status')
    .description('list every version with its share of the work, its workers and its open workflows')
    .action(run(status));
  act(
    gated(deploy.command('promote <build>')).description(
      'make this version current: it gets all new workflows and all open ones that move; to go back, promote the old version',
    ),
    {
      kind: 'deploy.promote',
      input: (_: Session, build: string, options: ReplayCheckOptions) => ({
        build,
        ...replayCheckOf(options),
      }),
      print: (_, json) => ({
        json,
        text: [
          replayCheckText(json.replayed),
          `Version ${json.current} is current: its workers run all new workflows, and all open ones that move.`,
          json.before !== null && `malipo deploy drain ${json.before} says when you may end the old workers.`,
        ]
          .filter((line) => line !== false)
          .join('\n'),
      }),
    },
  );
  act(
    gated(deploy.command('ramp <build> <percent>')).description(
      'give this version a share of the new workflows and of the open ones that move; 0 ends its share',
    ),
    {
      kind: 'deploy.ramp',
      input: (_: Session, build: string, percent: string, options: ReplayCheckOptions) => ({
        ...{ build, percent: readPercent(percent) },
        ...replayCheckOf(options),
      }),
      print: (_, { build, ...json }) => ({
        json,
        text: [
          replayCheckText(json.replayed),
          json.percent === 0
            ? `Version ${build} gets no new tasks; ${String(json.current)} continues its workflows that move.`
            : `Version ${build} gets ${String(json.percent)} % of the new workflows, and of the open ones that move.`,
        ].join('\n'),
      }),
    },
  );
  act(
    gated(deploy.command('unset')).description(
      'make no version current: workers without a version get all new workflows and all open ones that move',
    ),
    {
      kind: 'deploy.unset',
      input: (_: Session, options: ReplayCheckOptions) => replayCheckOf(options),
      print: (_, json) => ({
        json,
        text: [
          replayCheckText(json.replayed),
          'No version is current: workers without a version run all new workflows, and all open ones that move.',
          `malipo deploy drain ${json.before} says when you may end the old workers.`,
        ].join('\n'),
      }),
    },
  );
  deploy
    .command('drain [build]')
    .description(
      'show which open workflows still need the workers of a version that is not current, or of all such versions',
    )
    .option(
      '--wait <duration>',
      'wait at most this long, such as 30m, until no workflow needs them',
      readDuration,
    )
    .action(run(drain));
}

function gated(command: Command): Command {
  return command
    .option('--sample <n>', 'replay this many open workflows of each type', readWholeNumber, 20)
    .option(
      '--replayed-elsewhere',
      'replay nothing here: you have checked elsewhere that this build continues the open workflows',
    );
}

function readPercent(text: string): number {
  if (/^(?:\d{1,2}|100)$/.test(text)) return Number(text);
  throw new InputError(`"${text}" is not a percentage; write a whole number from 0 to 100.`);
}

function replayCheckText(replayed: Replayed | null): string {
  if (!replayed) return 'Nothing was replayed here.';
  const open = Object.values(replayed.open).reduce((sum, n) => sum + n, 0);
  return `Replayed without a difference: ${count(replayed.saved, 'saved history', 'saved histories')} and ${count(open, 'open workflow')}.`;
}

async function status(session: Session): Promise<Report> {
  const place = placeOf(session);
  const view = await viewDeployment(place);
  const { name } = place.deployment;
  if (!view)
    return {
      json: { deployment: name, versions: [] },
      text: `Temporal has never seen a worker of the deployment ${name}.`,
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
        'No version is current: new workflows wait for malipo deploy promote.',
      view.unversionedPollers > 0 &&
        `${count(view.unversionedPollers, 'worker')} without a version: no work goes there once a version is current.`,
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
    if (isOver || performance.now() >= until) return drainReport(draining, isOver);
    await delay(pollEveryMs);
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
    throw new ActionError(
      `Version ${buildId} is ${version.standing}: it drains only when it gets no new tasks.`,
    );
  return [version];
}

/**
 * No open workflow must stay with this version. A workflow that moves leaves with its next task, and a worker finishes
 * the tasks that it has started.
 */
function mayEnd({ standing, staying, since }: Version): boolean {
  if (standing === 'drained') return true;
  return staying === 0 && (since === undefined || Date.now() - since.getTime() > seenLateMs);
}

function drainReport(draining: Version[], isOver: boolean): Report {
  const rows = draining.map((version) => [
    version.buildId,
    version.open,
    version.staying,
    mayEnd(version) ? 'may end' : version.staying > 0 ? 'must run' : 'must run for 30 s more',
  ]);
  return {
    json: {
      drained: isOver,
      versions: draining.map((version) => ({ build: version.buildId, may_end: mayEnd(version), ...version })),
    },
    text:
      draining.length === 0
        ? 'Only workers of versions that get work are running.'
        : table(['build', 'open', 'that stay', 'its workers'], rows),
    ok: isOver,
  };
}
