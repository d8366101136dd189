import type { Rails } from '../rail-kit/context';
import type { Database, Transaction } from '../store/database';
import { acceptanceChecks, duplicateChecks, voucherChecks } from './acceptance-checks';
import { auditChecks } from './audit-checks';
import { byHandChecks } from './by-hand-checks';
import { chainChecks, ledgerChecks } from './ledger-checks';
import {
  questionsOf,
  violationsMax,
  rowsOf,
  everything,
  type Check,
  type Snapshot,
  type Violation,
  type Scope,
} from './check';
import { conversionChecks, feeChecks } from './fee-checks';
import { eventChecks } from './event-checks';
import { holdChecks } from './hold-checks';
import { outflowChecks, stopChecks } from './outflow-checks';
import { paymentChecks } from './payment-checks';
import { providerBooksCheck } from './provider-books';
import { reconciliationChecks } from './reconciliation-checks';

/** Every promise about the data that can be checked in the database alone. */
export const checks: readonly Check[] = [
  ...ledgerChecks,
  ...chainChecks,
  ...paymentChecks,
  ...acceptanceChecks,
  ...conversionChecks,
  ...feeChecks,
  ...holdChecks,
  ...stopChecks,
  ...voucherChecks,
  ...outflowChecks,
  ...duplicateChecks,
  ...eventChecks,
  ...auditChecks,
  ...byHandChecks,
  ...reconciliationChecks,
];

export interface VerifyReport {
  clean: boolean;
  /** Each with the milliseconds that its questions took. */
  checks: { id: string; promise: string; violations: Violation[]; took_ms: number }[];
  took_ms: number;
}

export interface VerifyOptions {
  /** Compares the simulators' own books with ours, too. */
  simulatorUrl?: string | undefined;
  /** Ends the look where it is. */
  signal?: AbortSignal;
}

/** Checks all promises on one snapshot, while payments go on. Changes nothing. */
export function verify(
  db: Database,
  rails: Rails,
  { simulatorUrl }: VerifyOptions = {},
): Promise<VerifyReport> {
  return inSnapshot(db, (trx) => runChecks(trx, rails, everything, checksWith(db, simulatorUrl)));
}

/** @param simulatorUrl where the providers' own books can be read, too. */
export function checksWith(db: Database, simulatorUrl: string | undefined): readonly Check[] {
  return simulatorUrl === undefined ? checks : [...checks, providerBooksCheck(db, simulatorUrl)];
}

export async function runChecks(
  trx: Transaction,
  rails: Rails,
  scope: Scope,
  wanted: readonly Check[],
): Promise<VerifyReport> {
  const findings = gather(wanted);
  await findings.ofEach({ trx, rails, scope });
  await findings.ofAll({ trx, rails, scope });
  return findings.report();
}

/** What these checks find, in however many parts they are asked. */
export interface Findings {
  /** Asks what is about each payment or voucher by itself. */
  ofEach(snapshot: Snapshot): Promise<void>;
  /** Asks what is about more than those that the scope begins with, which is to be asked once. */
  ofAll(snapshot: Snapshot): Promise<void>;
  report(): VerifyReport;
}

export function gather(wanted: readonly Check[]): Findings {
  const startedAt = performance.now();
  // What is between two payments may be found from either.
  const found = wanted.map((check) => ({ check, violations: new Map<string, Violation>(), tookMs: 0 }));
  const ask = async (snapshot: Snapshot, ofEach: boolean) => {
    for (const each of found) {
      const { check, violations } = each;
      const beganAt = performance.now();
      for (const question of questionsOf(check.find)) {
        if (question.isOfEach !== ofEach || violations.size >= violationsMax) continue;
        for (const violation of await question.ask(snapshot))
          violations.set(`${violation.id} ${violation.detail}`, violation);
      }
      each.tookMs += performance.now() - beganAt;
    }
  };
  return {
    ofEach: (snapshot) => ask(snapshot, true),
    ofAll: (snapshot) => ask(snapshot, false),
    report: () => ({
      clean: found.every(({ violations }) => violations.size === 0),
      checks: found.map(({ check: { id, promise }, violations, tookMs }) => ({
        id,
        promise,
        violations: [...violations.values()],
        took_ms: Math.round(tookMs),
      })),
      took_ms: Math.round(performance.now() - startedAt),
    }),
  };
}

/**
 * Runs `work` on one unchanging view of the database, so that payments in flight never look half-booked. READ ONLY
 * makes it certain that a check changes nothing. Everywhere else sessions read committed data, so the connection gets
 * that back before it returns to the pool.
 * @param signal ends it at once, whatever it is at: its connection is killed, and nobody waits for it.
 */
export function inSnapshot<T>(
  db: Database,
  work: (trx: Transaction) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return db.transaction(async (trx) => {
    const killed = await killedBy(signal, db, trx);
    await trx.raw('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    try {
      // Ends the empty transaction around it and begins the one that counts, which knex then ends.
      await trx.raw('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
      return await work(trx);
    } finally {
      killed.never();
      await trx.raw('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    }
  });
}

async function killedBy(
  signal: AbortSignal | undefined,
  db: Database,
  trx: Transaction,
): Promise<{ never(): void }> {
  if (!signal) return { never: () => undefined };
  const [row] = await rowsOf<{ id: number }>(trx, 'SELECT CONNECTION_ID() AS id');
  const kill = () => void db.raw('KILL ?', [row?.id ?? 0]).catch(() => undefined);
  signal.throwIfAborted();
  signal.addEventListener('abort', kill, { once: true });
  return {
    never: () => {
      signal.removeEventListener('abort', kill);
    },
  };
}
