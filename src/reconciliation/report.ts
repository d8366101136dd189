import type { Currency } from '../domain/money';
import type { Database } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { UnmatchedReceiptRow, ReconciliationResultRow, StatementLineRow } from '../store/tables';
import { likelyOwners, type LikelyOwner } from './unmatched-details';
import { unexplained, withdrawn, type Outcome } from './outcomes';
import type { Period } from './reconcile';
import { sumRules, type RuleSum } from './rule-sums';
import type { StatementFormat } from './statement';

export interface OutcomeSum {
  outcome: Outcome;
  currency: Currency;
  count: number;
  amountMinor: bigint;
}

export interface Item {
  result: ReconciliationResultRow;
  /** Undefined for a payment without a line. */
  line: StatementLineRow | undefined;
  owners: LikelyOwner[];
  /** The unmatched receipt of the line. */
  unmatched: Pick<UnmatchedReceiptRow, 'receipt_id' | 'state'> | undefined;
  /** No operator has to explain it. */
  isExplained: boolean;
}

export interface ReconciliationReport {
  sums: OutcomeSum[];
  /** The fees in the lines of payments. */
  feesMinor: { currency: Currency; amountMinor: bigint }[];
  /** The sums of each rule, by day in UTC. */
  rules: RuleSum[];
  /** Everything that is not agreed, in the order of time. */
  items: Item[];
  /** The number of unexplained lines and payments. */
  unexplained: number;
  /** True if everything is explained. */
  isExplained: boolean;
}

/** The last results of the period's lines, and of our payments without a line. */
export async function reportOn(
  db: Database,
  format: StatementFormat,
  { from, to }: Period,
): Promise<ReconciliationReport> {
  const { provider } = format;
  const ofPeriod = () =>
    db('reconciliation_results as r')
      .where('r.provider', provider)
      .whereNot('r.outcome', withdrawn)
      .where('r.occurred_at', '>=', from)
      .where('r.occurred_at', '<', to);
  const sums = (await ofPeriod()
    .groupBy('r.outcome', 'r.currency')
    .orderBy(['r.outcome', 'r.currency'])
    .select(
      'r.outcome',
      'r.currency',
      db.raw('COUNT(*) AS count'),
      db.raw('CAST(SUM(r.amount_minor) AS CHAR) AS minor'),
    )) as unknown as { outcome: Outcome; currency: Currency; count: string; minor: string }[];
  const fees = (await ofPeriod()
    .join('statement_lines as l', 'l.line_id', 'r.line_id')
    .where('r.outcome', 'agreed')
    .whereNotNull('l.fee_minor')
    .groupBy('r.currency')
    .select('r.currency', db.raw('CAST(SUM(l.fee_minor) AS CHAR) AS minor'))) as unknown as {
    currency: Currency;
    minor: string;
  }[];
  const results: ReconciliationResultRow[] = await ofPeriod()
    .whereNot('r.outcome', 'agreed')
    .orderBy(['r.occurred_at', 'r.subject'])
    .select('r.*');
  const items = await itemsOf(db, format, results);
  const left = items.filter(({ isExplained }) => !isExplained);
  return {
    sums: sums.map(({ outcome, currency, count, minor }) => ({
      outcome,
      currency,
      count: Number(count),
      amountMinor: BigInt(minor),
    })),
    feesMinor: fees.map(({ currency, minor }) => ({ currency, amountMinor: BigInt(minor) })),
    rules: await sumRules(db, provider, { from, to }),
    items,
    unexplained: left.length,
    isExplained: left.length === 0,
  };
}

async function itemsOf(
  db: Database,
  format: StatementFormat,
  results: readonly ReconciliationResultRow[],
): Promise<Item[]> {
  const lines = new Map<string, StatementLineRow>();
  const ids = results.flatMap(({ line_id: id }) => id ?? []);
  for (const some of inChunks(ids))
    for (const line of await db('statement_lines').whereIn('line_id', some)) lines.set(line.line_id, line);
  const unmatchedReceipts = results.flatMap(({ outcome, line_id: id }) =>
    outcome === 'theirs_only' ? (lines.get(id ?? '') ?? []) : [],
  );
  const owners = await likelyOwners(db, format, unmatchedReceipts);
  const kept = await unmatchedOf(db, unmatchedReceipts);
  return results.map((result) => {
    const id = result.line_id ?? '';
    const unmatched = kept.get(id);
    const isLeft = (unexplained as readonly string[]).includes(result.outcome);
    return {
      result,
      line: lines.get(id),
      owners: owners.get(id) ?? [],
      unmatched,
      isExplained: !isLeft || (unmatched !== undefined && unmatched.state !== 'open'),
    };
  });
}

async function unmatchedOf(
  db: Database,
  lines: readonly StatementLineRow[],
): Promise<Map<string, Pick<UnmatchedReceiptRow, 'receipt_id' | 'state'>>> {
  const found = new Map<string, Pick<UnmatchedReceiptRow, 'receipt_id' | 'state'>>();
  for (const some of inChunks(lines)) {
    const ids = some.map(({ line_id: id }) => id);
    const rows = await db('unmatched_receipts')
      .whereIn('line_id', ids)
      .select('line_id', 'receipt_id', 'state');
    for (const { line_id: id, ...unmatched } of rows) found.set(id, unmatched);
  }
  return found;
}
