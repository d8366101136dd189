/** Runs of the checks that go on from what was proved before, and leave a proof for the next. */
import { v7 as uuid } from 'uuid';
import type { Rails } from '../../payments/rail/context';
import type { Database } from '../../store/database';
import { marksAt, momentIn, momentOf, noMarks } from './marks';
import { forgetNews, listNews, slicesOf } from './news';
import {
  dropProof,
  fingerprintOf,
  findProof,
  keepProof,
  lastRun,
  reasonOf,
  sumsIn,
  type Proof,
} from './proof';
import { everything, newsOf } from './scope';
import { inSnapshot } from './snapshot';
import { added, provedSumsCheck, sumsOf } from './sums';
import { checks, checksWith, runChecks, type VerifyOptions, type VerifyReport } from './verify';

export interface ProofReport extends VerifyReport {
  /** What was looked at: everything, or what changed after the last proof. */
  news?: {
    changed_since: string;
    /** Payments, vouchers and transfers. */
    looked_at: number;
    /** When everything before was proved, and when everything was last looked at at once. */
    proved_at: string;
    full_at: string;
    /** The run that left the proof, and when this one went on from there. */
    from: string;
    began_at: string;
  };
  /** Why everything was looked at, where the news were asked for. */
  because?: string;
  /** Whether the next run may go on from here, and why not, where nothing was found. */
  kept: boolean;
  not_kept_because?: string;
  /** Something was found, and the proof of before stands all the same, because it could not be taken away. */
  not_dropped_because?: string;
}

/** Checks everything, and keeps the proof. What it finds ends every proof of before. */
export async function proveAll(
  db: Database,
  rails: Rails,
  { simulatorUrl, signal }: VerifyOptions = {},
): Promise<ProofReport> {
  const startedAt = performance.now();
  const runId = uuid();
  const fingerprint = await fingerprintOf(db, checks);
  const after = await lastRun(db);
  const { now, changedSince } = await momentOf(db);
  const { report, proof } = await inSnapshot(
    db,
    async (trx) => {
      const found = await runChecks(trx, rails, everything, checksWith(db, simulatorUrl));
      if (!found.clean) return { report: found, proof: undefined };
      const marks = await marksAt(trx, noMarks, changedSince);
      return { report: found, proof: { marks, sums: await sumsOf(trx, undefined, marks) } };
    },
    signal,
  );
  if (!proof) {
    const because = await dropProof(db, runId, now);
    return {
      ...{ ...report, took_ms: since(startedAt), kept: false },
      ...(because !== undefined && { not_dropped_because: because }),
    };
  }
  const next = { runId, marks: proof.marks, provedAt: now, fullAt: now };
  const because = await keepProof(db, next, { fingerprint, sums: proof.sums, after });
  return { ...report, took_ms: since(startedAt), ...keptUnless(because) };
}

function keptUnless(because: string | undefined): Pick<ProofReport, 'kept' | 'not_kept_because'> {
  return because === undefined ? { kept: true } : { kept: false, not_kept_because: because };
}

/** Each time another run may end just before this one looks. */
const triesMax = 5;

/** Checks what is new since the last proof, and that what it keeps of the ledger is there; or everything, without one. */
export async function proveNews(
  db: Database,
  rails: Rails,
  options: VerifyOptions = {},
): Promise<ProofReport> {
  const startedAt = performance.now();
  for (let tries = 0; tries < triesMax; tries += 1) {
    const report = await proveFrom(db, rails, options);
    if (report !== 'superseded') return { ...report, took_ms: since(startedAt) };
  }
  throw new Error('other runs end again and again while this one begins: try again when they are done');
}

/** @returns `superseded` when another run has put its word in the place of the proof that this one had begun from. */
async function proveFrom(
  db: Database,
  rails: Rails,
  options: VerifyOptions,
): Promise<ProofReport | 'superseded'> {
  const fingerprint = await fingerprintOf(db, checks);
  const { now, changedSince } = await momentOf(db);
  const proof = await findProof(db, fingerprint, now);
  if (typeof proof === 'string') return { ...(await proveAll(db, rails, options)), because: proof };
  const runId = uuid();
  try {
    // Before the snapshot: what changes in between is new for the next run as well.
    const lookedAt = await listNews(db, runId, proof.marks).catch(reasonOf);
    if (typeof lookedAt === 'string') {
      const because = `what is new could not be listed (${lookedAt})`;
      return { ...(await proveAll(db, rails, options)), because };
    }
    const found = await inSnapshot(
      db,
      async (trx) => {
        const sums = await sumsIn(trx);
        if ((await lastRun(trx)) !== proof.runId) return undefined;
        const wanted = [...checksWith(db, options.simulatorUrl), provedSumsCheck(proof.marks, sums)];
        const slices = await slicesOf(trx, runId);
        const report = await runChecks(
          trx,
          rails,
          newsOf(runId, proof.marks),
          wanted,
          slices.map((slice) => newsOf(runId, proof.marks, slice)),
        );
        if (!report.clean) return { report, proved: undefined };
        const marks = await marksAt(trx, proof.marks, changedSince);
        return { report, proved: { marks, sums: added(sums, await sumsOf(trx, proof.marks, marks)) } };
      },
      options.signal,
    );
    if (!found) return 'superseded';
    const { report, proved } = found;
    const told = { ...report, news: { ...toldOf(proof, lookedAt), began_at: now.toISOString() } };
    // Without a proof of its own, the next run begins where this one did, and finds the same.
    if (!proved) return { ...told, kept: false };
    const next = { ...proof, runId, marks: proved.marks, provedAt: now };
    const because = await keepProof(db, next, { fingerprint, sums: proved.sums, after: proof.runId });
    return { ...told, ...keptUnless(because) };
  } finally {
    await forgetNews(db, runId);
  }
}

function toldOf({ runId, marks, provedAt, fullAt }: Proof, lookedAt: number) {
  return {
    changed_since: momentIn(marks.changedSince).toISOString(),
    looked_at: lookedAt,
    proved_at: provedAt.toISOString(),
    full_at: fullAt.toISOString(),
    from: runId,
  };
}

const since = (startedAt: number) => Math.round(performance.now() - startedAt);
