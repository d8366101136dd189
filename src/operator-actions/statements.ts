/** Stores providers' statements, compares them with our books, and withdraws them. */
import Joi from 'joi';
import { DateTime } from 'luxon';
import type { AskWorker } from '../domain/provider-questions';
import { isDay } from '../ledger/utc-days';
import type { Rail } from '../rail-kit/rail';
import { readStatement, type KeptStatement } from '../reconciliation/keep-statement';
import { compare, reconcile, type Period } from '../reconciliation/reconcile';
import { reportOn, type ReconciliationReport } from '../reconciliation/report';
import { StatementError, type DateOrder, type StatementFormat } from '../reconciliation/statement';
import { bringStatement, type BroughtStatement } from '../reconciliation/statement-source';
import { withdrawStatement } from '../reconciliation/withdraw-statement';
import { defineAction, type ActionScope, type Change, type Deployment } from './action';
import { ActionError, InputError } from './errors';
import { id, readBy, reason } from './fields';
import { oneOf } from './read';

const dayMs = 86_400_000;

interface ReconcileInput {
  rail: string;
  /** A day in the deployment's zone, or a time in ISO 8601. A day of `to` is included. */
  from: string;
  to: string;
  /** The provider's export. Without it the statement is fetched, if the provider has an API. */
  statement?: { name: string; content: Buffer };
  /** Compares only the stored statements, and fetches nothing. */
  kept?: boolean;
  date_order?: DateOrder;
}

/** The new statement that the books are compared with, in addition to the stored ones. */
export interface Brought {
  kept?: KeptStatement | undefined;
  /** The begin of the provider's data, if it is later than requested. */
  begins?: Date;
  /** Why nothing was fetched. */
  missing?: string;
}

export interface Reconciled {
  provider: string;
  period: Period;
  brought: Brought;
  report: ReconciliationReport;
}

interface WithdrawInput {
  statement_id: string;
  reason: string;
}

export interface WithdrawnStatement {
  statement_id: string;
  /** Lines that no longer count, and lines that stay because an operator has decided about their money. */
  lines: number;
  stay: number;
  /** Days that were not compared again, because another run held the provider's lock. */
  compare_again?: { from: Date; to: Date };
}

export const statementActions = {
  reconcile: defineAction<ReconcileInput, Reconciled>({
    ...{ version: 1, right: 'act', approval: 'never', writes: 'elsewhere' },
    schema: Joi.object<ReconcileInput>({
      rail: id.required(),
      from: Joi.string().max(40).required(),
      to: Joi.string().max(40).required(),
      statement: Joi.object({ name: Joi.string().max(400).required(), content: Joi.binary().required() }),
      kept: Joi.boolean(),
      date_order: readBy(oneOf<DateOrder>(['dmy', 'mdy'], 'The order of dates')),
    }),
    phrase: {
      en: "compare the provider's statement of {rail} with our books, from {from} to {to}",
      sw: 'kulinganisha taarifa ya mtoa huduma ya {rail} na vitabu vyetu, kuanzia {from} hadi {to}',
    },
    subject: ({ rail }) => ({ kind: 'reconcile', id: rail }),
    audited: ({ statement, ...input }) => ({ ...input, ...(statement && { statement: statement.name }) }),
    preview,
    run: reconciliation,
  }),

  'provider-statement.withdraw': defineAction<WithdrawInput, WithdrawnStatement>({
    ...{ version: 1, right: 'act', approval: 'money', writes: 'database' },
    schema: Joi.object<WithdrawInput>({ statement_id: id.required(), reason: reason.required() }),
    phrase: {
      en: 'withdraw the statement {statement_id}, which was uploaded by mistake',
      sw: 'kuondoa taarifa {statement_id}, iliyoletwa kwa makosa',
    },
    run: withdraw,
  }),
};

interface Statements {
  format: StatementFormat;
  source: Rail['statementSource'];
}

function statementsOf({ context }: Pick<Deployment, 'context'>, railName: string): Statements {
  const known = context.rails.all.filter(({ statement }) => statement);
  const rail = known.find(({ name }) => name === railName);
  if (rail?.statement) return { format: rail.statement, source: rail.statementSource };
  const names = known.map(({ name }) => name).join(', ');
  throw new InputError(
    `There are no statements for "${railName}"; rails with statements: ${names || 'none'}.`,
  );
}

/** Days are in the deployment's zone, and the last day is included. */
function periodOf({ from, to }: ReconcileInput, zone: string): Period {
  const begins = momentOf(from, zone);
  const ends = momentOf(to, zone);
  const period = { from: begins.toJSDate(), to: (isDay(to) ? ends.plus({ days: 1 }) : ends).toJSDate() };
  if (period.from < period.to) return period;
  throw new InputError('The last day must not be before the first.');
}

function momentOf(text: string, zone: string): DateTime {
  const moment = DateTime.fromISO(text, { zone });
  const year = moment.isValid ? moment.year : 0;
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && year >= 2000 && year < 2100) return moment;
  throw new InputError(`"${text}" is not a day; write it like 2026-11-30.`);
}

async function reconciliation(scope: ActionScope, input: ReconcileInput): Promise<Reconciled> {
  const { format, source } = statementsOf(scope, input.rail);
  const period = periodOf(input, scope.config.timezone);
  const brought: Brought =
    input.statement !== undefined || input.kept
      ? { kept: await reconcileWith(scope, format, period, input) }
      : await fetchAndCompare(scope, input.rail, { format, source }, period);
  const report = await reportOn(scope.context.db, format, period);
  return { provider: format.provider, period, brought, report };
}

