/** Sessions that are over, links that nobody can use any more, who never came, and what nobody has decided on. */
import { holdRows, recordAction, rowChanged } from '../../users/audit-log';
import type { Database, Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { batch, countBy, type Chore } from './job';

/** Long enough to tell somebody that a link was there, and is too old. */
const linksKeptDays = 30;

async function remove(db: Database, statement: string): Promise<{ taken: number; isMore: boolean }> {
  const [{ affectedRows: taken }] = (await db.raw(statement)) as unknown as [{ affectedRows: number }];
  return { taken, isMore: taken === batch };
}

/** A list, or a key, waits for three days at most; who could decide counts for a month at most. */
const unsentKeptDays = 30;
const formerKeptDays = 60;

function choreOf(what: string, from: string, by = 'expires_at'): Chore {
  return {
    what,
    count: (db) => countBy(db, `SELECT COUNT(*) AS n ${from}`, []),
    takeSome: (db) => remove(db, `DELETE ${from} ORDER BY ${by} LIMIT ${String(batch)}`),
  };
}

/** As long as the links: who was invited again has a new one. */
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
  // An operator is one before they come.
  users: {
    id: 'user_id',
    from: `FROM users WHERE password_set_at IS NULL AND ${isOld('created_at')} AND password_hash IS NULL
      AND passkeys = 0 AND totp_secret IS NULL AND operator_name IS NULL AND ended_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = users.user_id)
      AND NOT EXISTS (SELECT 1 FROM user_sessions s WHERE s.user_id = users.user_id)
      AND ${isForgotten('users.user_id')}`,
  },
};
/** Each is locked, and compared with what the audit log says of it. */
const peopleAtOnce = 100;

async function idsOf(
  trx: Database | Transaction,
  table: keyof typeof toForget,
  among?: readonly string[],
): Promise<string[]> {
  const { id, from } = toForget[table];
  const those = among ? `AND ${id} IN (${among.map(() => '?').join(', ')})` : '';
  const [rows] = (await trx.raw(`SELECT ${id} AS id ${from} ${those} LIMIT ${String(peopleAtOnce)}`, [
    ...(among ?? []),
  ])) as unknown as [{ id: string }[]];
  return rows.map((row) => row.id);
}

/** Rows of people that a line of the audit log says are gone. */
function forgetting(what: string, table: keyof typeof toForget): Chore {
  return {
    what,
    count: (db) => countBy(db, `SELECT COUNT(*) AS n ${toForget[table].from}`, []),
    async takeSome(db) {
      const found = await idsOf(db, table);
      if (found.length === 0) return { taken: 0, isMore: false };
      const taken = await inTransaction(db, (trx) => forget(trx, table, found));
      return { taken, isMore: found.length === peopleAtOnce && taken > 0 };
    },
  };
}

async function forget(trx: Transaction, table: keyof typeof toForget, found: string[]): Promise<number> {
  await holdRows(trx, table, ...found);
  // Locked by now: whoever was invited once more meanwhile stays.
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

export const peopleChores: Chore[] = [
  choreOf('sessions of the portal', 'FROM user_sessions WHERE expires_at < UTC_TIMESTAMP(3)'),
  choreOf(
    'links that were mailed',
    `FROM user_links WHERE expires_at < UTC_TIMESTAMP(3) - INTERVAL ${String(linksKeptDays)} DAY`,
  ),
  forgetting('invitations that nobody took', 'memberships'),
  forgetting('people who never came', 'users'),
  choreOf(
    'lists of payouts that were not sent',
    `FROM payout_batches WHERE state <> 'sent' AND made_at < UTC_TIMESTAMP(3) - INTERVAL ${String(unsentKeptDays)} DAY`,
    'made_at',
  ),
  choreOf(
    'keys that were to pay out',
    `FROM key_confirmations WHERE asked_at < UTC_TIMESTAMP(3) - INTERVAL ${String(unsentKeptDays)} DAY`,
    'asked_at',
  ),
  forgetting('people who could decide once', 'former_deciders'),
];
