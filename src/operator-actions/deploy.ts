/** Decides which version of the workers gets which work. */
import { isGrpcServiceError } from '@temporalio/client';
import Joi from 'joi';
import { readTaskQueue, taskQueueKinds, unversioned } from '../process/task-queue';
import { noOperator } from '../users/operators';
import { bundleFile, findBuild, findBuilt, historiesFolder } from '../worker/versions/build';
import { changeRouting, type Change as RoutingChange } from '../worker/versions/first-version';
import type { Replayed } from '../worker/versions/replay-check';
import {
  viewDeployment,
  type DeploymentView,
  type DeploymentAddress,
  type Version,
} from '../worker/versions/server-view';
import { defineAction, type Acting, type Change, type Deployment } from './action';
import { ActionError } from './errors';
import { id } from './fields';

/** gRPC: the routing has changed since it was read, or another tool manages it. */
const failedPrecondition = 9;
/** How many open workflows of each type are replayed by default. */
const sampleUsual = 20;
/** An error lists at most this many workflows. */
const shownMax = 5;

interface ReplayCheck {
  sample?: number;
  replayed_elsewhere?: boolean;
}

interface OfBuild extends ReplayCheck {
  build: string;
}

interface RampInput extends OfBuild {
  percent: number;
}

export interface Promoted {
  current: string;
  before: string | null;
  /** Null if it was done elsewhere. */
  replayed: Replayed | null;
}

export interface Ramped {
  build: string;
  /** Null if no version ramps. */
  ramping: string | null;
  percent: number;
  current: string | null;
  replayed: Replayed | null;
}

export interface SwitchedOff {
  current: null;
  before: string;
  replayed: Replayed | null;
}

const replayCheckFields = {
  sample: Joi.number().integer().min(1).max(999_999_999),
  replayed_elsewhere: Joi.boolean(),
};

/** A change of the routing, and the deployment that it starts from. */
interface Plan {
  place: DeploymentAddress;
  view: DeploymentView;
  /** The version that would continue the open workflows; undefined for workers without a version. */
  receiver: string | undefined;
  wish: Wish;
  changes: Change[];
}

type Wish = RoutingChange extends infer One ? (One extends RoutingChange ? Omit<One, 'by'> : never) : never;

/** @throws ActionError if workers have no versions. */
export function placeOf({ versions }: Pick<Deployment, 'versions'>): DeploymentAddress {
  if (!versions)
    throw new ActionError(
      'The workers have no versions: MALIPO_DEPLOYMENT is not set (see docs/upgrades.md).',
    );
  return versions;
}

/** @throws ActionError if Temporal has never seen a worker of the deployment. */
export async function seen(place: DeploymentAddress): Promise<DeploymentView> {
  const view = await viewDeployment(place);
  if (!view)
    throw new ActionError(`Temporal has never seen a worker of the deployment ${place.deployment.name}.`);
  return view;
}

/** @throws ActionError if there is no version with that name. */
export function versionIn({ versions }: DeploymentView, buildId: string): Version {
  const found = versions.find((version) => version.buildId === buildId);
  if (found) return found;
  const names = versions.map((version) => version.buildId).join(', ');
  throw new ActionError(
    `There is no version ${buildId}: Temporal has never seen a worker of it. The versions are: ${names}.`,
  );
}

function refuseUnmanned({ buildId, pollers }: Version): void {
  if (pollers.workflows > 0 && pollers.activities > 0) return;
  throw new ActionError(`No worker of version ${buildId} runs: its workflows would not continue.`);
}

async function refuseWithoutUnversioned({ client, namespace, taskQueue }: DeploymentAddress): Promise<void> {
  for (const kind of taskQueueKinds) {
    const { seen: asking } = await readTaskQueue(client, { temporalNamespace: namespace, taskQueue }, kind);
    if (!asking.includes(unversioned))
      throw new ActionError('No worker without a version runs: its workflows would not continue.');
  }
}

/** @throws ActionError if the receiver has no workers. */
async function expectWorkers({ place, receiver }: Plan, view: DeploymentView): Promise<void> {
  if (receiver === undefined) await refuseWithoutUnversioned(place);
  else refuseUnmanned(versionIn(view, receiver));
}

