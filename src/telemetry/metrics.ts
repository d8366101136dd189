/**
 * The metrics that Prometheus reads. Every label value comes from a short, known list. No label contains an id, except
 * `merchant_id` for a few low floats (figures/float-figures.ts).
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Environment } from '../config';
import type { CallbackFigures } from '../payments/resolve/notifications/health';
import type { StatementFetchRow } from '../store/tables';

export interface Metrics extends ShownMetrics {
  /** Counts an answered HTTP request. `route` is the path as declared. */
  request(route: string, status: number, seconds: number): void;
  /** Counts an answered request to create a payment. Status 499 is a caller that closed the connection early. */
  submissionResult(rail: string, status: number, seconds: number): void;
  /** Counts a request that was rejected before any work. */
  shed(reason: string): void;
  /** Creates the counters behind alerts at 0: Prometheus sees no increase in a counter that starts at 1. */
  begins(rail: string, kind: string): void;
  /** Counts a payment that entered a state, and the cause. */
  transition(rail: string, kind: string, state: string, cause: string): void;
  /** Counts one attempt to deliver a webhook. */
  delivery(result: string): void;
  /**
   * Counts a call to a provider. `answer` is the HTTP status, `not_sent` or `unknown`. `aheadSeconds` is the least
   * difference between the provider's clock and ours, if its answer contains a time.
   */
  providerCall(rail: string, call: string, answer: string, seconds: number, aheadSeconds?: number): void;
  /** Sets the result of one readiness check. */
  ready(check: string, isReady: boolean): void;
  /** The registries where other modules register metrics of this process. */
  registers: Registry[];
  /** @returns all metrics in Prometheus' text format. */
  expose(): Promise<string>;
  contentType: string;
}

/** From a query of our own database (5 ms) to the longest time that a merchant waits for an answer. */
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];

const serverErrors = ['500', '502', '503', '504'];

export interface MetricsSettings {
  /** A label of every metric. One Prometheus may scrape a live deployment and a sandbox. */
  environment?: Environment;
  /**
   * Whether this process exports metrics of the database. A worker does not, and must not export their names either:
   * an alert fires when no process exports them.
   */
  showsDatabase?: boolean;
}

