/** The invariants after every step of any kind. */
import { balanceOf } from '../../../src/ledger/balances';
import { everything } from '../../../src/verify/check';
import { checks, runChecks } from '../../../src/verify/verify';
import type { Database, Transaction } from '../../../src/store/database';
import { effectOf, float, wallet, type World } from './world';

/** A checksum of each table, by its name. */
export async function tablesOf(db: Database): Promise<Record<string, string>> {
  const [names] = (await db.raw(
    "SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'",
  )) as unknown as [{ name: string }[]];
  const list = names.map(({ name }) => `\`${name}\``).join(', ');
  const [rows] = (await db.raw(`CHECKSUM TABLE ${list}`)) as unknown as [
    { Table: string; Checksum: string }[],
  ];
  return Object.fromEntries(rows.map(({ Table, Checksum }) => [Table, Checksum]));
}

/** @throws if `verify` finds something, or a balance differs from the sum of payments and transfers. */
export async function expectEverythingRight(
  { context: { db, rails }, merchants }: World,
  funded: ReadonlyMap<string, bigint>,
): Promise<void> {
  const report = await runChecks(db as unknown as Transaction, rails, everything, checks);
  const broken = report.checks.filter(({ violations }) => violations.length > 0);
  if (broken.length > 0)
    throw new Error(JSON.stringify(broken.map(({ id, violations }) => ({ id, violations }))));
  for (const merchantId of merchants) {
    const own = await db('payments').where({ merchant_id: merchantId });
    for (const [name, key, isOfFloat] of [
      ['wallet', wallet(merchantId), false],
      ['float', float(merchantId), true],
    ] as const) {
      const moved = own
        .filter(({ kind }) => (kind === 'payout') === isOfFloat)
        .reduce((sum, payment) => sum + effectOf(payment), 1_000n);
      const expected = moved + (funded.get(`${name} ${merchantId}`) ?? 0n);
      const held = await balanceOf(db, key);
      if (held !== expected)
        throw new Error(`${name} of ${merchantId} has ${String(held)}, and should have ${String(expected)}`);
    }
  }
}
