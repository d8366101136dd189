/** All that an API process shows of the world around it, beside what it does itself. */
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

/** Leases, claims and due times are of the database's clock, the ages of payments of ours. */
export function databaseClock(registers: Registry[], db: Database): Figures {
  const ahead = new Gauge({
    name: 'database_clock_ahead_seconds',
    help: "By how much the database's clock is ahead of this process's at least; below zero for behind.",
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

/** What /readyz says to a load balancer, for whoever is woken. */
export function readinessFigures(
  metrics: Pick<Metrics, 'ready'>,
  checks: readonly ReadinessCheck[],
  log: Log,
): Figures {
  return {
    what: 'whether this process is ready',
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

// How much is open, and since when: what grows with it is counted once a minute, from an index alone.

export function openWork(
  registers: Registry[],
  { db, rails }: Pick<PaymentsContext, 'db' | 'rails'>,
): Figures {
  const payments = new Gauge({
    name: 'payments_open',
    help: 'Payments that have not come to an end.',
    labelNames: ['rail'],
    registers,
  });
  const webhooks = new Gauge({
    name: 'webhooks_pending',
    help: 'Webhooks that are not delivered yet: most of them wait for their next try.',
    registers,
  });
  const cases = new Gauge({
    name: 'cases_open_by_reason',
    help: 'Cases that wait for a person, by what was seen.',
    labelNames: ['reason'],
    registers,
  });
  const oldest = new Gauge({
    name: 'cases_oldest_age_seconds',
    help: 'How long the oldest case has been waiting for a person; 0 where none is open.',
    registers,
  });
  return {
    what: 'what is open',
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

// How long the oldest of what should be done by now has been waiting: one jump in an index for each.

export function stuckWork(registers: Registry[], db: Database): Figures {
  const initiating = new Gauge({
    name: 'payments_initiating_oldest_seconds',
    help: 'Since when the oldest payment whose instruction may have been sent has had no answer written down; 0 for none.',
    registers,
  });
  const late = new Gauge({
    name: 'webhooks_overdue_seconds',
    help: 'How long the webhook that waits longest for a worker should have been sent; 0 where none is late.',
    registers,
  });
  return {
    what: 'what stands still',
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

/** 0 for what is still to come. */
function secondsSince(at: Date): number {
  return Math.max(0, Date.now() - at.getTime()) / 1_000;
}

// Whether anybody takes work, as Temporal tells: a worker that hangs shows healthy metrics of its own.

export function taskQueueFigures(
  registers: Registry[],
  client: Client,
  config: Pick<Config, 'temporalNamespace' | 'taskQueue'>,
): Figures {
  const labelNames = ['kind'] as const;
  const pollers = new Gauge({
    name: 'task_queue_pollers',
    help: 'Pollers that have asked Temporal for work of our task queue within the last minute, and are given any.',
    labelNames,
    registers,
  });
  const backlog = new Gauge({
    name: 'task_queue_backlog',
    help: 'Tasks that wait in our task queue for a worker, about, as Temporal tells.',
    labelNames,
    registers,
  });
  const backlogAge = new Gauge({
    name: 'task_queue_backlog_age_seconds',
    help: 'How long the oldest of these tasks has been waiting.',
    labelNames,
    registers,
  });
  return {
    what: 'the task queue',
    everyMs: 10_000,
    async show() {
      for (const kind of taskQueueKinds) {
        // What was known before says nothing while Temporal does not answer; that it does not is told by `ready`.
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
