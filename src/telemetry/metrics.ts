/**
 * What Prometheus reads. No label carries an id, save a merchant's where a few floats are short (figures/float-figures.ts):
 * every label value comes from a short, known list.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CallbackFigures } from '../payments/resolve/callbacks/health';
import type { StatementFetchRow } from '../store/tables';

export interface Metrics extends ShownMetrics {
  /** An HTTP request was answered. `route` is the path as declared. */
  request(route: string, status: number, seconds: number): void;
  /**
   * A merchant's call that starts something was answered. `rail` is whose endpoint it is; 499 is a caller who did not
   * wait.
   */
  acceptance(rail: string, status: number, seconds: number): void;
  /** A call was turned away unheard. */
  shed(reason: string): void;
  /** Shows as 0 what must never be missed of such payments: a counter that begins at 1 has not risen. */
  begins(rail: string, kind: string): void;
  /** A payment entered a state, and what made it. */
  transition(rail: string, kind: string, state: string, cause: string): void;
  /** A webhook was tried. */
  delivery(result: string): void;
  /**
   * A provider was called. `answer` is the HTTP status of its answer, or `not_sent` or `unknown`; its clock is ahead of
   * ours by as much at least, where it tells.
   */
  providerCall(rail: string, call: string, answer: string, seconds: number, aheadSeconds?: number): void;
  /** Whether something is there without which this process cannot do its work. */
  ready(check: string, isReady: boolean): void;
  /** Where further figures of this process are entered. */
  registers: Registry[];
  /** Everything in the text that Prometheus reads. */
  expose(): Promise<string>;
  contentType: string;
}

/** From a look-up in our own database to the time a merchant waits for an acceptance at the most. */
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];

const serverErrors = ['500', '502', '503', '504'];

export interface MetricsSettings {
  /**
   * Whether this process shows what stands in the database. One that does not, such as a worker, must not name it either:
   * that it is shown by nobody is an alert.
   */
  showsDatabase?: boolean;
}

export function createMetrics({ showsDatabase = true }: MetricsSettings = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Counter({
    name: 'http_requests_total',
    help: 'HTTP requests answered; status 499 is a caller who did not wait.',
    labelNames: ['route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer.',
    labelNames: ['route'],
    buckets: secondsBuckets,
    registers,
  });
  const acceptances = new Counter({
    name: 'acceptances_total',
    help: 'Calls of merchants that start something, by the HTTP status of the answer; 499 is a caller who did not wait.',
    labelNames: ['rail', 'status'],
    registers,
  });
  const acceptanceSeconds = new Histogram({
    name: 'acceptance_duration_seconds',
    help: 'Time from the headers of such a call to the end of its answer.',
    labelNames: ['rail'],
    buckets: secondsBuckets,
    registers,
  });
  const shed = new Counter({
    name: 'shed_total',
    help: 'Calls turned away before any work, because too much was being worked on.',
    labelNames: ['reason'],
    registers,
  });
  const transitions = new Counter({
    name: 'payments_transitions_total',
    help: 'Payments that entered a state, by what made them; cause "unknown" is an instruction that nobody answered.',
    labelNames: ['rail', 'kind', 'state', 'cause'],
    registers,
  });
  const deliveries = new Counter({
    name: 'webhooks_deliveries_total',
    help: 'Tries to deliver a webhook to a merchant.',
    labelNames: ['result'],
    registers,
  });
  const providerCalls = new Counter({
    name: 'provider_calls_total',
    help: 'Calls to providers by what they answered.',
    labelNames: ['rail', 'call', 'answer'],
    registers,
  });
  const providerSeconds = new Histogram({
    name: 'provider_call_duration_seconds',
    help: 'Time a provider took to answer.',
    labelNames: ['rail', 'call'],
    buckets: secondsBuckets,
    registers,
  });
  const providerAhead = new Gauge({
    name: 'provider_clock_ahead_seconds',
    help: "By how much the provider's clock was ahead of ours at least, by its last answer; below zero for behind.",
    labelNames: ['rail'],
    registers,
  });
  const ready = new Gauge({
    name: 'ready',
    help: 'Whether what this process cannot do without is there: 1 or 0, for each check of /readyz.',
    labelNames: ['check'],
    registers,
  });

  return {
    request(route, status, seconds) {
      requests.inc({ route, status: String(status) });
      requestSeconds.observe({ route }, seconds);
    },
    acceptance(rail, status, seconds) {
      acceptances.inc({ rail, status: String(status) });
      acceptanceSeconds.observe({ rail }, seconds);
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

// What Prometheus reads that is no doing of this process: it stands in the database, and every API process shows the same.

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

function shownMetrics(registers: Registry[]): ShownMetrics {
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

// What stands in the database about controls, wallets and the books: every API process shows the same.

interface StandingMetrics {
  /** How long the oldest unread notification has been waiting. */
  inboxAge(seconds: number): void;
  /** Whether nothing is started through the account of a rail (see src/payments/submit/stopped-accounts.ts). */
  stopped(account: string, isStopped: boolean): void;
  /** How many stops of payouts are in force (see src/controls/stops.ts). */
  payoutStops(n: number): void;
  /** How many payments may be duplicates of others, and nobody has decided. */
  duplicates(n: number): void;
  /** What the last look at the books found, and when that was; undefined before the first. */
  verdict(promisesBroken: number, lookedAt: Date | undefined): void;
  /** How a wallet at a provider differs from our books, in minor units (see src/floats), and since when that is known. */
  floatDifference(
    wallet: { provider: string; country: string; currency: string },
    difference: bigint,
    toldAt: Date | null,
  ): void;
}

function standingMetrics(registers: Registry[]): StandingMetrics {
  const inboxAge = new Gauge({
    name: 'inbox_oldest_age_seconds',
    help: 'How long the oldest unread notification has been waiting.',
    registers,
  });

  const stopped = new Gauge({
    name: 'accounts_stopped',
    help: 'Whether nothing is started through the account that a rail has at its provider: 1 until a person has decided.',
    labelNames: ['account'],
    registers,
  });

  const payoutStops = new Gauge({
    name: 'payout_stops',
    help: 'Stops of payouts that operators have put in force and not ended: what they hold back waits.',
    registers,
  });
  const duplicates = new Gauge({
    name: 'possible_duplicates_open',
    help: 'Payments of a reference that was paid before, which nobody has decided about (malipo duplicate list).',
    registers,
  });
  const promisesBroken = new Gauge({
    name: 'promises_broken',
    help: 'Promises about money and payments that the last malipo verify, or the run of a night, found broken.',
    registers,
  });
  const verifiedAt = new Gauge({
    name: 'verified_timestamp_seconds',
    help: 'When the books were verified last, in seconds since 1970; 0 before the first time.',
    registers,
  });

  const floatDifference = new Gauge({
    name: 'float_difference',
    help: 'What a wallet at a provider holds beyond what our books say, in minor units; below zero it is missing.',
    labelNames: ['provider', 'country', 'currency'],
    registers,
  });
  const floatToldAt = new Gauge({
    name: 'float_told_timestamp_seconds',
    help: 'When a provider told last what a wallet holds, in seconds since 1970; 0 before the first time.',
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
    verdict(broken, lookedAt) {
      promisesBroken.set(broken);
      verifiedAt.set((lookedAt?.getTime() ?? 0) / 1_000);
    },
    floatDifference({ provider, country, currency }, difference, toldAt) {
      floatDifference.set({ provider, country, currency }, Number(difference));
      floatToldAt.set({ provider, country, currency }, (toldAt?.getTime() ?? 0) / 1_000);
    },
  };
}
