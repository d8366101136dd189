/** Deletes expired sessions and links, users who never accepted their invitation, and undecided requests. */
import { holdRows, recordAction, rowChanged } from '../../users/audit-log';
import type { Database, Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { batch, countBy, type PruneJob } from './job';

/** Long enough to answer that a link existed and has expired. */
const linksKeptDays = 30;

async function remove(db: Database, statement: string): Promise<{ taken: number; isMore: boolean }> {
  const [{ affectedRows: taken }] = (await db.raw(statement)) as unknown as [{ affectedRows: number }];
  return { taken, isMore: taken === batch };
}

/** A list or a key waits three days at most. A former approver counts for a month at most. */
const unsentKeptDays = 30;
const formerKeptDays = 60;

function jobOf(what: string, from: string, by = 'expires_at'): PruneJob {
  return {
    what,
    count: (db) => countBy(db, `SELECT COUNT(*) AS n ${from}`, []),
    takeSome: (db) => remove(db, `DELETE ${from} ORDER BY ${by} LIMIT ${String(batch)}`),
  };
}

/** As long as links are stored: a user who was invited again has a new link. */
const isOld = (at: string) => `${at} < UTC_TIMESTAMP(3) - INTERVAL ${String(linksKeptDays)} DAY`;
const isForgotten = (userId: string) =>
  `NOT EXISTS (SELECT 1 FROM user_links l WHERE l.user_id = ${userId} AND NOT ${isOld('l.expires_at')})`;

const toForget = {
  memberships: {
    id: "CONCAT(merchant_id, '|', user_id)",
    from: `FROM memberships WHERE accepted_at IS NULL AND ${isOld('created_at')} AND ${isForgotten('memberships.user_id')}`,
  },
  former_deciders: {
    id: "CONCAT(merchant_id, '|', user_id)",
    from: `FROM former_deciders WHERE until_at < UTC_TIMESTAMP(3) - INTERVAL ${String(formerKeptDays)} DAY`,
  },
  // An operator is a user before the first sign-in.
  users: {
    id: 'user_id',
    from: `FROM users WHERE password_set_at IS NULL AND ${isOld('created_at')} AND password_hash IS NULL
      AND passkeys = 0 AND totp_secret IS NULL AND operator_name IS NULL AND ended_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = users.user_id)
      AND NOT EXISTS (SELECT 1 FROM user_sessions s WHERE s.user_id = users.user_id)
      AND ${isForgotten('users.user_id')}`,
  },
};
/** Each row is locked and compared with the audit log. */
const usersAtOnce = 100;

async function idsOf(
  trx: Database | Transaction,
  table: keyof typeof toForget,
  among?: readonly string[],
): Promise<string[]> {
  const { id, from } = toForget[table];
  const those = among ? `AND ${id} IN (${among.map(() => '?').join(', ')})` : '';
  const [rows] = (await trx.raw(`SELECT ${id} AS id ${from} ${those} LIMIT ${String(usersAtOnce)}`, [
    ...(among ?? []),
  ])) as unknown as [{ id: string }[]];
  return rows.map((row) => row.id);
}

/** Rows whose deletion a line of the audit log records. */
function forgetting(what: string, table: keyof typeof toForget): PruneJob {
  return {
    what,
    count: (db) => countBy(db, `SELECT COUNT(*) AS n ${toForget[table].from}`, []),
    async takeSome(db) {
      const found = await idsOf(db, table);
      if (found.length === 0) return { taken: 0, isMore: false };
      const taken = await inTransaction(db, (trx) => forget(trx, table, found));
      return { taken, isMore: found.length === usersAtOnce && taken > 0 };
    },
  };
}

async function forget(trx: Transaction, table: keyof typeof toForget, found: string[]): Promise<number> {
  await holdRows(trx, table, ...found);
  // Locked by now: a user who was invited again meanwhile stays.
  const gone = await idsOf(trx, table, found);
  if (gone.length === 0) return 0;
  const users = gone.map((id) => id.split('|').at(-1) ?? '');
  if (table === 'users') await trx('user_links').whereIn('user_id', users).delete();
  await trx(table)
    .whereIn(trx.raw(toForget[table].id) as unknown as string, gone)
    .delete();
  await rowChanged(trx, table, ...gone);
  const subject = { kind: table, id: 'invited' };
  await recordAction(trx, {
    by: 'engine',
    action: `${table}.forget`,
    subject,
    details: { gone: gone.length },
  });
  return gone.length;
}

export const userJobs: PruneJob[] = [
  jobOf('sessions of the portal', 'FROM user_sessions WHERE expires_at < UTC_TIMESTAMP(3)'),
  jobOf(
    'mailed links',
    `FROM user_links WHERE expires_at < UTC_TIMESTAMP(3) - INTERVAL ${String(linksKeptDays)} DAY`,
  ),
  forgetting('unused invitations', 'memberships'),
  forgetting('users who never signed in', 'users'),
  jobOf(
    'unsent lists of payouts',
    `FROM payout_batches WHERE state <> 'sent' AND made_at < UTC_TIMESTAMP(3) - INTERVAL ${String(unsentKeptDays)} DAY`,
    'made_at',
  ),
  jobOf(
    'unused keys for payouts',
    `FROM key_confirmations WHERE asked_at < UTC_TIMESTAMP(3) - INTERVAL ${String(unsentKeptDays)} DAY`,
    'asked_at',
  ),
  forgetting('former approvers', 'former_deciders'),
];
