import type { Rails } from '../../payments/rail/context';
import type { Database } from '../../store/database';
import { acceptanceChecks } from './acceptance-checks';
import type { Check, Violation } from './check';
import { conversionChecks } from './conversion-checks';
import { eventChecks } from './event-checks';
import { holdChecks } from './hold-checks';
import { ledgerChecks } from './ledger-checks';
import { paymentChecks } from './payment-checks';
import { providerBooksCheck } from './provider-books';
import { inSnapshot } from './snapshot';
import { voucherChecks } from './voucher-checks';

/** Every promise about the data that can be checked in the database alone. */
export const checks: readonly Check[] = [
  ...ledgerChecks,
  ...paymentChecks,
  ...acceptanceChecks,
  ...conversionChecks,
  ...holdChecks,
  ...voucherChecks,
  ...eventChecks,
];

export interface VerifyReport {
  clean: boolean;
  checks: { id: string; promise: string; violations: Violation[] }[];
  took_ms: number;
}

export interface VerifyOptions {
  /** Compares the simulators' own books with ours, too. */
  simulatorUrl?: string | undefined;
}

/** Checks all promises on one snapshot, while payments go on. Changes nothing. */
export async function verify(
  db: Database,
  rails: Rails,
  { simulatorUrl }: VerifyOptions = {},
): Promise<VerifyReport> {
  const startedAt = performance.now();
  const wanted = simulatorUrl === undefined ? checks : [...checks, providerBooksCheck(db, simulatorUrl)];
  const results = await inSnapshot(db, async (trx) => {
    const found: VerifyReport['checks'] = [];
    for (const { id, promise, find } of wanted) {
      found.push({ id, promise, violations: await find({ trx, rails }) });
    }
    return found;
  });
  return {
    clean: results.every(({ violations }) => violations.length === 0),
    checks: results,
    took_ms: Math.round(performance.now() - startedAt),
  };
}
