/** Runs the checks on everything, or on the changes since the last clean run, and stores the state for the next run. */
import { v7 as uuid } from 'uuid';
import type { Rails } from '../rail-kit/context';
import { connectionsOf, type Database, type Transaction } from '../store/database';
import {
  marksAt,
  momentIn,
  momentOf,
  noMarks,
  forgetChanges,
  listChanges,
  slicesOf,
  dropVerifiedState,
  fingerprintOf,
  findVerifiedState,
  storeVerifiedState,
  lastRun,
  reasonOf,
  sumsIn,
  type VerifiedState,
} from './verified-state';
import { everything, changesOf } from './check';
import { inSnapshot, checks, checksWith, gather, type VerifyOptions, type VerifyReport } from './verify';
import { added, provedSumsCheck, sumsOf } from './sums';

export interface VerifyRunReport extends VerifyReport {
  /** Set if only the changes since the last clean run were checked. */
  changes?: {
    changed_since: string;
    /** Payments, vouchers and transfers. */
    checked_at: number;
    /** The time of the run that verified the rest, and of the last run that checked everything. */
    verified_at: string;
    full_at: string;
    /** The run that stored the state, and the time when this run continued from it. */
    from: string;
    began_at: string;
  };
  /** Why everything was checked, although only changes were requested. */
  because?: string;
  /** Whether the next run can continue from this one, and why not, if this run was clean. */
  kept: boolean;
  not_kept_because?: string;
  /** Set if the run has violations, but could not remove the state of an earlier clean run. */
  not_dropped_because?: string;
}

/** Checks everything and stores the state. A violation removes the state of earlier runs. */
export async function verifyAll(
  db: Database,
  rails: Rails,
  { simulatorUrl, signal }: VerifyOptions = {},
): Promise<VerifyRunReport> {
  const startedAt = performance.now();
  const runId = uuid();
  const fingerprint = await fingerprintOf(db, checks);
  const after = await lastRun(db);
  const { now, changedSince } = await momentOf(db);
  const results = gather(checksWith(db, simulatorUrl));
  const runRest = (trx: Transaction) => results.ofRest({ trx, rails, scope: everything });
  const { report, proof } = await inSnapshot(
    db,
    async (trx) => {
      // The marks are those of the older snapshot, so that the checks of both have seen all rows before them.
      const isAlone = connectionsOf(db) < connectionsMin;
      await allOf(isAlone ? [runRest(trx)] : [runRest(trx), inSnapshot(db, runRest, signal)]);
      const found = results.report();
      if (!found.clean) return { report: found, proof: undefined };
      const marks = await marksAt(trx, noMarks, changedSince);
      return { report: found, proof: { marks, sums: await sumsOf(trx, undefined, marks) } };
    },
    signal,
  );
  if (!proof) {
    const because = await dropVerifiedState(db, runId, now);
    return {
      ...{ ...report, took_ms: since(startedAt), kept: false },
      ...(because !== undefined && { not_dropped_because: because }),
    };
  }
  const next = { runId, marks: proof.marks, provedAt: now, fullAt: now };
  const because = await storeVerifiedState(db, next, { fingerprint, sums: proof.sums, after });
  return { ...report, took_ms: since(startedAt), ...keptUnless(because) };
}

function keptUnless(because: string | undefined): Pick<VerifyRunReport, 'kept' | 'not_kept_because'> {
  return because === undefined ? { kept: true } : { kept: false, not_kept_because: because };
}

/** Two connections for the checks, one to kill them, and one for other queries. */
const connectionsMin = 4;

/** Another run may end between the first query and the snapshot of each try. */
const triesMax = 5;

/** Checks the changes since the last clean run, and the sums of the ledger before it. Without a clean run it checks everything. */
export async function verifyChanges(
  db: Database,
  rails: Rails,
  options: VerifyOptions = {},
): Promise<VerifyRunReport> {
  const startedAt = performance.now();
  for (let tries = 0; tries < triesMax; tries += 1) {
    const report = await proveFrom(db, rails, options);
    if (report !== 'superseded') return { ...report, took_ms: since(startedAt) };
  }
  throw new Error('other runs kept ending while this one began: try again when they are done');
}

