import { accepted, controlTableNames, faultOf, isFormer, isGenuine, tampered } from '../users/audit-log';
import {
  controlTableOf,
  keyOf,
  rowIdOf,
  type ControlRow,
  type ControlTableName,
} from '../users/control-rows';
import { auditKeysOf, type AuditKey, type Transaction } from '../store/database';
import type { AuditLogRow, AuditRowRow } from '../store/tables';
import { violationsMax, type Check, type Violation } from './check';

const atOnce = 1_000;
const rowsAtOnce = 500;
const start: Pick<AuditLogRow, 'seq' | 'hash'> = { seq: '0', hash: Buffer.alloc(32) };

/**
 * Recomputes the whole chain in every scope: only operators write lines, so the log is short, and a manual change can be of
 * any age.
 */
async function brokenLinks(trx: Transaction): Promise<Violation[]> {
  const found: Violation[] = [];
  const keys = auditKeysOf(trx);
  if (keys.length === 0)
    return [{ id: 'log', detail: 'cannot be checked without the key of MALIPO_AUDIT_KEY' }];
  let last: Pick<AuditLogRow, 'seq' | 'hash'> = start;
  /** Lines without a key, until an operator accepts them: from an earlier version, or from somebody without the key. */
  let unkeyed: string[] = [];
  for (;;) {
    const lines = await trx('audit_log').where('seq', '>', last.seq).orderBy('seq').limit(atOnce);
    const rows = rowsBySeq(await rowsOf(trx, last.seq, lines));
    for (const line of lines) {
      const expected = (BigInt(last.seq) + 1n).toString();
      const id = `line ${line.seq}`;
      if (line.seq !== expected) found.push({ id, detail: `comes after line ${last.seq}` });
      else if (!line.previous_hash.equals(last.hash))
        found.push({ id, detail: 'does not follow from the hash of the line before it' });
      const fault = faultOfLine(line, rows.get(line.seq) ?? [], keys);
      if (fault) found.push({ id, detail: fault });
      else if (line.key_id === null) unkeyed.push(id);
      else if (line.action === accepted) unkeyed = [];
      last = line;
    }
    if (lines.length < atOnce || found.length >= violationsMax) break;
  }
  if (found.length >= violationsMax) return found.slice(0, violationsMax);
  found.push(...unkeyed.slice(0, violationsMax).map((id) => ({ id, detail: 'was written without a key' })));
  const head = await trx('audit_head').where({ id: 1 }).first();
  if (head?.seq !== last.seq || !head.hash.equals(last.hash))
    found.push({
      id: 'head',
      detail: `is at line ${head?.seq ?? '-'}, but the log ends with line ${last.seq}`,
    });
  const beyond = await trx('audit_rows').where('seq', '>', last.seq).orderBy('seq').first('seq');
  if (beyond) found.push({ id: `line ${beyond.seq}`, detail: 'has changed rows, but is missing' });
  return found;
}

function faultOfLine(
  line: AuditLogRow,
  rows: readonly AuditRowRow[],
  keys: readonly AuditKey[],
): string | undefined {
  const { key_id: keyId } = line;
  if (keyId !== null && !keys.some(({ id }) => id === keyId))
    return `was written with the key ${keyId}, which MALIPO_AUDIT_KEY does not have`;
  const isWhole = keyId === null ? isFormer(line) && rows.length === 0 : isGenuine(line, rows, keys);
  return isWhole ? undefined : 'was changed after it was written';
}

/** The row digests of these lines, and of missing lines between them. */
async function rowsOf(
  trx: Transaction,
  after: string,
  lines: readonly AuditLogRow[],
): Promise<AuditRowRow[]> {
  const upTo = lines.at(-1)?.seq;
  return upTo === undefined ? [] : trx('audit_rows').where('seq', '>', after).where('seq', '<=', upTo);
}

function rowsBySeq(rows: readonly AuditRowRow[]): Map<string, AuditRowRow[]> {
  const bySeq = new Map<string, AuditRowRow[]>();
  for (const row of rows) bySeq.set(row.seq, [...(bySeq.get(row.seq) ?? []), row]);
  return bySeq;
}

/** The newest audited state of each of these rows. */
async function newestOf(
  trx: Transaction,
  table: ControlTableName,
  ids: readonly string[],
): Promise<Map<string, AuditRowRow>> {
  const newest = trx('audit_rows')
    .where({ table_name: table })
    .whereIn('row_id', [...ids])
    .groupBy('row_id')
    .select('row_id')
    .max({ seq: 'seq' })
    .as('newest');
  const rows = await trx('audit_rows as told')
    .join(newest, (on) => void on.on('told.row_id', 'newest.row_id').on('told.seq', 'newest.seq'))
    .where('told.table_name', table)
    .select<AuditRowRow[]>('told.*');
  return new Map(rows.map((row) => [row.row_id, row]));
}

/** Lines without a key that no operator has accepted. */
export async function unkeyedLines(trx: Transaction): Promise<Pick<AuditLogRow, 'seq' | 'hash'>[]> {
  const last = await trx('audit_log')
    .where({ action: accepted })
    .whereNotNull('key_id')
    .orderBy('seq', 'desc')
    .first('seq');
  return trx('audit_log')
    .whereNull('key_id')
    .where('seq', '>', last?.seq ?? '0')
    .orderBy('seq')
    .select('seq', 'hash');
}

