/** Reads the database for an API process's metrics, and stores how many notifications it rejected. */
import { repeat, type Repeating } from '../domain/repeat';
import { callbackFigures } from '../payments/resolve/notifications/health';
import { storeDenials } from '../payments/resolve/notifications/counts';
import { findFetches, sumUnexplained } from '../reconciliation/fetch-log';
import { overdueMs } from '../payments/recovery/sweeper';
import type { PaymentsContext } from '../rail-kit/context';
import type { ShownMetrics } from './metrics';

const recentMs = 1_800_000;

export interface Shown extends Repeating {
  /** Counts a rejected notification. */
  refused(rail: string): void;
}

export function showWhatWaits(
  context: Pick<PaymentsContext, 'db' | 'log' | 'rails'>,
  metrics: ShownMetrics,
  { fetchesStatements, everyMs = 10_000 }: { fetchesStatements: boolean; everyMs?: number },
): Shown {
  const { db, log } = context;
  let errors = new Map<string, number>();

  async function logDenials(): Promise<void> {
    const reported = errors;
    errors = new Map();
    try {
      if (reported.size > 0) await storeDenials(db, reported);
    } catch (error) {
      for (const [rail, n] of reported) errors.set(rail, (errors.get(rail) ?? 0) + n);
      throw error;
    }
  }

  async function show(): Promise<void> {
    metrics.callbacks(await callbackFigures(db, new Date(Date.now() - recentMs)));
    const [openCases, deadWebhooks, unexplained] = await Promise.all([
      countOf(db('cases').whereNull('closed_at').count({ n: '*' })),
      countOf(db('outbox').where({ state: 'dead' }).count({ n: '*' })),
      sumUnexplained(db),
    ]);
    // A statement that we no longer fetch, or that operators import, needs no alert.
    const fetched = context.rails.all.filter(({ statementSource: from }) => from && 'fetch' in from);
    const fetches = fetchesStatements ? await findFetches(db) : [];
    metrics.statements(fetches.filter(({ rail }) => fetched.some(({ name }) => name === rail)));
    metrics.overdue((await overdueMs(context)) / 1_000);
    const unexplainedLines = unexplained.reduce((sum, { count }) => sum + count, 0);
    metrics.attention({ openCases, deadWebhooks, unexplainedLines });
    metrics.read();
  }

  async function once(): Promise<void> {
    await logDenials();
    await show();
  }
  const otherwise = 'the metrics of the database could not be read';
  return {
    ...repeat(once, { everyMs, log, otherwise }),
    refused(rail) {
      metrics.notificationRefused(rail);
      errors.set(rail, (errors.get(rail) ?? 0) + 1);
    },
  };
}

async function countOf(rows: PromiseLike<{ n?: string | number }[]>): Promise<number> {
  return Number((await rows)[0]?.n ?? 0);
}
