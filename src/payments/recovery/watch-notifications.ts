/**
 * Measures whether notifications arrive, from rows that exist anyway: the log has the ended payments, and the inbox
 * has the notifications about them. One worker at a time continues in the log where the last one stopped, one batch
 * per transaction. The payments' own transactions do no work for it.
 */
import type { Database, Transaction } from '../../store/database';
import type { CallbackHealthRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { countsSince, keepCounts, keyOf } from '../resolve/notifications/counts';
import {
  findHealth,
  followSamples,
  judgeAnew,
  writeHealth,
  type CallbackVerdict,
} from '../resolve/notifications/health';
import { readSamples } from '../resolve/notifications/samples';
import type { PaymentsContext } from '../../rail-kit/context';

/** How long a notification may arrive after its payment has ended. Our own poll is seldom faster by more than that. */
const inTimeMs = 120_000;
/** In the sandbox time runs faster, but a notification still takes some real time. */
const inTimeLeastMs = 2_000;
/** Log rows per transaction, and transactions per run. The next run comes soon. */
const batch = { rows: 500, most: 20 };
/** A worker that is this far behind was down for long: payments that ended then say nothing about the present. */
const behindMost = 200_000n;
/** What "recent" means to the rule for late notifications. */
const recentMs = 1_800_000;
/** One run in this time is enough, however many workers run. */
const everyMs = 4_000;

export interface Watched {
  /** Every kind of payment of every account, with its present verdict. */
  health: CallbackHealthRow[];
  /** Milliseconds since the previous run, by any worker. */
  sinceMs: number;
}

/** @returns undefined where another worker is running it, or ran it a moment ago. */
export async function watchCallbacks(context: PaymentsContext): Promise<Watched | undefined> {
  const { db, timeScale } = context;
  const sinceMs = await claimRound(db, everyMs / timeScale);
  if (sinceMs === undefined) return undefined;
  const before = await findHealth(db);
  for (let done = 0; done < batch.most; done += 1) {
    if ((await inTransaction(db, (trx) => watchSome(trx, context))) === 'done') break;
  }
  const health = await inTransaction(db, (trx) => judgeAll(trx, timeScale));
  logChanges(context, before, health);
  return { health, sinceMs };
}

async function claimRound(db: Database, pauseMs: number): Promise<number | undefined> {
  return inTransaction(db, async (trx) => {
    const [row] = await trx('notification_watch')
      .where({ id: 1 })
      .whereRaw('watched_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND', [Math.round(pauseMs * 1_000)])
      .forUpdate()
      .skipLocked()
      .select({ ago: trx.raw('TIMESTAMPDIFF(MICROSECOND, watched_at, UTC_TIMESTAMP(3)) DIV 1000') });
    if (!row) return undefined;
    await trx('notification_watch')
      .where({ id: 1 })
      .update({ watched_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
    return Number(row.ago);
  });
}

async function watchSome(
  trx: Transaction,
  { rails, timeScale }: Pick<PaymentsContext, 'rails' | 'timeScale'>,
): Promise<'more' | 'done'> {
  // A worker that waited here for another continues where that one stopped.
  const mark = await lockMark(trx);
  const from = await notTooFarBehind(trx, mark);
  const inTime = Math.max(inTimeLeastMs, inTimeMs / timeScale);
  const { lastId, isMore, samples } = await readSamples(trx, rails, {
    from,
    inTimeMs: inTime,
    limit: batch.rows,
  });
  if (lastId === mark) return 'done';
  await trx('notification_watch').where({ id: 1 }).update({ log_id: lastId });
  if (samples.length > 0) {
    await keepCounts(trx, samples, timeScale);
    await writeHealth(trx, followSamples(await findHealth(trx), samples));
  }
  return isMore ? 'more' : 'done';
}

async function lockMark(trx: Transaction): Promise<string> {
  const mark = await trx('notification_watch').where({ id: 1 }).forUpdate().first('log_id');
  return String(mark?.log_id ?? 0);
}

async function notTooFarBehind(trx: Transaction, mark: string): Promise<string> {
  const last = await trx('payment_log').orderBy('log_id', 'desc').first('log_id');
  const newest = BigInt(last?.log_id ?? 0);
  return newest - BigInt(mark) > behindMost ? String(newest - behindMost / 10n) : mark;
}

async function judgeAll(trx: Transaction, timeScale: number): Promise<CallbackHealthRow[]> {
  await lockMark(trx);
  const rows = await findHealth(trx);
  if (rows.length === 0) return rows;
  const recent = await countsSince(trx, new Date(Date.now() - recentMs));
  const judged = rows.map((row) => judgeAnew(row, recent, timeScale));
  await writeHealth(
    trx,
    judged.filter((row, at) => row !== rows[at]),
  );
  return judged;
}

const words: Record<CallbackVerdict, string> = {
  unknown: "too few payments end to judge whether a provider's notifications arrive",
  healthy: 'notifications of a provider arrive',
  late: 'notifications of a provider arrive late, or some are missing',
  stopped: 'notifications of a provider have stopped; the service queries it more often',
};

function logChanges({ log }: PaymentsContext, before: CallbackHealthRow[], now: CallbackHealthRow[]): void {
  const known = new Map(before.map((row) => [keyOf(row), row.verdict]));
  for (const row of now) {
    const { rail, account, kind, verdict } = row;
    if (verdict === (known.get(keyOf(row)) ?? 'unknown')) continue;
    const isBad = verdict === 'stopped' || verdict === 'late';
    log[isBad ? 'warn' : 'info'](words[verdict], { rail, account, kind });
  }
}
