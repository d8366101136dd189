/** Stores the result of the last run of the checks, for alerts and `malipo doctor`. */
import type { Knex } from 'knex';
import type { Log } from '../domain/log';
import type { Verification } from '../domain/recurring-jobs';
import type { Rails } from '../rail-kit/context';
import type { Database } from '../store/database';
import { writeAndLogDigests } from '../worker/daily-digest';
import { verifyChanges, type VerifyRunReport } from './run-checks';
import type { VerifyReport } from './verify';

export interface Verdict {
  violationCount: number;
  /** Undefined if there was no run yet. */
  checkedAt?: Date;
}

const brokenOf = ({ checks }: Pick<VerifyReport, 'checks'>) =>
  checks.filter(({ violations }) => violations.length > 0);

/**
 * Stores a result. Only a full run can clear the violations of a full run, because later changes may not include them. A run
 * from the same stored state can clear the violations of a run with --changes, because it checks the same changes again.
 * @throws database errors, also for an account that can only read.
 */
export async function noteVerdict(
  db: Database,
  report: Pick<VerifyRunReport, 'checks' | 'changes'>,
): Promise<void> {
  const broken = brokenOf(report).length;
  const { changes } = report;
  if (broken > 0) {
    // The order matters: MySQL evaluates the assignments from left to right.
    await db.raw(
      `UPDATE verify_results SET found_from = IF(violations = 0 OR found_from = ?, ?, NULL), violations = ?,
              checked_at = UTC_TIMESTAMP(3)
       WHERE id = 1`,
      [changes?.from ?? null, changes?.from ?? null, broken],
    );
  } else {
    const verdict = db('verify_results').where({ id: 1 });
    await (changes ? verdict.where(isAskedAgain(changes)) : verdict).update({
      violations: 0,
      found_from: null,
    });
  }
  await db('verify_results')
    .where({ id: 1 })
    .update({ checked_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
}

/** A result from before the last full run, or from an earlier run from the same stored state. */
const isAskedAgain =
  ({ full_at: fullAt, from, began_at: beganAt }: NonNullable<VerifyRunReport['changes']>) =>
  (verdict: Knex.QueryBuilder): void => {
    void verdict
      .where('checked_at', '<', new Date(fullAt))
      .orWhereRaw('(found_from = ? AND checked_at <= ?)', [from, new Date(beganAt)]);
  };

export async function findVerdict(db: Database): Promise<Verdict> {
  const row = await db('verify_results').where({ id: 1 }).first();
  const { checked_at: checkedAt = null, violations: violationCount = 0 } = row ?? {};
  return { violationCount, ...(checkedAt !== null && { checkedAt }) };
}

/**
 * The nightly job of a worker: checks the changes and logs violations. Without a valid stored state (in the first night, after a
 * migration or a new release, or after violations) it checks everything. It first writes due day digests: after a pause of days
 * they are late, but not a violation.
 * @param signal cancels the run, which can take minutes; the function then throws.
 */
export async function verifyTonight(
  db: Database,
  rails: Rails,
  log: Log,
  signal?: AbortSignal,
): Promise<Verification> {
  await writeAndLogDigests(db, log, () => signal?.aborted !== true);
  const report = await verifyChanges(db, rails, signal && { signal });
  await noteVerdict(db, report);
  const { took_ms, changes, because } = report;
  const seen = { took_ms, checked_at: changes?.checked_at, because };
  const broken = brokenOf(report).map(({ id, violations }) => ({ id, violations: violations.length }));
  if (broken.length === 0) log.info('the books are verified: all checks passed', seen);
  else log.error('CHECKS OF THE BOOKS FAILED: see malipo verify', { ...seen, broken });
  return {
    broken: broken.map(({ id: check, violations }) => ({ check, violations })),
    tookMs: took_ms,
    ...(because !== undefined && { because }),
  };
}
