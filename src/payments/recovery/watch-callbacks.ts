/**
 * Counts whether callbacks come, from what is written anyway: the log says which payments have ended, and the inbox what
 * was told of them. One worker at a time goes on in the log from where the last one stopped, a batch in each transaction;
 * the payments themselves pay nothing for it.
 */
import type { Database, Transaction } from '../../store/database';
import type { CallbackHealthRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { countsSince, keepCounts, keyOf } from '../resolve/callbacks/counts';
import {
  findHealth,
  followSamples,
  judgeAnew,
  writeHealth,
  type CallbackVerdict,
} from '../resolve/callbacks/health';
import { readSamples } from '../resolve/callbacks/samples';
import type { PaymentsContext } from '../../rail-kit/context';

/** How long a callback is waited for after its payment has ended: whoever asks is seldom so much faster. */
const inTimeMs = 120_000;
/** In the sandbox, whose time runs faster, a callback takes some time of the wall's all the same. */
const inTimeLeastMs = 2_000;
/** Rows of the log in one transaction. A round is over after so many of them; it repeats soon. */
const batch = { rows: 500, most: 20 };
/** Whoever is so far behind was down for long: what ended then says nothing about now. */
const behindMost = 200_000n;
/** What "recent" is to who judges late ones. */
const recentMs = 1_800_000;
/** However many workers there are, one round in this time is enough. */
const everyMs = 4_000;

export interface Watched {
  /** Every kind of payment of every account, as it is judged now. */
  health: CallbackHealthRow[];
  /** Milliseconds since the round before, whoever did it. */
  sinceMs: number;
}

/** @returns undefined where another worker is at it, or was a moment ago. */
export async function watchCallbacks(context: PaymentsContext): Promise<Watched | undefined> {
  const { db, timeScale } = context;
  const sinceMs = await claimRound(db, everyMs / timeScale);
  if (sinceMs === undefined) return undefined;
  const before = await findHealth(db);
  for (let done = 0; done < batch.most; done += 1) {
    if ((await inTransaction(db, (trx) => watchSome(trx, context))) === 'done') break;
  }
  const health = await inTransaction(db, (trx) => judgeAll(trx, timeScale));
  tellChanges(context, before, health);
  return { health, sinceMs };
}

async function claimRound(db: Database, pauseMs: number): Promise<number | undefined> {
  return inTransaction(db, async (trx) => {
    const [row] = await trx('callback_watch')
      .where({ id: 1 })
      .whereRaw('watched_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND', [Math.round(pauseMs * 1_000)])
      .forUpdate()
      .skipLocked()
      .select({ ago: trx.raw('TIMESTAMPDIFF(MICROSECOND, watched_at, UTC_TIMESTAMP(3)) DIV 1000') });
    if (!row) return undefined;
    await trx('callback_watch')
      .where({ id: 1 })
      .update({ watched_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
    return Number(row.ago);
  });
}

async function watchSome(
  trx: Transaction,
  { rails, timeScale }: Pick<PaymentsContext, 'rails' | 'timeScale'>,
): Promise<'more' | 'done'> {
  // Whoever waits here for another worker goes on from where that one has come to.
  const mark = await lockMark(trx);
  const from = await notTooFarBehind(trx, mark);
  const inTime = Math.max(inTimeLeastMs, inTimeMs / timeScale);
  const { lastId, isMore, samples } = await readSamples(trx, rails, {
    from,
    inTimeMs: inTime,
    limit: batch.rows,
  });
  if (lastId === mark) return 'done';
  await trx('callback_watch').where({ id: 1 }).update({ log_id: lastId });
  if (samples.length > 0) {
    await keepCounts(trx, samples, timeScale);
    await writeHealth(trx, followSamples(await findHealth(trx), samples));
  }
  return isMore ? 'more' : 'done';
}

async function lockMark(trx: Transaction): Promise<string> {
  const mark = await trx('callback_watch').where({ id: 1 }).forUpdate().first('log_id');
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
  unknown: 'too few payments end to tell whether callbacks of a provider come',
  healthy: 'callbacks of a provider come',
  late: 'callbacks of a provider come late, or not all of them',
  stopped: 'callbacks of a provider have stopped: it is asked more often',
};

function tellChanges({ log }: PaymentsContext, before: CallbackHealthRow[], now: CallbackHealthRow[]): void {
  const known = new Map(before.map((row) => [keyOf(row), row.verdict]));
  for (const row of now) {
    const { rail, account, kind, verdict } = row;
    if (verdict === (known.get(keyOf(row)) ?? 'unknown')) continue;
    const isBad = verdict === 'stopped' || verdict === 'late';
    log[isBad ? 'warn' : 'info'](words[verdict], { rail, account, kind });
  }
}
