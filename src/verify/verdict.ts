/** What the last look at the books found, whoever looked: kept for those who raise the alarm. */
import type { Knex } from 'knex';
import type { Log } from '../domain/log';
import type { Verification } from '../domain/recurring-jobs';
import type { Rails } from '../rail-kit/context';
import type { Database } from '../store/database';
import { sealAndTell } from '../worker/daily-digest';
import { proveNews, type ProofReport } from './run-checks';
import type { VerifyReport } from './verify';

export interface Verdict {
  promisesBroken: number;
  /** Undefined while nobody has looked. */
  lookedAt?: Date;
}

const brokenOf = ({ checks }: Pick<VerifyReport, 'checks'>) =>
  checks.filter(({ violations }) => violations.length > 0);

/**
 * What a look at everything found, only another one takes back: the news may not tell of it. What was found among the
 * news is taken back by a later look at them from the same proof, which is at all of that again.
 * @throws what the database throws, also where the account may only read.
 */
export async function noteVerdict(db: Database, report: Pick<ProofReport, 'checks' | 'news'>): Promise<void> {
  const broken = brokenOf(report).length;
  const { news } = report;
  if (broken > 0) {
    // In this order: each sees what those before it have set.
    await db.raw(
      `UPDATE verdicts SET found_from = IF(promises_broken = 0 OR found_from = ?, ?, NULL), promises_broken = ?,
              looked_at = UTC_TIMESTAMP(3)
       WHERE id = 1`,
      [news?.from ?? null, news?.from ?? null, broken],
    );
  } else {
    const verdict = db('verdicts').where({ id: 1 });
    await (news ? verdict.where(isAskedAgain(news)) : verdict).update({
      promises_broken: 0,
      found_from: null,
    });
  }
  await db('verdicts')
    .where({ id: 1 })
    .update({ looked_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
}

/** What was found before everything was proved, or by those who went on from the same proof and were done before. */
const isAskedAgain =
  ({ full_at: fullAt, from, began_at: beganAt }: NonNullable<ProofReport['news']>) =>
  (verdict: Knex.QueryBuilder): void => {
    void verdict
      .where('looked_at', '<', new Date(fullAt))
      .orWhereRaw('(found_from = ? AND looked_at <= ?)', [from, new Date(beganAt)]);
  };

export async function findVerdict(db: Database): Promise<Verdict> {
  const row = await db('verdicts').where({ id: 1 }).first();
  const { looked_at: lookedAt = null, promises_broken: promisesBroken = 0 } = row ?? {};
  return { promisesBroken, ...(lookedAt !== null && { lookedAt }) };
}

/**
 * What a worker does each night: looks at the news, and says what is broken. Where no proof stands, as in the first
 * night, after a migration or a new release, or once something was found, it looks at everything.
 * It seals first: after a pause of days, what is due since is late and not broken.
 * @param signal ends the look, which may take minutes, and throws.
 */
export async function verifyTonight(
  db: Database,
  rails: Rails,
  log: Log,
  signal?: AbortSignal,
): Promise<Verification> {
  await sealAndTell(db, log, () => signal?.aborted !== true);
  const report = await proveNews(db, rails, signal && { signal });
  await noteVerdict(db, report);
  const { took_ms, news, because } = report;
  const seen = { took_ms, looked_at: news?.looked_at, because };
  const broken = brokenOf(report).map(({ id, violations }) => ({ id, violations: violations.length }));
  if (broken.length === 0) log.info('the books are verified: every promise is kept', seen);
  else log.error('PROMISES ARE BROKEN: see malipo verify', { ...seen, broken });
  return {
    broken: broken.map(({ id: check, violations }) => ({ check, violations })),
    tookMs: took_ms,
    ...(because !== undefined && { because }),
  };
}
