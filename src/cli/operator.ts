import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { cutText } from '../domain/cut-text';
import {
  createOperator,
  listOperators,
  revokeOperator,
  roles,
  rotateToken,
  type Role,
} from '../operators/operators';
import { acceptRows } from '../operators/audit-log';
import { digestOfRow, readControlRow } from '../operators/control-rows';
import type { Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';
import { alteredRows, unkeyedLines, type AlteredRow } from '../ops/verify/audit-checks';
import { oneOf, readWholeNumber, readWords } from './parse';
import { Refusal } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { facts, table } from './table';
import { clockOf } from './wall-clock';

export function operatorCommands(program: Command, run: Runner): void {
  const operator = program.command('operator').description('who may change anything here, and what they did');
  operator
    .command('create <name>')
    .description('add an operator; the token is shown this once')
    .option('--role <role>', roles.join(', '), oneOf(roles, 'The role'), 'operator')
    .action(run(create));
  operator.command('list').description('all operators, also those revoked').action(run(list));
  operator.command('revoke <name>').description('end an operator for good').action(run(revoke));
  operator
    .command('rotate <name>')
    .description('give an operator a new token, shown this once; the old one ends')
    .action(run(rotate));
  program
    .command('audit')
    .description('what operators did, newest first')
    .option('--by <name>', 'by one operator')
    .option('--action <action>', 'of one kind, such as float.withdraw')
    .option('--limit <n>', 'at most so many', readWholeNumber, 50)
    .action(run(audit));
  const control = program
    .command('control')
    .description('rows that say who may do what, changed by somebody else than Malipo');
  control.command('list').description('those that malipo verify (A2) names').action(run(listAltered));
  control
    .command('accept')
    .description('say that all of them are right as they stand: after an upgrade, or once you know why')
    .requiredOption('--list <name>', 'which ones: the name that malipo control list gives the list')
    .requiredOption('--reason <reason>', 'why, for those who read it later', readWords('The reason'))
    .action(run(acceptAltered));
}

const subjectOf = (name: string) => ({
  subject: { kind: 'operator', id: cutText(name, 160) },
  needs: { kind: 'operators' as const },
});

async function create(
  { context, config: { environment }, acting }: Session,
  name: string,
  { role }: { role: Role },
): Promise<Report> {
  const token = await createOperator(context.db, { name, role, by: acting.by, environment }, (trx) =>
    acting.record(trx, subjectOf(name)),
  );
  const told = { name, role, token };
  return { json: told, text: `${facts(Object.entries(told))}\n\n${handOver}` };
}

const handOver =
  'The token is not shown again. Its owner keeps it in a file that nobody else can read, and names that in ' +
  'MALIPO_OPERATOR_TOKEN_FILE.';

async function revoke({ context, acting }: Session, name: string): Promise<Report> {
  await revokeOperator(context.db, name, (trx) => acting.record(trx, subjectOf(name)));
  return { json: { name, revoked: true }, text: `${name} is revoked.` };
}

async function rotate({ context, config, acting }: Session, name: string): Promise<Report> {
  const token = await rotateToken(context.db, name, config.environment, (trx) =>
    acting.record(trx, subjectOf(name)),
  );
  const told = { name, token };
  return { json: told, text: `${facts(Object.entries(told))}\n\n${handOver}` };
}

async function list({ context, config }: Session): Promise<Report> {
  const operators = await listOperators(context.db);
  const clock = clockOf(config.timezone);
  const rows = operators.map((one) => [
    one.name,
    one.role,
    one.created_by,
    clock(one.created_at),
    one.revoked_at ? `revoked ${clock(one.revoked_at)}` : 'active',
  ]);
  return {
    json: { operators },
    text:
      operators.length === 0
        ? 'There is no operator: whoever has the settings may do everything.'
        : table(['name', 'role', 'added by', 'added', 'state'], rows),
  };
}

/** After an upgrade there may be very many; the list's name and its JSON have all of them. */
const linesShownMax = 1_000;

interface AlteredList {
  rows: AlteredRow[];
  /** Under no key. */
  lines: string[];
  /** How many there are, and a digest of each row and line as it stands: another list has another name. */
  name: string;
}

/** @param locks keeps the rows as they are until the transaction ends. */
async function alteredIn(trx: Transaction, { locks = false } = {}): Promise<AlteredList> {
  const rows: AlteredRow[] = [];
  for await (const row of alteredRows(trx)) rows.push(row);
  const lines = await unkeyedLines(trx);
  const told: unknown[] = [];
  for (const { table, id, found, line } of rows) {
    const row = await readControlRow(trx, table, id, { locks });
    told.push([table, id, found, line ?? null, row ? digestOfRow(table, row).digest?.toString('hex') : null]);
  }
  for (const { seq, hash } of lines) told.push([seq, hash.toString('hex')]);
  const digest = createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 32);
  return { rows, lines: lines.map(({ seq }) => seq), name: `${String(told.length)}:${digest}` };
}

async function listAltered({ context }: Session): Promise<Report> {
  const { rows, lines, name } = await inTransaction(context.db, (trx) => alteredIn(trx));
  const shown = [
    ...rows.map((row) => [row.table, row.id, row.found, row.line ?? '']),
    ...lines.slice(0, linesShownMax).map((line) => ['audit_log', line, 'under no key', line]),
  ];
  return {
    json: { list: name, rows, unkeyed_lines: lines },
    text:
      shown.length === 0
        ? 'All rows are as the audit log has left them.'
        : `${table(['table', 'row', 'found', 'line'], shown)}\n\nTo accept these: malipo control accept --list ${name}`,
  };
}

async function acceptAltered(
  { context, acting }: Session,
  { list: seen }: { list: string },
): Promise<Report> {
  const taken = await inTransaction(context.db, async (trx) => {
    const { rows, name } = await alteredIn(trx, { locks: true });
    if (name !== seen)
      throw new Refusal(
        `What is altered is not ${seen} any more, but ${name}: read malipo control list again.`,
      );
    await acceptRows(trx, rows);
    await acting.record(trx, {
      subject: { kind: 'control', id: 'rows' },
      details: { rows: rows.length },
      needs: { kind: 'operators' },
    });
    return rows.length;
  });
  return { json: { rows: taken }, text: `Rows that are accepted as they stand: ${String(taken)}.` };
}

interface Filters {
  by?: string;
  action?: string;
  limit: number;
}

async function audit({ context, config }: Session, { by, action, limit }: Filters): Promise<Report> {
  const query = context.db('audit_log').orderBy('seq', 'desc').limit(limit);
  if (by !== undefined) void query.where({ acted_by: by });
  // The column is ASCII, and the database refuses to compare it with more.
  if (action !== undefined) void query.where({ action: /^[\x21-\x7e]+$/.test(action) ? action : '' });
  const lines = (await query).map(({ hash, previous_hash: previous, details, ...line }) => ({
    ...line,
    details: JSON.parse(details) as unknown,
    previous_hash: previous.toString('hex'),
    hash: hash.toString('hex'),
  }));
  const clock = clockOf(config.timezone);
  const rows = lines.map((line) => [
    line.seq,
    clock(line.at),
    line.acted_by,
    line.action,
    `${line.subject_kind} ${line.subject_id}`,
    line.hash.slice(0, 12),
  ]);
  return {
    json: { lines },
    text:
      lines.length === 0
        ? 'Nothing was done yet.'
        : table(['line', 'when', 'by', 'action', 'about', 'hash'], rows),
  };
}
