import { bySql, type Check } from './check';

/** Vouchers against the ledger. */
export const voucherChecks: Check[] = [
  {
    id: 'O1',
    promise: 'each voucher is booked as its state says, with its amount',
    find: bySql(
      (scope) => `
      SELECT v.voucher_id AS id,
             CONCAT('is ', v.state, ' and booked as ',
                    COALESCE(GROUP_CONCAT(e.leg ORDER BY e.entry_id), 'nothing')) AS detail
      FROM ${scope.about('vouchers', 'v', 'voucher_id')}
      LEFT JOIN ledger_entries e ON e.source_type = 'voucher' AND e.source_id = v.voucher_id
      GROUP BY v.voucher_id, v.state
      HAVING COALESCE(GROUP_CONCAT(e.leg ORDER BY e.entry_id), '') <> CASE v.state
        WHEN 'active' THEN 'fund' WHEN 'redeemed' THEN 'fund,redeem' ELSE 'fund,expire' END`,
      (scope) => `
      SELECT v.voucher_id AS id,
             CONCAT('is worth ', v.amount_minor, ', entry ', e.entry_id, ' moves ', l.amount) AS detail
      FROM ${scope.about('vouchers', 'v', 'voucher_id')}
      JOIN ledger_entries e ON e.source_type = 'voucher' AND e.source_id = v.voucher_id
      JOIN ledger_postings l ON l.entry_id = e.entry_id
      JOIN ledger_accounts a ON a.account_id = l.account_id
      WHERE ABS(l.amount) <> v.amount_minor OR l.currency <> v.currency
         OR (a.class = 'wallet' AND a.merchant_id <> v.merchant_id)`,
      (scope) => `
      SELECT e.source_id AS id, CONCAT('entry ', e.entry_id, ' is of no known voucher') AS detail
      FROM ${scope.about('ledger_entries', 'e', 'source_id')}
      LEFT JOIN vouchers v ON v.voucher_id = e.source_id
      WHERE e.source_type = 'voucher' AND v.voucher_id IS NULL`,
    ),
  },
  {
    id: 'O2',
    promise: 'no voucher outlives its last day by an hour',
    find: bySql(`
      SELECT voucher_id AS id, CONCAT('is active, and expired at ', expires_at) AS detail
      FROM vouchers
      WHERE state = 'active' AND expires_at < UTC_TIMESTAMP() - INTERVAL 1 HOUR`),
  },
];
