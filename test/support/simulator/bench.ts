/** A simulator, an address for its notifications and a client, started and stopped together. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulator, type Simulator, type SimulatorOptions } from '../../../simulator/simulator';
import { keptRsaKey } from '../kept-keys';
import { startCallbackReceiver, type CallbackReceiver } from './callback-receiver';
import { callbackSettings, credentials } from './credentials';
import { createDarajaClient, type DarajaClient } from './daraja-client';
import { createMomoClient, type MomoClient } from './momo-client';
import { createWalletpayClient, type WalletpayClient } from './walletpay-client';
import { createXbClient, type XbClient } from './xb-client';

/** The last part is the secret that a merchant side puts into each callback address. */
export const CALLBACK_PATH = '/in/stk/9f2c4e71d0b84a6f8e13c5a7b9d2f046';

export interface TestBench {
  simulator: Simulator;
  receiver: CallbackReceiver;
  daraja: DarajaClient;
  momo: MomoClient;
  xb: XbClient;
  walletpay: WalletpayClient;
  /** Stops the simulator and starts another one on the same state. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A simulator's time passes only when its test advances it: on a busy machine any two moments may be far apart. */
function stillClock(): Pick<SimulatorOptions, 'wallNow'> {
  const startedAt = Date.now();
  return { wallNow: () => startedAt };
}

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'malipo-simulator-'));
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

export async function startTestBench(options: Partial<SimulatorOptions> = {}): Promise<TestBench> {
  const folder = temporaryFolder();
  const receiver = await startCallbackReceiver();
  const clock = stillClock();
  const start = () =>
    createSimulator({
      port: 0,
      stateFolder: folder.path,
      ...clock,
      makeRsaKey: keptRsaKey,
      ...options,
      env: { ...credentials, ...callbackSettings(receiver.url), ...options.env },
    });
  const clientsOf = (simulator: Simulator) => ({
    daraja: createDarajaClient(simulator, `${receiver.url}${CALLBACK_PATH}`),
    momo: createMomoClient(simulator),
    xb: createXbClient(simulator),
    walletpay: createWalletpayClient(simulator),
  });

  const simulator = await start();
  const bench: TestBench = {
    simulator,
    receiver,
    ...clientsOf(simulator),
    async restart() {
      await bench.simulator.close();
      bench.simulator = await start();
      Object.assign(bench, clientsOf(bench.simulator));
    },
    async stop() {
      await bench.simulator.close();
      await receiver.close();
      folder.remove();
    },
  };
  return bench;
}
