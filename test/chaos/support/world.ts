/** Everything that may break: servers of its own, the processes, and a line between every two of them. */
import { join } from 'node:path';
import { ownMysql, ownTemporal } from '../../faults/support/own-services';
import { outfit } from '../../support/acceptances';
import {
  startStack,
  type FurtherProcess,
  type ProcessName,
  type Stack,
  type TestMerchant,
} from '../../support/stack';
import { startLine, type Line } from './line';
import { operatorOf, type Operator } from './operator';

/** Providers that are reached over a line; the others' addresses stand in what they sign. */
const behindLines = { stk: 'STK_BASE_URL', momo: 'MOMO_BASE_URL', xb: 'XB_BASE_URL' } as const;
export const lineNames = ['database', 'Temporal', 'stk', 'momo', 'xb'] as const;
export type LineName = (typeof lineNames)[number];
export type ServerName = 'MySQL' | 'Temporal';

export interface World {
  stack: Stack;
  merchants: TestMerchant[];
  operator: Operator;
  /** A second version of the workers, from when it is to join until nothing needs it any more. */
  second: { isThere: boolean; worker?: FurtherProcess };
  lines: Record<LineName, Line>;
  servers: Record<
    ServerName,
    { kill(): Promise<void>; start(): Promise<void>; signal(name: NodeJS.Signals): void }
  >;
  /** Temporal's server anew, and what it knew is gone. */
  loseTemporal(): Promise<void>;
  /** Starts what does not run, until all does. */
  reviveAll(): Promise<void>;
  stop(): Promise<void>;
}

const plantedFile = (name: string): string => join(__dirname, '..', '..', 'crash', 'planted', `${name}.cjs`);

const timeScale = 20;
export const processes: readonly ProcessName[] = ['simulator', 'api', 'worker'];

/** @param plant a fault of test/crash/planted, for the worker. */
export async function startWorld(plant?: string): Promise<World> {
  const [mysql, temporal] = await Promise.all([ownMysql(), ownTemporal()]);
  const started = await Promise.all(lineNames.map(() => startLine()));
  const lines = Object.fromEntries(lineNames.map((name, n) => [name, started[n]])) as Record<LineName, Line>;
  const { host } = new URL(mysql.database.url);
  lines.database.leadTo(host);
  lines.Temporal.leadTo(temporal.address);
  const stack = await startStack({
    timeScale,
    database: { ...mysql.database, url: mysql.database.url.replace(host, lines.database.address) },
    temporalAddress: lines.Temporal.address,
    ...(plant !== undefined && { envOf: { worker: { NODE_OPTIONS: `--require ${plantedFile(plant)}` } } }),
    env: {
      MALIPO_ACCEPTANCE_TIMEOUT_MS: '5000',
      ...Object.fromEntries(
        Object.entries(behindLines).map(([name, variable]) => [
          variable,
          `http://${lines[name as keyof typeof behindLines].address}`,
        ]),
      ),
    },
  });
  for (const name of Object.keys(behindLines) as (keyof typeof behindLines)[])
    lines[name].leadTo(new URL(stack.providerUrls[name]).host);
  const merchants = [
    await outfit(stack, await stack.createMerchant()),
    await outfit(stack, await stack.createMerchant('Second Shop')),
  ];
  return {
    stack,
    merchants,
    operator: await operatorOf(stack),
    second: { isThere: false },
    lines,
    servers: { MySQL: mysql, Temporal: temporal },
    loseTemporal: () => temporal.startEmpty(),
    async reviveAll() {
      for (const name of processes) await stack.start(name);
    },
    async stop() {
      await stack.stop();
      await Promise.all(Object.values(lines).map((line) => line.close()));
      await Promise.all([mysql.end(), temporal.end()]);
    },
  };
}
