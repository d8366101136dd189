/**
 * Checks that this build can continue open workflows. It replays the histories that were saved with the build, and a
 * sample of those open now. A workflow that replays differently would fail at its next task.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker, type ReplayHistoriesIterable } from '@temporalio/worker';
import { cutText } from '../../domain/cut-text';
import type { DeploymentAddress } from './server-view';

export interface ReplayCheckSettings {
  place: DeploymentAddress;
  /** The bundle of the build under test. */
  codePath: string;
  /** The folder of its saved histories; undefined if it has none. */
  histories: string | undefined;
  /** The number of open workflows to replay, of each type. */
  sample: number;
}

export interface Replayed {
  saved: number;
  /** The number of open workflows, by type. */
  open: Record<string, number>;
  failures: { workflowId: string; reason: string }[];
}

type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;

interface SampledHistory {
  workflowId: string;
  history: History;
}

/** Half of a sample are the newest; the other half have been open at least this long. */
const oldMs = 86_400_000;
/** The reason quotes the history. */
const reasonLengthMax = 300;

export async function replayAll({
  place,
  codePath,
  histories,
  sample,
}: ReplayCheckSettings): Promise<Replayed> {
  const logger = new DefaultLogger('ERROR', () => undefined);
  Runtime.install({ logger, telemetryOptions: { logging: { filter: 'OFF' } } });
  const replayed: Replayed = { saved: 0, open: {}, failures: [] };
  const saved = savedIn(histories);
  const types = [...new Set(saved.map(({ type }) => type))].sort();

  async function* everyHistory(): AsyncGenerator<SampledHistory> {
    for (const { name, history } of saved) {
      replayed.saved += 1;
      yield { workflowId: `saved/${name}`, history };
    }
    for (const type of types) {
      for (const { workflowId, runId } of await openOf(place, type, sample)) {
        const history = await place.client.workflow.getHandle(workflowId, runId).fetchHistory();
        replayed.open[type] = (replayed.open[type] ?? 0) + 1;
        yield { workflowId, history };
      }
    }
  }

  try {
    const results = Worker.runReplayHistories(
      { workflowBundle: { codePath } },
      everyHistory() as ReplayHistoriesIterable,
    );
    for await (const { workflowId, error } of results) {
      if (error) replayed.failures.push({ workflowId, reason: cutText(error.message, reasonLengthMax) });
    }
  } finally {
    await Runtime.instance().shutdown();
  }
  return replayed;
}

function savedIn(folder: string | undefined): { name: string; type: string; history: History }[] {
  if (folder === undefined) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const history = JSON.parse(readFileSync(join(folder, name), 'utf8')) as History;
      const type = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? '';
      return { name: name.replace(/\.json$/, ''), type, history };
    });
}

/** Workflows that another version would get: not those pinned to their own version. */
async function openOf(
  { client, taskQueue }: DeploymentAddress,
  type: string,
  sample: number,
): Promise<{ workflowId: string; runId: string }[]> {
  const query = [
    `TaskQueue = '${taskQueue}'`,
    `WorkflowType = '${type}'`,
    `ExecutionStatus = 'Running'`,
    `(TemporalWorkflowVersioningBehavior IS NULL OR TemporalWorkflowVersioningBehavior != 'Pinned')`,
  ].join(' AND ');
  const old = ` AND StartTime < '${new Date(Date.now() - oldMs).toISOString()}'`;
  const found = new Map<string, string>();
  await take(query + old, Math.floor(sample / 2));
  await take(query, sample);
  return [...found].map(([workflowId, runId]) => ({ workflowId, runId }));

  async function take(among: string, until: number): Promise<void> {
    for await (const { workflowId, runId } of client.workflow.list({ query: among, pageSize: sample })) {
      if (found.size >= until) return;
      found.set(workflowId, runId);
    }
  }
}
