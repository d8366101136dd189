/** Which version of the workers gets what. */
import { isGrpcServiceError } from '@temporalio/client';
import Joi from 'joi';
import { readTaskQueue, taskQueueKinds, unversioned } from '../process/task-queue';
import { nobody } from '../users/operators';
import { bundleFile, findBuild, findBuilt, historiesFolder } from '../worker/versions/build';
import { changeRouting, type Change as RoutingChange } from '../worker/versions/first-version';
import type { Replayed } from '../worker/versions/replay-gate';
import {
  viewDeployment,
  type DeploymentView,
  type Place,
  type Version,
} from '../worker/versions/server-view';
import { defineAction, type Acting, type Change, type Deployment } from './action';
import { ActionError } from './errors';
import { id } from './fields';

/** gRPC: the routing is not what was seen, or another tool's to change. */
const failedPrecondition = 9;
/** Of each type, so many open workflows are replayed unless told. */
const sampleUsual = 20;
/** More would fill the screen, and one is enough. */
const shownMax = 5;

interface Gate {
  sample?: number;
  replayed_elsewhere?: boolean;
}

interface OfBuild extends Gate {
  build: string;
}

interface RampInput extends OfBuild {
  percent: number;
}

export interface Promoted {
  current: string;
  before: string | null;
  /** Null where that was done elsewhere. */
  replayed: Replayed | null;
}

