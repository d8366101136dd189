import { parseArgs } from 'node:util';
import type { ClusterPlan } from './cluster/run';
import type { FullHousePlan } from './full-house/run';
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
  /** Where the siege is to be measured, and nothing else: how long each half of it lasts. */
  siegeSeconds?: number;
  /** Where a full house is to be measured, and nothing else. */
  fullHouse?: FullHousePlan;
  /** Where hot accounts are to be measured, and nothing else. */
  hot?: HotPlan;
  /** Where those beside a slow provider, or beside slow merchants, are to be measured, and nothing else. */
  slow?: SlowPlan;
  /** Where Temporal's settings are to be compared, and nothing else. */
  settings?: SettingsPlan;
  /** Where the parts of a cluster are to be measured, and nothing else. */
  cluster?: ClusterPlan;
  /** Where it is to be seen what the processors do, and nothing else. */
  profile?: ProfilePlan;
}

/** Fewer could not fill a loop of 20, whose first and last payments are not counted, for any time at all. */
const paymentsMin = 60;
/** The payments of some years, those that a busy month leaves open, and those of a busy day. */
const house = { payments: 1_100_000, open: 100_000, news: 20_000 };

/** @throws Error for an option that is unknown or makes no sense. */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean' },
      quick: { type: 'boolean' },
      siege: { type: 'boolean' },
      'full-house': { type: 'boolean' },
      hot: { type: 'boolean' },
      settings: { type: 'boolean' },
      cluster: { type: 'boolean' },
      profile: { type: 'boolean' },
      'slow-provider': { type: 'boolean' },
      'slow-merchants': { type: 'boolean' },
      payments: { type: 'string' },
      open: { type: 'string' },
      news: { type: 'string' },
    },
  });
  const { json = false, quick = false, siege = false, 'full-house': isHouse = false } = values;
  const { hot = false, settings = false, profile = false } = values;
  const settingsOn = values.cluster ? 'cluster' : 'development';
  const cluster = values.cluster === true && !settings;
  const slow = (['provider', 'merchants'] as const).filter((who) => values[`slow-${who}`]);
  if ([siege, isHouse, hot, settings, cluster, profile, ...slow].filter(Boolean).length > 1)
    throw new Error('one measure at a time');
  for (const name of ['open', 'news'] as const)
    if (values[name] !== undefined && !isHouse) throw new Error(`--${name} goes with --full-house`);
  const rounds = quick ? 1 : 2;
  const payments = isHouse
    ? 0
    : wholeNumber('payments', values.payments, { least: paymentsMin * rounds, usual: quick ? 120 : 400 });
  return {
    json,
    sides: {
      rounds,
      crowded: Math.floor(payments / rounds),
      alone: quick ? 30 : 50,
      warmUp: quick ? 60 : 100,
    },
    steadySeconds: quick ? 4 : 15,
    overloadSeconds: quick ? 2 : 5,
    ...(siege && { siegeSeconds: quick ? 10 : 30 }),
    ...(isHouse && { fullHouse: housePlan(values, quick) }),
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

function housePlan(
  { payments, open, news }: Partial<Record<'payments' | 'open' | 'news', string | undefined>>,
  quick: boolean,
): FullHousePlan {
  const plan = {
    payments: wholeNumber('payments', payments, { least: 1_000, usual: house.payments }),
    open: wholeNumber('open', open, { least: 0, usual: house.open }),
    news: wholeNumber('news', news, { least: 1_000, usual: house.news }),
  };
  if (plan.open > plan.payments) throw new Error('--open must not be more than --payments');
  return {
    ...plan,
    measure: quick
      ? { perSecond: 5, acceptSeconds: 2, idleSeconds: 2, pageRounds: 10 }
      : { perSecond: 5, acceptSeconds: 30, idleSeconds: 20, pageRounds: 50 },
  };
}

/** Each differs from the one before by APIs or by workers alone, since starting them takes time. */
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
