/**
 * What Prometheus reads. No label carries an id, save a merchant's where a few floats are short (figures/float-figures.ts):
 * every label value comes from a short, known list.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { shownMetrics, type ShownMetrics } from './shown-metrics';

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
