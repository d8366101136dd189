/** A portal with so many rows in every list that a page which reads all of one is noticed. */
import { aMerchant } from '../../../support/users/users-support';
import { insertPayment } from '../../../support/verify/books-support';
import { makeBatch } from '../../../../src/portal/payouts/batches';
import type { Database } from '../../../../src/store/database';
import { inTransaction } from '../../../../src/store/transaction';
import { anUnmatchedReceipt, type TestPortal } from '../../../support/portal/portal-support';

/** Far more than any page shows; the older half is open. */
export const many = 16_384;
/** Two weeks: a whole day has far fewer of them than a page may read. */
const seconds = 1_209_600;

/** Doubles a table until it has this many rows. @param made columns of a copy, as SQL; others are copied. */
async function multiply(db: Database, table: string, made: Record<string, string>): Promise<void> {
  const [[first]] = (await db.raw(`SELECT * FROM ${table} LIMIT 1`)) as unknown as [[object]];
  const columns = Object.keys(first);
  const copied = columns.map((column) => made[column] ?? column);
  const [[{ n }]] = (await db.raw(`SELECT COUNT(*) AS n FROM ${table}`)) as unknown as [
    [{ n: number | string }],
  ];
  for (let there = Number(n); there < many; there *= 2)
    await db.raw(
      `INSERT INTO ${table} (${columns.join(', ')})
       SELECT ${copied.join(', ').replaceAll('{there}', String(there))} FROM ${table}`,
    );
}

const earlier = (column: string) => `${column} - INTERVAL ROUND(RAND() * ${String(seconds)}) SECOND`;
const aHash = 'UNHEX(SHA2(UUID(), 256))';

async function payments(db: Database, merchantId: string, others: string): Promise<void> {
  const with_ = { phone_number: '254708374149', account_reference: 'INV' };
  await insertPayment(db, { merchantId, rail: 'stk', with: with_ });
  await multiply(db, 'payments', {
    payment_id: 'UUID()',
    workflow_id: "CONCAT('copy/', UUID())",
    key_hash: `IF(key_hash IS NULL, NULL, ${aHash})`,
    guard_hash: `IF(guard_hash IS NULL, NULL, ${aHash})`,
    ...{ callback_token: 'NULL', provider_reference: 'NULL', provider_receipt: 'NULL' },
  });
  // The same number of another merchant's.
  const columns = Object.keys((await db('payments').first()) ?? {});
  const theirs: Record<string, string> = {
    ...{ payment_id: 'UUID()', workflow_id: "CONCAT('other/', UUID())" },
    merchant_id: `'${others}'`,
    ...{ key_hash: 'NULL', guard_hash: 'NULL', provider_reference: 'NULL' },
  };
  await db.raw(
    `INSERT INTO payments (${columns.join(', ')})
     SELECT ${columns.map((column) => theirs[column] ?? column).join(', ')} FROM payments`,
  );
  await db.raw(
    `UPDATE payments SET is_final = 1, state = 'succeeded', next_check_at = NULL,
       created_at = ${earlier('UTC_TIMESTAMP(3)')}`,
  );
  await db.raw(
    `UPDATE payments SET is_final = 0, state = 'processing', next_check_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY,
       updated_at = created_at
     WHERE created_at < UTC_TIMESTAMP(3) - INTERVAL ${String(seconds / 2)} SECOND`,
  );
}

/** Fills every list of the merchant's pages and of the platform's. */
export async function fillPortal(
  portal: TestPortal,
  { merchantId, userId }: { merchantId: string; userId: string },
): Promise<void> {
  const { db } = portal.test;
  await payments(db, merchantId, await aMerchant(portal.db, portal.box, 'Others'));
  await db.raw(
    `INSERT INTO outbox (webhook_id, payment_id, merchant_id, to_state, callback_type, endpoint, body, state, next_at, created_at)
     SELECT UUID(), payment_id, merchant_id, 'succeeded', 'STK-Push', 'webhook_url', '{}',
       ELT(1 + CRC32(payment_id) % 3, 'delivered', 'dead', 'pending'), created_at, created_at FROM payments`,
  );
  await db.raw(
    `INSERT INTO cases (payment_id, reason, detail, opened_at, open_key)
     SELECT payment_id, 'no_outcome', 'seen', created_at, CONCAT(payment_id, ':no_outcome') FROM payments`,
  );
  await anUnmatchedReceipt(portal);
  const made = { provider_reference: 'UUID()', occurred_at: earlier('occurred_at') };
  await multiply(db, 'unmatched_receipts', { ...made, receipt_id: 'NULL', entry_id: 'NULL' });
  await multiply(db, 'provider_statements', { statement_id: 'UUID()', file_hash: aHash });
  const rows = [{ phone_number: '+254708374149', amount: '1.00', currency: 'KES', account_reference: 'x' }];
  await inTransaction(portal.db, (trx) =>
    makeBatch(trx, { merchantId, rail: 'momo', name: 'List', rows, userId }),
  );
  await multiply(db, 'payout_batches', { batch_id: 'UUID()', made_at: earlier('made_at') });
  await db('payout_batches').update({ state: 'rejected', decided_at: new Date() });
  await db.raw(
    `INSERT INTO payout_pauses (with_refunds, reason, begun_by, begun_at, begun_log_id, ended_at)
     VALUES (0, 'tried', 'the-operator', UTC_TIMESTAMP(3), 0, UTC_TIMESTAMP(3))`,
  );
  await multiply(db, 'payout_pauses', { pause_id: 'NULL', reason: "CONCAT('tried ', UUID())" });
  await db.raw(
    `INSERT INTO approvals (kind, asked_by, asked_at, expires_at)
     VALUES ('money', 'the-operator', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL 1 DAY)`,
  );
  await multiply(db, 'approvals', { approval_id: 'NULL' });
  await audited(db, userId);
  await multiply(db, 'merchants', { merchant_id: 'UUID()' });
  await db.raw(
    `ANALYZE TABLE payments, outbox, cases, unmatched_receipts, payout_batches, audit_log, approvals, merchants`,
  );
}

/** All by one user, except for a few by a user with no later action. */
async function audited(db: Database, userId: string): Promise<void> {
  await db.raw(
    `INSERT INTO audit_log (seq, at, acted_by, action, subject_kind, subject_id, details, previous_hash, hash)
     SELECT seq + 1, UTC_TIMESTAMP(3), 'the-operator', 'payouts.pause', 'stop', '1', '{}', hash, hash FROM audit_head`,
  );
  await db.raw('UPDATE audit_head SET seq = seq + 1');
  await multiply(db, 'audit_log', {
    seq: '(SELECT MAX(had.seq) FROM audit_log AS had) + ROW_NUMBER() OVER (ORDER BY seq)',
    acted_by: `'user:${userId}'`,
    action: "'payment.reveal_phone'",
  });
  await db.raw('UPDATE audit_head SET seq = (SELECT MAX(seq) FROM audit_log)');
}
