import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { DateTime } from 'luxon';
import { isDay } from '../../ledger/utc-days';
import { reconcile, type Period } from '../../reconciliation/reconcile';
import type { KeptStatement } from '../../reconciliation/keep-statement';
import { reportOn } from '../../reconciliation/report';
import { StatementError, type DateOrder, type StatementFormat } from '../../reconciliation/statement';
import { oneOf } from './parse';
import { asCsv, asJson, asText } from './reconciliation-text';
import { Refusal, UsageError, textOf } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { clockOf } from './wall-clock';

/** A month of a busy account has some tens of megabytes. */
const fileSizeMax = 64 * 1024 * 1024;

export function reconcileCommand(program: Command, run: Runner): void {
  program
    .command('reconcile <rail>')
    .description("compare the provider's statement with our books, line by line; no money moves")
    .requiredOption('--from <day>', 'the first day that the statement is about, or a moment in ISO 8601')
    .requiredOption('--to <day>', 'its last day, or the moment at which it ends')
    .option('--statement <file>', 'as the provider exports it; without one, what was brought before')
    .option(
      '--date-order <order>',
      'dmy or mdy, where the dates of the file can be read both ways',
      oneOf<DateOrder>(['dmy', 'mdy'], 'The order of dates'),
    )
    .option('--csv', 'answer with the lines that are not agreed, as CSV')
    .action(run(compare));
}

interface Options {
  from: string;
  to: string;
  statement?: string;
  dateOrder?: DateOrder;
  csv?: true;
}

async function compare(session: Session, railName: string, options: Options): Promise<Report> {
  const { context, config } = session;
  const format = formatOf(session, railName);
  const period = periodOf(options, config.timezone);
  const kept = await reconcileWith(session, format, period, options);
  const report = await reportOn(context.db, format, period);
  const clock = clockOf(config.timezone);
  return {
    json: asJson(report, format.provider, period, kept),
    text: options.csv ? asCsv(report) : asText(report, kept, clock),
    ok: report.isExplained,
  };
}

function formatOf({ context }: Session, railName: string): StatementFormat {
  const known = context.rails.all.filter(({ statement }) => statement);
  const rail = known.find(({ name }) => name === railName);
  if (rail?.statement) return rail.statement;
  const names = known.map(({ name }) => name).join(', ');
  throw new UsageError(`No statements are read for "${railName}"; they are for ${names || 'no rail here'}.`);
}

/** A day is a day of the deployment's zone, and the last one is the whole of it. */
function periodOf({ from, to }: Options, zone: string): Period {
  const begins = momentOf(from, zone);
  const ends = momentOf(to, zone);
  const period = { from: begins.toJSDate(), to: (isDay(to) ? ends.plus({ days: 1 }) : ends).toJSDate() };
  if (period.from < period.to) return period;
  throw new UsageError(`--to must not be before --from.`);
}

function momentOf(text: string, zone: string): DateTime {
  const moment = DateTime.fromISO(text, { zone });
  const year = moment.isValid ? moment.year : 0;
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && year >= 2000 && year < 2100) return moment;
  throw new UsageError(`"${text}" is no day; write it like 2026-11-30.`);
}

async function reconcileWith(
  { context }: Session,
  format: StatementFormat,
  period: Period,
  { statement: name, dateOrder }: Options,
): Promise<KeptStatement | undefined> {
  if (name === undefined) return reconcile(context.db, format, period);
  const content = await contentOf(name);
  try {
    return await reconcile(context.db, format, period, { name, content, dateOrder });
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    throw new Refusal(`${name} cannot be read, and nothing of it was kept: ${error.message}`);
  }
}

async function contentOf(name: string): Promise<Buffer> {
  try {
    const { size } = await stat(name);
    if (size > fileSizeMax) throw new Refusal(`${name} is too large: bring it in parts.`);
    return await readFile(name);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${name} cannot be opened: ${textOf(error)}`);
  }
}
