/** What Prometheus reads. No label ever carries an id: every label value comes from a short, known list. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { shownMetrics, type ShownMetrics } from './shown-metrics';

export interface Metrics extends ShownMetrics {
  /** An HTTP request was answered. `route` is the path as declared. */
  request(route: string, status: number, seconds: number): void;
  /** A call was turned away unheard. */
  shed(reason: string): void;
  /** A payment entered a state. */
  transition(rail: string, kind: string, state: string): void;
  /** A webhook was tried. */
  delivery(result: string): void;
  /** A provider was called. `answer` is our word for what it said, such as `accepted` or `unknown`. */
  providerCall(rail: string, call: string, answer: string, seconds: number): void;
  /** How long the oldest unread notification has been waiting. */
  inboxAge(seconds: number): void;
  /** Whether nothing is started through the account of a rail (see src/payments/instruction/stopped-accounts.ts). */
  stopped(account: string, isStopped: boolean): void;
  /** How many stops of payouts are in force (see src/controls/stops.ts). */
  payoutStops(n: number): void;
  /** How many payments may be duplicates of others, and nobody has decided. */
  duplicates(n: number): void;
  /** What the last look at the books found, and when that was; undefined before the first. */
  verdict(promisesBroken: number, lookedAt: Date | undefined): void;
  /** How a wallet at a provider differs from our books, in minor units (see payments/care/float-proof), and since when that is known. */
  floatDifference(
    wallet: { provider: string; country: string; currency: string },
    difference: bigint,
    toldAt: Date | null,
  ): void;
  /** Everything in the text that Prometheus reads. */
  expose(): Promise<string>;
  contentType: string;
}

/** From a look-up in our own database to the time a merchant waits for an acceptance at the most. */
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];

export function createMetrics(): Metrics {
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
  const shed = new Counter({
    name: 'shed_total',
    help: 'Calls turned away before any work, because too much was being worked on.',
    labelNames: ['reason'],
    registers,
  });
  const transitions = new Counter({
    name: 'payments_transitions_total',
    help: 'Payments that entered a state.',
    labelNames: ['rail', 'kind', 'state'],
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
    request(route, status, seconds) {
      requests.inc({ route, status: String(status) });
      requestSeconds.observe({ route }, seconds);
    },
    shed(reason) {
      shed.inc({ reason });
    },
    transition(rail, kind, state) {
      transitions.inc({ rail, kind, state });
    },
    delivery(result) {
      deliveries.inc({ result });
    },
    providerCall(rail, call, answer, seconds) {
      providerCalls.inc({ rail, call, answer });
      providerSeconds.observe({ rail, call }, seconds);
    },
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
    ...shownMetrics(registers),
    expose: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
