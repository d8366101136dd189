import type { Rails } from '../rail-kit/context';
import type { Database, Transaction } from '../store/database';
import { creationChecks, duplicateChecks, voucherChecks } from './creation-checks';
import { auditChecks } from './audit-checks';
import { manualChecks } from './manual-checks';
import { chainChecks, ledgerChecks } from './ledger-checks';
import {
  questionsOf,
  violationsMax,
  rowsOf,
  everything,
  type Check,
  type Question,
  type Snapshot,
  type Violation,
  type Scope,
} from './check';
import { conversionChecks, feeChecks } from './fee-checks';
import { eventChecks } from './event-checks';
import { holdChecks } from './hold-checks';
import { outflowChecks, pauseChecks } from './outflow-checks';
import { paymentChecks } from './payment-checks';
import { providerBooksCheck } from './provider-books';
import { reconciliationChecks } from './reconciliation-checks';

/** All checks that need only the database. */
export const checks: readonly Check[] = [
  ...ledgerChecks,
  ...chainChecks,
  ...paymentChecks,
  ...creationChecks,
  ...conversionChecks,
  ...feeChecks,
  ...holdChecks,
  ...pauseChecks,
  ...voucherChecks,
  ...outflowChecks,
  ...duplicateChecks,
  ...eventChecks,
  ...auditChecks,
  ...manualChecks,
  ...reconciliationChecks,
];

export interface VerifyReport {
  clean: boolean;
  /** `took_ms` is the time of the queries of the check, in milliseconds. */
  checks: { id: string; promise: string; violations: Violation[]; took_ms: number }[];
  took_ms: number;
}

export interface VerifyOptions {
  /** Also compares with the books of the simulator at this address. */
  simulatorUrl?: string | undefined;
  /** Cancels the run. */
  signal?: AbortSignal;
}

/** Runs all checks on one snapshot, while payments continue. It changes nothing. */
export function verify(
  db: Database,
  rails: Rails,
  { simulatorUrl }: VerifyOptions = {},
): Promise<VerifyReport> {
  return inSnapshot(db, (trx) => runChecks(trx, rails, everything, checksWith(db, simulatorUrl)));
}

/** @param simulatorUrl the simulator, whose books are also compared. */
export function checksWith(db: Database, simulatorUrl: string | undefined): readonly Check[] {
  return simulatorUrl === undefined ? checks : [...checks, providerBooksCheck(db, simulatorUrl)];
}

export async function runChecks(
  trx: Transaction,
  rails: Rails,
  scope: Scope,
  wanted: readonly Check[],
): Promise<VerifyReport> {
  const results = gather(wanted);
  await results.ofEach({ trx, rails, scope });
  await results.ofAll({ trx, rails, scope });
  return results.report();
}

/** Collects the violations of checks that run in several parts. */
export interface CheckResults {
  /** Runs the next check that no snapshot has begun, until there is none. Several snapshots can share the checks. */
  ofRest(snapshot: Snapshot): Promise<void>;
  /** Runs the queries that check each payment or voucher by itself. */
  ofEach(snapshot: Snapshot): Promise<void>;
  /** Runs the queries about more than single payments. Call it once. */
  ofAll(snapshot: Snapshot): Promise<void>;
  report(): VerifyReport;
}

export function gather(wanted: readonly Check[]): CheckResults {
  const startedAt = performance.now();
  // Two slices can find the same violation between two payments.
  const found = wanted.map((check) => ({ check, violations: new Map<string, Violation>(), tookMs: 0 }));
  const ask = async (
    snapshot: Snapshot,
    isAsked: (question: Question) => boolean,
    which: Iterable<(typeof found)[number]> = found,
  ) => {
    for (const each of which) {
      const { check, violations } = each;
      const beganAt = performance.now();
      for (const question of questionsOf(check.find)) {
        if (!isAsked(question) || violations.size >= violationsMax) continue;
        for (const violation of await question.ask(snapshot))
          violations.set(`${violation.id} ${violation.detail}`, violation);
      }
      each.tookMs += performance.now() - beganAt;
    }
  };
  const rest = found.values();
  return {
    ofRest: (snapshot) => ask(snapshot, () => true, rest),
    ofEach: (snapshot) => ask(snapshot, ({ isOfEach }) => isOfEach),
    ofAll: (snapshot) => ask(snapshot, ({ isOfEach }) => !isOfEach),
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
 * Runs `work` on one snapshot of the database, so that payments in progress never look half booked. READ ONLY guarantees that
 * a check changes nothing. Other sessions read committed data, so the connection gets that setting back at the end.
 * @param signal kills the connection, so that the work ends at once.
 */
export function inSnapshot<T>(
  db: Database,
  work: (trx: Transaction) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return db.transaction(async (trx) => {
    const killed = await killedBy(signal, db, trx);
    // Ends the empty transaction that knex began: MySQL ends it in START TRANSACTION only after it has taken the old level.
    await trx.raw('COMMIT');
    await trx.raw('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    try {
      // Knex ends it later.
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
