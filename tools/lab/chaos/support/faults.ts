/** The faults: how often each occurs relative to the others, and how it is repaired. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  forEachProvider,
  providerNames,
  simulatedProviders,
  type ProviderName,
} from '../../../sandbox/simulated-providers';
import { simulatorControl, type GivenRule } from '../../../../test/support/rails/simulator-control';
import type { ProcessName } from '../../../../test/support/stack';
import type { Line } from './line';
import type { Chance } from './random';
import { versionGoes, versionJoins } from './versions';
import { lineNames, type LineName, type ServerName, type World } from './world';

export interface Fault {
  /** The name under which it is counted. */
  kind: string;
  weight: number;
  /** Only one fault with the same value at a time: a stopped process is not also killed. */
  about: string;
  /** Its duration, in milliseconds. */
  lasts: [number, number];
  strike?(world: World, chance: Chance): Promise<void> | void;
  /** Instead, a rule for a provider's calls: it applies at the next call. */
  rule?(world: World, chance: Chance): Promise<GivenRule>;
  repair?(world: World): Promise<void> | void;
}

const short: [number, number] = [200, 1_500];
const long: [number, number] = [1_000, 5_000];

function signalTo({ stack }: World, name: ProcessName, signal: NodeJS.Signals): void {
  const child = stack.process(name);
  if (child.isRunning()) process.kill(-child.pid, signal);
}

const ofProcess = (name: ProcessName, weight: number): Fault[] => [
  {
    ...{ kind: `${name} killed`, about: name, weight, lasts: short },
    strike: ({ stack }) => stack.kill(name),
    repair: ({ stack }) => stack.start(name),
  },
  {
    ...{ kind: `${name} paused for a while`, about: name, weight: weight / 2, lasts: long },
    strike(world) {
      signalTo(world, name, 'SIGSTOP');
    },
    repair(world) {
      signalTo(world, name, 'SIGCONT');
    },
  },
];

const ofServer = (name: ServerName): Fault[] => [
  {
    ...{ kind: `${name} killed`, about: name, weight: 2, lasts: short },
    strike: ({ servers }) => servers[name].kill(),
    repair: ({ servers }) => servers[name].start(),
  },
  {
    ...{ kind: `${name} paused for a while`, about: name, weight: 2, lasts: long },
    strike({ servers }) {
      servers[name].signal('SIGSTOP');
    },
    repair({ servers }) {
      servers[name].signal('SIGCONT');
    },
  },
];

/**
 * The relative frequency of each connection's faults, and its name: those to providers share one, as do those to
 * merchants.
 */
const lines: Record<LineName, { called: string; weight: number }> = {
  database: { called: 'to the database', weight: 1 },
  Temporal: { called: 'to Temporal', weight: 1 },
  callers: { called: 'from callers to the API', weight: 1 },
  callbacks: { called: 'from providers to the API', weight: 1 },
  ...forEachProvider(() => ({ called: 'to a provider', weight: 0.5 })),
  shop: { called: 'to a merchant', weight: 0.5 },
  'second shop': { called: 'to a merchant', weight: 0.5 },
  mail: { called: 'to the mail server', weight: 0.3 },
};

const ofLine = (name: LineName): Fault[] => {
  const { called, weight: share } = lines[name];
  const fault = (
    how: string,
    weight: number,
    lasts: [number, number],
    strike: (line: Line, chance: Chance) => void,
  ): Fault => ({
    ...{
      kind: `a connection ${called} ${how}`,
      about: `the connection of ${name}`,
      weight: weight * share,
      lasts,
    },
    strike({ lines: all }, chance) {
      strike(all[name], chance);
    },
    repair({ lines: all }) {
      all[name].heal();
    },
  });
  return [
    fault('is slow', 1, long, (line, chance) => {
      line.slow(chance.between(20, 400));
    }),
    fault('is narrow', 0.7, long, (line, chance) => {
      line.narrow(chance.between(2_000, 50_000));
    }),
    fault('is frozen', 0.8, long, (line) => {
      line.freeze();
    }),
    fault('is half open', 0.8, long, (line) => {
      line.halfOpen();
    }),
    fault('is reset', 1.2, short, (line) => {
      line.reset();
    }),
    fault('is refused', 0.8, short, (line) => {
      line.refuse();
    }),
  ];
};

const providersWeight = 24;

/** Each provider, each of its calls and each kind of fault are equally frequent. */
function ofProvider(provider: ProviderName): Fault[] {
  const spoilt = Object.entries(simulatedProviders[provider].faults);
  return spoilt.flatMap(([call, behaviours]) =>
    behaviours.map((behave) => ({
      kind: `a provider's ${call === 'callback' ? 'callback' : 'answer'}: ${behave}`,
      about: `${provider} ${call}`,
      weight: providersWeight / providerNames.length / spoilt.length / behaviours.length,
      lasts: [10, 50] as [number, number],
      rule({ stack }, chance) {
        const times = Math.ceil(chance.between(0, 4));
        const late = behave === 'delay' || behave === 'act_late' ? { ms: 3_000 } : {};
        // A signed notification alone decides a payout, and releases its reserve.
        const where = provider === 'momo' && behave === 'contradict' ? { operation: 'DEPOSIT' } : undefined;
        const rule = { call, behave, times, ...late, ...(where && { where }) };
        return simulatorControl(stack.simulatorUrl, provider).next(rule);
      },
    })),
  );
}

const clockSteps: Fault = {
  ...{ kind: "the simulator's clock steps", about: 'the clock', weight: 2, lasts: short },
  strike: ({ stack }, chance) =>
    simulatorControl(stack.simulatorUrl, 'stk').advance(Math.round(chance.between(1_000, 60_000))),
};

/** For the service's account: the server's owner can write anyway. */
export async function takesWrites({ db }: World['stack'], doesIt: boolean): Promise<void> {
  await db.raw(`SET GLOBAL read_only = ${doesIt ? '0' : '1'}`);
}

const readOnly: Fault = {
  ...{ kind: 'the database accepts no writes', about: 'MySQL', weight: 2, lasts: long },
  strike: ({ stack }) => takesWrites(stack, false),
  repair: ({ stack }) => takesWrites(stack, true),
};

const temporalLost: Fault = {
  ...{ kind: "Temporal's store is lost", about: 'Temporal', weight: 0.5, lasts: short },
  strike: ({ servers }) => servers.Temporal.kill(),
  async repair(world) {
    await world.loseTemporal();
    // An operator notices it, and follows the runbook.
    for (let tries = 1; ; tries += 1) {
      const done = await world.operator.malipo('resume').then(
        () => true,
        () => false,
      );
      if (done || tries === 30) return;
      await delay(1_000);
    }
  },
};

const secondVersion: Fault = {
  ...{ kind: 'a second version of the worker joins', about: 'versions', weight: 1, lasts: long },
  strike: versionJoins,
  repair: versionGoes,
};

export const faults: readonly Fault[] = [
  ...ofProcess('api', 6),
  ...ofProcess('worker', 6),
  ...ofProcess('simulator', 1),
  ...ofServer('MySQL'),
  ...ofServer('Temporal'),
  ...lineNames.flatMap(ofLine),
  ...providerNames.flatMap(ofProvider),
  ...[clockSteps, readOnly, temporalLost, secondVersion],
];
