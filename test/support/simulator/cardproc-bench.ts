/** A simulator, an address that accepts notifications as documented, and a client with that address. */
import type { Simulator, SimulatorOptions } from '../../../simulator/simulator';
import { startTestBench, type TestBench } from './bench';
import { createCardprocClient, type CardprocClient } from './cardproc-client';
import { startIpnReceiver, type IpnReceiver } from './ipn-receiver';

export interface CardprocBench {
  simulator: Simulator;
  /** The provider's address. */
  url: string;
  client: CardprocClient;
  ipn: IpnReceiver;
  /** OrderTrackingId of each notification so far. */
  reported(): string[];
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export const IPN_PATH = '/listen?from=checkout';

export async function startCardprocBench(options: Partial<SimulatorOptions> = {}): Promise<CardprocBench> {
  const bench = await startTestBench(options);
  const ipn = await startIpnReceiver();
  const own: CardprocBench = {
    ...partsOf(bench),
    ipn,
    reported: () => ipn.received.map(({ parameters }) => parameters['OrderTrackingId'] ?? ''),
    async restart() {
      await bench.restart();
      Object.assign(own, partsOf(bench));
    },
    async stop() {
      await bench.stop();
      await ipn.close();
    },
  };
  await own.client.notifiedAt(`${ipn.url}${IPN_PATH}`);
  return own;
}

function partsOf({ simulator }: TestBench): Pick<CardprocBench, 'simulator' | 'url' | 'client'> {
  const client = createCardprocClient(simulator);
  return { simulator, url: client.origin, client };
}