/** If the rail cannot fetch statements, only the stored ones are compared. */
async function fetchAndCompare(
  { context: { db }, config, ask }: ActionScope,
  railName: string,
  { format, source }: Statements,
  period: Period,
): Promise<Brought> {
  if (!source || 'missing' in source) {
    await compare(db, format, period);
    return { missing: source?.missing ?? 'upload its statement as a file' };
  }
  const asked = upToNow(period, config);
  const brought = ask
    ? await askForStatement(ask, railName, asked)
    : await bringStatement(db, format, source, asked, {
        alive: () => undefined,
        signal: new AbortController().signal,
      });
  if (brought.kind !== 'kept')
    throw new ActionError(
      `The statement of ${railName} was not fetched, and nothing was stored: ${brought.text}. ` +
        (brought.kind === 'unavailable' ? 'Try again later, or upload' : 'Upload') +
        ' a file.',
    );
  await compare(db, format, period, brought.statement.statementId);
  const { from: begins } = brought.covers;
  return { kept: brought.statement, ...(begins > asked.from && { begins }) };
}

async function askForStatement(
  ask: AskWorker,
  rail: string,
  { from, to }: Period,
): Promise<BroughtStatement> {
  const question = { kind: 'statement', rail, from: from.toISOString(), to: to.toISOString() } as const;
  const brought = ((await ask(question)) ?? notAnswered) as BroughtStatement;
  if (brought.kind !== 'kept') return brought;
  const { covers } = brought;
  return { ...brought, covers: { from: new Date(covers.from), to: new Date(covers.to) } };
}

const notAnswered = { kind: 'unavailable', text: 'no worker has answered in time' } as const;

/** A statement cannot cover the future. In the sandbox the simulated clock may be ahead of ours. */
function upToNow({ from, to }: Period, { environment }: ActionScope['config']): Period {
  const now = new Date();
  if (environment === 'sandbox' || to <= now) return { from, to };
  if (from < now) return { from, to: now };
  throw new InputError('The first day must be in the past.');
}

/** In the sandbox the simulated clock may be ahead of ours. */
const latestIn = ({ environment }: Deployment['config']) =>
  environment === 'sandbox' ? {} : { latest: new Date(Date.now() + dayMs) };

async function reconcileWith(
  { context, config }: ActionScope,
  format: StatementFormat,
  period: Period,
  { statement, date_order: dateOrder }: ReconcileInput,
): Promise<KeptStatement | undefined> {
  if (statement === undefined) return reconcile(context.db, format, period);
  return readable(statement.name, () =>
    reconcile(context.db, format, period, { ...statement, dateOrder, ...latestIn(config) }),
  );
}

/** @throws ActionError for an unreadable file. */
async function readable<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    throw new ActionError(`${name} cannot be read, and nothing was stored: ${error.message}`);
  }
}

/** Reads the file and stores nothing. */
async function preview(deployment: Deployment, input: ReconcileInput): Promise<Change[]> {
  const { format } = statementsOf(deployment, input.rail);
  const period = periodOf(input, deployment.config.timezone);
  const { statement, date_order: dateOrder } = input;
  // The lines of a fetched statement are only known after the fetch.
  if (!statement)
    return [{ of: { kind: 'provider', id: format.provider }, field: 'asked_at', from: null, to: new Date() }];
  const lines = await readable(statement.name, () =>
    readStatement(format, { ...statement, ...period, dateOrder, ...latestIn(deployment.config) }),
  );
  return [
    {
      of: { kind: 'provider_statement', id: statement.name },
      field: 'lines',
      from: null,
      to: lines.length,
    },
  ];
}

async function withdraw(
  { context, acting }: ActionScope,
  { statement_id: given, reason: why }: WithdrawInput,
): Promise<WithdrawnStatement> {
  const row = await context.db('provider_statements').where({ statement_id: given }).first();
  if (!row) throw new ActionError(`There is no statement ${given}; see malipo provider-statement list.`);
  if (row.withdrawn_at !== null) throw new ActionError(`Statement ${given} is already withdrawn.`);
  const format = formatOf({ context }, row);
  const { by, approvedBy } = acting;
  const done = await withdrawStatement(
    context.db,
    format,
    given,
    { by, approvedBy, reason: why },
    (trx, { lines, stay }) =>
      acting.record(trx, {
        subject: { kind: 'provider_statement', id: given },
        details: { provider: row.provider, lines, stay },
        changes: [
          { of: { kind: 'provider_statement', id: given }, field: 'state', from: 'kept', to: 'withdrawn' },
          { of: { kind: 'provider_statement', id: given }, field: 'lines', from: lines + stay, to: stay },
        ],
      }),
  );
  if (!done) throw new ActionError(`Statement ${given} is already withdrawn.`);
  return {
    ...{ statement_id: given, lines: done.lines, stay: done.stay },
    ...(done.uncompared && { compare_again: done.uncompared }),
  };
}

/** Undefined if no rail of this deployment reads the provider's statements. */
export function findFormat(
  { rails }: Pick<Deployment['context'], 'rails'>,
  provider: string,
): StatementFormat | undefined {
  return rails.all.find(({ statement }) => statement?.provider === provider)?.statement;
}

/** @throws ActionError if no rail of this deployment reads the provider's statements. */
export function formatOf(
  { context }: Pick<Deployment, 'context'>,
  { provider }: { provider: string },
): StatementFormat {
  const format = findFormat(context, provider);
  if (!format) throw new ActionError(`No rail of this deployment reads statements of ${provider}.`);
  return format;
}
