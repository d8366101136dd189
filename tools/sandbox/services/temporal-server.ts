/** Temporal's development server, tuned for one machine. Never for production. */
import { join } from 'node:path';
import { startChild, whenReady, type Service } from './child-process';
import { listensOn } from './port-holder';
import { searchAttributeTypes } from '../../../src/domain/search-attributes';
import { isTemporalReady } from './temporal-health';

const loopback = '127.0.0.1';

export const dynamicConfig: Record<string, string> = {
  // With one shard, the default makes every dispatch wait for a tick of 50 ms.
  'history.transferProcessorMaxPollRPS': '2000',
  'history.timerProcessorMaxPollRPS': '2000',
  'history.visibilityProcessorMaxPollRPS': '2000',
  // The default rounds every timer up to a second.
  'history.timerProcessorMaxTimeShift': '"10ms"',
  'system.enableActivityEagerExecution': 'true',
  // One partition: with four and few pollers, a task sometimes waits 2 s for a poller of its partition.
  'matching.numTaskqueueReadPartitions': '1',
  'matching.numTaskqueueWritePartitions': '1',
  // The limits protect a shared cluster; here only our tests and benchmarks would reach them.
  'frontend.rps': '100000',
  'frontend.namespaceRPS': '100000',
  'frontend.namespaceRPS.visibility': '100000',
  'frontend.persistenceMaxQPS': '100000',
  'history.persistenceMaxQPS': '100000',
  'matching.persistenceMaxQPS': '100000',
};

/** Twice the throughput of SQLite's defaults. */
const sqlitePragmas = ['journal_mode=WAL', 'synchronous=NORMAL'];

export interface TemporalServerOptions {
  binary: string;
  port: number;
  /** The web UI's port; without it the server runs headless. */
  uiPort?: number;
  /** The folder of the workflows; without it they are in memory. */
  databaseFolder?: string;
  logFile: string;
  /** Different settings, for measurements only. */
  tuning?: TemporalTuning;
}

export interface TemporalTuning {
  dynamicConfig?: Record<string, string>;
  /** Pragmas of a database on disk. */
  pragmas?: string[];
}

export interface TemporalService extends Service {
  address: string;
}

export function temporalServer(options: TemporalServerOptions): TemporalService {
  const address = `${loopback}:${String(options.port)}`;
  return {
    name: 'Temporal',
    address,
    spawn: () =>
      startChild({
        name: 'Temporal',
        command: options.binary,
        args: temporalArguments(options),
        logFile: options.logFile,
      }),
    ready: (child) =>
      // Another start's server might answer as well.
      whenReady(child, async () => (await isTemporalReady(address)) && listensOn(child.pid, options.port), {
        what: `Temporal at ${address}`,
        timeoutMs: 60_000,
      }),
  };
}

export function temporalArguments({ port, uiPort, databaseFolder, tuning }: TemporalServerOptions): string[] {
  const { pragmas = sqlitePragmas } = tuning ?? {};
  return [
    ...['server', 'start-dev', '--ip', loopback, '--port', String(port), '--log-level', 'error'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(databaseFolder === undefined
      ? []
      : [
          ...['--db-filename', join(databaseFolder, 'temporal.db')],
          ...pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
        ]),
    ...Object.entries({ ...dynamicConfig, ...tuning?.dynamicConfig }).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
    ...searchAttributeTypes.flatMap(({ name, type }) => ['--search-attribute', `${name}=${type}`]),
  ];
}
