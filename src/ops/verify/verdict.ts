/** What the last look at the books found, whoever looked: kept for those who raise the alarm. */
import type { Log } from '../../domain/log';
import type { Rails } from '../../payments/rail/context';
import type { Database } from '../../store/database';
import { sealAndTell } from '../daily-seal';
import { proveNews, type ProofReport } from './prove';
import type { VerifyReport } from './verify';

export interface Verdict {
  promisesBroken: number;
  /** Undefined while nobody has looked. */
  lookedAt?: Date;
}

const brokenOf = ({ checks }: Pick<VerifyReport, 'checks'>) =>
  checks.filter(({ violations }) => violations.length > 0);

/**
 * Once something was found, only a look at everything since then takes it back: the news may not tell of it.
 * @throws what the database throws, also where the account may only read.
 */
export async function noteVerdict(db: Database, report: Pick<ProofReport, 'checks' | 'news'>): Promise<void> {
  const verdict = db('verdicts').where({ id: 1 });
  const broken = brokenOf(report).length;
  const { news } = report;
  const told = broken > 0 || !news ? verdict : verdict.where('looked_at', '<', new Date(news.full_at));
  await told.update({ promises_broken: broken });
  await db('verdicts')
    .where({ id: 1 })
    .update({ looked_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
}

export async function findVerdict(db: Database): Promise<Verdict> {
  const row = await db('verdicts').where({ id: 1 }).first();
  const { looked_at: lookedAt = null, promises_broken: promisesBroken = 0 } = row ?? {};
  return { promisesBroken, ...(lookedAt !== null && { lookedAt }) };
}

/**
 * What a worker does once a night: looks at the news, and says what is broken. Where no proof stands, as in the first
 * night, after a migration or a new release, or once something was found, it looks at everything.
 * It seals first: after a pause of days, what is due since is late and not broken.
 * @param signal ends the look, which may take minutes, and throws.
 */
export async function verifyTonight(
  db: Database,
  rails: Rails,
  log: Log,
  signal?: AbortSignal,
): Promise<void> {
  await sealAndTell(db, log, () => signal?.aborted !== true);
  const report = await proveNews(db, rails, signal && { signal });
  await noteVerdict(db, report);
  const { took_ms, news, because } = report;
  const seen = { took_ms, looked_at: news?.looked_at, because };
  if (report.clean) {
    log.info('the books are verified: every promise is kept', seen);
    return;
  }
  const broken = brokenOf(report).map(({ id, violations }) => ({ id, violations: violations.length }));
  log.error('PROMISES ARE BROKEN: see malipo verify', { ...seen, broken });
}
