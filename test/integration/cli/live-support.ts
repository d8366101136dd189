/** `malipo doctor --live` against simulated providers: a simulator, a running API and a command line. */
import { createSimulator, type Simulator } from '../../../simulator/simulator';
import { createOpsApp } from '../../../src/api/health';
import { listen } from '../../../src/api/listen';
import { createMetrics } from '../../../src/telemetry/metrics';
import { notificationAddresses, sandboxTrust } from '../../../tools/sandbox/environment';
import { providerAddresses, type ProviderUrls } from '../../../tools/sandbox/simulated-providers';
import { railsOf } from '../../../src/rail-kit/context';
import { tokenCache } from '../../../src/rail-kit/access-token';
import { createRails } from '../../../src/rails';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import { temporaryFolder } from '../../support/simulator/bench';
import { credentials } from '../../support/simulator/credentials';
import { silentLog } from '../../support/silent-log';
import { box } from '../../support/verify/books-support';
import { createTestCli, testConfig, type Answer, type TestCli } from '../../support/cli/cli-support';

export interface CheckupLine {
  name: string;
  level: 'ok' | 'attention' | 'fault';
  sentence: string;
  remedy?: string;
}

export interface LiveDoctor {
  cli: TestCli;
  simulator: Simulator;
  /** The address of our API as the provider knows it. */
  publicUrl: string;
  control(provider: string): SimulatorControl;
  /** Checks a rail with these settings on top of the right ones. */
  examine(rail: string, env?: Record<string, string>): Promise<Examined>;
  /** The same, with the output that an operator reads. */
  read(rail: string, env?: Record<string, string>): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Examined {
  code: number;
  json: Record<string, unknown>;
  lines: CheckupLine[];
  of(name: string): CheckupLine[];
  levels(): Record<string, string>;
}

export async function startLiveDoctor(): Promise<LiveDoctor> {
  const cli = await createTestCli();
  const ops = createOpsApp({ readiness: [], metrics: createMetrics(), log: silentLog });
  const api = await listen(ops, { host: '127.0.0.1', port: 0, drainIdleMs: 0 });
  const publicUrl = `http://127.0.0.1:${String(api.port)}`;
  const folder = temporaryFolder();
  const simulator = await createSimulator({
    port: 0,
    stateFolder: folder.path,
    env: { ...credentials, ...notificationAddresses(publicUrl) },
  });
  const origins = simulator.origins as ProviderUrls;

  function prepare(given: Record<string, string>): void {
    const env: Record<string, string> = {
      MALIPO_PUBLIC_URL: publicUrl,
      ...credentials,
      XB_PROVIDER_UGX: 'intasend',
      XB_PROVIDER_TZS: 'intasend',
      XB_CHALLENGE: 'test-xb-challenge-of-32-characters',
      ...providerAddresses(origins),
      ...sandboxTrust(origins),
      ...given,
    };
    if (env['MALIPO_ENV'] === 'live') {
      for (const name of Object.keys(sandboxTrust(origins))) env[name] = '';
    }
    const config = testConfig(cli.url, env);
    const { environment, timezone, timeScale } = config;
    const rails = createRails({
      environment,
      publicUrl: config.publicUrl,
      timezone,
      timeScale,
      env,
      log: silentLog,
      tokens: tokenCache(cli.db, box),
      observe: () => undefined,
    });
    cli.session = {
      config,
      context: { ...cli.context, rails: railsOf(rails) },
      simulatorUrl: environment === 'live' ? undefined : simulator.url,
    };
  }

  return {
    cli,
    simulator,
    publicUrl,
    control: (provider) => simulatorControl(simulator.url, provider),
    async examine(rail, env = {}) {
      prepare(env);
      const { code, json, err } = await cli.run('doctor', '--live', rail, '--json');
      if (err !== '') throw new Error(err);
      const lines = json['findings'] as CheckupLine[];
      return {
        code,
        json,
        lines,
        of: (name) => lines.filter((providerResult) => providerResult.name === name),
        // The worst level of each name.
        levels: () =>
          Object.fromEntries(
            (['ok', 'attention', 'fault'] as const).flatMap((level) =>
              lines
                .filter((providerResult) => providerResult.level === level)
                .map(({ name }) => [name, level]),
            ),
          ),
      };
    },
    read(rail, env = {}) {
      prepare(env);
      return cli.run('doctor', '--live', rail);
    },
    async stop() {
      await simulator.close();
      await api.close();
      await cli.drop();
      folder.remove();
    },
  };
}