const currentOf = (
  { deployment }: DeploymentAddress,
  from: string | undefined,
  to: string | null,
): Change => ({
  of: { kind: 'deployment', id: deployment.name },
  field: 'current',
  from: from ?? null,
  to,
});

const shareOf = (buildId: string, from: number, to: number): Change => ({
  of: { kind: 'build', id: buildId },
  field: 'percent',
  from,
  to,
});

function refuseRamping({ ramping }: DeploymentView, but?: string): void {
  if (!ramping || ramping.buildId === but) return;
  throw new ActionError(
    `Version ${ramping.buildId} ramps: first run malipo deploy ramp ${ramping.buildId} 0.`,
  );
}

async function planPromotion(deployment: Deployment, { build }: OfBuild): Promise<Plan> {
  const place = placeOf(deployment);
  const view = await seen(place);
  const version = versionIn(view, build);
  if (version.standing === 'current') throw new ActionError(`Version ${build} is current.`);
  const changes = [currentOf(place, view.currentBuildId, build)];
  return { place, view, receiver: build, wish: { current: build }, changes };
}

async function planRamp(deployment: Deployment, { build, percent }: RampInput): Promise<Plan> {
  const place = placeOf(deployment);
  const view = await seen(place);
  const version = versionIn(view, build);
  const { currentBuildId: current, ramping } = view;
  if (version.standing === 'current')
    throw new ActionError(`Version ${build} is current; promote or ramp another one instead.`);
  if (percent === 0 && version.standing !== 'ramping')
    throw new ActionError(`Version ${build} is not ramping, and gets no tasks.`);
  if (ramping && ramping.percent > 0) refuseRamping(view, build);
  // Workflows that move leave one of the two versions, and the other one continues them.
  const receiver = percent >= version.percent ? build : current;
  if (receiver === undefined) throw new ActionError('No version is current to get the rest: promote one.');
  const changes = [
    shareOf(build, version.percent, percent),
    ...(current === undefined ? [] : [shareOf(current, 100 - version.percent, 100 - percent)]),
  ];
  return { place, view, receiver, wish: { ramping: build, percent }, changes };
}

/** Workers without a version do not report their build. So this build is replayed, and they must be of this build. */
async function planOff(deployment: Deployment): Promise<Plan & { before: string }> {
  const place = placeOf(deployment);
  const view = await seen(place);
  const { currentBuildId: before } = view;
  refuseRamping(view);
  if (before === undefined)
    throw new ActionError('No version is current: workers without a version already get all tasks.');
  const changes = [currentOf(place, before, null)];
  return { place, view, receiver: undefined, wish: { current: undefined }, changes, before };
}

/** The changes that the plan would make, if its receiver has workers. It replays nothing. */
async function previewed(plan: Plan): Promise<Change[]> {
  await expectWorkers(plan, plan.view);
  return plan.changes;
}

/** @returns the replayed workflows; null if that was done elsewhere. */
async function carriedOut(acting: Acting, plan: Plan, options: ReplayCheck): Promise<Replayed | null> {
  const { place, view, receiver, wish } = plan;
  await expectWorkers(plan, view);
  const replayed = await letThrough(place, receiver, options);
  await expectWorkers(plan, await seen(place));
  const by = acting.by === noOperator ? 'an operator' : acting.by;
  try {
    await changeRouting(place, view, { ...wish, by });
  } catch (error) {
    if (!isGrpcServiceError(error) || (error.code as number) !== failedPrecondition) throw error;
    throw new ActionError(
      `Temporal rejects this: ${error.details}. Check malipo deploy status, and try again.`,
    );
  }
  return replayed ?? null;
}

/**
 * The check before a version of the workers gets tasks: this build replays the workflows that it would continue.
 * @param receiver the version that would continue the open workflows; undefined for workers without a version.
 * @returns the replayed workflows, or undefined if that was done elsewhere.
 * @throws ActionError if this is not the receiving build, or if a replay differs from the history.
 */
