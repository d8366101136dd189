/**
 * The audit log of operators and users, which is permanent. Each line contains the hash of the line before it. So a
 * changed, removed or inserted line makes every later line wrong; `malipo verify` (A1) recomputes them all. The hashes
 * use a key that the database does not have (MALIPO_AUDIT_KEY), so database access alone cannot add a line.
 */
import { createHash, createHmac } from 'node:crypto';
import { auditKeysOf, type AuditKey, type Database, type Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { AuditLogRow, AuditRowRow } from '../store/tables';
import { beforeCommit } from '../store/transaction';
import {
  controlTableOf,
  controlTables,
  digestOfRow,
  isAsDigested,
  readControlRow,
  type ControlRow,
  type ControlTableName,
} from './control-rows';
import { currentActionId } from './current-action';

type Json =
  string | number | boolean | null | undefined | readonly Json[] | { readonly [name: string]: Json };

export interface Action {
  /** The authenticated operator or user, `nobody` while there are no operators, or a part of the engine. */
  by: string;
  /** Noun and verb, such as `float.withdraw`: at most 64 ASCII characters. */
  action: string;
  /** The object of the action: a kind of at most 32 ASCII characters, and an id of at most 160 characters. */
  subject: { kind: string; id: string };
  /** Never a secret or a customer's data, because the line cannot be removed. */
  details?: Readonly<Record<string, Json>>;
  /** The number of the form, if a page sent the action. The details store it, and one form has one line. */
  form?: string | undefined;
}

/** A form was sent twice, for example by two clicks. Nothing is done a second time. */
export class SentBefore extends Error {}

/** Writes a line in the name of the authenticated operator, so the caller gives no `by`. */
export type RecordLine = (trx: Transaction, line: Pick<Action, 'subject' | 'details'>) => Promise<void>;

type Line = Omit<AuditLogRow, 'hash'>;
export type ChangedRow = Omit<AuditRowRow, 'seq'>;

/** The lines and rows that a transaction writes to the log when it ends. */
interface Pending {
  actions: (Action & { at: Date })[];
  /** The changed rows, by table and id. */
  rows: Map<string, { table: ControlTableName; id: string }>;
  /** Rows that were compared with their digests before the change; with a line if they differed. */
  held: Map<string, Pending['actions'][number] | undefined>;
  /** During an action: every changed row, and in `before` the held rows as they were. */
  touched: Map<string, { table: ControlTableName; id: string }>;
  before: Map<string, ControlRow | undefined>;
  /** False if the transaction writes lines at once, not at its end. */
  waits: boolean;
}

const pendingOf = new WeakMap<Transaction, Pending>();

function pendingIn(trx: Transaction): Pending {
  const known = pendingOf.get(trx);
  if (known) return known;
  const pending: Pending = {
    actions: [],
    ...{ rows: new Map(), held: new Map(), touched: new Map(), before: new Map() },
    waits: false,
  };
  pending.waits = beforeCommit(trx, () => writeDown(trx, pending));
  pendingOf.set(trx, pending);
  return pending;
}

/**
 * Adds a line to the chain in the transaction of the action, so that neither exists without the other. Lines are
 * numbered in commit order: a lock makes the next writer wait until this transaction ends. The line is written at that
 * end, with the digests of the rows that the transaction changed.
 * @throws SentBefore for a form that already has a line.
 */
export async function recordAction(trx: Transaction, { form, ...action }: Action): Promise<void> {
  await lockHead(trx);
  if (form !== undefined) await denySentBefore(trx, action.by, form);
  const pending = pendingIn(trx);
  const details = { ...action.details, ...(form !== undefined && { form }) };
  pending.actions.push({ ...action, details, at: new Date() });
  if (!pending.waits) await writeDown(trx, pending);
}

/** The action of a line about a row that was changed from outside Malipo before this change. */
export const tampered = 'control.tampered';
/** The action of a line in which an operator accepts the current state of a row. */
export const accepted = 'control.accept';

/**
 * Locks control rows until the transaction ends, before it changes them. A row that differs from the audit log gets a
 * line about that, because its new digest would hide the difference from `malipo verify` (A2).
 * @param ids in the form of `rowIdOf`, also of rows that do not exist (any more).
 */
export async function holdRows(
  trx: Transaction,
  table: ControlTableName,
  ...ids: readonly (string | number)[]
): Promise<void> {
  const pending = pendingIn(trx);
  for (const id of ids.map(String)) {
    const name = `${table} ${id}`;
    if (pending.held.has(name) || pending.rows.has(name)) continue;
    const row = await readControlRow(trx, table, id, { locks: true, ifChanged: true });
    if (currentActionId() !== undefined) {
      const isPart = controlTableOf(table).changedWhen !== undefined;
      pending.before.set(name, isPart ? await readControlRow(trx, table, id) : row);
    }
    const newest = await newestDigest(trx, table, id);
    const found = faultOf(table, row, newest);
    const details = { found, line: newest?.seq ?? null };
    const line = { by: 'engine', action: tampered, subject: { kind: table, id }, details, at: new Date() };
    pending.held.set(name, found && line);
  }
}

/**
 * Adds the digests of unchanged rows to the last line of this transaction, because an operator accepts their state.
 */
export async function acceptRows(
  trx: Transaction,
  rows: readonly { table: ControlTableName; id: string }[],
): Promise<void> {
  const { held } = pendingIn(trx);
  for (const { table, id } of rows) {
    held.set(`${table} ${id}`, undefined);
    await digestLater(trx, table, [id]);
  }
}

/** How a row differs from the newest line about it. */
export function faultOf(
  table: ControlTableName,
  row: ControlRow | undefined,
  newest: AuditRowRow | undefined,
): 'unknown' | 'gone' | 'changed' | undefined {
  const isKnown = newest !== undefined && newest.digest !== null;
  if (!row)
    return isKnown && controlTableOf(table).changedWhen === undefined && !controlTableOf(table).mayGo
      ? 'gone'
      : undefined;
  if (!newest) return 'unknown';
  return isAsDigested(row, newest) ? undefined : 'changed';
}

function newestDigest(
  db: Database | Transaction,
  table: ControlTableName,
  id: string,
): Promise<AuditRowRow | undefined> {
  return db('audit_rows').where({ table_name: table, row_id: id }).orderBy('seq', 'desc').first();
}

/**
 * Adds the digests of changed, added or deleted control rows to the last line of this transaction. If it writes no
 * line, the engine writes one. An existing row must be held first (`holdRows`).
 * @param ids in the form of `rowIdOf`.
 */
export async function rowChanged(
  trx: Transaction,
  table: ControlTableName,
  ...ids: readonly (string | number)[]
): Promise<void> {
  if (currentActionId() !== undefined) {
    const { touched } = pendingIn(trx);
    for (const id of ids.map(String)) touched.set(`${table} ${id}`, { table, id });
  }
  await digestLater(trx, table, ids);
}

async function digestLater(
  trx: Transaction,
  table: ControlTableName,
  ids: readonly (string | number)[],
): Promise<void> {
  const pending = pendingIn(trx);
  for (const id of ids.map(String)) pending.rows.set(`${table} ${id}`, { table, id });
  if (!pending.waits) await writeDown(trx, pending);
}

/** The control rows that a transaction has changed so far, before and after. */
export async function rowsChangedIn(
  trx: Transaction,
): Promise<{ table: ControlTableName; id: string; before?: ControlRow; after?: ControlRow }[]> {
  const pending = pendingOf.get(trx);
  const rows = [];
  for (const [name, { table, id }] of pending?.touched ?? []) {
    const [before, after] = [pending?.before.get(name), await readControlRow(trx, table, id)];
    rows.push({ table, id, ...(before && { before }), ...(after && { after }) });
  }
  return rows;
}

/** A browser does not write this many lines between two sendings of one form. */
const sentBeforeLines = 1_000;

/** This runs under the lock of the chain head. So another sending of the same form has committed or is waiting. */
async function denySentBefore(trx: Transaction, by: string, form: string): Promise<void> {
  const newest = trx('audit_log')
    .where({ acted_by: by })
    .orderBy('seq', 'desc')
    .limit(sentBeforeLines)
    .select('details')
    .as('newest');
  const [sent] = (await trx
    .from(newest)
    .where('details', 'like', `%"form":${JSON.stringify(form)}%`)
    .limit(1)) as object[];
  if (sent) throw new SentBefore('this form was already sent');
}

async function lockHead(trx: Transaction): Promise<{ seq: string; hash: Buffer }> {
  const head = await trx('audit_head').where({ id: 1 }).forUpdate().first();
  if (!head) throw new Error('the audit log has no chain head: refusing actions that it cannot record');
  return head;
}

async function writeDown(trx: Transaction, pending: Pending): Promise<void> {
  const actions = pending.actions.splice(0);
  const changed = [...pending.rows.values()];
  pending.rows.clear();
  const [first] = changed;
  if (first && actions.length === 0) {
    const subject = { kind: first.table, id: first.id };
    actions.push({ by: 'engine', action: `${first.table}.change`, subject, at: new Date() });
  }
  // Lines about outside changes come first, so that the later lines cannot hide them.
  actions.unshift(...changed.flatMap(({ table, id }) => pending.held.get(`${table} ${id}`) ?? []));
  if (actions.length === 0) return;
  const [key] = auditKeysOf(trx);
  if (!key) throw new Error('MALIPO_AUDIT_KEY is not set: refusing actions that the audit log cannot record');
  let head = await lockHead(trx);
  for (const [i, { by, action, subject, details = {}, at }] of actions.entries()) {
    const line: Line = {
      seq: (BigInt(head.seq) + 1n).toString(),
      at,
      acted_by: by,
      action,
      subject_kind: subject.kind,
      subject_id: subject.id,
      details: JSON.stringify(details),
      previous_hash: head.hash,
      key_id: key.id,
    };
    const rows = i === actions.length - 1 ? await digestsOf(trx, changed, pending) : [];
    const hash = hashOf(line, rows, key);
    await trx('audit_log').insert({ ...line, hash });
    for (const some of inChunks(rows.map((row) => ({ seq: line.seq, ...row }))))
      await trx('audit_rows').insert(some);
    head = { seq: line.seq, hash };
  }
  await trx('audit_head').where({ id: 1 }).update({ seq: head.seq, hash: head.hash });
  // In a transaction that writes at once, another transaction may change the rows after this.
  if (!pending.waits) pending.held.clear();
}

/** Locks the rows in one order. So another transaction's change is committed, or waits for our line. */
async function digestsOf(
  trx: Transaction,
  changed: readonly { table: ControlTableName; id: string }[],
  { held }: Pick<Pending, 'held'>,
) {
  const sorted = [...changed].sort((one, other) =>
    `${one.table} ${one.id}` < `${other.table} ${other.id}` ? -1 : 1,
  );
  const rows: ChangedRow[] = [];
  for (const { table, id } of sorted) {
    const newest = held.has(`${table} ${id}`) ? undefined : await newestDigest(trx, table, id);
    if (newest && newest.digest !== null) throw new Error(`a row of ${table} was changed without holdRows`);
    held.set(`${table} ${id}`, undefined);
    const row = await readControlRow(trx, table, id, { locks: true });
    const digested = row ? digestOfRow(table, row) : { columns_hashed: '', digest: null };
    rows.push({ table_name: table, row_id: id, ...digested });
  }
  return rows;
}

/** HMAC-SHA-256 over the line, the changed rows, and the hash of the previous line. */
export function hashOf(line: Line, rows: readonly ChangedRow[], { key }: AuditKey): Buffer {
  const signed = [line.acted_by, line.action, line.subject_kind, line.subject_id, line.details];
  const changed = rows
    .map((row) => [row.table_name, row.row_id, row.columns_hashed, row.digest?.toString('hex') ?? null])
    .sort((one, other) =>
      `${String(one[0])} ${String(one[1])}` < `${String(other[0])} ${String(other[1])}` ? -1 : 1,
    );
  const previous = line.previous_hash.toString('hex');
  return createHmac('sha256', key)
    .update(JSON.stringify([line.seq, line.at.toISOString(), ...signed, previous, line.key_id, changed]))
    .digest();
}

/** Whether an earlier version wrote the line without a key. A later line with a key contains its hash. */
export function isFormer(line: AuditLogRow): boolean {
  const signed = [line.acted_by, line.action, line.subject_kind, line.subject_id, line.details];
  return createHash('sha256')
    .update(JSON.stringify([line.seq, line.at.toISOString(), ...signed, line.previous_hash.toString('hex')]))
    .digest()
    .equals(line.hash);
}

/** Whether the line was written with one of the keys and these rows. */
export function isGenuine(
  line: AuditLogRow,
  rows: readonly ChangedRow[],
  keys: readonly AuditKey[],
): boolean {
  const key = keys.find(({ id }) => id === line.key_id);
  return key !== undefined && hashOf(line, rows, key).equals(line.hash);
}

/**
 * Whether a control row equals its state in the audit log. Callers check this before they rely on the row.
 * @returns false if the row was changed from outside Malipo, or its newest line is forged.
 */
export async function isAsWritten(
  db: Database | Transaction,
  table: ControlTableName,
  id: string,
): Promise<boolean> {
  for (let newest = await newestDigest(db, table, id); newest;) {
    const { seq } = newest;
    const line = await db('audit_log').where({ seq }).first();
    const rows = await db('audit_rows').where({ seq });
    const row = await readControlRow(db, table, id);
    const isGiven = line !== undefined && row !== undefined;
    if (isGiven && isGenuine(line, rows, auditKeysOf(db)) && isAsDigested(row, newest)) return true;
    // A regular change may have happened between these reads.
    const later = await newestDigest(db, table, id);
    newest = later?.seq === seq ? undefined : later;
  }
  return false;
}

/** The table names in the database. */
export const controlTableNames = Object.keys(controlTables) as ControlTableName[];