/** @returns `superseded` if another run has replaced the state that this run began with. */
async function proveFrom(
  db: Database,
  rails: Rails,
  options: VerifyOptions,
): Promise<VerifyRunReport | 'superseded'> {
  const fingerprint = await fingerprintOf(db, checks);
  const { now, changedSince } = await momentOf(db);
  const proof = await findVerifiedState(db, fingerprint, now);
  if (typeof proof === 'string') return { ...(await verifyAll(db, rails, options)), because: proof };
  const runId = uuid();
  try {
    // Before the snapshot: the next run also lists changes in between.
    const checkedAt = await listChanges(db, runId, proof.marks).catch(reasonOf);
    if (typeof checkedAt === 'string') {
      const because = `the changes could not be listed (${checkedAt})`;
      return { ...(await verifyAll(db, rails, options)), because };
    }
    const wanted = [...checksWith(db, options.simulatorUrl), provedSumsCheck(proof.marks, sumsIn)];
    const results = gather(wanted);
    const slices = (await slicesOf(db, runId)).map((slice) => changesOf(runId, proof.marks, slice));
    const checkEach = async (trx: Transaction) => {
      // All queries about a slice use rows that the first one has loaded into the server's memory.
      for (const scope of slices) await results.ofEach({ trx, rails, scope });
    };
    const checkAll = async (trx: Transaction) => {
      if ((await lastRun(trx)) !== proof.runId) return 'superseded';
      await results.ofAll({ trx, rails, scope: changesOf(runId, proof.marks) });
      const marks = await marksAt(trx, proof.marks, changedSince);
      return { marks, sums: added(await sumsIn(trx), await sumsOf(trx, proof.marks, marks)) };
    };
    const proved = await besideEachOther(db, options.signal, checkAll, checkEach);
    if (proved === 'superseded') return proved;
    const report = results.report();
    const reported = {
      ...report,
      changes: { ...previousRunFields(proof, checkedAt), began_at: now.toISOString() },
    };
    // No state is stored, so the next run begins at the same point and finds the same violations.
    if (!report.clean) return { ...reported, kept: false };
    const next = { ...proof, runId, marks: proved.marks, provedAt: now };
    const because = await storeVerifiedState(db, next, {
      fingerprint,
      sums: proved.sums,
      after: proof.runId,
    });
    return { ...reported, ...keptUnless(because) };
  } finally {
    await forgetChanges(db, runId);
  }
}

/**
 * Runs two parts at the same time, each in its own snapshot. The snapshots can differ, because the next run checks young rows
 * again.
 * @returns the result of the first part.
 */
async function besideEachOther<T>(
  db: Database,
  signal: AbortSignal | undefined,
  one: (trx: Transaction) => Promise<T>,
  other: (trx: Transaction) => Promise<void>,
): Promise<T> {
  if (connectionsOf(db) < connectionsMin) {
    await inSnapshot(db, other, signal);
    return inSnapshot(db, one, signal);
  }
  const both = [inSnapshot(db, one, signal), inSnapshot(db, other, signal)] as const;
  await allOf(both);
  return both[0];
}

/** Waits for all, also if one fails: the others still use the database. @throws the first error. */
async function allOf(parts: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(parts);
  await Promise.all(parts);
}

function previousRunFields({ runId, marks, provedAt, fullAt }: VerifiedState, checkedAt: number) {
  return {
    changed_since: momentIn(marks.changedSince).toISOString(),
    checked_at: checkedAt,
    verified_at: provedAt.toISOString(),
    full_at: fullAt.toISOString(),
    from: runId,
  };
}

const since = (startedAt: number) => Math.round(performance.now() - startedAt);
