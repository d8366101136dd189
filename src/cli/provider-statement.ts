/** The providers' statements that were brought, and taking one back. */
import type { Command } from 'commander';
import { readWholeNumber, readWords } from '../operator-actions/read';
import type { WithdrawnStatement } from '../operator-actions/statements';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

export function providerStatementCommands(program: Command, { run, act }: Running): void {
  const statement = program
    .command('provider-statement')
    .description('the statements of providers that were brought or fetched');
  statement
    .command('list')
    .description('the newest first, with those that were withdrawn')
    .option('--limit <n>', 'at most so many', readWholeNumber, 100)
    .action(run(list));
  act(
    statement
      .command('withdraw <statement_id>')
      .description('take back one that was brought by mistake; what was booked for it is booked back')
      .requiredOption('--reason <reason>', 'why, for those who read it later', readWords('The reason')),
    {
      kind: 'provider-statement.withdraw',
      input: (_: Session, statementId: string, { reason }: { reason: string }) => ({
        statement_id: statementId,
        reason,
      }),
      print: printWithdrawn,
    },
  );
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

function printWithdrawn(_: Session, withdrawn: WithdrawnStatement): Report {
  const { statement_id: id, lines, stay } = withdrawn;
  return {
    json: withdrawn,
    text: [
      `Statement ${id} is withdrawn: ${count(lines, 'line')} of it count no more.`,
      ...(stay > 0 ? [`${count(stay, 'line')} stay: a person has decided about their money.`] : []),
      'Bring the right one with malipo reconcile.',
    ].join('\n'),
  };
}
