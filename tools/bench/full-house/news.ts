/** A day's news in a full house: what the nightly look has to look at, and nothing else. */
import { v7 as uuid } from 'uuid';
import { literal, marksAt, momentOf, noMarks, keepProof } from '../../../src/verify/proof';
import { sumsOf } from '../../../src/verify/sums';
import type { Database } from '../../../src/store/database';
import type { Plan } from './copies';
import { fill } from './fill';
import { forgotten } from './hurried';
import type { Template } from './templates';

/** As many of them wait as of the house. */
export function newsPlan({ payments, open }: Plan, news: number): Plan {
  return { payments: news, open: Math.round((news * open) / payments), beside: payments };
}

/** Adds the payments of a day, none of which the server has in its memory. */
export async function addNews(admin: Database, templates: readonly Template[], plan: Plan): Promise<void> {
  await proveAsOfNow(admin);
  await fill(admin, templates, plan);
  await forgotten(admin);
}

/**
 * The last look at everything takes the last hour for unproved, which is when all of the house was written. A night
 * later it would not: this makes of its proof what it were then.
 */
async function proveAsOfNow(admin: Database): Promise<void> {
  const proof = await admin('proofs').where({ id: 1 }).first();
  if (!proof) throw new Error('nothing is proved');
  const { now } = await momentOf(admin);
  const proved = await admin.transaction(async (trx) => {
    const { last } = await marksAt(trx, noMarks, new Date(now.getTime() + 60_000));
    const marks = { last, changedSince: literal(now) };
    return { marks, sums: await sumsOf(trx, undefined, marks) };
  });
  const because = await keepProof(
    admin,
    { runId: uuid(), marks: proved.marks, provedAt: proof.proved_at, fullAt: proof.full_at },
    { fingerprint: proof.fingerprint, sums: proved.sums, after: proof.run_id },
  );
  if (because !== undefined) throw new Error(because);
}
