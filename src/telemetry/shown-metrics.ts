/** What Prometheus reads that is no doing of this process: it stands in the database, and every API process shows the same. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { CallbackFigures } from '../payments/resolve/callbacks/health';
import type { StatementFetchRow } from '../store/tables';
import { standingMetrics, type StandingMetrics } from './standing-metrics';

export interface ShownMetrics extends StandingMetrics {
  /** A notification was refused by this process, or lacked what should vouch for it. */
  notificationRefused(rail: string): void;
  /** Whether callbacks come, for each kind of payment of each account. */
  callbacks(figures: readonly CallbackFigures[]): void;
  /** What waits for a person. */
  attention(waiting: { openCases: number; deadWebhooks: number; unexplainedLines: number }): void;
  /** How the fetching of each rail's statements goes. */
  statements(fetches: readonly Pick<StatementFetchRow, 'rail' | 'succeeded_at' | 'failures'>[]): void;
  /** Since when the payment that waits longest for a worker should have been looked at. */
  overdue(seconds: number): void;
  /** All of these were read just now. */
  read(): void;
}

const ofSource = ['rail', 'account', 'kind'] as const;

export function shownMetrics(registers: Registry[]): ShownMetrics {
  const refused = new Counter({
    name: 'notifications_refused_total',
    help: 'Notifications that were refused, or came without what should vouch for them.',
    labelNames: ['rail'],
    registers,
  });
  const expected = new Counter({
    name: 'provider_callbacks_expected_total',
    help: 'Payments that ended and whose provider should have told of it, counted two minutes after.',
    labelNames: ofSource,
    registers,
  });
  const come = new Counter({
    name: 'provider_callbacks_come_total',
    help: 'Of these, those of which a callback told in time.',
    labelNames: ofSource,
    registers,
  });
  const healthy = new Gauge({
    name: 'provider_callbacks_healthy',
    help: 'Whether callbacks come: 0 while they are late or have stopped.',
    labelNames: ofSource,
    registers,
  });
  const stopped = new Gauge({
    name: 'provider_callbacks_stopped',
    help: 'Whether no callback comes any more: 1 while payments that wait are asked about sooner.',
    labelNames: ofSource,
    registers,
  });
  const lag = new Gauge({
    name: 'provider_callback_lag_seconds',
    help: 'How long after we knew callbacks of the last half hour came, to the step: 0 where they told first.',
    labelNames: [...ofSource, 'quantile'],
    registers,
  });
  const openCases = new Gauge({
    name: 'cases_open',
    help: 'Cases that wait for a person.',
    registers,
  });
  const deadWebhooks = new Gauge({
    name: 'webhooks_dead',
    help: 'Webhooks that were given up and not sent again.',
    registers,
  });
  const unexplained = new Gauge({
    name: 'reconciliation_unexplained_lines',
    help: "Lines of the providers' statements, and payments of ours, that nobody has explained.",
    registers,
  });

  const fetchedAt = new Gauge({
    name: 'statement_fetched_timestamp_seconds',
    help: 'When the statement of a rail was fetched last, in seconds since 1970; 0 before the first time.',
    labelNames: ['rail'],
    registers,
  });
  const fetchFailures = new Gauge({
    name: 'statement_fetch_failures',
    help: 'Tries to fetch the statement of a rail that failed since the last that did not.',
    labelNames: ['rail'],
    registers,
  });
  const overdue = new Gauge({
    name: 'work_overdue_seconds',
    help: 'How long the payment that waits longest for a worker should have been looked at; 0 where none is late.',
    registers,
  });

  const readAt = new Gauge({
    name: 'figures_read_timestamp_seconds',
    help: 'When what is shown of the database was read last, in seconds since 1970; the start before the first time.',
    registers,
  });
  readAt.setToCurrentTime();

  /** The database counts, and a counter is told what it has more. */
  const told = new Map<string, number>();
  function countUpTo(counter: Counter<(typeof ofSource)[number]>, name: string, row: CallbackFigures): void {
    const { rail, account, kind } = row;
    const total = name === 'expected' ? row.expectedInAll : row.comeInAll;
    const key = [name, rail, account, kind].join(' ');
    counter.inc({ rail, account, kind }, Math.max(0, total - (told.get(key) ?? 0)));
    told.set(key, total);
  }

  return {
    ...standingMetrics(registers),
    notificationRefused(rail) {
      refused.inc({ rail });
    },
    callbacks(figures) {
      for (const row of figures) {
        const { rail, account, kind, verdict } = row;
        const labels = { rail, account, kind };
        countUpTo(expected, 'expected', row);
        countUpTo(come, 'come', row);
        healthy.set(labels, verdict === 'late' || verdict === 'stopped' ? 0 : 1);
        stopped.set(labels, verdict === 'stopped' ? 1 : 0);
        lag.set({ ...labels, quantile: '0.5' }, row.lagP50Seconds ?? NaN);
        lag.set({ ...labels, quantile: '0.99' }, row.lagP99Seconds ?? NaN);
      }
    },
    attention(waiting) {
      openCases.set(waiting.openCases);
      deadWebhooks.set(waiting.deadWebhooks);
      unexplained.set(waiting.unexplainedLines);
    },
    statements(fetches) {
      for (const { rail, succeeded_at: last, failures } of fetches) {
        fetchedAt.set({ rail }, (last?.getTime() ?? 0) / 1_000);
        fetchFailures.set({ rail }, failures);
      }
    },
    overdue(seconds) {
      overdue.set(seconds);
    },
    read() {
      readAt.setToCurrentTime();
    },
  };
}