export interface Ramped {
  build: string;
  /** Null once nothing ramps. */
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

const gate = {
  sample: Joi.number().integer().min(1).max(999_999_999),
  replayed_elsewhere: Joi.boolean(),
};

/** What is to be changed, as the deployment stands now. */
interface Plan {
  place: Place;
  view: DeploymentView;
  /** Who would go on with what is open; undefined for workers without a version. */
  receiver: string | undefined;
  wish: Wish;
  changes: Change[];
}

type Wish = RoutingChange extends infer One ? (One extends RoutingChange ? Omit<One, 'by'> : never) : never;

/** @throws ActionError where workers have no versions. */
export function placeOf({ versions }: Pick<Deployment, 'versions'>): Place {
  if (!versions)
    throw new ActionError(
      'The workers have no versions: MALIPO_DEPLOYMENT is not set (docs/upgrades.md says what for).',
    );
  return versions;
}

/** @throws ActionError where no worker was ever seen. */
export async function seen(place: Place): Promise<DeploymentView> {
  const view = await viewDeployment(place);
  if (!view) throw new ActionError(`No worker of the deployment ${place.deployment.name} was ever seen.`);
  return view;
}

/** @throws ActionError where there is none of that name. */
export function versionIn({ versions }: DeploymentView, buildId: string): Version {
  const found = versions.find((version) => version.buildId === buildId);
  if (found) return found;
  const names = versions.map((version) => version.buildId).join(', ');
  throw new ActionError(
    `There is no version ${buildId}: none of its workers was ever seen. There are: ${names}.`,
  );
}

function refuseUnmanned({ buildId, pollers }: Version): void {
  if (pollers.workflows > 0 && pollers.activities > 0) return;
  throw new ActionError(`No worker of version ${buildId} runs: what it gets would stand still.`);
}

async function refuseWithoutUnversioned({ client, namespace, taskQueue }: Place): Promise<void> {
  for (const kind of taskQueueKinds) {
    const { seen: asking } = await readTaskQueue(client, { temporalNamespace: namespace, taskQueue }, kind);
    if (!asking.includes(unversioned))
      throw new ActionError('No worker without a version runs: what it gets would stand still.');
  }
}

/** Somebody has to do the work that it gets. */
async function expectWorkers({ place, receiver }: Plan, view: DeploymentView): Promise<void> {
  if (receiver === undefined) await refuseWithoutUnversioned(place);
  else refuseUnmanned(versionIn(view, receiver));
}

const currentOf = ({ deployment }: Place, from: string | undefined, to: string | null): Change => ({
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
    `Version ${ramping.buildId} ramps: malipo deploy ramp ${ramping.buildId} 0 ends that first.`,
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
    throw new ActionError(`Version ${build} is not ramping, and gets nothing.`);
  if (ramping && ramping.percent > 0) refuseRamping(view, build);
  // What one of them no longer gets, the other one goes on with.
  const receiver = percent >= version.percent ? build : current;
  if (receiver === undefined)
    throw new ActionError('No version is current that would get the rest: promote one.');
  const changes = [
    shareOf(build, version.percent, percent),
    ...(current === undefined ? [] : [shareOf(current, 100 - version.percent, 100 - percent)]),
  ];
  return { place, view, receiver, wish: { ramping: build, percent }, changes };
}

/** Which build they are, workers without a version do not say: this one is replayed, and they have to be of it. */
async function planOff(deployment: Deployment): Promise<Plan & { before: string }> {
  const place = placeOf(deployment);
  const view = await seen(place);
  const { currentBuildId: before } = view;
  refuseRamping(view);
  if (before === undefined)
    throw new ActionError('No version is current: workers without a version do all already.');
  const changes = [currentOf(place, before, null)];
  return { place, view, receiver: undefined, wish: { current: undefined }, changes, before };
}

/** What would be changed, where somebody is there to do the work. Nothing is replayed. */
async function previewed(plan: Plan): Promise<Change[]> {
  await expectWorkers(plan, plan.view);
  return plan.changes;
}

/** @returns what was replayed; null where that was done elsewhere. */
async function carriedOut(acting: Acting, plan: Plan, options: Gate): Promise<Replayed | null> {
  const { place, view, receiver, wish } = plan;
  await expectWorkers(plan, view);
  const replayed = await letThrough(place, receiver, options);
  await expectWorkers(plan, await seen(place));
  const by = acting.by === nobody ? 'an operator' : acting.by;
  try {
    await changeRouting(place, view, { ...wish, by });
  } catch (error) {
    if (!isGrpcServiceError(error) || (error.code as number) !== failedPrecondition) throw error;
    throw new ActionError(
      `Temporal does not take this: ${error.details}. Look at malipo deploy status, and try again.`,
    );
  }
  return replayed ?? null;
}

/**
 * The gate before a version of the workers gets anything: this build replays what it would go on with.
 * @param receiver of what is open; undefined for workers that have no version.
 * @returns what was replayed, or undefined where that was done elsewhere.
 * @throws ActionError where this is not the build that receives, or does not tell each of them as it was.
 */
async function letThrough(
  place: Place,
  receiver: string | undefined,
  { sample = sampleUsual, replayed_elsewhere: isReplayedElsewhere }: Gate,
): Promise<Replayed | undefined> {
  if (isReplayedElsewhere) return undefined;
  const own = place.deployment.buildId;
  const built = findBuild()?.id;
  // A name that was only set says nothing of the code here, which is what would be replayed.
  if (own !== built)
    throw new ActionError(
      `MALIPO_BUILD_ID says ${String(own)}, and the code here is ${built === undefined ? 'no build' : `build ${built}`}: ` +
        'run the command from the build itself, or give --replayed-elsewhere if it was replayed.',
    );
  const codePath = findBuilt(bundleFile);
  if (own !== (receiver ?? own) || codePath === undefined)
    throw new ActionError(
      `${own === undefined ? 'This is no build' : `This is build ${own}`}, and ${receiver ?? 'another one'} would get what is open: run ` +
        'the command from that build, which replays it first, or give --replayed-elsewhere if that was done.',
    );
  // Workers are heavy, and no other action needs them.
  const { replayAll } = await import('../worker/versions/replay-gate.js');
  const replayed = await replayAll({ place, codePath, histories: findBuilt(historiesFolder), sample });
  if (replayed.saved === 0)
    throw new ActionError(
      'This build has no saved histories: it was built without test/histories, and proves nothing.',
    );
  if (replayed.failures.length > 0) throw new ActionError(failuresOf(replayed));
  return replayed;
}

function failuresOf({ failures }: Replayed): string {
  const n = failures.length;
  const shown = failures.slice(0, shownMax).map(({ workflowId, reason }) => `  ${workflowId}: ${reason}`);
  return [
    `Nothing was changed: this build does not go on with ${String(n)} ${n === 1 ? 'workflow' : 'workflows'} as they were begun.`,
    ...shown,
    ...(n > shownMax ? [`  and ${String(n - shownMax)} more`] : []),
  ].join('\n');
}

const common = { version: 1, right: 'act', approval: 'never', writes: 'elsewhere' } as const;
const about = ({ build }: OfBuild) => ({ kind: 'deploy', id: build });

export const deployActions = {
  'deploy.promote': defineAction<OfBuild, Promoted>({
    ...common,
    schema: Joi.object<OfBuild>({ build: id.required(), ...gate }),
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
        .messages({ '*': '"{#value}" is no percentage; write a whole number from 0 to 100.' }),
      ...gate,
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

  'deploy.off': defineAction<Gate, SwitchedOff>({
    ...common,
    schema: Joi.object<Gate>(gate),
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
