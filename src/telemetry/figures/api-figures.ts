/** Metrics of an API process about the database, Temporal and its own readiness. */
import type { Client } from '@temporalio/client';
import { Gauge, type Registry } from 'prom-client';
import { isReady, type ReadinessCheck } from '../../api/health';
import type { Config } from '../../config';
import { caseReasons } from '../../controls/cases';
import type { Log } from '../../domain/log';
import { readTaskQueue, taskQueueKinds } from '../../process/task-queue';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Database } from '../../store/database';
import { databaseAheadMs } from '../../store/database-clock';
import type { Metrics } from '../metrics';
import type { Figures } from './figures';
import { floatFigures } from './float-figures';

export interface Seen {
  context: Pick<PaymentsContext, 'db' | 'rails' | 'log'>;
  client: Client;
  config: Pick<Config, 'temporalNamespace' | 'taskQueue'>;
  readiness: readonly ReadinessCheck[];
}

export function apiFigures(metrics: Metrics, { context, client, config, readiness }: Seen): Figures[] {
  const { registers } = metrics;
  return [
    stuckWork(registers, context.db),
    openWork(registers, context),
    floatFigures(registers, context),
    taskQueueFigures(registers, client, config),
    databaseClock(registers, context.db),
    readinessFigures(metrics, readiness, context.log),
  ];
}

/** Leases, claims and due times use the database's clock. Ages of payments use ours. */
export function databaseClock(registers: Registry[], db: Database): Figures {
  const ahead = new Gauge({
    name: 'malipo_database_clock_offset_seconds',
    help: "Least difference between the database's clock and this process's; negative if the database is behind.",
    registers,
  });
  return {
    what: "the database's clock",
    everyMs: 30_000,
    async show() {
      ahead.set((await databaseAheadMs(db)) / 1_000);
    },
  };
}

/** The checks of /readyz, as metrics for alerts. */
export function readinessFigures(
  metrics: Pick<Metrics, 'ready'>,
  checks: readonly ReadinessCheck[],
  log: Log,
): Figures {
  return {
    what: 'the readiness of this process',
    everyMs: 10_000,
    async show() {
      await Promise.all(
        checks.map(async (one) => {
          metrics.ready(one.name, await isReady(one, log));
        }),
      );
    },
  };
}

// Numbers of open payments, webhooks and cases. The queries grow with them, so they run once a minute, from indexes only.

export function openWork(
  registers: Registry[],
  { db, rails }: Pick<PaymentsContext, 'db' | 'rails'>,
): Figures {
  const payments = new Gauge({
    name: 'malipo_payments_open',
    help: 'Payments that are not final.',
    labelNames: ['rail'],
    registers,
  });
  const webhooks = new Gauge({
    name: 'malipo_webhooks_pending',
    help: 'Webhooks not delivered yet; most are scheduled for a later attempt.',
    registers,
  });
  const cases = new Gauge({
    name: 'malipo_cases_open_by_reason',
    help: 'Open cases, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const oldest = new Gauge({
    name: 'malipo_case_oldest_age_seconds',
    help: 'Age of the oldest open case; 0 if none is open.',
    registers,
  });
  return {
    what: 'the numbers of open items',
    everyMs: 60_000,
    async show() {
      const open: { rail: string; n: string | number }[] = await db('payments')
        .where({ is_final: 0 })
        .groupBy('rail')
        .select('rail')
        .count({ n: '*' });
      for (const { name } of rails.all)
        payments.set({ rail: name }, Number(open.find(({ rail }) => rail === name)?.n ?? 0));

      const [pending] = await db('outbox').where({ state: 'pending' }).count({ n: '*' });
      webhooks.set(Number(pending?.n ?? 0));

      const waiting: { reason: string; n: string | number; since: Date }[] = await db('cases')
        .whereNull('closed_at')
        .groupBy('reason')
        .select('reason')
        .count({ n: '*' })
        .min({ since: 'opened_at' });
      for (const reason of Object.keys(caseReasons))
        cases.set({ reason }, Number(waiting.find((one) => one.reason === reason)?.n ?? 0));
      oldest.set(Math.max(0, ...waiting.map(({ since }) => secondsSince(since))));
    },
  };
}

// The age of the oldest overdue item of each kind: one index lookup each.

export function stuckWork(registers: Registry[], db: Database): Figures {
  const initiating = new Gauge({
    name: 'malipo_payment_submission_oldest_age_seconds',
    help: 'Age of the oldest submission that may have been sent and has no stored answer; 0 if there is none.',
    registers,
  });
  const late = new Gauge({
    name: 'malipo_webhook_overdue_seconds',
    help: 'How long the most overdue webhook is late; 0 if none is late.',
    registers,
  });
  return {
    what: 'the oldest overdue items',
    everyMs: 10_000,
    async show() {
      const payment = await db('payments')
        .where({ is_final: 0, state: 'initiating' })
        .orderBy('updated_at')
        .first('updated_at');
      initiating.set(payment ? secondsSince(payment.updated_at) : 0);
      const webhook = await db('outbox').where({ state: 'pending' }).orderBy('next_at').first('next_at');
      late.set(webhook ? secondsSince(webhook.next_at) : 0);
    },
  };
}

/** @returns 0 for a time in the future. */
function secondsSince(at: Date): number {
  return Math.max(0, Date.now() - at.getTime()) / 1_000;
}

// Temporal's view of the workers. A frozen worker can still export healthy metrics of its own.

export function taskQueueFigures(
  registers: Registry[],
  client: Client,
  config: Pick<Config, 'temporalNamespace' | 'taskQueue'>,
): Figures {
  const labelNames = ['kind'] as const;
  const pollers = new Gauge({
    name: 'malipo_task_queue_pollers',
    help: 'Pollers of our task queue in the last minute that may receive tasks, as Temporal reports.',
    labelNames,
    registers,
  });
  const backlog = new Gauge({
    name: 'malipo_task_queue_backlog',
    help: 'Approximate number of tasks in our task queue, as Temporal reports.',
    labelNames,
    registers,
  });
  const backlogAge = new Gauge({
    name: 'malipo_task_queue_backlog_age_seconds',
    help: 'Age of the oldest task in our task queue.',
    labelNames,
    registers,
  });
  return {
    what: 'the task queue',
    everyMs: 10_000,
    async show() {
      for (const kind of taskQueueKinds) {
        // Old values mean nothing while Temporal does not answer. `malipo_ready` reports that it does not.
        const seen = await readTaskQueue(client, config, kind).catch((error: unknown) => {
          for (const gauge of [pollers, backlog, backlogAge]) gauge.reset();
          throw error;
        });
        pollers.set({ kind }, seen.pollers);
        backlog.set({ kind }, seen.backlog);
        backlogAge.set({ kind }, seen.backlogAgeMs / 1_000);
      }
    },
  };
}
