import { bySql, type Check } from './check';
import { missingTriggers } from './append-only';

/** The books by themselves. Accounts whose balance is NULL are platform accounts: the sum of their postings is it. */
export const ledgerChecks: Check[] = [
  {
    id: 'L1',
    promise: 'each entry balances in each currency',
    find: bySql(`
      SELECT CONCAT('entry ', entry_id) AS id,
             CONCAT('is off by ', SUM(amount), ' minor units of ', currency) AS detail
      FROM ledger_postings
      GROUP BY entry_id, currency
      HAVING SUM(amount) <> 0`),
  },
  {
    id: 'L2',
    promise: 'the whole ledger balances in each currency',
    find: bySql(`
      SELECT currency AS id, CONCAT('is off by ', SUM(amount), ' minor units') AS detail
      FROM ledger_postings
      GROUP BY currency
      HAVING SUM(amount) <> 0`),
  },
  {
    id: 'L3',
    promise: 'each balance is the sum of its postings',
    find: bySql(`
      SELECT a.code AS id,
             CONCAT('shows ', a.balance, ', its postings sum up to ', COALESCE(p.total, 0)) AS detail
      FROM ledger_accounts a
      LEFT JOIN (SELECT account_id, SUM(amount) AS total FROM ledger_postings GROUP BY account_id) p
        ON p.account_id = a.account_id
      WHERE a.balance IS NOT NULL AND a.balance <> COALESCE(p.total, 0)`),
  },
  {
    id: 'L4',
    promise: 'no account was ever spent below zero: only what a provider took back makes a debt',
    find: bySql(
      `
      SELECT code AS id, CONCAT('is at ', balance) AS detail
      FROM ledger_accounts
      WHERE balance < 0 AND may_go_negative = 0`,
      `
      SELECT a.code AS id, CONCAT('went below zero with posting ', MIN(r.seq)) AS detail
      FROM (
        SELECT p.account_id, p.seq, p.amount, e.leg,
               SUM(p.amount) OVER (PARTITION BY p.account_id ORDER BY p.seq) AS balance
        FROM ledger_postings p
        JOIN ledger_entries e ON e.entry_id = p.entry_id
        JOIN ledger_accounts limited ON limited.account_id = p.account_id AND limited.balance IS NOT NULL
      ) r
      JOIN ledger_accounts a ON a.account_id = r.account_id
      WHERE r.balance < 0 AND r.amount < 0 AND r.leg NOT LIKE 'given\\_back:%'
      GROUP BY a.code`,
    ),
  },
  {
    id: 'L5',
    promise: 'each cause is booked once',
    find: bySql(`
      SELECT CONCAT_WS('/', source_type, source_id, leg) AS id, CONCAT('is booked ', COUNT(*), ' times') AS detail
      FROM ledger_entries
      GROUP BY source_type, source_id, leg
      HAVING COUNT(*) > 1`),
  },
  {
    id: 'L6',
    promise: 'each posting fits its entry and its account',
    find: bySql(
      `
      SELECT CONCAT('posting ', p.seq) AS id,
             CONCAT('is in ', p.currency, ' on account ', a.code, ' of ', a.currency) AS detail
      FROM ledger_postings p
      JOIN ledger_accounts a ON a.account_id = p.account_id
      WHERE p.currency <> a.currency`,
      `
      SELECT CONCAT('posting ', seq) AS id, 'moves nothing' AS detail
      FROM ledger_postings
      WHERE amount = 0`,
      `
      SELECT CONCAT('entry ', e.entry_id) AS id, CONCAT('has ', COUNT(p.seq), ' postings') AS detail
      FROM ledger_entries e
      LEFT JOIN ledger_postings p ON p.entry_id = e.entry_id
      GROUP BY e.entry_id
      HAVING COUNT(p.seq) < 2`,
      `
      SELECT CONCAT('entry ', d.entry_id) AS id, CONCAT('debits and credits account ', d.account_id) AS detail
      FROM ledger_postings d
      JOIN ledger_postings c ON c.entry_id = d.entry_id AND c.account_id = d.account_id AND c.amount > 0
      WHERE d.amount < 0`,
      `
      SELECT CONCAT('posting ', l.seq) AS id,
             CONCAT('books payment ', p.payment_id, ' of rail ', p.rail, ' on account ', a.code) AS detail
      FROM ledger_entries e
      JOIN payments p ON p.payment_id = e.payment_id
      JOIN ledger_postings l ON l.entry_id = e.entry_id
      JOIN ledger_accounts a ON a.account_id = l.account_id
      WHERE a.rail <> p.rail`,
    ),
  },
  {
    id: 'L7',
    promise: 'the database refuses to change or delete what is booked',
    find: ({ trx }) => missingTriggers(trx),
  },
];
