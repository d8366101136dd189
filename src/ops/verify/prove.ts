/** Runs of the checks that go on from what was proved before, and leave a proof for the next. */
import { v7 as uuid } from 'uuid';
import type { Rails } from '../../payments/rail/context';
import type { Database } from '../../store/database';
import { marksAt, momentOf, noMarks } from './marks';
import { forgetNews, listNews } from './news';
import { dropProof, fingerprintOf, findProof, keepProof, lastRun, sumsIn, type Proof } from './proof';
import { everything, newsOf } from './scope';
import { inSnapshot } from './snapshot';
import { added, provedSumsCheck, sumsOf, type Sum } from './sums';
import { checks, checksWith, runChecks, type VerifyOptions, type VerifyReport } from './verify';

export interface ProofReport extends VerifyReport {
  /** What was looked at: everything, or what changed after the last proof. */
  news?: {
    changed_since: string;
    /** Payments and vouchers. */
    looked_at: number;
    /** When everything before was proved, and when everything was last looked at at once. */
    proved_at: string;
    full_at: string;
  };
  /** Why everything was looked at, where the news were asked for. */
  because?: string;
  /** Whether the next run may go on from here. */
  kept: boolean;
}

/** Checks everything, and keeps the proof. What it finds ends every proof of before. */
export async function proveAll(
  db: Database,
  rails: Rails,
  { simulatorUrl }: VerifyOptions = {},
): Promise<ProofReport> {
  const startedAt = performance.now();
  const runId = uuid();
  const fingerprint = await fingerprintOf(db, checks);
  const after = await lastRun(db);
  const { now, changedSince } = await momentOf(db);
  const { report, proof } = await inSnapshot(db, async (trx) => {
    const found = await runChecks(trx, rails, everything, checksWith(db, simulatorUrl));
    if (!found.clean) return { report: found, proof: undefined };
    const marks = await marksAt(trx, noMarks, changedSince);
    return { report: found, proof: { marks, sums: await sumsOf(trx, undefined, marks) } };
  });
  const kept = proof
    ? await keepProof(
        db,
        { runId, marks: proof.marks, provedAt: now, fullAt: now },
        { fingerprint, sums: proof.sums, after },
      )
    : false;
  if (!proof) await dropProof(db, runId, now);
  return { ...report, took_ms: since(startedAt), kept };
}

/** Checks what is new since the last proof, and that what it keeps of the ledger is there; or everything, without one. */
export async function proveNews(
  db: Database,
  rails: Rails,
  options: VerifyOptions = {},
): Promise<ProofReport> {
  const startedAt = performance.now();
  const fingerprint = await fingerprintOf(db, checks);
  const { now, changedSince } = await momentOf(db);
  const proof = await findProof(db, fingerprint, now);
  if (typeof proof === 'string') return { ...(await proveAll(db, rails, options)), because: proof };
  const runId = uuid();
  try {
    // Before the snapshot: what changes in between is new for the next run as well.
    const lookedAt = await listNews(db, runId, proof.marks);
    const { report, proved } = await inSnapshot(db, async (trx) => {
      const sums = await sumsIn(trx);
      if ((await lastRun(trx)) !== proof.runId) throw new Error('another run has just ended: try again');
      const wanted = [...checksWith(db, options.simulatorUrl), provedSumsCheck(proof.marks, sums)];
      const found = await runChecks(trx, rails, newsOf(runId, proof.marks), wanted);
      if (!found.clean) return { report: found, proved: undefined };
      const marks = await marksAt(trx, proof.marks, changedSince);
      return { report: found, proved: { marks, sums: added(sums, await sumsOf(trx, proof.marks, marks)) } };
    });
    // Without a proof of its own, the next run begins where this one did, and finds the same.
    const kept = proved
      ? await keep({ ...proof, runId, marks: proved.marks, provedAt: now }, proved.sums)
      : false;
    return { ...report, took_ms: since(startedAt), news: toldOf(proof, lookedAt), kept };
  } finally {
    await forgetNews(db, runId);
  }

  function keep(next: Proof, sums: Sum[]): Promise<boolean> {
    return keepProof(db, next, { fingerprint, sums, after: (proof as Proof).runId });
  }
}

function toldOf({ marks, provedAt, fullAt }: Proof, lookedAt: number): NonNullable<ProofReport['news']> {
  return {
    changed_since: `${marks.changedSince.replace(' ', 'T')}Z`,
    looked_at: lookedAt,
    proved_at: provedAt.toISOString(),
    full_at: fullAt.toISOString(),
  };
}

const since = (startedAt: number) => Math.round(performance.now() - startedAt);
