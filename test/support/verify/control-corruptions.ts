/** Control rows and their change log, changed by someone with database access and without the key of the log. */
import { createHash, randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { acceptRows, hashOf, holdRows, recordAction, rowChanged } from '../../../src/users/audit-log';
import { digestOfRow, keyOf, rowIdOf, type ControlTableName } from '../../../src/users/control-rows';
import type { Transaction } from '../../../src/store/database';
import type { AuditLogRow } from '../../../src/store/tables';
import type { Corruption } from './corruptions';

const aKey = { id: 'guessed', key: Buffer.alloc(32, 1) };

/** The last line of the log, or an earlier one. */
async function lineOf(trx: Transaction, back = 0): Promise<AuditLogRow> {
  const line = await trx('audit_log').orderBy('seq', 'desc').offset(back).first();
  if (!line) throw new Error('no line');
  return line;
}

/** As someone with only the database does it, including the chain head. */
export async function append(
  trx: Transaction,
  change: Partial<AuditLogRow>,
  hash: (line: AuditLogRow) => Buffer,
) {
  const last = await lineOf(trx);
  const line = { ...last, seq: String(BigInt(last.seq) + 1n), previous_hash: last.hash, ...change };
  const made = { ...line, hash: hash(line) };
  await trx('audit_log').insert(made);
  await trx('audit_head').update({ seq: made.seq, hash: made.hash });
  return `line ${made.seq}`;
}

export const unkeyed = (line: AuditLogRow) => createHash('sha256').update(JSON.stringify(line)).digest();

export const auditCorruptions: Corruption[] = [
  {
    seenBy: ['A1'],
    what: 'a line of the audit log that was changed',
    async plant(trx) {
      const { seq } = await lineOf(trx, 1);
      await trx('audit_log').where({ seq }).update({ acted_by: 'brian' });
      return `line ${seq}`;
    },
  },
  {
    seenBy: ['A1'],
    what: 'a line of the audit log that was changed, with a hash under another key',
    async plant(trx) {
      const line = { ...(await lineOf(trx)), acted_by: 'brian' };
      const hash = hashOf(line, [], aKey);
      await trx('audit_log').where({ seq: line.seq }).update({ acted_by: 'brian', hash });
      await trx('audit_head').update({ hash });
      return `line ${line.seq}`;
    },
  },
  {
    seenBy: ['A1'],
    what: 'a deleted line of the audit log',
    async plant(trx) {
      const [before, last] = [await lineOf(trx, 1), await lineOf(trx)];
      await trx('audit_log').where({ seq: before.seq }).delete();
      return `line ${last.seq}`;
    },
  },
  {
    seenBy: ['A1'],
    what: 'a deleted last line of the audit log',
    async plant(trx) {
      await trx('audit_log')
        .where({ seq: (await lineOf(trx)).seq })
        .delete();
      return 'head';
    },
  },
  {
    seenBy: ['A1'],
    what: 'a chain head of the audit log that was set back',
    async plant(trx) {
      const { seq, hash } = await lineOf(trx, 1);
      await trx('audit_head').update({ seq, hash });
      return 'head';
    },
  },
  {
    seenBy: ['A1'],
    what: 'an inserted line of the audit log',
    async plant(trx) {
      const line = await lineOf(trx);
      const seq = String(BigInt(line.seq) + 1n);
      await trx('audit_log').insert({ ...line, seq });
      return `line ${seq}`;
    },
  },
  {
    seenBy: ['A1'],
    what: 'a line that was appended without the key, with the chain head moved to it',
    plant: (trx) => append(trx, { acted_by: 'brian' }, unkeyed),
  },
  {
    seenBy: ['A1'],
    what: 'a line that was appended without a key id',
    plant: (trx) => append(trx, { acted_by: 'brian', key_id: null }, unkeyed),
  },
  {
    seenBy: ['A1'],
    what: 'a line that was appended under another key',
    plant: (trx) => append(trx, { key_id: aKey.id }, (line) => hashOf(line, [], aKey)),
  },
  {
    seenBy: ['A1'],
    what: 'a row that was added to the changes of a line',
    async plant(trx, { merchantId }) {
      const { seq } = await lineOf(trx);
      await trx('merchants')
        .where({ merchant_id: merchantId })
        .update({ webhook_url: 'https://evil.example' });
      const row = (await trx('merchants').where({ merchant_id: merchantId }).first()) ?? {};
      const digested = digestOfRow('merchants', { ...row });
      await trx('audit_rows').insert({ seq, table_name: 'merchants', row_id: merchantId, ...digested });
      return `line ${seq}`;
    },
  },
  {
    seenBy: ['A1'],
    what: 'a row of a line that does not exist yet',
    async plant(trx, { merchantId }) {
      const reported = await trx('audit_rows').where({ row_id: merchantId }).first();
      if (!reported) throw new Error('no row');
      const seq = String(BigInt((await lineOf(trx)).seq) + 1n);
      await trx('audit_rows').insert({ ...reported, seq });
      return `line ${seq}`;
    },
  },
];

const now = () => new Date();
const later = () => new Date(Date.now() + 3_600_000);

async function aUser(trx: Transaction): Promise<string> {
  const user_id = uuid();
  await trx('users').insert({
    ...{ user_id, email: `${user_id}@example.org`, locale: 'en', created_by: 'amina', created_at: now() },
  });
  await rowChanged(trx, 'users', user_id);
  return user_id;
}

/** How a row of each table is made. */
const made: Partial<Record<ControlTableName, (trx: Transaction, merchantId: string) => Promise<object>>> = {
  operators: () =>
    Promise.resolve({
      ...{
        name: 'amina',
        role: 'auditor',
        token_hash: randomBytes(32),
        created_by: 'nobody',
        created_at: now(),
      },
    }),
  approvals: () =>
    Promise.resolve({
      ...{
        approval_id: '77',
        action: 'float.add',
        version: 1,
        input: '{}',
        kind: 'money',
        asked_by: 'amina',
      },
      ...{ asked_at: now(), expires_at: later() },
    }),
  approval_rules: () =>
    Promise.resolve({ kind: 'money', currency: '', from_minor: '0', set_by: 'amina', set_at: now() }),
  users: (trx) => aUser(trx).then((user_id) => ({ user_id })),
  memberships: async (trx, merchant_id) => ({
    ...{ merchant_id, user_id: await aUser(trx), role: 'viewer', created_by: 'amina', created_at: now() },
  }),
  passkeys: async (trx) => ({
    ...{
      passkey_id: uuid(),
      user_id: await aUser(trx),
      credential_id: 'c',
      credential_hash: randomBytes(32),
    },
    ...{ public_key: randomBytes(8), sign_count: '0', transports: '', name: 'n', created_at: now() },
    challenged_ms: '0',
  }),
  user_sessions: async (trx) => ({
    ...{ session_hash: randomBytes(32), session_id: uuid(), user_id: await aUser(trx), created_at: now() },
    ...{ seen_at: now(), expires_at: later(), passed_second: 0, address: '', agent: '' },
  }),
  // It ended before it could refuse anything.
  outflow_limits: (_trx, merchant_id) =>
    Promise.resolve({
      ...{
        limit_id: uuid(),
        merchant_id,
        currency: 'KES',
        kind: 'per_day',
        amount: '100',
        reason: 'planted',
      },
      ...{ from_at: later(), ended_at: later() },
    }),
  fee_schedules: (_trx, merchant_id) =>
    Promise.resolve({
      ...{ fee_id: uuid(), merchant_id, operation: 'payout', currency: 'KES', fixed: '1', per_million: 0 },
      ...{ reason: 'planted', from_at: now(), ended_at: now() },
    }),
  payout_pauses: (_trx, merchant_id) =>
    Promise.resolve({
      ...{
        pause_id: '77',
        merchant_id,
        with_refunds: 0,
        reason: 'planted',
        begun_by: 'amina',
        begun_at: later(),
      },
      begun_log_id: '999999',
    }),
  payout_batches: async (trx, merchant_id) => ({
    ...{ batch_id: uuid(), merchant_id, rail: 'momo', name: 'July', row_count: 1, payouts: '[]' },
    ...{ rows_hash: randomBytes(32), state: 'waiting', made_by: await aUser(trx), made_at: now() },
  }),
  webhook_endpoints: (_trx, merchant_id) =>
    Promise.resolve({
      ...{ endpoint_id: uuid(), merchant_id, url: 'https://x.example', types: 'deposit.succeeded' },
      ...{ webhook_secret: '', position: '0', event_id: '', next_at: later(), created_at: now() },
    }),
  payout_holds: () =>
    Promise.resolve({
      payment_id: uuid(),
      reason: 'looks_paid',
      held_at: now(),
      released_by: 'amina',
      released_at: now(),
    }),
  float_wallets: () =>
    Promise.resolve({ provider: 'p', country: '', currency: 'KES', counted_seq: '0', fee_per_mille: 5 }),
  merchants: (_trx, merchant_id) => Promise.resolve({ merchant_id }),
  api_keys: (_trx, merchant_id) =>
    Promise.resolve({
      api_key: 'pk_test_planted',
      merchant_id,
      secret_hash: randomBytes(32),
      created_at: now(),
      scopes: 'read,collect',
    }),
  key_confirmations: async (trx, merchant_id) => ({
    ...{ confirmation_id: uuid(), merchant_id, api_key: 'pk_test_planted', state: 'waiting' },
    ...{ asked_by: await aUser(trx), asked_at: now() },
  }),
  former_deciders: async (trx, merchant_id) => ({
    ...{ merchant_id, user_id: await aUser(trx), until_at: now() },
  }),
};

/** Creates it as Malipo does. @returns its id. */
async function make(trx: Transaction, table: ControlTableName, merchantId: string): Promise<string> {
  const row = (await made[table]?.(trx, merchantId)) ?? {};
  const id = rowIdOf(table, { ...row });
  const isThere = table === 'users' || table === 'merchants';
  if (!isThere) await trx(table as 'merchants').insert(row);
  await acceptRows(trx, [{ table, id }]);
  return id;
}

const rowOf = (trx: Transaction, table: ControlTableName, id: string) =>
  trx(table as 'merchants').where(keyOf(table, id));

function changed(what: string, table: ControlTableName, change: object): Corruption {
  return {
    seenBy: ['A2'],
    what,
    async plant(trx, { merchantId }) {
      const id = await make(trx, table, merchantId);
      await rowOf(trx, table, id).update(change as never);
      return `${table} ${id}`;
    },
  };
}

function putIn(what: string, table: ControlTableName): Corruption {
  return {
    seenBy: ['A2'],
    what,
    async plant(trx, { merchantId }) {
      const row = (await made[table]?.(trx, merchantId)) ?? {};
      await trx(table as 'merchants').insert(row);
      return `${table} ${rowIdOf(table, { ...row })}`;
    },
  };
}

function takenAway(what: string, table: ControlTableName): Corruption {
  return {
    seenBy: ['A2'],
    what,
    async plant(trx, { merchantId }) {
      const id = await make(trx, table, merchantId);
      await recordAction(trx, { by: 'amina', action: 'x.y', subject: { kind: 'x', id: 'y' } });
      await rowOf(trx, table, id).delete();
      return `${table} ${id}`;
    },
  };
}

export const controlCorruptions: Corruption[] = [
  changed('an auditor who became an operator', 'operators', { role: 'operator' }),
  changed("an operator's token that was replaced", 'operators', { token_hash: randomBytes(32) }),
  changed('an operator who was revoked past us', 'operators', { revoked_at: now() }),
  putIn('an operator whom nobody has added', 'operators'),
  takenAway('an operator who is gone', 'operators'),
  changed('an approval whose input was changed while it waits', 'approvals', {
    input: '{"amount":"99999.00"}',
  }),
  changed('an approval that nobody has given', 'approvals', {
    state: 'approved',
    decided_by: 'brian',
    decided_at: now(),
  }),
  changed('an approval that was asked for by somebody else', 'approvals', { asked_by: 'carol' }),
  putIn('an approval that nobody has asked for', 'approvals'),
  takenAway('an approval that is gone', 'approvals'),
  changed('a rule of approval that asks for nobody', 'approval_rules', { from_minor: null }),
  takenAway('a rule of approval that is gone', 'approval_rules'),
  changed('a user who became an operator', 'users', { operator_name: 'brian' }),
  changed("a user's password that was replaced", 'users', { password_hash: '$argon2id$planted' }),
  changed('a user without a second factor any more', 'users', { totp_secret: null, passkeys: 9 }),
  changed('a viewer who became an owner', 'memberships', { role: 'owner' }),
  changed('an invitation that was accepted past us', 'memberships', { accepted_at: now() }),
  putIn('a member whom nobody has added', 'memberships'),
  takenAway('a member who is gone', 'memberships'),
  putIn('a passkey that nobody has added', 'passkeys'),
  changed('a passkey of somebody else', 'passkeys', { public_key: randomBytes(9) }),
  changed('a session that counts as proved by a second factor', 'user_sessions', { passed_second: 1 }),
  changed('a session of another browser', 'user_sessions', { session_hash: randomBytes(32) }),
  putIn('a session that nobody has opened', 'user_sessions'),
  changed('a limit that was raised', 'outflow_limits', { amount: '100000' }),
  takenAway('a limit that is gone', 'outflow_limits'),
  changed('a fee that was changed', 'fee_schedules', { fixed: '2' }),
  takenAway('a fee that is gone', 'fee_schedules'),
  changed('a stop that was ended past us', 'payout_pauses', { ended_by: 'brian', ended_at: later() }),
  takenAway('a stop that is gone', 'payout_pauses'),
  changed('a held payout that was released by somebody else', 'payout_holds', { released_by: 'brian' }),
  changed('payouts that were changed while they wait', 'payout_batches', { payouts: '[{}]' }),
  changed('payouts that nobody has approved', 'payout_batches', { state: 'sent', decided_by: uuid() }),
  changed('an endpoint that was sent elsewhere', 'webhook_endpoints', { url: 'https://evil.example' }),
  takenAway('an endpoint that is gone', 'webhook_endpoints'),
  changed("a merchant's webhooks that were sent elsewhere", 'merchants', {
    webhook_url: 'https://evil.example',
  }),
  changed('a merchant who may pay out', 'merchants', { permissions: '["can_payout"]' }),
  changed('an API key that works again, or for somebody else', 'api_keys', { secret_hash: randomBytes(32) }),
  changed('an API key that pays out past us', 'api_keys', { scopes: 'read,collect,payout' }),
  changed('a key that nobody has confirmed', 'key_confirmations', {
    state: 'confirmed',
    decided_by: uuid(),
    decided_at: now(),
  }),
  putIn('a question about a key that nobody has asked', 'key_confirmations'),
  changed('a person who could decide until longer ago', 'former_deciders', { until_at: later() }),
  takenAway('a person who could decide, and is gone', 'former_deciders'),
  changed('a member who decides since longer ago', 'memberships', { decides_since: now() }),
  changed('payouts of who could have been the only one', 'payout_batches', { second_person: 0 }),
  putIn('an API key that nobody has made', 'api_keys'),
  takenAway('an API key that is gone', 'api_keys'),
  changed('a float whose provider may keep more for itself', 'float_wallets', { fee_per_mille: 900 }),
];

/** A legitimate change after a tampering must not hide it. */
function changedThenProperly(
  what: string,
  table: ControlTableName,
  change: object,
  proper: object,
): Corruption {
  return {
    seenBy: ['A2'],
    what,
    async plant(trx, { merchantId }) {
      const id = await make(trx, table, merchantId);
      await rowOf(trx, table, id).update(change as never);
      await holdRows(trx, table, id);
      await rowOf(trx, table, id).update(proper as never);
      await rowChanged(trx, table, id);
      return `${table} ${id}`;
    },
  };
}

export const launderedCorruptions: Corruption[] = [
  changedThenProperly(
    'an auditor who became an operator, and got a new token then',
    'operators',
    { role: 'operator' },
    { token_hash: randomBytes(32), rotated_at: now() },
  ),
  changedThenProperly(
    'a viewer who became an owner, and accepted the invitation then',
    'memberships',
    { role: 'owner' },
    { accepted_at: now() },
  ),
  changedThenProperly(
    "a merchant's webhooks that were sent elsewhere, before its settings were changed",
    'merchants',
    { webhook_url: 'https://evil.example' },
    { name: 'Duka jipya' },
  ),
  {
    seenBy: ['A2'],
    what: 'an operator who was deleted and inserted again, and then properly revoked',
    async plant(trx, { merchantId }) {
      const id = await make(trx, 'operators', merchantId);
      const row = await rowOf(trx, 'operators', id).first();
      await rowOf(trx, 'operators', id).delete();
      await trx('operators').insert({ ...(row as never as object), role: 'approver' } as never);
      await holdRows(trx, 'operators', id);
      await rowOf(trx, 'operators', id).update({ revoked_at: now() } as never);
      await rowChanged(trx, 'operators', id);
      return `operators ${id}`;
    },
  },
  {
    seenBy: ['A2'],
    what: 'an inserted session whose token was properly renewed',
    async plant(trx, { merchantId }) {
      const row = (await made.user_sessions?.(trx, merchantId)) ?? {};
      await trx('user_sessions').insert(row);
      const id = rowIdOf('user_sessions', { ...row });
      await holdRows(trx, 'user_sessions', id);
      await rowChanged(trx, 'user_sessions', id);
      return `user_sessions ${id}`;
    },
  },
];
