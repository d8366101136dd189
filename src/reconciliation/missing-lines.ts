import type { Currency } from '../domain/money';
import { settledStates } from '../domain/payment';
import type { Database } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { PaymentRow, ProviderStatementRow } from '../store/tables';
import { matchedOutcomes } from './outcomes';
import { lineKindOf, type StatementFormat } from './statement';
import { withProviderLock } from './provider-lock';
import { unjudgedLines } from './keep-statement';
import { isNameless } from './without-receipt';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The tolerance between the two clocks and the statement's period. */
const marginMs = 15 * minuteMs;
/** We learn of a success at most this long after it happened, with very few exceptions. */
const learntWithinMs = dayMs;

interface Candidate extends Pick<
  PaymentRow,
  'payment_id' | 'kind' | 'created_at' | 'provider_reference' | 'provider_receipt'
> {
  currency: Currency;
  minor: string;
  settled_at: Date;
}

/**
 * Finds payments that our books settled in the period and that no statement has. A payment counts only if stored statements
 * cover its whole time. A payment that a later statement has is removed from the list.
 */
export async function noteMissingLines(
  db: Database,
  format: StatementFormat,
  { from, to }: { from: Date; to: Date },
): Promise<void> {
  const { provider } = format;
  await withProviderLock(db, provider, async (trx) => {
    const statements = await touching(trx, provider, {
      from: back(from, learntWithinMs + dayMs + marginMs),
      to: back(to, -marginMs),
    });
    const missing: Candidate[] = [];
    for (const of of format.payments)
      missing.push(...(await unreported(trx, provider, of, { from: back(from, dayMs), to })));
    const currencies = new Set(missing.map(({ currency }) => currency));
    const covered = new Map([...currencies].map((one) => [one, coveredTimes(statements, one)]));
    const reportable = missing.filter((candidate) =>
      isCovered(covered.get(candidate.currency) ?? [], candidate),
    );
    await keep(trx, format, reportable);
    await forgetReported(trx, provider);
  });
}

/** @returns the creation time of the oldest payment that was settled in the period and has no line yet. */
export async function earliestUnreported(
  db: Database,
  { provider, payments }: StatementFormat,
  period: { from: Date; to: Date },
  begunAfter: Date,
): Promise<Date | undefined> {
  const found: Date[] = [];
  for (const of of payments)
    for (const { created_at: begun } of await unreported(db, provider, of, period))
      if (begun >= begunAfter) found.push(begun);
  return found.sort((a, b) => a.getTime() - b.getTime())[0];
}

const back = (moment: Date, ms: number): Date => new Date(moment.getTime() - ms);

/** Settled payments without a line, in the order of their settlement. */
async function unreported(
  db: Database,
  provider: string,
  of: StatementFormat['payments'][number],
  { from, to }: { from: Date; to: Date },
): Promise<Candidate[]> {
  const only = of.provider === undefined ? '' : 'AND p.provider = ?';
  const marks = (words: readonly string[]) => words.map(() => '?').join(', ');
  const kinds = Object.entries(lineKindOf).map(([kind, line]) => `WHEN '${kind}' THEN '${line}'`);
  const [rows] = (await db.raw(
    `SELECT * FROM (
       SELECT p.payment_id, p.kind, p.created_at, p.instructed_currency AS currency, p.confirmed_minor AS minor,
              p.provider_reference, p.provider_receipt,
              (SELECT MIN(g.at) FROM payment_log g
               WHERE g.payment_id = p.payment_id AND g.to_state = 'succeeded') AS settled_at
       FROM payments p
       WHERE p.is_final = 1 AND p.updated_at >= ? AND p.created_at < ? AND p.rail = ? ${only}
         AND p.state IN (${marks(settledStates)})
         AND NOT EXISTS (
           SELECT 1 FROM reconciliation_results r
           WHERE r.payment_id = p.payment_id AND r.provider = ? AND r.line_id IS NOT NULL
             AND r.kind = CASE p.kind ${kinds.join(' ')} END
             AND r.outcome IN (${marks(matchedOutcomes)}))
     ) untold
     WHERE settled_at >= ? AND settled_at < ?
     ORDER BY settled_at, payment_id`,
    [from, to, of.rail, ...(of.provider === undefined ? [] : [of.provider])].concat([
      ...settledStates,
      provider,
      ...matchedOutcomes,
      from,
      to,
    ] as never[]) as never[],
  )) as unknown as [Candidate[]];
  return rows;
}

