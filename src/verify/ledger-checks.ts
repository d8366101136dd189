import { lastLink } from '../ledger/chain';
import { checkChain } from '../ledger/check-chain';
import { clockOf, firstDay } from '../ledger/day-digests';
import { dayAfter, dayBefore, utcDay } from '../ledger/utc-days';
import type { Database, Transaction } from '../store/database';
import { bySql, rowsOf, type Check, type Violation, type Scope, type Snapshot } from './check';

/** All postings of the entries that have a new posting, also the older ones. */
const postingsOf = (scope: Scope, alias: string) =>
  scope.pick(
    `ledger_postings ${alias}`,
    `(SELECT DISTINCT entry_id FROM ledger_postings fresh WHERE ${scope.added('ledger_postings', 'fresh')}) touched
     STRAIGHT_JOIN ledger_postings ${alias} ON ${alias}.entry_id = touched.entry_id`,
  );

/** The sum of all postings, by account and currency: the new postings, and the stored sums of the verified ones. */
export const sums = (scope: Scope) => `
  SELECT account_id, currency, SUM(amount) AS total FROM ledger_postings fresh
  WHERE ${scope.added('ledger_postings', 'fresh')}
  GROUP BY account_id, currency
  ${scope.pick('', 'UNION ALL SELECT account_id, currency, total FROM verify_sums')}`;

/** The balance of an account before the first posting of the scope. */
const before = (scope: Scope) =>
  scope.pick(
    'SELECT NULL AS account_id, 0 AS total',
    'SELECT account_id, SUM(total) AS total FROM verify_sums GROUP BY account_id',
  );

/** Checks of the ledger itself. Platform accounts have the balance NULL: their balance is the sum of their postings. */
export const ledgerChecks: Check[] = [
  {
    id: 'L1',
    promise: 'each entry balances in each currency',
    find: bySql(
      // Of all entries, only those that may be wrong are added up by currency: the others need no temporary table.
      (scope) => `
      SELECT CONCAT('entry ', p.entry_id) AS id,
             CONCAT('is off by ', SUM(p.amount), ' minor units of ', p.currency) AS detail
      FROM ${scope.pick(
        `(SELECT entry_id FROM ledger_postings FORCE INDEX (by_entry) GROUP BY entry_id
          HAVING SUM(amount) <> 0 OR MIN(currency) <> MAX(currency)) suspect
         STRAIGHT_JOIN ledger_postings p ON p.entry_id = suspect.entry_id`,
        postingsOf(scope, 'p'),
      )}
      GROUP BY p.entry_id, p.currency
      HAVING SUM(p.amount) <> 0`,
    ),
  },
  {
    id: 'L2',
    promise: 'the whole ledger balances in each currency',
    find: bySql(
      (scope) => `
      SELECT currency AS id, CONCAT('is off by ', SUM(total), ' minor units') AS detail
      FROM (${sums(scope)}) p
      GROUP BY currency
      HAVING SUM(total) <> 0`,
    ),
  },
  {
    id: 'L3',
    promise: 'each balance is the sum of its postings',
    find: bySql(
      (scope) => `
      SELECT a.code AS id,
             CONCAT('has the balance ', a.balance, ', but the sum of its postings is ', COALESCE(p.total, 0)) AS detail
      FROM ledger_accounts a
      LEFT JOIN (SELECT account_id, SUM(total) AS total FROM (${sums(scope)}) parts GROUP BY account_id) p
        ON p.account_id = a.account_id
      WHERE a.balance IS NOT NULL AND a.balance <> COALESCE(p.total, 0)`,
    ),
  },
  {
    id: 'L4',
    promise: 'no account was ever spent below zero; only a reversal by a provider can make a debt',
    find: bySql(
      `
      SELECT code AS id, CONCAT('is at ', balance) AS detail
      FROM ledger_accounts
      WHERE balance < 0 AND can_go_negative = 0`,
      // A fee is taken from a credit, and the rest of the credit pays off a debt.
      (scope) => `
      SELECT a.code AS id, CONCAT('went below zero with posting ', MIN(r.seq)) AS detail
      FROM (
        SELECT p.account_id, p.seq, p.amount, e.leg, e.source_type,
               SUM(p.amount) OVER (PARTITION BY p.account_id ORDER BY p.seq) AS moved
        FROM ledger_postings p
        JOIN ledger_entries e ON e.entry_id = p.entry_id
        JOIN ledger_accounts limited ON limited.account_id = p.account_id AND limited.balance IS NOT NULL
        WHERE ${scope.added('ledger_postings', 'p')}
      ) r
      JOIN ledger_accounts a ON a.account_id = r.account_id
      LEFT JOIN (${before(scope)}) proved ON proved.account_id = r.account_id
      WHERE COALESCE(proved.total, 0) + r.moved < 0 AND r.amount < 0 AND r.leg NOT LIKE 'reversed:%'
        AND NOT (r.source_type = 'fee' AND r.leg = 'charge')
      GROUP BY a.code`,
    ),
  },
  {
    id: 'L5',
    promise: 'each cause is booked once',
    find: bySql((scope) =>
      scope.pick(
        `
      SELECT CONCAT_WS('/', source_type, source_id, leg) AS id, CONCAT('is booked ', COUNT(*), ' times') AS detail
      FROM ledger_entries
      GROUP BY source_type, source_id, leg
      HAVING COUNT(*) > 1`,
        `
      SELECT CONCAT_WS('/', e.source_type, e.source_id, e.leg) AS id,
             CONCAT('is booked ', COUNT(DISTINCT twin.entry_id), ' times') AS detail
      FROM ledger_entries e
      JOIN ledger_entries twin
        ON twin.source_type = e.source_type AND twin.source_id = e.source_id AND twin.leg = e.leg
      WHERE ${scope.added('ledger_entries', 'e')}
      GROUP BY e.source_type, e.source_id, e.leg
      HAVING COUNT(DISTINCT twin.entry_id) > 1`,
      ),
    ),
  },
  {
    id: 'L6',
    promise: 'each posting fits its entry and its account, and each account its code',
    find: bySql(
      `
      SELECT CONCAT('account ', a.code) AS id,
             CONCAT_WS(' ', 'is one of', a.class, a.rail, a.merchant_id, a.country, a.currency) AS detail
      FROM ledger_accounts a
      WHERE a.code <> CONCAT_WS(':', a.class, a.rail, a.merchant_id,
                                IF(a.class LIKE 'float%', COALESCE(a.country, '-'), NULL), a.currency)`,
      (scope) => `
      SELECT CONCAT('posting ', p.seq) AS id,
             CONCAT('is in ', p.currency, ', but account ', a.code, ' is in ', a.currency) AS detail
      FROM ledger_postings p
      JOIN ledger_accounts a ON a.account_id = p.account_id
      WHERE p.currency <> a.currency AND ${scope.added('ledger_postings', 'p')}`,
      (scope) => `
      SELECT CONCAT('posting ', p.seq) AS id, 'has the amount 0' AS detail
      FROM ledger_postings p
      WHERE p.amount = 0 AND ${scope.added('ledger_postings', 'p')}`,
      (scope) => `
      SELECT CONCAT('entry ', e.entry_id) AS id, CONCAT('has ', COUNT(p.seq), ' postings') AS detail
      FROM ledger_entries e
      LEFT JOIN ledger_postings p ON p.entry_id = e.entry_id
      WHERE ${scope.added('ledger_entries', 'e')}
      GROUP BY e.entry_id
      HAVING COUNT(p.seq) < 2`,
      (scope) => `
      SELECT CONCAT('entry ', d.entry_id) AS id, CONCAT('debits and credits account ', d.account_id) AS detail
      FROM ${postingsOf(scope, 'd')}
      JOIN ledger_postings c ON c.entry_id = d.entry_id AND c.account_id = d.account_id AND c.amount > 0
      WHERE d.amount < 0`,
      // In this order each table is read by its key; the optimizer would begin with all postings of an account.
      (scope) => `
      SELECT STRAIGHT_JOIN CONCAT('posting ', l.seq) AS id,
             CONCAT('books payment ', p.payment_id, ' of rail ', p.rail, ' on account ', a.code) AS detail
      FROM ${scope.about('ledger_entries', 'e')}
      JOIN payments p ON p.payment_id = e.payment_id
      JOIN ledger_postings l ON l.entry_id = e.entry_id
      JOIN ledger_accounts a ON a.account_id = l.account_id
      WHERE a.rail <> p.rail AND a.class <> 'provider_fees'`,
    ),
  },
  {
    id: 'L7',
    promise: 'the database rejects changes and deletions in the ledger and the logs',
    find: ({ trx }) => missingTriggers(trx),
  },
];

