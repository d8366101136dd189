import type { Rails } from '../../payments/rail/context';
import type { Database, Transaction } from '../../store/database';
import { acceptanceChecks } from './acceptance-checks';
import { auditChecks } from './audit-checks';
import { chainChecks } from './chain-checks';
import type { Check, Violation } from './check';
import { conversionChecks } from './conversion-checks';
import { eventChecks } from './event-checks';
import { holdChecks } from './hold-checks';
import { ledgerChecks } from './ledger-checks';
import { outflowChecks } from './outflow-checks';
import { paymentChecks } from './payment-checks';
import { providerBooksCheck } from './provider-books';
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
  ...holdChecks,
  ...stopChecks,
  ...voucherChecks,
  ...outflowChecks,
  ...eventChecks,
  ...auditChecks,
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

export async function runChecks(
  trx: Transaction,
  rails: Rails,
  scope: Scope,
  wanted: readonly Check[],
): Promise<VerifyReport> {
  const startedAt = performance.now();
  const results: VerifyReport['checks'] = [];
  for (const { id, promise, find } of wanted) {
    results.push({ id, promise, violations: await find({ trx, rails, scope }) });
  }
  return {
    clean: results.every(({ violations }) => violations.length === 0),
    checks: results,
    took_ms: Math.round(performance.now() - startedAt),
  };
}
