/** A day's new payments in a full deployment: exactly what the nightly incremental check reads. */
import { v7 as uuid } from 'uuid';
import { literal, marksAt, momentOf, noMarks, storeVerifiedState } from '../../../src/verify/verified-state';
import { sumsOf } from '../../../src/verify/sums';
import type { Database } from '../../../src/store/database';
import type { Plan } from './copies';
import { fill } from './fill';
import { forgotten } from './hurried';
import type { Template } from './templates';

/** The same share is open as in the whole deployment. */
export function changesPlan({ payments, open }: Plan, changes: number): Plan {
  return { payments: changes, open: Math.round((changes * open) / payments), beside: payments };
}

/** Adds the payments of a day, which the server does not have in memory. */
export async function addChanges(admin: Database, templates: readonly Template[], plan: Plan): Promise<void> {
  await proveAsOfNow(admin);
  await fill(admin, templates, plan);
  await forgotten(admin);
}

/**
 * The last full check does not count the last hour as checked, and all rows were written in it. This moves its proof
 * forward, as if the night were over.
 */
async function proveAsOfNow(admin: Database): Promise<void> {
  const proof = await admin('verified_state').where({ id: 1 }).first();
  if (!proof) throw new Error('there is no proof');
  const { now } = await momentOf(admin);
  const proved = await admin.transaction(async (trx) => {
    const { last } = await marksAt(trx, noMarks, new Date(now.getTime() + 60_000));
    const marks = { last, changedSince: literal(now) };
    return { marks, sums: await sumsOf(trx, undefined, marks) };
  });
  const because = await storeVerifiedState(
    admin,
    { runId: uuid(), marks: proved.marks, provedAt: proof.verified_at, fullAt: proof.full_at },
    { fingerprint: proof.fingerprint, sums: proved.sums, after: proof.run_id },
  );
  if (because !== undefined) throw new Error(because);
}
