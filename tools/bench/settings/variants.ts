/** Temporal's settings, each changed alone and compared with ours. */
import type { WorkerSettings } from '../bare/child';
import type { ServerKind, ServerTuning } from './servers';

export interface Variant {
  name: string;
  worker?: WorkerSettings;
  /** Needs its own server. */
  server?: ServerTuning;
}

const pollers = (maximum: number): WorkerSettings => ({
  workflowTaskPollerBehavior: { type: 'simple-maximum', maximum },
});
const dynamic = (...keys: [key: string, value: string][]): ServerTuning => ({
  dynamicConfig: Object.fromEntries(keys),
});

/** Settings of a worker, with any server. */
const ofAny: readonly Variant[] = [
  { name: '2 pollers for workflow tasks', worker: pollers(2) },
  { name: '4 pollers for workflow tasks', worker: pollers(4) },
  { name: '8 pollers for workflow tasks', worker: pollers(8) },
  {
    name: 'as many pollers as the server asks for',
    worker: {
      workflowTaskPollerBehavior: { type: 'autoscaling' },
      activityTaskPollerBehavior: { type: 'autoscaling' },
    },
  },
  { name: 'no sticky queue, nothing cached', worker: { maxCachedWorkflows: 0 } },
  { name: 'a V8 context for each workflow', worker: { reuseV8Context: false } },
  { name: '1 thread for workflows', worker: { workflowThreadPoolSize: 1 } },
  { name: '2 threads for workflows', worker: { workflowThreadPoolSize: 2 } },
  { name: 'no eager activities', worker: { maxEagerActivityReservationsPerWorkflowTask: 0 } },
  {
    name: '4 partitions of a task queue',
    server: dynamic(
      ['matching.numTaskqueueReadPartitions', '4'],
      ['matching.numTaskqueueWritePartitions', '4'],
    ),
  },
  {
    name: '20 polls a second of the transfer queue',
    server: dynamic(['history.transferProcessorMaxPollRPS', '20']),
  },
  {
    name: 'the transfer queue polled each second',
    server: dynamic(['history.transferProcessorMaxPollInterval', '"1s"']),
  },
  {
    name: 'the limits that a cluster begins with',
    server: dynamic(
      ['frontend.rps', '2400'],
      ['frontend.namespaceRPS', '2400'],
      ['frontend.persistenceMaxQPS', '2000'],
      ['history.persistenceMaxQPS', '9000'],
      ['matching.persistenceMaxQPS', '3000'],
    ),
  },
];

export const variantsOf: Record<ServerKind, readonly Variant[]> = {
  development: [
    ...ofAny,
    { name: 'SQLite: its own defaults', server: { pragmas: [] } },
    { name: 'SQLite: WAL, synchronous=FULL', server: { pragmas: ['journal_mode=WAL', 'synchronous=FULL'] } },
    { name: 'SQLite: WAL, synchronous=OFF', server: { pragmas: ['journal_mode=WAL', 'synchronous=OFF'] } },
  ],
  cluster: [
    ...ofAny,
    { name: '1 history shard', server: { historyShards: 1 } },
    { name: '16 history shards', server: { historyShards: 16 } },
    { name: '64 history shards', server: { historyShards: 64 } },
  ],
};
