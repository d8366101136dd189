/** A stack whose processes can be made to end at a boundary (boundaries.cjs); it runs one trial after another. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { malipo } from '../../../../test/faults/support/malipo';
import { outfit } from '../../../../test/support/creation-requests';
import { startStack, type OwnStack, type TestMerchant } from '../../../../test/support/stack';
import { waitFor } from '../../../sandbox/services/wait-for';

/** The server processes that are ended. The simulator is not one of them: it is the outside world. */
export const servers = ['api', 'worker'] as const;
export type Server = (typeof servers)[number];
/** An operator's command is ended, too. */
export type Victim = Server | 'cli';

/** One boundary that a process of a trial crossed. */
export interface Crossing {
  trial: string;
  /** For example `activity:sendWebhook#1/call:POST:/webhooks-1.sent`. */
  point: string;
  /** The tables that a transaction writes. */
  what?: string;
  killed: boolean;
}

export interface Arming {
  trial: string;
  /** Ids of existing rows. */
  known?: string[];
  /** Known ids of the trial's subjects; a worker's job with one of them belongs to the trial. */
  ids?: string[];
  point?: string;
  /** All work of the process belongs to the trial. */
  everything?: boolean;
}

export interface TestRig {
  stack: OwnStack;
  merchant: TestMerchant;
  arm(victim: Server, arming: Arming): Promise<void>;
  disarm(): Promise<void>;
  crossings(victim: Victim, trial: string): Crossing[];
  /** The environment of an operator's command, and of one under watch. */
  operator: Record<string, string>;
  watched(arming: Arming): Record<string, string>;
  stop(): Promise<void>;
}

const preload = join(__dirname, 'boundaries.cjs');
const timeScale = 20;
const operatorName = 'amina';

/** @param preloads further files that every process loads first: planted faults. */
export async function startTestRig(preloads: string[] = []): Promise<TestRig> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-crash-'));
  const lines = new Map<Server, Socket>();
  const listeners = await Promise.all(servers.map((name) => listen((line) => lines.set(name, line))));
  const logOf = (victim: Victim) => join(folder, `${victim}.crossings`);
  const load = ['--require', preload, ...preloads.flatMap((file) => ['--require', file])];
  const watch = (victim: Victim) => ({
    NODE_OPTIONS: load.join(' '),
    CRASH_POINTS_LOG: logOf(victim),
  });
  const envOf = (victim: Server) => ({
    ...watch(victim),
    CRASH_POINTS_PORT: String((listeners[servers.indexOf(victim)]?.address() as AddressInfo).port),
  });
  const stack = await startStack({
    timeScale,
    // A short wait for a worker that has died; the answer in that case is tested as well.
    env: { MALIPO_ACCEPTANCE_TIMEOUT_MS: '5000' },
    envOf: { api: envOf('api'), worker: envOf('worker') },
  });
  const { merchant, operator } = await populated(stack).catch(async (error: unknown) => {
    await stack.stop();
    throw error;
  });

  /** The process may end before it gets the command: then its successor gets it. */
  async function send(victim: Server, order: object): Promise<void> {
    const isReported = async () => {
      await stack.start(victim);
      const line = lines.get(victim);
      return line !== undefined && (await isHeard(line, order));
    };
    await waitFor(isReported, { what: `the ${victim} to hear`, timeoutMs: 60_000, everyMs: 10 });
  }

  return {
    stack,
    merchant,
    arm: send,
    async disarm() {
      await Promise.all(servers.map((name) => send(name, {})));
    },
    crossings(victim, trial) {
      return readFileSync(logOf(victim), { encoding: 'utf8', flag: 'a+' })
        .split('\n')
        .filter((text) => text.includes(trial))
        .map((text) => JSON.parse(text) as Crossing)
        .filter((crossing) => crossing.trial === trial);
    },
    operator: { MALIPO_OPERATOR: operatorName, MALIPO_OPERATOR_TOKEN: operator.token },
    watched: (arming) => ({ ...watch('cli'), CRASH_POINTS_ARM: JSON.stringify(arming) }),
    async stop() {
      await stack.stop();
      for (const listener of listeners) listener.close();
      for (const line of lines.values()) line.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function populated(stack: OwnStack): Promise<{ merchant: TestMerchant; operator: { token: string } }> {
  const merchant = await outfit(stack, await stack.createMerchant());
  const output = await malipo(stack, 'operator', 'create', operatorName, '--json');
  return { merchant, operator: JSON.parse(output) as { token: string } };
}

/** A name that occurs in no other text. */
export const trialName = (): string => `T${randomBytes(6).toString('hex')}`;

function isHeard(line: Socket, order: object): Promise<boolean> {
  if (line.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const heard = (): void => {
      line.off('close', lost);
      resolve(true);
    };
    const lost = (): void => {
      line.off('data', heard);
      resolve(false);
    };
    line.once('data', heard);
    line.once('close', lost);
    line.write(`${JSON.stringify(order)}\n`);
  });
}

async function listen(onLine: (line: Socket) => void) {
  const server = createServer((line) => {
    // An ended process resets the connection.
    line.on('error', () => undefined);
    onLine(line);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
