/**
 * What operators did, for good. Each line holds the hash of the one before it, so that none can be changed, taken away
 * or put in without every later one being wrong; `malipo verify` (A1) recomputes them all. The hashes are made with a key
 * that the database does not know (MALIPO_AUDIT_KEY): whoever has only the database can add no line either.
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
  /** The name of an operator who has proved it, `nobody` while there is none, or a part of the engine that acts by itself. */
  by: string;
  /** Noun and verb, such as `float.withdraw`: at most 64 ASCII characters. */
  action: string;
  /** What was acted upon: a kind of at most 32 ASCII characters, and an id of at most 160 characters. */
  subject: { kind: string; id: string };
  /** Never a secret, and nothing that tells of a customer: the line cannot be taken away again. */
  details?: Readonly<Record<string, Json>>;
  /** The number of the form that asked for it, where a page did: it is kept in the details, and one form has one line. */
  form?: string | undefined;
}

/** A form was sent twice, by two clicks say, and asked for this before: nothing is done a second time. */
export class SentBefore extends Error {}

/** Writes a line in the name that a command has proved, in the place of the one that would say `by`. */
export type RecordLine = (trx: Transaction, line: Pick<Action, 'subject' | 'details'>) => Promise<void>;

type Line = Omit<AuditLogRow, 'hash'>;
export type ChangedRow = Omit<AuditRowRow, 'seq'>;

/** What a transaction has to write down when it ends. */
interface Pending {
  actions: (Action & { at: Date })[];
  /** The rows that it has changed, by table and id. */
  rows: Map<string, { table: ControlTableName; id: string }>;
  /** Those that were compared with their digests before they were changed; with a line where they differed. */
  held: Map<string, Pending['actions'][number] | undefined>;
  /** During an action: every row that it changes, and those that it has held, as they were before. */
  touched: Map<string, { table: ControlTableName; id: string }>;
  before: Map<string, ControlRow | undefined>;
  /** False where nothing is done at the end, but at once. */
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
 * Adds a line to the chain in the transaction of the action, so that neither is there without the other. Lines are
 * numbered in the order of their commits: whoever writes one keeps the next waiting until its transaction ends. The line
 * itself is written then, with the digests of the rows that the transaction has changed.
 * @throws SentBefore for a form that has a line already.
 */
export async function recordAction(trx: Transaction, { form, ...action }: Action): Promise<void> {
  await lockHead(trx);
  if (form !== undefined) await denySentBefore(trx, action.by, form);
  const pending = pendingIn(trx);
  const details = { ...action.details, ...(form !== undefined && { form }) };
  pending.actions.push({ ...action, details, at: new Date() });
  if (!pending.waits) await writeDown(trx, pending);
}

/** The action of a line that names a row which somebody had changed past us, before we changed it. */
export const tampered = 'control.tampered';
/** The action of the line by which a person says that a row is right as it stands. */
export const accepted = 'control.accept';

/**
 * Keeps rows of a control until the transaction ends, before it changes them. A row that is not as the audit log has left
 * it gets a line that says so: its new digest would hide that from `malipo verify` (A2).
 * @param ids as `rowIdOf` names them; also of rows that are not there yet and may have been.
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
    const row = await readControlRow(trx, table, id, { locks: true, ifTold: true });
    if (currentActionId() !== undefined) {
      const isPart = controlTableOf(table).told !== undefined;
      pending.before.set(name, isPart ? await readControlRow(trx, table, id) : row);
    }
    const newest = await newestDigest(trx, table, id);
    const found = faultOf(table, row, newest);
    const details = { found, line: newest?.seq ?? null };
    const line = { by: 'engine', action: tampered, subject: { kind: table, id }, details, at: new Date() };
    pending.held.set(name, found && line);
  }
}

/** Has the last line of this transaction hold the digests of rows that nobody changes here, and whose state a person accepts. */
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

/** How a row differs from what the newest line about it has left. */
export function faultOf(
  table: ControlTableName,
  row: ControlRow | undefined,
  newest: AuditRowRow | undefined,
): 'unknown' | 'gone' | 'changed' | undefined {
  const isKnown = newest !== undefined && newest.digest !== null;
  if (!row)
    return isKnown && controlTableOf(table).told === undefined && !controlTableOf(table).mayGo
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
 * Has the last line of this transaction hold the digests of rows of a control that it has changed, added or deleted.
 * Where it writes no line, one in the name of the engine does. A row that was there before is held first
 * (`holdRows`).
 * @param ids as `rowIdOf` names them.
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

/** The rows of controls that a transaction has changed so far, as they were before it and as they are now. */
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

/** So many lines of one person between two sendings of a form are none that a browser makes. */
const sentBeforeLines = 1_000;

/** Behind the lock of the head: who has sent the same form a moment ago has committed, or waits for us. */
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
  if (sent) throw new SentBefore('this form was sent before');
}

async function lockHead(trx: Transaction): Promise<{ seq: string; hash: Buffer }> {
  const head = await trx('audit_head').where({ id: 1 }).forUpdate().first();
  if (!head) throw new Error('the audit log has lost its head; nothing is done that it cannot tell');
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
  // First of all: what is written after them is no excuse.
  actions.unshift(...changed.flatMap(({ table, id }) => pending.held.get(`${table} ${id}`) ?? []));
  if (actions.length === 0) return;
  const [key] = auditKeysOf(trx);
  if (!key) throw new Error('MALIPO_AUDIT_KEY is not set: nothing is done that the audit log cannot tell');
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
  // What comes after this, in a transaction that writes at once, may follow another's change.
  if (!pending.waits) pending.held.clear();
}

/** In one order, and each locked: what another has changed is committed by then, or waits for our line. */
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
    if (newest && newest.digest !== null)
      throw new Error(`a row of ${table} is changed that was not held before`);
    held.set(`${table} ${id}`, undefined);
    const row = await readControlRow(trx, table, id, { locks: true });
    const digested = row ? digestOfRow(table, row) : { columns_hashed: '', digest: null };
    rows.push({ table_name: table, row_id: id, ...digested });
  }
  return rows;
}

