/** Finds the merchants of a violation of `malipo verify`, by the rows that it names. */
import type { Violation } from '../../src/verify/check';
import type { VerifyReport } from '../../src/verify/verify';
import type { Database, Transaction } from '../../src/store/database';

/** Tables with a number of their own, and the column that leads to the payment. */
const numbered = [
  { name: /\bentry (\d+)/g, table: 'ledger_entries', id: 'entry_id' },
  { name: /\binbox (\d+)/g, table: 'inbox', id: 'inbox_id' },
  { name: /\bcase (\d+)/g, table: 'cases', id: 'case_id' },
] as const;

/** Tables found by a globally unique id. */
const owned = [
  ['payments', 'payment_id'],
  ['vouchers', 'voucher_id'],
  ['outbox', 'webhook_id'],
  ['webhook_endpoints', 'endpoint_id'],
  ['bulk_payouts', 'bulk_id'],
  ['merchants', 'merchant_id'],
] as const;

const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

type Checks = VerifyReport['checks'];

/**
 * The broken checks, without the violations that name only these merchants. A violation that names no merchant, such as
 * one of a sum or a chain, stays.
 */
export async function brokenBeside(
  merchants: readonly string[],
  db: Database | Transaction,
  checks: Checks,
): Promise<Checks> {
  const broken: Checks = [];
  for (const check of checks) {
    const violations: Violation[] = [];
    for (const violation of check.violations) {
      const named = merchants.length === 0 ? [] : await merchantsNamed(db, violation);
      if (named.length === 0 || !named.every((id) => merchants.includes(id))) violations.push(violation);
    }
    if (violations.length > 0) broken.push({ ...check, violations });
  }
  return broken;
}

/** The merchants of the rows that it names; none when it names no row, or the merchant cannot be found. */
async function merchantsNamed(db: Database | Transaction, { id, detail }: Violation): Promise<string[]> {
  const text = `${id} ${detail}`;
  const named = [...text.matchAll(uuid)].map(([one]) => one);
  for (const { name, table, id: column } of numbered) {
    const numbers = [...text.matchAll(name)].map(([, number]) => number ?? '');
    if (numbers.length === 0) continue;
    const payments: (string | null)[] = await db(table).whereIn(column, numbers).pluck('payment_id');
    named.push(...payments.filter((one) => one !== null));
  }
  if (named.length === 0) return [];
  const owners = await Promise.all(
    owned.map(([table, column]) => db(table).whereIn(column, named).pluck('merchant_id')),
  );
  return owners.flat();
}