/** True if stored statements of its currency cover the whole time of the payment. */
function isCovered(
  covered: readonly CoveredMs[],
  { created_at: created, settled_at: settled }: Candidate,
): boolean {
  const earliest = Math.max(created.getTime(), settled.getTime() - learntWithinMs) - marginMs;
  const latest = settled.getTime() + marginMs;
  return covered.some(([begins, ends]) => begins <= earliest && latest <= ends);
}

/** A line may belong to the payment, but with an id that we do not know. */
const noLineNamesIt = 'it has no receipt, so no line can name it; a line without a payment may belong to it';

async function keep(db: Database, format: StatementFormat, missing: readonly Candidate[]): Promise<void> {
  const rows = missing.map((payment) => ({
    subject: `payment:${payment.payment_id}`,
    provider: format.provider,
    outcome: 'ours_only',
    kind: lineKindOf[payment.kind],
    line_id: null,
    payment_id: payment.payment_id,
    currency: payment.currency,
    amount_minor: payment.minor,
    ours_minor: payment.minor,
    occurred_at: payment.settled_at,
    note:
      format.oursIs === undefined && isNameless(format, payment)
        ? noLineNamesIt
        : 'no statement of that time has it',
    decided_at: new Date(),
  }));
  for (const some of inChunks(rows))
    await db('reconciliation_results').insert(some).onConflict('subject').merge(['note']);
}

/** Removes payments that have a line by now, of any statement. */
async function forgetReported(db: Database, provider: string): Promise<void> {
  const reported = await db('reconciliation_results as missing')
    .join('reconciliation_results as line', 'line.payment_id', 'missing.payment_id')
    .where({ 'missing.provider': provider, 'missing.outcome': 'ours_only' })
    .whereNotNull('line.line_id')
    .whereIn('line.outcome', ['agreed', 'amount_differs'])
    .whereRaw('line.kind = missing.kind')
    .pluck('missing.subject');
  for (const some of inChunks(reported as string[]))
    await db('reconciliation_results').whereIn('subject', some).delete();
}

type CoveredMs = [fromMs: number, toMs: number];

/**
 * The times that statements cover for a currency, with adjoining ones joined.
 * @param statements sorted by their start times.
 */
function coveredTimes(statements: readonly ProviderStatementRow[], currency: Currency): CoveredMs[] {
  const ofCurrency = statements.filter(
    ({ covers_currencies: only }) => only === null || only.split(',').includes(currency),
  );
  return joined(ofCurrency.map(({ covers_from: from, covers_to: to }) => [from.getTime(), to.getTime()]));
}

const touching = (db: Database, provider: string, { from, to }: { from: Date; to: Date }) =>
  db('provider_statements')
    .where({ provider, withdrawn_no: 0 })
    .where('covers_to', '>', from)
    .where('covers_from', '<', to)
    .orderBy('covers_from');

/** @param sorted by their start times. */
function joined(sorted: CoveredMs[]): CoveredMs[] {
  const periods: CoveredMs[] = [];
  for (const [begins, ends] of sorted) {
    const last = periods.at(-1);
    if (last && begins <= last[1]) last[1] = Math.max(last[1], ends);
    else periods.push([begins, ends]);
  }
  return periods;
}

/**
 * Whether statements that were stored since a given time cover a whole period, and all of their lines are compared. A statement
 * covers at most the time until it was stored, whatever its period is. The file of one wallet does not count, because nobody
 * knows which other wallets paid in that time.
 */
export async function isReported(
  db: Database,
  provider: string,
  period: { from: Date; to: Date },
  { since }: { since: Date },
): Promise<boolean> {
  const brought = await touching(db, provider, period)
    .where('stored_at', '>=', since)
    .whereNull('covers_currencies');
  const covered = joined(
    brought.map(({ covers_from: from, covers_to: to, stored_at: at }) => [
      from.getTime(),
      Math.min(to.getTime(), at.getTime()),
    ]),
  );
  if (!covered.some(([begins, ends]) => begins <= period.from.getTime() && period.to.getTime() <= ends))
    return false;
  // This query comes last. A statement commits together with its lines, so all lines of the counted statements are visible.
  return (await unjudgedLines(db, provider)).length === 0;
}
