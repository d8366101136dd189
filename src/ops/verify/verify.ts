import type { Rails } from '../../payments/rail/context';
import type { Database, Transaction } from '../../store/database';
import { acceptanceChecks } from './acceptance-checks';
import { auditChecks } from './audit-checks';
import { chainChecks } from './chain-checks';
import { questionsOf, violationsMax, type Check, type Violation } from './check';
import { conversionChecks } from './conversion-checks';
import { duplicateChecks } from './duplicate-checks';
import { eventChecks } from './event-checks';
import { feeChecks } from './fee-checks';
import { holdChecks } from './hold-checks';
import { ledgerChecks } from './ledger-checks';
import { outflowChecks } from './outflow-checks';
import { paymentChecks } from './payment-checks';
import { providerBooksCheck } from './provider-books';
import { reconciliationChecks } from './reconciliation-checks';
import { everything, type Scope } from './scope';
import { inSnapshot } from './snapshot';
import { stopChecks } from './stop-checks';
import { voucherChecks } from './voucher-checks';

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
  ...reconciliationChecks,
];

export interface VerifyReport {
  clean: boolean;
  checks: { id: string; promise: string; violations: Violation[] }[];
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

/** @param slices of the scope: whatever looks at each payment by itself looks at those of one after the other. */
export async function runChecks(
  trx: Transaction,
  rails: Rails,
  scope: Scope,
  wanted: readonly Check[],
  slices: readonly Scope[] = [scope],
): Promise<VerifyReport> {
  const startedAt = performance.now();
  // What is between two payments may be found from either.
  const found = wanted.map((check) => ({ check, violations: new Map<string, Violation>() }));
  const askAll = async (about: Scope, ofEach: boolean) => {
    for (const { check, violations } of found) {
      for (const { ask, isOfEach } of questionsOf(check.find)) {
        if (isOfEach !== ofEach || violations.size >= violationsMax) continue;
        for (const violation of await ask({ trx, rails, scope: about }))
          violations.set(`${violation.id} ${violation.detail}`, violation);
      }
    }
  };
  // What surrounds a few payments is in the server's memory for all that is asked about them.
  for (const slice of slices) await askAll(slice, true);
  await askAll(scope, false);
  const results = found.map(({ check: { id, promise }, violations }) => ({
    id,
    promise,
    violations: [...violations.values()],
  }));
  return {
    clean: results.every(({ violations }) => violations.length === 0),
    checks: results,
    took_ms: Math.round(performance.now() - startedAt),
  };
}
