/** Temporal's development server, tuned for one machine. Never for production. */
import { join } from 'node:path';
import { startChild, whenReady, type Service } from './child-process';
import { listensOn } from './port-holder';
import { searchAttributeNames } from '../../../src/domain/search-attributes';
import { isTemporalReady } from './temporal-health';

const loopback = '127.0.0.1';

export const dynamicConfig: Record<string, string> = {
  // With its one shard, the server's default lets every dispatch wait for a tick of 50 ms.
  'history.transferProcessorMaxPollRPS': '2000',
  'history.timerProcessorMaxPollRPS': '2000',
  'history.visibilityProcessorMaxPollRPS': '2000',
  // The default rounds every timer up to a second.
  'history.timerProcessorMaxTimeShift': '"10ms"',
  'system.enableActivityEagerExecution': 'true',
  // One partition: with four and few pollers, a task now and then waits 2 s for its own.
  'matching.numTaskqueueReadPartitions': '1',
  'matching.numTaskqueueWritePartitions': '1',
  // The limits protect a shared cluster; here they would only be met by our own tests and bench.
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
  /** Where the workflows are kept; without it they live in memory. */
  databaseFolder?: string;
  logFile: string;
  /** What is told otherwise than everybody's server here is: by what is measured, and nobody else. */
  tuning?: TemporalTuning;
}

export interface TemporalTuning {
  dynamicConfig?: Record<string, string>;
  /** Of the database, where there is one on disk. */
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
        args: serverArguments(options),
        logFile: options.logFile,
      }),
    ready: (child) =>
      // Another start's server would answer as well.
      whenReady(child, async () => (await isTemporalReady(address)) && listensOn(child.pid, options.port), {
        what: `Temporal at ${address}`,
        timeoutMs: 60_000,
      }),
  };
}

function serverArguments({ port, uiPort, databaseFolder, tuning }: TemporalServerOptions): string[] {
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
    ...searchAttributeNames.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
  ];
}
