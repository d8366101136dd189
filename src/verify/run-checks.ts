/** Runs of the checks that go on from what was proved before, and leave a proof for the next. */
import { v7 as uuid } from 'uuid';
import type { Rails } from '../rail-kit/context';
import { connectionsOf, type Database, type Transaction } from '../store/database';
import {
  marksAt,
  momentIn,
  momentOf,
  noMarks,
  forgetNews,
  listNews,
  slicesOf,
  dropProof,
  fingerprintOf,
  findProof,
  keepProof,
  lastRun,
  reasonOf,
  sumsIn,
  type Proof,
} from './proof';
import { everything, newsOf } from './check';
import {
  inSnapshot,
  checks,
  checksWith,
  gather,
  runChecks,
  type VerifyOptions,
  type VerifyReport,
} from './verify';
import { added, provedSumsCheck, sumsOf } from './sums';

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

/** Two to look, one to end them, and one for whoever else has something to ask. */
const connectionsMin = 4;

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
    const wanted = [...checksWith(db, options.simulatorUrl), provedSumsCheck(proof.marks, sumsIn)];
    const findings = gather(wanted);
    const slices = (await slicesOf(db, runId)).map((slice) => newsOf(runId, proof.marks, slice));
    const lookAtEach = async (trx: Transaction) => {
      // What surrounds a few payments is in the server's memory for all that is asked about them.
      for (const scope of slices) await findings.ofEach({ trx, rails, scope });
    };
    const lookAtAll = async (trx: Transaction) => {
      if ((await lastRun(trx)) !== proof.runId) return 'superseded';
      await findings.ofAll({ trx, rails, scope: newsOf(runId, proof.marks) });
      const marks = await marksAt(trx, proof.marks, changedSince);
      return { marks, sums: added(await sumsIn(trx), await sumsOf(trx, proof.marks, marks)) };
    };
    const proved = await besideEachOther(db, options.signal, lookAtAll, lookAtEach);
    if (proved === 'superseded') return proved;
    const report = findings.report();
    const told = { ...report, news: { ...toldOf(proof, lookedAt), began_at: now.toISOString() } };
    // Without a proof of its own, the next run begins where this one did, and finds the same.
    if (!report.clean) return { ...told, kept: false };
    const next = { ...proof, runId, marks: proved.marks, provedAt: now };
    const because = await keepProof(db, next, { fingerprint, sums: proved.sums, after: proof.runId });
    return { ...told, ...keptUnless(because) };
  } finally {
    await forgetNews(db, runId);
  }
}

/**
 * Each in a snapshot of its own: what a payment shows, and what all of them add up to, need not be of one moment,
 * because what is as young as that is looked at again by the next run.
 * @returns what the first has found.
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
  // Also where one fails: the list is theirs until both are done.
  await Promise.allSettled(both);
  const [found] = await Promise.all(both);
  return found;
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
