/** How the result of a reconciliation is told. */
import { inOneLine } from '../domain/controls';
import { csvField } from '../domain/csv-field';
import { formatAmount, type Currency } from '../domain/money';
import type { Brought } from '../operator-actions/statements';
import type { KeptStatement } from '../reconciliation/keep-statement';
import { outcomeNames } from '../reconciliation/outcomes';
import type { Period } from '../reconciliation/reconcile';
import type { Item, ReconciliationReport } from '../reconciliation/report';
import type { RuleSum } from '../reconciliation/rule-sums';
import { count, table } from './table';

const shown = (minor: bigint | string, currency: Currency) => formatAmount(BigInt(minor), currency);

/** More lines than this are for `--csv` and `--json`. */
const shownMax = 200;

export function asText(
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
        `Kept as fees of these payments: ${shown(amountMinor, currency)} ${currency}.`,
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
  const head = ['when', 'outcome', 'kind', 'amount', "provider's id", 'payment', 'why'];
  return [
    ...(missing === undefined ? [] : [`Nothing was fetched: ${missing}.`]),
    ...(kept ? [told(kept)] : []),
    ...(begins ? [`It begins at ${clock(begins)}: of the time before, bring a file with --statement.`] : []),
    rows.length === 0 ? 'There is nothing of that time.' : table(['outcome', 'lines', 'amount'], rows),
    ...fees,
    ...(rules.length === 0 ? [] : [table(['explained by', 'day (UTC)', 'lines', 'amount'], ruleRows(rules))]),
    ...(lines.length === 0 ? [] : [table(head, lines)]),
    ...(items.length > shownMax ? [`And ${items.length - shownMax} more; --csv lists them.`] : []),
    ...items.slice(0, shownMax).flatMap(ownersOf),
    isExplained ? 'Everything is explained.' : `NOT everything is explained. Left: ${leftOf(items)}.`,
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

function told({ lines, isKnown }: KeptStatement): string {
  return isKnown
    ? `This very file was kept before, with ${count(lines, 'line')}; nothing of it was kept again.`
    : `Kept ${count(lines, 'line')} of the statement.`;
}

function ownersOf({ line, owners }: Item): string[] {
  if (!line || owners.length === 0) return [];
  const likely = owners.map(
    ({ payment_id: id, state, amount, currency, because }) =>
      `  ${id} (${state}, ${amount} ${currency}): ${because.join(', ')}`,
  );
  return [[`${inOneLine(line.provider_reference)} may belong to`, ...likely].join('\n')];
}

export function asJson(
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
      orphan_id: item.orphan?.orphan_id ?? null,
      likely_owners: item.owners,
    })),
  };
}

export function asCsv({ items }: ReconciliationReport): string {
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
