import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { ActionError, InputError, textOf } from '../operator-actions/errors';
import { oneOf } from '../operator-actions/read';
import type { Reconciled } from '../operator-actions/statements';
import type { DateOrder } from '../reconciliation/statement';
import { asCsv, asJson, asText } from './reconciliation-text';
import type { Report, Running } from './report';
import type { Session } from './session';
import { clockOf } from './table';

/** A month of a busy account has some tens of megabytes. */
const fileSizeMax = 64 * 1024 * 1024;

export function reconcileCommand(program: Command, { act }: Running): void {
  act(
    program
      .command('reconcile <rail>')
      .description("compare the provider's statement with our books, line by line")
      .requiredOption('--from <day>', 'the first day that the statement is about, or a moment in ISO 8601')
      .requiredOption('--to <day>', 'its last day, or the moment at which it ends')
      .option(
        '--statement <file>',
        'as the provider exports it; without one it is fetched, where the provider has an API',
      )
      .option('--kept', 'compare with what was brought before, and fetch nothing')
      .option(
        '--date-order <order>',
        'dmy or mdy, where the dates of the file can be read both ways',
        oneOf<DateOrder>(['dmy', 'mdy'], 'The order of dates'),
      )
      .option('--csv', 'answer with the lines that are not agreed, as CSV'),
    { kind: 'reconcile', input: inputOf, print: printReconciled },
  );
}

interface Options {
  from: string;
  to: string;
  statement?: string;
  kept?: true;
  dateOrder?: DateOrder;
  csv?: true;
}

async function inputOf(_: Session, rail: string, { from, to, statement, kept, dateOrder }: Options) {
  if (kept && statement !== undefined) throw new InputError('--kept and --statement do not go together.');
  return {
    ...{ rail, from, to },
    ...(statement !== undefined && { statement: { name: statement, content: await contentOf(statement) } }),
    ...(kept && { kept }),
    ...(dateOrder && { date_order: dateOrder }),
  };
}

function printReconciled(
  { config }: Session,
  { provider, period, brought, report }: Reconciled,
  _: string,
  { csv }: Options,
): Report {
  return {
    json: asJson(report, provider, period, brought),
    text: csv ? asCsv(report) : asText(report, brought, clockOf(config.timezone)),
    ok: report.isExplained,
  };
}

async function contentOf(name: string): Promise<Buffer> {
  try {
    const { size } = await stat(name);
    if (size > fileSizeMax) throw new ActionError(`${name} is too large: bring it in parts.`);
    return await readFile(name);
  } catch (error) {
    if (error instanceof ActionError) throw error;
    throw new ActionError(`${name} cannot be opened: ${textOf(error)}`);
  }
}