/** HMAC-SHA-256 over everything that a line says, the rows that it has changed, and the hash of the one before it. */
export function hashOf(line: Line, rows: readonly ChangedRow[], { key }: AuditKey): Buffer {
  const said = [line.acted_by, line.action, line.subject_kind, line.subject_id, line.details];
  const changed = rows
    .map((row) => [row.table_name, row.row_id, row.columns_hashed, row.digest?.toString('hex') ?? null])
    .sort((one, other) =>
      `${String(one[0])} ${String(one[1])}` < `${String(other[0])} ${String(other[1])}` ? -1 : 1,
    );
  const previous = line.previous_hash.toString('hex');
  return createHmac('sha256', key)
    .update(JSON.stringify([line.seq, line.at.toISOString(), ...said, previous, line.key_id, changed]))
    .digest();
}

/** Whether a line is what an earlier version has written, under no key: a later one under a key holds its hash. */
export function isFormer(line: AuditLogRow): boolean {
  const said = [line.acted_by, line.action, line.subject_kind, line.subject_id, line.details];
  return createHash('sha256')
    .update(JSON.stringify([line.seq, line.at.toISOString(), ...said, line.previous_hash.toString('hex')]))
    .digest()
    .equals(line.hash);
}

/** Whether one of the keys has written the line, with these rows. */
export function isGenuine(
  line: AuditLogRow,
  rows: readonly ChangedRow[],
  keys: readonly AuditKey[],
): boolean {
  const key = keys.find(({ id }) => id === line.key_id);
  return key !== undefined && hashOf(line, rows, key).equals(line.hash);
}

/**
 * Whether a row of a control is what the audit log has of it: asked before something is done on its word.
 * @returns false where it was changed past us, or the newest line about it is none of ours.
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
    // Between these reads somebody may have changed it as they should.
    const later = await newestDigest(db, table, id);
    newest = later?.seq === seq ? undefined : later;
  }
  return false;
}

/** As the database names them. */
export const controlTableNames = Object.keys(controlTables) as ControlTableName[];
