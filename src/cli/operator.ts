import type { Command } from 'commander';
import { oneOf, readWholeNumber, readWords } from '../operator-actions/read';
import { alteredIn } from '../operator-actions/operators';
import { listOperators, roles, type Role } from '../users/operators';
import { inTransaction } from '../store/transaction';
import type { Report, Running } from './report';
import type { Session } from './session';
import { facts, table, clockOf } from './table';

export function operatorCommands(program: Command, { run, act }: Running): void {
  const operator = program.command('operator').description('operators, who can change this deployment');
  act(
    operator
      .command('create <name>')
      .description('add an operator; the token is shown only once')
      .option('--role <role>', roles.join(', '), oneOf(roles, 'The role'), 'operator'),
    {
      kind: 'operator.create',
      input: (_: Session, name: string, { role }: { role: Role }) => ({ name, role }),
      print: (_, created) => printToken(created),
    },
  );
  operator.command('list').description('list all operators, also revoked ones').action(run(list));
  act(operator.command('revoke <name>').description('revoke an operator permanently'), {
    kind: 'operator.revoke',
    input: (_: Session, name: string) => ({ name }),
    print: (_, revoked) => ({ json: revoked, text: `${revoked.name} is revoked.` }),
  });
  act(
    operator
      .command('rotate <name>')
      .description('give an operator a new token, shown only once; the old token ends'),
    {
      kind: 'operator.rotate',
      input: (_: Session, name: string) => ({ name }),
      print: (_, rotated) => printToken(rotated),
    },
  );
  program
    .command('audit')
    .description('list the actions of operators, newest first')
    .option('--by <name>', 'only actions of this operator')
    .option('--action <action>', 'only this kind, such as float.withdraw')
    .option('--limit <n>', 'show at most this many', readWholeNumber, 50)
    .action(run(audit));
  const control = program
    .command('control')
    .description('rows about rights and rules that were changed outside Malipo');
  control
    .command('list')
    .description('list the rows that malipo verify (A2) reports')
    .action(run(listAltered));
  act(
    control
      .command('accept')
      .description('accept all of these rows as they are: after an upgrade, or when you know the cause')
      .requiredOption('--list <name>', 'the name of the list, as malipo control list prints it')
      .requiredOption('--reason <reason>', 'the reason, for later readers', readWords('The reason')),
    {
      kind: 'control.accept',
      input: (_: Session, given: { list: string; reason: string }) => given,
      print: (_, accepted) => ({
        json: accepted,
        text: `Accepted rows: ${String(accepted.rows)}.`,
      }),
    },
  );
}

const handOver =
  'The token is not shown again. Its owner stores it in a file that nobody else can read, and sets ' +
  'MALIPO_OPERATOR_TOKEN_FILE to that file.';

function printToken(shown: { name: string; role?: Role; token: string }): Report {
  return { json: shown, text: `${facts(Object.entries<string>({ ...shown }))}\n\n${handOver}` };
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
        ? 'There is no operator: everyone who has the settings can do everything.'
        : table(['name', 'role', 'added by', 'added', 'state'], rows),
  };
}

/** After an upgrade there may be very many lines. The name of the list and its JSON cover all of them. */
const linesShownMax = 1_000;

async function listAltered({ context }: Session): Promise<Report> {
  const { rows, lines, name } = await inTransaction(context.db, (trx) => alteredIn(trx));
  const shown = [
    ...rows.map((row) => [row.table, row.id, row.found, row.line ?? '']),
    ...lines.slice(0, linesShownMax).map((line) => ['audit_log', line, 'without a key', line]),
  ];
  return {
    json: { list: name, rows, unkeyed_lines: lines },
    text:
      shown.length === 0
        ? 'All rows match the audit log.'
        : `${table(['table', 'row', 'found', 'line'], shown)}\n\nTo accept these: malipo control accept --list ${name}`,
  };
}

interface Filters {
  by?: string;
  action?: string;
  limit: number;
}

async function audit({ context, config }: Session, { by, action, limit }: Filters): Promise<Report> {
  const query = context.db('audit_log').orderBy('seq', 'desc').limit(limit);
  if (by !== undefined) void query.where({ acted_by: by });
  // The column is ASCII; the database refuses to compare it with other characters.
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
        ? 'There is no action yet.'
        : table(['line', 'when', 'by', 'action', 'about', 'hash'], rows),
  };
}