/** A row of a control table that does not match the audit log. */
export interface AlteredRow {
  table: ControlTableName;
  id: string;
  found: 'unknown' | 'gone' | 'changed' | 'changed before';
  /** The audit line with the row's last state, or the one that found the row changed. */
  line?: string;
}

/**
 * Reads all rows in every scope, because a manual change can be of any age. It reads a page at a time, by the primary key.
 * A row that an action found altered is reported until an operator accepts it.
 */
export async function* alteredRows(trx: Transaction): AsyncGenerator<AlteredRow> {
  for (const table of controlTableNames) {
    for await (const rows of pagesOf(trx, table)) {
      const ids = rows.map((row) => rowIdOf(table, row));
      const newest = await newestOf(trx, table, ids);
      for (const row of rows) {
        const id = rowIdOf(table, row);
        const reported = newest.get(id);
        const found = faultOf(table, row, reported);
        if (found) yield { table, id, found, ...(reported && { line: reported.seq }) };
      }
    }
    if (!controlTableOf(table).mayGo) yield* goneRows(trx, table);
  }
  yield* foundBefore(trx);
}

const says: Record<AlteredRow['found'], (line: string) => string> = {
  unknown: () => 'exists, but has no line in the audit log',
  gone: (line) => `is missing, but line ${line} of the audit log has it`,
  changed: (line) => `differs from line ${line} of the audit log`,
  'changed before': (line) =>
    `was changed outside Malipo before an action changed it (line ${line} of the audit log)`,
};

async function changedRows(trx: Transaction): Promise<Violation[]> {
  const found: Violation[] = [];
  for await (const row of alteredRows(trx)) {
    found.push({ id: `${row.table} ${row.id}`, detail: says[row.found](row.line ?? '') });
    if (found.length >= violationsMax) break;
  }
  return found;
}

async function* pagesOf(trx: Transaction, table: ControlTableName): AsyncGenerator<ControlRow[]> {
  const { key, changedWhen } = controlTableOf(table);
  let after: ControlRow | undefined;
  for (;;) {
    const query = trx<ControlRow>(table)
      .orderBy([...key])
      .limit(rowsAtOnce);
    if (changedWhen !== undefined) void query.whereRaw(`(${changedWhen})`);
    const last = after;
    if (last) {
      // Rows after the last key: equal first columns, and a greater next column.
      void query.where((beyond) => {
        for (const [i, column] of key.entries())
          void beyond.orWhere((one) => {
            for (const same of key.slice(0, i)) void one.where(same, last[same] as string);
            void one.where(column, '>', last[column] as string);
          });
      });
    }
    const rows = await query;
    if (rows.length > 0) yield rows;
    if (rows.length < rowsAtOnce) return;
    after = rows.at(-1);
  }
}

/** Rows that are missing, although no audit line deleted them. */
async function* goneRows(trx: Transaction, table: ControlTableName): AsyncGenerator<AlteredRow> {
  let after = '';
  for (;;) {
    const ids = await trx('audit_rows')
      .where({ table_name: table })
      .where('row_id', '>', after)
      .groupBy('row_id')
      .orderBy('row_id')
      .limit(rowsAtOnce)
      .pluck('row_id');
    if (ids.length === 0) return;
    const there = new Set(await idsIn(trx, table, ids));
    const missing = ids.filter((id) => !there.has(id));
    const newest = missing.length === 0 ? [] : [...(await newestOf(trx, table, missing)).values()];
    for (const { row_id: id, seq: line, digest } of newest) {
      if (digest !== null) yield { table, id, found: 'gone', line };
    }
    if (ids.length < rowsAtOnce) return;
    after = ids.at(-1) ?? after;
  }
}

/** Rows that an action found altered, and that no operator has accepted since. */
async function* foundBefore(trx: Transaction): AsyncGenerator<AlteredRow> {
  let after = '0';
  for (;;) {
    const lines = await trx('audit_log')
      .where({ action: tampered })
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(rowsAtOnce);
    for (const { seq: line, subject_kind: table, subject_id: id } of lines) {
      const taken = await trx('audit_rows as told')
        .join('audit_log as line', 'line.seq', 'told.seq')
        .where({ 'told.table_name': table, 'told.row_id': id, 'line.action': accepted })
        .where('told.seq', '>', line)
        .first<{ seq: string } | undefined>('told.seq');
      if (!taken) yield { table: table as ControlTableName, id, found: 'changed before', line };
    }
    if (lines.length < rowsAtOnce) return;
    after = lines.at(-1)?.seq ?? after;
  }
}

async function idsIn(trx: Transaction, table: ControlTableName, ids: readonly string[]): Promise<string[]> {
  const { key } = controlTableOf(table);
  const rows = await trx(table)
    .whereIn(
      [...key],
      ids.map((id) => Object.values(keyOf(table, id))),
    )
    .select<ControlRow[]>(...key);
  return rows.map((row) => rowIdOf(table, row));
}

/** Checks of the audit log. */
export const auditChecks: Check[] = [
  {
    id: 'A1',
    promise: 'no line of the audit log was changed, removed or inserted',
    find: ({ trx }) => brokenLinks(trx),
  },
  {
    id: 'A2',
    promise: 'rights, rules and limits match the audit log',
    find: ({ trx }) => changedRows(trx),
  },
];
