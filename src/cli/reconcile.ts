import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { inOneLine } from '../domain/controls';
import { csvField } from '../domain/csv-field';
import { formatAmount, type Currency } from '../domain/money';
import { ActionError, InputError, textOf } from '../operator-actions/errors';
import { oneOf } from '../operator-actions/read';
import type { Reconciled, Brought } from '../operator-actions/statements';
import type { KeptStatement } from '../reconciliation/keep-statement';
import { outcomeNames } from '../reconciliation/outcomes';
import type { Period } from '../reconciliation/reconcile';
import type { Item, ReconciliationReport } from '../reconciliation/report';
import type { RuleSum } from '../reconciliation/rule-sums';
import type { DateOrder } from '../reconciliation/statement';
import type { Report, Running } from './report';
import type { Session } from './session';
import { clockOf, count, table } from './table';

/** The statement of a busy account for one month has some tens of megabytes. */
const fileSizeMax = 64 * 1024 * 1024;

export function reconcileCommand(program: Command, { act }: Running): void {
  act(
    program
      .command('reconcile <rail>')
      .description("compare the provider's statement with our books, line by line")
      .requiredOption('--from <day>', 'the first day of the statement, or a time in ISO 8601')
      .requiredOption('--to <day>', 'the last day of the statement, or its end as a time in ISO 8601')
      .option(
        '--statement <file>',
        "the provider's export; without it, Malipo fetches the statement if the provider has an API",
      )
      .option('--kept', 'compare only the stored statements, and fetch nothing')
      .option(
        '--date-order <order>',
        'dmy or mdy, if the dates of the file can be read both ways',
        oneOf<DateOrder>(['dmy', 'mdy'], 'The order of dates'),
      )
      .option('--csv', 'print the lines that are not agreed, as CSV'),
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
    if (size > fileSizeMax)
      throw new ActionError(`${name} is larger than ${fileSizeMax / (1024 * 1024)} MiB: upload it in parts.`);
    return await readFile(name);
  } catch (error) {
    if (error instanceof ActionError) throw error;
    throw new ActionError(`${name} cannot be opened: ${textOf(error)}`);
  }
}

// The result of a reconciliation as text, JSON and CSV.

const shown = (minor: bigint | string, currency: Currency) => formatAmount(BigInt(minor), currency);

/** The text shows at most this many lines; `--csv` and `--json` have all. */
const shownMax = 200;

function asText(
  { sums, feesMinor, rules, items, isExplained }: ReconciliationReport,
  { kept, begins, missing }: Brought,
  clock: (at: Date | null) => string,
): string {
  const rows = outcomeNames.flatMap((outcome) =>
    sums
      .filter((sum) => sum.outcome === outcome)
      .map(({ count: n, amountMinor, currency }) => [
        words(outcome),
        n,
        `${shown(amountMinor, currency)} ${currency}`,
      ]),
  );
  const fees = feesMinor
    .filter(({ amountMinor }) => amountMinor !== 0n)
    .map(
      ({ amountMinor, currency }) =>
        `Fees that the provider kept of these payments: ${shown(amountMinor, currency)} ${currency}.`,
    );
  const lines = items
    .slice(0, shownMax)
    .map(({ result, line }) => [
      clock(result.occurred_at),
      words(result.outcome),
      result.kind,
      `${shown(result.amount_minor, result.currency)} ${result.currency}`,
      line?.provider_reference ?? '',
      result.payment_id ?? '',
      result.note,
    ]);
  const head = ['when', 'outcome', 'kind', 'amount', "provider's id", 'payment', 'reason'];
  return [
    ...(missing === undefined ? [] : [`Nothing was fetched: ${missing}.`]),
    ...(kept ? [statementText(kept)] : []),
    ...(begins
      ? [`The statement begins at ${clock(begins)}. For the time before, upload a file with --statement.`]
      : []),
    rows.length === 0
      ? 'There is no line and no payment in that period.'
      : table(['outcome', 'lines', 'amount'], rows),
    ...fees,
    ...(rules.length === 0 ? [] : [table(['explained by', 'day (UTC)', 'lines', 'amount'], ruleRows(rules))]),
    ...(lines.length === 0 ? [] : [table(head, lines)]),
    ...(items.length > shownMax ? [`And ${items.length - shownMax} more; --csv lists them.`] : []),
    ...items.slice(0, shownMax).flatMap(ownersOf),
    isExplained ? 'Everything is explained.' : `NOT everything is explained. Unexplained: ${leftOf(items)}.`,
  ].join('\n\n');
}

