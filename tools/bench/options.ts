import { parseArgs } from 'node:util';
import type { ClusterPlan } from './cluster/run';
import type { VolumePlan } from './volume/run';
import type { HotPlan } from './hot/run';
import type { SidePlan } from './measures/side';
import type { ProfilePlan } from './profile/run';
import type { SettingsPlan } from './settings/run';
import type { SlowPlan } from './slow/run';

export interface BenchOptions {
  json: boolean;
  sides: SidePlan;
  steadySeconds: number;
  overloadSeconds: number;
  /** Set to measure only the flood: the seconds of each half. */
  floodSeconds?: number;
  /** Set to measure only a full deployment. */
  volume?: VolumePlan;
  /** Set to measure only hot accounts. */
  hot?: HotPlan;
  /** Set to measure only other payments beside a slow provider or slow merchants. */
  slow?: SlowPlan;
  /** Set to compare only Temporal's settings. */
  settings?: SettingsPlan;
  /** Set to measure only the parts of a cluster. */
  cluster?: ClusterPlan;
  /** Set to profile only the processors. */
  profile?: ProfilePlan;
}

/** Fewer could not fill a loop of 20, whose first and last payments are not counted. */
const paymentsMin = 60;
/** The payments of some years, the open ones of a busy month, and those of a busy day. */
const deployment = { payments: 1_100_000, open: 100_000, changes: 20_000 };

/** @throws Error for an unknown or invalid option. */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean' },
      quick: { type: 'boolean' },
      flood: { type: 'boolean' },
      volume: { type: 'boolean' },
      hot: { type: 'boolean' },
      settings: { type: 'boolean' },
      cluster: { type: 'boolean' },
      profile: { type: 'boolean' },
      'slow-provider': { type: 'boolean' },
      'slow-merchants': { type: 'boolean' },
      payments: { type: 'string' },
      rounds: { type: 'string' },
      open: { type: 'string' },
      changes: { type: 'string' },
    },
  });
  const { json = false, quick = false, flood = false, volume: isVolume = false } = values;
  const { hot = false, settings = false, profile = false } = values;
  const settingsOn = values.cluster ? 'cluster' : 'development';
  const cluster = values.cluster === true && !settings;
  const slow = (['provider', 'merchants'] as const).filter((who) => values[`slow-${who}`]);
  if ([flood, isVolume, hot, settings, cluster, profile, ...slow].filter(Boolean).length > 1)
    throw new Error('one measure at a time');
  for (const name of ['open', 'changes'] as const)
    if (values[name] !== undefined && !isVolume) throw new Error(`--${name} goes with --volume`);
  const rounds = wholeNumber('rounds', values.rounds, { least: 1, usual: quick ? 1 : 5 });
  const payments = isVolume
    ? 0
    : wholeNumber('payments', values.payments, {
        least: paymentsMin * rounds,
        usual: quick ? 120 : Math.max(400, 100 * rounds),
      });
  return {
    json,
    sides: {
      rounds,
      crowded: Math.floor(payments / rounds),
      alone: quick ? 30 : 40,
      warmUp: quick ? 60 : 100,
    },
    steadySeconds: quick ? 4 : 15,
    overloadSeconds: quick ? 2 : 5,
    ...(flood && { floodSeconds: quick ? 10 : 30 }),
    ...(isVolume && { volume: volumePlan(values, quick) }),
    ...(hot && { hot: hotPlan(quick) }),
    ...(settings && {
      settings: {
        on: settingsOn,
        ...(quick ? { rounds: 1, alone: 10, crowded: 60 } : { rounds: 3, alone: 20, crowded: 100 }),
      },
    }),
    ...(profile && { profile: { warmUp: quick ? 60 : 200, payments } }),
    ...(cluster && { cluster: clusterPlan(quick) }),
    ...(slow[0] && { slow: { who: slow[0], load: { perSecond: 5, seconds: quick ? 3 : 30 } } }),
  };
}

function volumePlan(
  { payments, open, changes }: Partial<Record<'payments' | 'open' | 'changes', string | undefined>>,
  quick: boolean,
): VolumePlan {
  const plan = {
    payments: wholeNumber('payments', payments, { least: 1_000, usual: deployment.payments }),
    open: wholeNumber('open', open, { least: 0, usual: deployment.open }),
    changes: wholeNumber('changes', changes, { least: 1_000, usual: deployment.changes }),
  };
  if (plan.open > plan.payments) throw new Error('--open must not be more than --payments');
  return {
    ...plan,
    measure: quick
      ? { perSecond: 5, acceptSeconds: 2, idleSeconds: 2, pageRounds: 10 }
      : { perSecond: 5, acceptSeconds: 30, idleSeconds: 20, pageRounds: 50 },
  };
}

/** Each differs from the one before only in APIs or in workers, because starting them takes time. */
const clusterSizes = [
  { apis: 1, workers: 1 },
  { apis: 1, workers: 2 },
  { apis: 1, workers: 4 },
  { apis: 2, workers: 4 },
  { apis: 4, workers: 4 },
  { apis: 4, workers: 2 },
  { apis: 4, workers: 1 },
  { apis: 2, workers: 1 },
  { apis: 2, workers: 2 },
];

function clusterPlan(quick: boolean): ClusterPlan {
  return quick
    ? {
        sizes: clusterSizes.slice(-2),
        sides: { rounds: 1, warmUp: 20, alone: 10, crowded: 60 },
        idleSeconds: 2,
      }
    : {
        sizes: clusterSizes,
        sides: { rounds: 1, warmUp: 40, alone: 40, crowded: 200 },
        idleSeconds: 10,
      };
}

function hotPlan(quick: boolean): HotPlan {
  return quick
    ? { settlements: 400, rounds: 1, merchants: 4 }
    : { settlements: 4_000, rounds: 2, merchants: 10 };
}

function wholeNumber(
  name: string,
  given: string | undefined,
  { least, usual }: { least: number; usual: number },
): number {
  const number = Number(given ?? usual);
  if (!Number.isInteger(number) || number < least) {
    throw new Error(`--${name} must be a whole number from ${least}`);
  }
  return number;
}
