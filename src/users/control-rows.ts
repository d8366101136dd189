/**
 * The rows that say who may do what, and how much. Whoever changes one says so (`rowChanged` in audit-log.ts): a line of
 * the audit log then holds the digest of the whole row, and `malipo verify` (A2) compares the two.
 */
import { createHash } from 'node:crypto';
import type { Database, Transaction } from '../store/database';
import type { AuditRowRow } from '../store/tables';

interface ControlTable {
  key: readonly string[];
  /** Columns that change by themselves, or say nothing of who may do what. */
  volatile?: readonly string[];
  /** The only columns that count, where most are volatile. */
  only?: readonly string[];
  /** Rows that are forgotten with time: one that is gone is none that somebody took away. */
  mayGo?: true;
  /** Rows of which a line has to tell, in SQL; all of them unless given. */
  told?: string;
}

export const controlTables = {
  operators: { key: ['name'] },
  // All columns, also those that are added later: what is asked for is what is approved.
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
  payout_stops: { key: ['stop_id'] },
  payout_holds: { key: ['payment_id'], told: 'released_at IS NOT NULL' },
  payout_batches: { key: ['batch_id'], mayGo: true },
  key_confirmations: { key: ['confirmation_id'], mayGo: true },
  former_deciders: { key: ['merchant_id', 'user_id'] },
  float_wallets: {
    key: ['provider', 'country', 'currency'],
    only: ['fee_per_mille', 'baseline_by', 'baseline_at'],
    told: 'baseline_by IS NOT NULL OR fee_per_mille IS NOT NULL',
  },
} as const satisfies Record<string, ControlTable>;

export type ControlTableName = keyof typeof controlTables;
export const controlTableOf = (table: ControlTableName): ControlTable => controlTables[table];

export type ControlRow = Readonly<Record<string, unknown>>;
type Digested = Pick<AuditRowRow, 'columns_hashed' | 'digest'>;

/** How the audit log names a row. */
export function rowIdOf(table: ControlTableName, row: ControlRow): string {
  return controlTableOf(table)
    .key.map((column) => textOf(row[column]) ?? '')
    .join('|');
}

/** The values of its key that a row's name stands for. */
export function keyOf(table: ControlTableName, rowId: string): Record<string, string> {
  const values = rowId.split('|');
  return Object.fromEntries(controlTableOf(table).key.map((column, i) => [column, values[i] ?? '']));
}

/** @param locks keeps it as it is until the transaction ends. @param ifTold only where a line has to tell of it. */
export async function readControlRow(
  db: Database | Transaction,
  table: ControlTableName,
  rowId: string,
  { locks = false, ifTold = false } = {},
): Promise<ControlRow | undefined> {
  const query = db(table).where(keyOf(table, rowId));
  if (locks) void query.forUpdate();
  const { told } = controlTableOf(table);
  if (ifTold && told !== undefined) void query.whereRaw(`(${told})`);
  return (await query.first()) as ControlRow | undefined;
}

/** Of all its columns but the volatile ones. */
export function digestOfRow(table: ControlTableName, row: ControlRow): Digested {
  const { key, only, volatile = [] } = controlTableOf(table);
  const columns = (only ? [...key, ...only] : Object.keys(row).filter((column) => !volatile.includes(column)))
    .sort()
    .join(',');
  return { columns_hashed: columns, digest: digestBy(columns, row) };
}

/** Whether a row is what was digested: by the columns that it had then, so that later ones may be added. */
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
  // MariaDB keeps JSON as text; MySQL gives values, and sorts the names in objects by itself.
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  throw new TypeError(`a column holds a ${typeof value}`);
}