const ruleRows = (rules: readonly RuleSum[]) =>
  rules.map(({ rule, day, count: n, amountMinor, currency }) => [
    rule,
    day,
    n,
    `${shown(amountMinor, currency)} ${currency}`,
  ]);

/** `2 of 240.00 KES, 1 of 10.00 USD`. */
function leftOf(items: readonly Item[]): string {
  const left = items.filter((item) => !item.isExplained).map(({ result }) => result);
  const currencies = [...new Set(left.map(({ currency }) => currency))];
  return currencies
    .map((currency) => {
      const of = left.filter((result) => result.currency === currency);
      const minor = of.reduce((sum, { amount_minor: amount }) => sum + BigInt(amount), 0n);
      return `${of.length} of ${shown(minor, currency)} ${currency}`;
    })
    .join(', ');
}

const words = (outcome: string): string => outcome.replaceAll('_', ' ');

function statementText({ lines, isKnown }: KeptStatement): string {
  return isKnown
    ? `This file was stored before, with ${count(lines, 'line')}; nothing was stored again.`
    : `Stored ${count(lines, 'line')} of the statement.`;
}

function ownersOf({ line, owners }: Item): string[] {
  if (!line || owners.length === 0) return [];
  const likely = owners.map(
    ({ payment_id: id, state, amount, currency, because }) =>
      `  ${id} (${state}, ${amount} ${currency}): ${because.join(', ')}`,
  );
  return [[`${inOneLine(line.provider_reference)} may belong to`, ...likely].join('\n')];
}

function asJson(
  { sums, feesMinor, rules, items, isExplained, unexplained }: ReconciliationReport,
  provider: string,
  { from, to }: Period,
  { kept, begins, missing }: Brought,
): unknown {
  return {
    provider,
    from,
    to,
    ...(kept && {
      statement: { statement_id: kept.statementId, lines: kept.lines, known_before: kept.isKnown },
    }),
    ...(begins && { fetched_from: begins }),
    ...(missing !== undefined && { not_fetched: missing }),
    explained: isExplained,
    unexplained,
    sums: sums.map(({ outcome, count: n, amountMinor, currency }) => ({
      outcome,
      lines: n,
      amount: shown(amountMinor, currency),
      currency,
    })),
    fees: feesMinor.map(({ amountMinor, currency }) => ({ amount: shown(amountMinor, currency), currency })),
    rules: rules.map(({ rule, day, count: n, amountMinor, currency }) => ({
      rule,
      day,
      lines: n,
      amount: shown(amountMinor, currency),
      currency,
    })),
    items: items.map((item) => ({
      ...fieldsOf(item),
      explained: item.isExplained,
      receipt_id: item.unmatched?.receipt_id ?? null,
      likely_owners: item.owners,
    })),
  };
}

function asCsv({ items }: ReconciliationReport): string {
  const names = [
    ...(['occurred_at', 'outcome', 'kind', 'amount', 'currency', 'ours', 'provider_reference'] as const),
    ...(['our_reference', 'phone', 'payment_id', 'line', 'note'] as const),
  ];
  const rows = items
    .map(fieldsOf)
    .map((fields) =>
      names.map((name) => csvField(String(fields[name] ?? ''), name === 'amount' || name === 'ours')),
    );
  return [names.join(','), ...rows.map((row) => row.join(','))].join('\r\n');
}

function fieldsOf({ result, line }: Item) {
  return {
    occurred_at: result.occurred_at.toISOString(),
    outcome: result.outcome,
    kind: result.kind,
    amount: shown(result.amount_minor, result.currency),
    currency: result.currency,
    ours: result.ours_minor === null ? null : shown(result.ours_minor, result.currency),
    provider_reference: line?.provider_reference ?? null,
    our_reference: line?.our_reference ?? null,
    phone: line?.phone ?? null,
    payment_id: result.payment_id,
    line: line?.n ?? null,
    note: result.note,
  };
}
