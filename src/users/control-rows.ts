/**
 * Control rows: they decide who may do what, and how much. Code that changes one calls `rowChanged` (audit-log.ts).
 * Then a line of the audit log has the digest of the whole row, and `malipo verify` (A2) compares the two.
 */
import { createHash } from 'node:crypto';
import type { Database, Transaction } from '../store/database';
import type { AuditRowRow } from '../store/tables';

interface ControlTable {
  key: readonly string[];
  /** Columns that change in normal operation, or do not affect rights. */
  volatile?: readonly string[];
  /** The only digested columns, for tables with mostly volatile columns. */
  only?: readonly string[];
  /** Rows that are pruned with time. A missing row is no sign of tampering. */
  mayGo?: true;
  /** An SQL condition for the rows that need a line; by default all rows. */
  changedWhen?: string;
}

export const controlTables = {
  operators: { key: ['name'] },
  // All columns, including later ones, because exactly the requested action must be approved.
  approvals: { key: ['approval_id'] },
  approval_rules: { key: ['kind', 'currency'] },
  merchants: { key: ['merchant_id'] },
  api_keys: { key: ['api_key'], volatile: ['last_used_at'] },
  webhook_endpoints: {
    key: ['endpoint_id'],
    volatile: [
      ...['position', 'event_id', 'tries', 'skipped', 'next_at'],
      ...['last_status', 'last_error', 'delivered_at'],
    ],
  },
  users: { key: ['user_id'], volatile: ['locale', 'totp_last_step', 'refused_tries', 'refused_at'] },
  memberships: { key: ['merchant_id', 'user_id'] },
  passkeys: { key: ['passkey_id'], volatile: ['challenged_ms', 'sign_count', 'last_used_at'] },
  user_sessions: { key: ['session_id'], volatile: ['seen_at'], mayGo: true },
  outflow_limits: { key: ['limit_id'] },
  fee_schedules: { key: ['fee_id'] },
  payout_pauses: { key: ['pause_id'] },
  payout_holds: { key: ['payment_id'], changedWhen: 'released_at IS NOT NULL' },
  payout_batches: { key: ['batch_id'], mayGo: true },
  key_confirmations: { key: ['confirmation_id'], mayGo: true },
  former_deciders: { key: ['merchant_id', 'user_id'] },
  float_wallets: {
    key: ['provider', 'country', 'currency'],
    only: ['fee_per_mille', 'opening_by', 'opening_at'],
    changedWhen: 'opening_by IS NOT NULL OR fee_per_mille IS NOT NULL',
  },
} as const satisfies Record<string, ControlTable>;

export type ControlTableName = keyof typeof controlTables;
export const controlTableOf = (table: ControlTableName): ControlTable => controlTables[table];

export type ControlRow = Readonly<Record<string, unknown>>;
type Digested = Pick<AuditRowRow, 'columns_hashed' | 'digest'>;

/** The id of a row in the audit log. */
export function rowIdOf(table: ControlTableName, row: ControlRow): string {
  return controlTableOf(table)
    .key.map((column) => textOf(row[column]) ?? '')
    .join('|');
}

/** The key columns of a row, from its id in the audit log. */
export function keyOf(table: ControlTableName, rowId: string): Record<string, string> {
  const values = rowId.split('|');
  return Object.fromEntries(controlTableOf(table).key.map((column, i) => [column, values[i] ?? '']));
}

/**
 * @param locks locks the row until the transaction ends.
 * @param ifTold reads the row only if it needs a line.
 */
export async function readControlRow(
  db: Database | Transaction,
  table: ControlTableName,
  rowId: string,
  { locks = false, ifChanged = false } = {},
): Promise<ControlRow | undefined> {
  const query = db(table).where(keyOf(table, rowId));
  if (locks) void query.forUpdate();
  const { changedWhen } = controlTableOf(table);
  if (ifChanged && changedWhen !== undefined) void query.whereRaw(`(${changedWhen})`);
  return (await query.first()) as ControlRow | undefined;
}

/** The digest of all columns except the volatile ones. */
export function digestOfRow(table: ControlTableName, row: ControlRow): Digested {
  const { key, only, volatile = [] } = controlTableOf(table);
  const columns = (only ? [...key, ...only] : Object.keys(row).filter((column) => !volatile.includes(column)))
    .sort()
    .join(',');
  return { columns_hashed: columns, digest: digestBy(columns, row) };
}

/** Whether a row equals its digest. It compares the columns of that time, so new columns can be added. */
export function isAsDigested(row: ControlRow, { columns_hashed: columns, digest }: Digested): boolean {
  return digest !== null && digestBy(columns, row).equals(digest);
}

function digestBy(columns: string, row: ControlRow): Buffer {
  const values = columns.split(',').map((column) => [column, column in row ? textOf(row[column]) : false]);
  return createHash('sha256').update(JSON.stringify(values)).digest();
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (value instanceof Date) return value.toISOString();
  // MariaDB returns JSON as text. MySQL returns values, with sorted object keys.
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  throw new TypeError(`a column holds a ${typeof value}`);
}