async function letThrough(
  place: DeploymentAddress,
  receiver: string | undefined,
  { sample = sampleUsual, replayed_elsewhere: isReplayedElsewhere }: ReplayCheck,
): Promise<Replayed | undefined> {
  if (isReplayedElsewhere) return undefined;
  const own = place.deployment.buildId;
  const built = findBuild()?.id;
  // A name from a setting proves nothing about this code, which would be replayed.
  if (own !== built)
    throw new ActionError(
      `MALIPO_BUILD_ID says ${String(own)}, and the code here is ${built === undefined ? 'no build' : `build ${built}`}: ` +
        'run the command from the build itself, or use --replayed-elsewhere if it was replayed.',
    );
  const codePath = findBuilt(bundleFile);
  if (own !== (receiver ?? own) || codePath === undefined)
    throw new ActionError(
      `${own === undefined ? 'This is no build' : `This is build ${own}`}, and ${receiver ?? 'another one'} would get the open workflows: run ` +
        'the command from that build, which replays them first, or use --replayed-elsewhere if that was done.',
    );
  // Loading the worker is slow, and no other action needs it.
  const { replayAll } = await import('../worker/versions/replay-check.js');
  const replayed = await replayAll({ place, codePath, histories: findBuilt(historiesFolder), sample });
  if (replayed.saved === 0)
    throw new ActionError(
      'This build has no saved histories: it was built without test/fixtures, and proves nothing.',
    );
  if (replayed.failures.length > 0) throw new ActionError(failuresOf(replayed));
  return replayed;
}

function failuresOf({ failures }: Replayed): string {
  const n = failures.length;
  const shown = failures.slice(0, shownMax).map(({ workflowId, reason }) => `  ${workflowId}: ${reason}`);
  return [
    `Nothing was changed: this build cannot continue ${String(n)} ${n === 1 ? 'workflow' : 'workflows'}, because the replay differs.`,
    ...shown,
    ...(n > shownMax ? [`  and ${String(n - shownMax)} more`] : []),
  ].join('\n');
}

const common = { version: 1, right: 'act', approval: 'never', writes: 'elsewhere' } as const;
const about = ({ build }: OfBuild) => ({ kind: 'deploy', id: build });

export const deployActions = {
  'deploy.promote': defineAction<OfBuild, Promoted>({
    ...common,
    schema: Joi.object<OfBuild>({ build: id.required(), ...replayCheckFields }),
    phrase: {
      en: 'make {build} the current version of the workers',
      sw: 'kufanya {build} kuwa toleo la sasa la workers',
    },
    subject: about,
    preview: async (deployment, input) => previewed(await planPromotion(deployment, input)),
    async run(scope, input) {
      const plan = await planPromotion(scope, input);
      const replayed = await carriedOut(scope.acting, plan, input);
      return { current: input.build, before: plan.view.currentBuildId ?? null, replayed };
    },
  }),

  'deploy.ramp': defineAction<RampInput, Ramped>({
    ...common,
    schema: Joi.object<RampInput>({
      build: id.required(),
      percent: Joi.number()
        .integer()
        .min(0)
        .max(100)
        .required()
        .messages({ '*': '"{#value}" is not a percentage; write a whole number from 0 to 100.' }),
      ...replayCheckFields,
    }),
    phrase: {
      en: 'give {percent} % of the work to version {build}',
      sw: 'kutoa asilimia {percent} ya kazi kwa toleo {build}',
    },
    subject: about,
    preview: async (deployment, input) => previewed(await planRamp(deployment, input)),
    async run(scope, input) {
      const { build, percent } = input;
      const plan = await planRamp(scope, input);
      const replayed = await carriedOut(scope.acting, plan, input);
      const current = plan.view.currentBuildId ?? null;
      return { build, ramping: percent === 0 ? null : build, percent, current, replayed };
    },
  }),

  'deploy.unset': defineAction<ReplayCheck, SwitchedOff>({
    ...common,
    schema: Joi.object<ReplayCheck>(replayCheckFields),
    phrase: {
      en: 'give all work to workers without a version',
      sw: 'kutoa kazi yote kwa workers wasio na toleo',
    },
    subject: () => ({ kind: 'deploy', id: '' }),
    preview: async (deployment) => previewed(await planOff(deployment)),
    async run(scope, input) {
      const { before, ...plan } = await planOff(scope);
      return { current: null, before, replayed: await carriedOut(scope.acting, plan, input) };
    },
  }),
};
