/** The providers' statements that were brought, and taking one back. */
import type { Command } from 'commander';
import { withdrawStatement } from '../reconciliation/withdraw-statement';
import { readWholeNumber, readWords } from './parse';
import { Refusal } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { count, table } from './table';
import { clockOf } from './wall-clock';

export function providerStatementCommands(program: Command, run: Runner): void {
  const statement = program
    .command('provider-statement')
    .description('the statements of providers that were brought or fetched');
  statement
    .command('list')
    .description('the newest first, with those that were withdrawn')
    .option('--limit <n>', 'at most so many', readWholeNumber, 100)
    .action(run(list));
  statement
    .command('withdraw <statement_id>')
    .description('take back one that was brought by mistake; what was booked for it is booked back')
    .requiredOption('--reason <reason>', 'why, for those who read it later', readWords('The reason'))
    .action(run(withdraw));
}

async function list({ context, config }: Session, { limit }: { limit: number }): Promise<Report> {
  const rows = await context.db('provider_statements').orderBy('statement_id', 'desc').limit(limit);
  const clock = clockOf(config.timezone);
  const shown = rows.map(({ file_hash: hash, withdrawn_no: _, ...row }) => ({
    ...row,
    sha256: hash.toString('hex'),
  }));
  const lines = rows.map((row) => [
    row.statement_id,
    row.provider,
    row.file_name,
    `${clock(row.covers_from)} to ${clock(row.covers_to)}`,
    String(row.line_count),
    row.withdrawn_at === null ? '' : `withdrawn by ${row.withdrawn_by ?? ''}`,
  ]);
  return {
    json: { statements: shown },
    text:
      rows.length === 0
        ? 'No statement was brought yet.'
        : table(['statement', 'provider', 'file', 'of', 'lines', ''], lines),
  };
}

async function withdraw(
  { context, acting }: Session,
  given: string,
  { reason }: { reason: string },
): Promise<Report> {
  const row = await context.db('provider_statements').where({ statement_id: given }).first();
  if (!row) throw new Refusal(`There is no statement ${given}; malipo provider-statement list shows them.`);
  if (row.withdrawn_at !== null) throw new Refusal(`Statement ${given} was withdrawn before.`);
  const format = context.rails.all.find(({ statement }) => statement?.provider === row.provider)?.statement;
  if (!format) throw new Refusal(`No rail here reads statements of ${row.provider}.`);
  const { by, approvedBy } = acting;
  const done = await withdrawStatement(
    context.db,
    format,
    given,
    { by, approvedBy, reason },
    (trx, { lines, stay }) =>
      acting.record(trx, {
        subject: { kind: 'provider_statement', id: given },
        details: { provider: row.provider, lines, stay },
        needs: { kind: 'money' },
      }),
  );
  if (!done) throw new Refusal(`Statement ${given} was withdrawn before.`);
  const stays = `${count(done.stay, 'line')} stay: a person has decided about their money.`;
  return {
    json: { statement_id: given, lines: done.lines, stay: done.stay },
    text: [
      `Statement ${given} is withdrawn: ${count(done.lines, 'line')} of it count no more.`,
      ...(done.stay > 0 ? [stays] : []),
      'Bring the right one with malipo reconcile.',
    ].join('\n'),
  };
}
