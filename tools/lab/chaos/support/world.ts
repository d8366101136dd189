/** Everything that may fail: private servers, the processes, and a connection between every two of them. */
import { join } from 'node:path';
import { setMerchant } from '../../../../src/merchants/merchants';
import { notificationAddresses } from '../../../sandbox/environment';
import { providerNames, simulatedProviders } from '../../../sandbox/simulated-providers';
import { ownMysql, ownTemporal, type OwnService } from '../../../../test/faults/support/own-services';
import { outfit } from '../../../../test/support/creation-requests';
import {
  startStack,
  type FurtherProcess,
  type ProcessName,
  type OwnStack,
  type TestMerchant,
} from '../../../../test/support/stack';
import { startLine, type Line } from './line';
import { operatorOf, type Operator } from './operator';

/** The caller and the target of each connection: our processes call servers and providers, and others call us. */
export const lineNames = [
  ...(['database', 'Temporal', ...providerNames] as const),
  ...(['callers', 'callbacks', 'shop', 'second shop', 'mail'] as const),
] as const;
export type LineName = (typeof lineNames)[number];
export type ServerName = 'MySQL' | 'Temporal';

export interface World {
  stack: OwnStack;
  /** The same stack, as callers reach it: over a connection with faults. */
  asCalled: OwnStack;
  merchants: TestMerchant[];
  operator: Operator;
  /** A second version of the workers, from its start until nothing needs it any more. */
  second: {
    isThere: boolean;
    /** How often one of its workers was started. */
    times: number;
    worker?: FurtherProcess;
  };
  lines: Record<LineName, Line>;
  servers: Record<ServerName, Pick<OwnService, 'kill' | 'start' | 'signal' | 'pid' | 'folder'>>;
  /** Starts Temporal's server again without its data. */
  loseTemporal(): Promise<void>;
  /** Starts stopped processes, until all run. */
  reviveAll(): Promise<void>;
  stop(): Promise<void>;
}

const plantedFile = (name: string): string => join(__dirname, '..', '..', 'crash', 'planted', `${name}.cjs`);

const timeScale = 20;
export const processes: readonly ProcessName[] = ['simulator', 'api', 'worker'];

const httpOver = ({ address }: Line): string => `http://${address}`;
const hostOf = (url: string): string => new URL(url).host;

/** @param plant a fault of tools/lab/crash/planted, for the worker. */
export async function startWorld(plant?: string): Promise<World> {
  const begun: (() => Promise<unknown>)[] = [];
  /** Stops everything that was started, the last first, whatever happens to each. @throws the first error. */
  async function stop(): Promise<void> {
    const wrong: unknown[] = [];
    for (const end of begun.splice(0).reverse())
      await end().catch((error: unknown) => {
        wrong.push(error);
      });
    if (wrong.length > 0) throw wrong[0];
  }
  try {
    return { ...(await outOfParts(begun, plant)), stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

/** @param begun gets each part's stop function as soon as it exists. */
async function outOfParts(
  begun: (() => Promise<unknown>)[],
  plant: string | undefined,
): Promise<Omit<World, 'stop'>> {
  const mysql = await ownMysql();
  begun.push(() => mysql.end());
  const temporal = await ownTemporal();
  begun.push(() => temporal.end());
  const lines = {} as Record<LineName, Line>;
  for (const name of lineNames) {
    const line = await startLine();
    begun.push(() => line.close());
    lines[name] = line;
  }
  const host = hostOf(mysql.database.url);
  lines.database.leadTo(host);
  lines.Temporal.leadTo(temporal.address);
  const stack = await startStack({
    timeScale,
    database: { ...mysql.database, url: mysql.database.url.replace(host, lines.database.address) },
    temporalAddress: lines.Temporal.address,
    ...(plant !== undefined && { envOf: { worker: { NODE_OPTIONS: `--require ${plantedFile(plant)}` } } }),
    env: {
      MALIPO_ACCEPTANCE_TIMEOUT_MS: '5000',
      MALIPO_PUBLIC_URL: httpOver(lines.callbacks),
      ...notificationAddresses(httpOver(lines.callbacks)),
      MALIPO_SMTP_URL: `smtp://${lines.mail.address}`,
      // Addresses that only a customer's browser uses, and the certificates, are the simulator's own.
      ...Object.fromEntries(
        providerNames.map((name) => [simulatedProviders[name].baseUrl, httpOver(lines[name])]),
      ),
    },
  });
  begun.push(() => stack.stop());
  for (const name of providerNames) lines[name].leadTo(hostOf(stack.providerUrls[name]));
  lines.callers.leadTo(hostOf(stack.apiUrl));
  lines.callbacks.leadTo(hostOf(stack.apiUrl));
  lines.mail.leadTo(`127.0.0.1:${stack.env['MALIPO_SIMULATOR_SMTP_PORT'] ?? ''}`);
  const merchants = [
    await outfit(stack, await createdBehind(lines.shop, stack, 'First Shop')),
    await outfit(stack, await createdBehind(lines['second shop'], stack, 'Second Shop')),
  ];
  return {
    stack,
    asCalled: { ...stack, apiUrl: httpOver(lines.callers) },
    merchants,
    operator: await operatorOf(stack),
    second: { isThere: false, times: 0 },
    lines,
    servers: { MySQL: mysql, Temporal: temporal },
    loseTemporal: () => temporal.startEmpty(),
    async reviveAll() {
      for (const name of processes) await stack.start(name);
    },
  };
}

/** A merchant whose server is behind a connection with faults. */
async function createdBehind(line: Line, stack: OwnStack, name: string): Promise<TestMerchant> {
  // A client that queries a thousand payments one after the other is not a merchant.
  const merchant = await stack.createMerchant(name, { apiRate: 60_000, apiBurst: 60_000 });
  const { receiver, merchantId } = merchant;
  line.leadTo(hostOf(receiver.url));
  const url = receiver.url.replace(hostOf(receiver.url), line.address);
  await setMerchant(stack.db, merchantId, { webhookUrl: url, callbackUrl: url }, { environment: 'sandbox' });
  return merchant;
}