const appendOnlyTables = [
  'ledger_entries',
  'ledger_postings',
  'day_digests',
  'payment_log',
  'audit_log',
  'audit_rows',
];
const refusedActions = ['UPDATE', 'DELETE'];

/** The append-only tables that can be changed, because a trigger is missing or altered. */
export async function missingTriggers(db: Database | Transaction): Promise<Violation[]> {
  // Our account cannot see triggers, because it cannot drop them. A procedure of the schema's owner lists them.
  const [rows] = await rowsOf<{ on_table: string; action: string }[]>(db, 'CALL append_only_triggers()');
  const present = new Set(rows?.map((row) => `${row.on_table} ${row.action}`));
  return appendOnlyTables.flatMap((table) =>
    refusedActions
      .filter((action) => !present.has(`${table} ${action}`))
      .map((action) => ({ id: table, detail: `no trigger rejects ${action}` })),
  );
}

/** A day gets its digest a few hours after its end; a worker may be down for a while. */
const unsealedMaxDays = 2;

/** Checks of the day digests: the postings of each day are complete and unchanged. */
export const chainChecks: Check[] = [
  {
    id: 'L9',
    promise: "each past day has a digest of its postings and of the previous day's digest",
    async find(snapshot) {
      const since = await firstToRecompute(snapshot);
      const faults = await checkChain(snapshot.trx, ({ n }) => BigInt(n) >= since);
      return [
        ...faults.map(({ day, detail }) => ({ id: `day ${day}`, detail })),
        ...(await unsealed(snapshot.trx)),
      ];
    },
  },
];

/** The first unverified link; at least the last link, because no later link confirms it. */
async function firstToRecompute({ trx, scope }: Snapshot): Promise<bigint> {
  const [row] = await rowsOf<{ n: string | number | null }>(
    trx,
    `SELECT COALESCE((SELECT MIN(n) FROM day_digests WHERE ${scope.begun('digested_at')}),
                     (SELECT MAX(n) FROM day_digests)) AS n`,
  );
  return BigInt(row?.n ?? 0);
}

async function unsealed(trx: Transaction): Promise<Violation[]> {
  const first = await firstDay(trx);
  if (first === undefined) return [];
  const last = await lastLink(trx);
  // While the digests of older days are still being written, no day is late. Before the first posting there are no days.
  const since = last?.day ?? dayBefore(first);
  let overdueFrom = since;
  for (let days = 0; days <= unsealedMaxDays; days += 1) overdueFrom = dayAfter(overdueFrom);
  if (overdueFrom >= utcDay(await clockOf(trx))) return [];
  return [{ id: `day ${dayAfter(since)}`, detail: 'is over, but has no digest: malipo ledger digest' }];
}
