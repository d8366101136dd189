/** What is said of the callbacks of each kind of payment of an account, and since when. */
import type { Database, Transaction } from '../../../store/database';
import type { CallbackHealthRow, CallbackSource } from '../../../store/tables';
import { keyOf, noCounts, type Counts } from './counts';
import type { Sample } from './samples';
import { follow, judge, type CallbackVerdict, type Run } from './verdict';

export async function findHealth(db: Database | Transaction): Promise<CallbackHealthRow[]> {
  return db('callback_health').orderBy(['rail', 'account', 'kind']);
}

export async function writeHealth(trx: Transaction, rows: CallbackHealthRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx('callback_health').insert(rows).onConflict(['rail', 'account', 'kind']).merge();
}

/** @returns what is said after each of them, in their order, of those that any of them is about. */
export function followSamples(known: CallbackHealthRow[], samples: Sample[]): CallbackHealthRow[] {
  const before = new Map(known.map((row) => [keyOf(row), row]));
  const after = new Map<string, CallbackHealthRow>();
  for (const sample of samples) {
    const key = keyOf(sample.source);
    const row = after.get(key) ?? before.get(key) ?? newRow(sample.source);
    after.set(key, afterSample(row, sample));
  }
  return [...after.values()];
}

function newRow(source: CallbackSource): CallbackHealthRow {
  return {
    ...source,
    verdict: 'unknown',
    since: new Date(),
    missed_in_a_row: 0,
    come_in_a_row: 0,
    expected: '0',
    come: '0',
    expected_at: null,
    come_at: null,
  };
}

function afterSample(row: CallbackHealthRow, { endedAt, lagMs }: Sample): CallbackHealthRow {
  const hasCome = lagMs !== undefined;
  const { missedInARow, comeInARow, isStopped } = follow(runOf(row), hasCome);
  const wasStopped = row.verdict === 'stopped';
  // What else it is than stopped takes more than one payment to say: it is judged a moment later.
  const verdict = isStopped ? 'stopped' : wasStopped ? 'late' : row.verdict;
  return {
    ...turned(row, verdict),
    missed_in_a_row: missedInARow,
    come_in_a_row: comeInARow,
    expected: String(BigInt(row.expected) + 1n),
    come: String(BigInt(row.come) + (hasCome ? 1n : 0n)),
    expected_at: endedAt,
    come_at: hasCome ? endedAt : row.come_at,
  };
}

/** @returns the same row where nothing else is said of it now. */
export function judgeAnew(
  row: CallbackHealthRow,
  recent: Map<string, Counts>,
  timeScale: number,
): CallbackHealthRow {
  const verdict = judge({
    before: row.verdict,
    run: runOf(row),
    recent: recent.get(keyOf(row)) ?? noCounts,
    quietMs: (Date.now() - (row.expected_at?.getTime() ?? 0)) * timeScale,
  });
  return turned(row, verdict);
}

function runOf({
  missed_in_a_row: missedInARow,
  come_in_a_row: comeInARow,
  verdict,
}: CallbackHealthRow): Run {
  return { missedInARow, comeInARow, isStopped: verdict === 'stopped' };
}

function turned(row: CallbackHealthRow, verdict: CallbackVerdict): CallbackHealthRow {
  return verdict === row.verdict ? row : { ...row, verdict, since: new Date() };
}
