/** What stands in the database about controls, wallets and the books: every API process shows the same. */
import { Gauge, type Registry } from 'prom-client';

export interface StandingMetrics {
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
  /** How a wallet at a provider differs from our books, in minor units (see payments/care/float-proof), and since when that is known. */
  floatDifference(
    wallet: { provider: string; country: string; currency: string },
    difference: bigint,
    toldAt: Date | null,
  ): void;
}

export function standingMetrics(registers: Registry[]): StandingMetrics {
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
