/** What breaks, how often beside the others, and how it is mended. */
import { setTimeout as delay } from 'node:timers/promises';
import { simulatorControl } from '../../rails/simulator-control';
import type { ProcessName } from '../../support/stack';
import { lineNames, type LineName, type ServerName, type World } from './world';
import type { Chance } from './random';
import { versionGoes, versionJoins } from './versions';

export interface Fault {
  /** By which they are counted. */
  kind: string;
  weight: number;
  /** Of the same name only one at a time: a process that is stopped is not killed beside it. */
  about: string;
  /** How long it lasts, in milliseconds. */
  lasts: [number, number];
  strike(world: World, chance: Chance): Promise<void> | void;
  mend?(world: World): Promise<void> | void;
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
    mend: ({ stack }) => stack.start(name),
  },
  {
    ...{ kind: `${name} stopped for a while`, about: name, weight: weight / 2, lasts: long },
    strike(world) {
      signalTo(world, name, 'SIGSTOP');
    },
    mend(world) {
      signalTo(world, name, 'SIGCONT');
    },
  },
];

const ofServer = (name: ServerName): Fault[] => [
  {
    ...{ kind: `${name} killed`, about: name, weight: 2, lasts: short },
    strike: ({ servers }) => servers[name].kill(),
    mend: ({ servers }) => servers[name].start(),
  },
  {
    ...{ kind: `${name} stopped for a while`, about: name, weight: 2, lasts: long },
    strike({ servers }) {
      servers[name].signal('SIGSTOP');
    },
    mend({ servers }) {
      servers[name].signal('SIGCONT');
    },
  },
];

const ofLine = (name: LineName): Fault[] => {
  const fault = (kind: string, weight: number, lasts: [number, number], strike: Fault['strike']): Fault => ({
    ...{ kind: `a line ${kind}`, about: `the line to ${name}`, weight, lasts, strike },
    mend({ lines }) {
      lines[name].heal();
    },
  });
  return [
    fault('is slow', 1, long, ({ lines }, chance) => {
      lines[name].slow(chance.between(20, 400));
    }),
    fault('is half open', 1, long, ({ lines }) => {
      lines[name].freeze();
    }),
    fault('is reset', 2, short, ({ lines }) => {
      lines[name].reset();
    }),
    fault('is refused', 1, short, ({ lines }) => {
      lines[name].refuse();
    }),
  ];
};

/** What a provider's answers and callbacks may be like; none by which an operator would have to mend our account. */
const acting = ['drop', '500', 'html', '429', 'delay', 'act_then_500'] as const;
const asking = ['drop', '500', 'html', '429', 'delay', 'hang'] as const;
const callbacks = ['drop', 'delay', 'duplicate', 'forge'] as const;
const calls: Record<string, Record<string, readonly string[]>> = {
  stk: {
    initiate: [...acting, 'act_then_error'],
    query: asking,
    token: asking,
    callback: [...callbacks, 'reorder'],
  },
  momo: {
    initiate: [...acting, 'act_then_drop', 'act_late'],
    status: asking,
    callback: [...callbacks, 'reorder', 'bad_digest'],
  },
  xb: {
    initiate: [...acting, 'act_then_drop'],
    status: asking,
    lookup: asking,
    callback: [...callbacks, 'bad_signature'],
  },
  walletpay: {
    initiate: acting,
    capture: acting,
    refund: acting,
    payout: acting,
    query: asking,
    callback: [...callbacks, 'bad_signature'],
  },
  cardproc: { initiate: [...acting, 'act_then_drop'], query: asking, callback: callbacks },
};

const providerMisbehaves: Fault = {
  ...{ kind: 'a provider misbehaves', about: 'providers', weight: 24, lasts: [10, 50] },
  async strike({ stack }, chance) {
    const provider = chance.pick(Object.keys(calls));
    const call = chance.pick(Object.keys(calls[provider] ?? {}));
    const behave = chance.pick(calls[provider]?.[call] ?? []);
    const times = Math.ceil(chance.between(0, 4));
    const rule = {
      call,
      behave,
      times,
      ...(behave === 'delay' || behave === 'act_late' ? { ms: 3_000 } : {}),
    };
    await simulatorControl(stack.simulatorUrl, provider).next(rule);
  },
};

const clockSteps: Fault = {
  ...{ kind: "the simulator's clock steps", about: 'the clock', weight: 2, lasts: short },
  strike: ({ stack }, chance) =>
    simulatorControl(stack.simulatorUrl, 'stk').advance(Math.round(chance.between(1_000, 60_000))),
};

/** Of the service's account: who owns the server may write all the same. */
export async function takesWrites({ db }: World['stack'], doesIt: boolean): Promise<void> {
  await db.raw(`SET GLOBAL read_only = ${doesIt ? '0' : '1'}`);
}

const readOnly: Fault = {
  ...{ kind: 'the database takes no writes', about: 'MySQL', weight: 2, lasts: long },
  strike: ({ stack }) => takesWrites(stack, false),
  mend: ({ stack }) => takesWrites(stack, true),
};

const temporalLost: Fault = {
  ...{ kind: "Temporal's store is lost", about: 'Temporal', weight: 0.5, lasts: short },
  strike: ({ servers }) => servers.Temporal.kill(),
  async mend(world) {
    await world.loseTemporal();
    // An operator sees it, and does as the runbook says.
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
  mend: versionGoes,
};

export const faults: readonly Fault[] = [
  ...ofProcess('api', 6),
  ...ofProcess('worker', 6),
  ...ofProcess('simulator', 1),
  ...ofServer('MySQL'),
  ...ofServer('Temporal'),
  ...lineNames.flatMap(ofLine),
  ...[providerMisbehaves, clockSteps, readOnly, temporalLost, secondVersion],
];