export function createMetrics({ environment, showsDatabase = true }: MetricsSettings = {}): Metrics {
  const registry = new Registry();
  if (environment !== undefined) registry.setDefaultLabels({ environment });
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Counter({
    name: 'malipo_http_requests_total',
    help: 'HTTP requests answered; status 499 is a caller that closed the connection early.',
    labelNames: ['route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'malipo_http_request_duration_seconds',
    help: 'Time from the headers of an HTTP request to the end of its answer.',
    labelNames: ['route'],
    buckets: secondsBuckets,
    registers,
  });
  const acceptances = new Counter({
    name: 'malipo_payment_requests_total',
    help: 'Requests to create payments, refunds or vouchers, by HTTP status; 499 is a caller that closed the connection early.',
    labelNames: ['rail', 'status'],
    registers,
  });
  const creationSeconds = new Histogram({
    name: 'malipo_payment_request_duration_seconds',
    help: 'Time from the headers of a request to create a payment to the end of its answer.',
    labelNames: ['rail'],
    buckets: secondsBuckets,
    registers,
  });
  const shed = new Counter({
    name: 'malipo_requests_shed_total',
    help: 'Requests rejected before any work, because the load was too high.',
    labelNames: ['reason'],
    registers,
  });
  const transitions = new Counter({
    name: 'malipo_payment_transitions_total',
    help: 'Payments that entered a state, by cause; cause "unknown" is a submission that got no answer.',
    labelNames: ['rail', 'kind', 'state', 'cause'],
    registers,
  });
  const deliveries = new Counter({
    name: 'malipo_webhook_deliveries_total',
    help: 'Attempts to deliver a webhook to a merchant, by result.',
    labelNames: ['result'],
    registers,
  });
  const providerCalls = new Counter({
    name: 'malipo_provider_calls_total',
    help: 'Calls to providers, by HTTP status or the kind of failure.',
    labelNames: ['rail', 'call', 'answer'],
    registers,
  });
  const providerSeconds = new Histogram({
    name: 'malipo_provider_call_duration_seconds',
    help: 'Time until a provider answered.',
    labelNames: ['rail', 'call'],
    buckets: secondsBuckets,
    registers,
  });
  const providerAhead = new Gauge({
    name: 'malipo_provider_clock_offset_seconds',
    help: "Least difference between the provider's clock and ours, by its last answer; negative if it is behind.",
    labelNames: ['rail'],
    registers,
  });
  const ready = new Gauge({
    name: 'malipo_ready',
    help: 'Result of each check of /readyz: 1 if it succeeds, 0 if it fails.',
    labelNames: ['check'],
    registers,
  });

  return {
    request(route, status, seconds) {
      requests.inc({ route, status: String(status) });
      requestSeconds.observe({ route }, seconds);
    },
    submissionResult(rail, status, seconds) {
      acceptances.inc({ rail, status: String(status) });
      creationSeconds.observe({ rail }, seconds);
    },
    shed(reason) {
      shed.inc({ reason });
    },
    begins(rail, kind) {
      for (const status of serverErrors) acceptances.inc({ rail, status }, 0);
      transitions.inc({ rail, kind, state: 'initiating', cause: 'attempt' }, 0);
      transitions.inc({ rail, kind, state: 'pending', cause: 'unknown' }, 0);
    },
    transition(rail, kind, state, cause) {
      transitions.inc({ rail, kind, state, cause });
    },
    delivery(result) {
      deliveries.inc({ result });
    },
    providerCall(rail, call, answer, seconds, aheadSeconds) {
      providerCalls.inc({ rail, call, answer });
      providerSeconds.observe({ rail, call }, seconds);
      if (aheadSeconds !== undefined) providerAhead.set({ rail }, aheadSeconds);
    },
    ready(check, isReady) {
      ready.set({ check }, isReady ? 1 : 0);
    },
    ...shownMetrics(showsDatabase ? registers : []),
    registers,
    expose: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

// Metrics read from the database. Every API process exports the same values.

export interface ShownMetrics extends StateMetrics {
  /** Counts a notification that this process rejected, or that came without its signature. */
  notificationRefused(rail: string): void;
  /** Sets the health of provider notifications, for each account and kind of payment. */
  callbacks(figures: readonly CallbackFigures[]): void;
  /** Sets the numbers of items that need an operator. */
  attention(waiting: { openCases: number; deadWebhooks: number; unexplainedLines: number }): void;
  /** Sets the last fetch of each rail's statement, and the failures since. */
  statements(fetches: readonly Pick<StatementFetchRow, 'rail' | 'succeeded_at' | 'failures'>[]): void;
  /** Sets how long the most overdue status check is late. */
  overdue(seconds: number): void;
  /** Records that all of these were read now. */
  read(): void;
}

const ofSource = ['rail', 'account', 'kind'] as const;

function shownMetrics(registers: Registry[]): ShownMetrics {
  const refused = new Counter({
    name: 'malipo_provider_notifications_rejected_total',
    help: 'Provider notifications rejected, or received without a valid signature.',
    labelNames: ['rail'],
    registers,
  });
  const expected = new Counter({
    name: 'malipo_provider_notifications_expected_total',
    help: 'Final payments for which the provider should have sent a notification, counted two minutes later.',
    labelNames: ofSource,
    registers,
  });
  const come = new Counter({
    name: 'malipo_provider_notifications_on_time_total',
    help: 'Final payments whose provider notification arrived in time.',
    labelNames: ofSource,
    registers,
  });
  const healthy = new Gauge({
    name: 'malipo_provider_notifications_healthy',
    help: 'Whether provider notifications arrive: 0 while they are late or have stopped.',
    labelNames: ofSource,
    registers,
  });
  const stopped = new Gauge({
    name: 'malipo_provider_notifications_stopped',
    help: 'Whether provider notifications have stopped: 1 while the workers check payments earlier.',
    labelNames: ofSource,
    registers,
  });
  const lag = new Gauge({
    name: 'malipo_provider_notification_lag_seconds',
    help: 'Delay of provider notifications of the last 30 minutes after we knew the result; 0 if they came first.',
    labelNames: [...ofSource, 'quantile'],
    registers,
  });
  const openCases = new Gauge({
    name: 'malipo_cases_open',
    help: 'Open cases, which need an operator.',
    registers,
  });
  const deadWebhooks = new Gauge({
    name: 'malipo_webhooks_dead',
    help: 'Webhooks whose last attempt failed, and that were not replayed.',
    registers,
  });
  const unexplained = new Gauge({
    name: 'malipo_reconciliation_unexplained_lines',
    help: "Lines of providers' statements, and payments of ours, that reconciliation could not match.",
    registers,
  });

  const fetchedAt = new Gauge({
    name: 'malipo_statement_fetched_timestamp_seconds',
    help: 'Unix time of the last fetched statement of a rail; 0 before the first one.',
    labelNames: ['rail'],
    registers,
  });
  const fetchFailures = new Gauge({
    name: 'malipo_statement_fetch_consecutive_failures',
    help: 'Failed attempts to fetch the statement of a rail since the last success.',
    labelNames: ['rail'],
    registers,
  });
  const overdue = new Gauge({
    name: 'malipo_payment_check_overdue_seconds',
    help: 'How long the most overdue status check of a payment is late; 0 if none is late.',
    registers,
  });

  const readAt = new Gauge({
    name: 'malipo_database_metrics_read_timestamp_seconds',
    help: 'Unix time of the last reading of the metrics from the database; the start of the process before the first one.',
    registers,
  });
  readAt.setToCurrentTime();

  /** The database has the totals. A counter gets the increase since the last reading. */
  const reported = new Map<string, number>();
  function countUpTo(counter: Counter<(typeof ofSource)[number]>, name: string, row: CallbackFigures): void {
    const { rail, account, kind } = row;
    const total = name === 'expected' ? row.expectedInAll : row.comeInAll;
    const key = [name, rail, account, kind].join(' ');
    counter.inc({ rail, account, kind }, Math.max(0, total - (reported.get(key) ?? 0)));
    reported.set(key, total);
  }

  return {
    ...stateMetrics(registers),
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

// Metrics of controls, provider wallets and the books, read from the database. Every API process exports the same values.

interface StateMetrics {
  /** Sets the age of the oldest unread notification. */
  inboxAge(seconds: number): void;
  /** Sets whether an account at a provider is paused (src/payments/submit/stopped-accounts.ts). */
  stopped(account: string, isStopped: boolean): void;
  /** Sets the number of payout pauses in force (src/controls/pauses.ts). */
  payoutStops(n: number): void;
  /** Sets the number of possible duplicate payments without a decision. */
  duplicates(n: number): void;
  /** Sets the result of the last verification of the books, and its time; undefined before the first one. */
  verdict(violationCount: number, checkedAt: Date | undefined): void;
  /** Sets the difference between a wallet at a provider and our books, in minor units (src/floats), and its time. */
  floatDifference(
    wallet: { provider: string; country: string; currency: string },
    difference: bigint,
    reportedAt: Date | null,
  ): void;
}

function stateMetrics(registers: Registry[]): StateMetrics {
  const inboxAge = new Gauge({
    name: 'malipo_inbox_oldest_age_seconds',
    help: 'Age of the oldest unread provider notification; 0 if there is none.',
    registers,
  });

  const stopped = new Gauge({
    name: 'malipo_provider_account_paused',
    help: 'Whether an account at a provider is paused: 1 until an operator closes the cases that paused it.',
    labelNames: ['account'],
    registers,
  });

  const payoutStops = new Gauge({
    name: 'malipo_payout_pauses',
    help: 'Payout pauses in force. They keep payouts on hold.',
    registers,
  });
  const duplicates = new Gauge({
    name: 'malipo_possible_duplicates_open',
    help: 'Possible duplicate payments that need a decision (malipo duplicate list).',
    registers,
  });
  const violationCount = new Gauge({
    name: 'malipo_verify_violations',
    help: 'Invariants that the last verification of the books found violated.',
    registers,
  });
  const verifiedAt = new Gauge({
    name: 'malipo_verify_timestamp_seconds',
    help: 'Unix time of the last verification of the books; 0 before the first one.',
    registers,
  });

  const floatDifference = new Gauge({
    name: 'malipo_float_difference_minor_units',
    help: 'Balance of a wallet at a provider minus its balance in our books, in minor units; negative if money is missing.',
    labelNames: ['provider', 'country', 'currency'],
    registers,
  });
  const floatReportedAt = new Gauge({
    name: 'malipo_float_balance_timestamp_seconds',
    help: 'Unix time of the last balance that a provider reported for a wallet; 0 before the first one.',
    labelNames: ['provider', 'country', 'currency'],
    registers,
  });

  return {
    inboxAge(seconds) {
      inboxAge.set(seconds);
    },
    stopped(account, isStopped) {
      stopped.set({ account }, isStopped ? 1 : 0);
    },
    payoutStops(n) {
      payoutStops.set(n);
    },
    duplicates(n) {
      duplicates.set(n);
    },
    verdict(broken, checkedAt) {
      violationCount.set(broken);
      verifiedAt.set((checkedAt?.getTime() ?? 0) / 1_000);
    },
    floatDifference({ provider, country, currency }, difference, reportedAt) {
      floatDifference.set({ provider, country, currency }, Number(difference));
      floatReportedAt.set({ provider, country, currency }, (reportedAt?.getTime() ?? 0) / 1_000);
    },
  };
}
