import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { DateTime } from 'luxon';
import { isDay } from '../ledger/utc-days';
import type { Rail } from '../payments/rail/rail';
import { compare, reconcile, type Period } from '../reconciliation/reconcile';
import type { KeptStatement } from '../reconciliation/keep-statement';
import { reportOn } from '../reconciliation/report';
import { StatementError, type DateOrder, type StatementFormat } from '../reconciliation/statement';
import { bringStatement } from '../reconciliation/statement-source';
import { oneOf } from './parse';
import { asCsv, asJson, asText, type Brought } from './reconciliation-text';
import { Refusal, UsageError, textOf } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { clockOf } from './wall-clock';

/** A month of a busy account has some tens of megabytes. */
const fileSizeMax = 64 * 1024 * 1024;
const dayMs = 86_400_000;

export function reconcileCommand(program: Command, run: Runner): void {
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
    .option('--csv', 'answer with the lines that are not agreed, as CSV')
    .action(run(reconciliation));
}

interface Options {
  from: string;
  to: string;
  statement?: string;
  kept?: true;
  dateOrder?: DateOrder;
  csv?: true;
}

async function reconciliation(session: Session, railName: string, options: Options): Promise<Report> {
  const { context, config } = session;
  if (options.kept && options.statement !== undefined)
    throw new UsageError('--kept and --statement do not go together.');
  const { format, source } = statementsOf(session, railName);
  const period = periodOf(options, config.timezone);
  const isBrought = options.statement !== undefined || options.kept;
  const brought: Brought = isBrought
    ? { kept: await reconcileWith(session, format, period, options) }
    : await fetchAndCompare(session, railName, { format, source }, period);
  const report = await reportOn(context.db, format, period);
  const clock = clockOf(config.timezone);
  return {
    json: asJson(report, format.provider, period, brought),
    text: options.csv ? asCsv(report) : asText(report, brought, clock),
    ok: report.isExplained,
  };
}

interface Statements {
  format: StatementFormat;
  source: Rail['statementSource'];
}

function statementsOf({ context }: Session, railName: string): Statements {
  const known = context.rails.all.filter(({ statement }) => statement);
  const rail = known.find(({ name }) => name === railName);
  if (rail?.statement) return { format: rail.statement, source: rail.statementSource };
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

/** Where nothing can be fetched, what was brought before is compared. */
async function fetchAndCompare(
  { context: { db }, config }: Session,
  railName: string,
  { format, source }: Statements,
  period: Period,
): Promise<Brought> {
  if (!source || 'missing' in source) {
    await compare(db, format, period);
    return { missing: source?.missing ?? 'bring its statement with --statement' };
  }
  const asked = upToNow(period, config);
  const brought = await bringStatement(db, format, source, asked, {
    alive: () => undefined,
    signal: new AbortController().signal,
  });
  if (brought.kind !== 'kept')
    throw new Refusal(
      `The statement of ${railName} was not fetched, and nothing was kept: ${brought.text}. ` +
        (brought.kind === 'unavailable' ? 'Try again later, or bring' : 'Bring') +
        ' a file with --statement.',
    );
  await compare(db, format, period, brought.statement.statementId);
  const { from: begins } = brought.covers;
  return { kept: brought.statement, ...(begins > asked.from && { begins }) };
}

/** Nobody has a statement of what is to come; the sandbox's own clock may be ahead of ours. */
function upToNow({ from, to }: Period, { environment }: Session['config']): Period {
  const now = new Date();
  if (environment === 'sandbox' || to <= now) return { from, to };
  if (from < now) return { from, to: now };
  throw new UsageError('--from must be in the past.');
}

async function reconcileWith(
  { context, sent, config }: Session,
  format: StatementFormat,
  period: Period,
  { statement: name, dateOrder }: Options,
): Promise<KeptStatement | undefined> {
  if (name === undefined) return reconcile(context.db, format, period);
  const content = sent?.name === name ? sent.content : await contentOf(name);
  try {
    // The sandbox's own clock may be ahead of ours.
    const latest = config.environment === 'sandbox' ? {} : { latest: new Date(Date.now() + dayMs) };
    return await reconcile(context.db, format, period, { name, content, dateOrder, ...latest });
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
