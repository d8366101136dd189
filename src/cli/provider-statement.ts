/** Commands that list and withdraw the stored statements of providers. */
import type { Command } from 'commander';
import { readWholeNumber, readWords } from '../operator-actions/read';
import type { WithdrawnStatement } from '../operator-actions/statements';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

export function providerStatementCommands(program: Command, { run, act }: Running): void {
  const statement = program
    .command('provider-statement')
    .description('uploaded and fetched statements of providers');
  statement
    .command('list')
    .description('list the stored statements, newest first, also withdrawn ones')
    .option('--limit <n>', 'show at most this many', readWholeNumber, 100)
    .action(run(list));
  act(
    statement
      .command('withdraw <statement_id>')
      .description('withdraw a statement that was uploaded by mistake; its bookings are reversed')
      .requiredOption('--reason <reason>', 'the reason, for later readers', readWords('The reason')),
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
        ? 'There is no statement yet.'
        : table(['statement', 'provider', 'file', 'period', 'lines', ''], lines),
  };
}

function printWithdrawn({ config }: Session, withdrawn: WithdrawnStatement): Report {
  const { statement_id: id, lines, stay, compare_again: days } = withdrawn;
  const clock = clockOf(config.timezone);
  return {
    json: withdrawn,
    text: [
      `Statement ${id} is withdrawn: ${count(lines, 'line no longer counts', 'lines no longer count')}.`,
      ...(stay > 0
        ? [`${count(stay, 'line stays', 'lines stay')}: an operator has decided about the money.`]
        : []),
      'Upload the right statement with malipo reconcile.',
      ...(days
        ? [
            `Another run held the provider's lock: compare ${clock(days.from)} to ${clock(days.to)} again with malipo reconcile.`,
          ]
        : []),
    ].join('\n'),
  };
}
