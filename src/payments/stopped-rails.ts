/**
 * Where a provider says that it does not know what it has told of before, our token may be one of another environment:
 * what is sent then may be paid twice, or nowhere. So an open case of that kind stops every initiation of its rail, in
 * every process, until a person has resolved it. Only the provider's own answers open one, so that no stranger can.
 */
import { PaymentError } from '../domain/errors';
import type { Acceptance } from '../domain/outcome';
import type { Database } from '../store/database';
import type { CaseReason } from './cases';

const stopping: readonly CaseReason[] = ['provider_disowns'];

/** A process asks the database this often at most, however many payments it starts. */
const knownForMs = 1_000;

export interface StoppedRail {
  rail: string;
  /** The case that has to be resolved. */
  caseId: string;
  paymentId: string;
}

/** @returns the rails that are stopped, once for each case that stops one, oldest first. */
export async function findStoppedRails(db: Database): Promise<StoppedRail[]> {
  return db('cases')
    .join('payments', 'payments.payment_id', 'cases.payment_id')
    .whereNull('cases.closed_at')
    .whereIn('cases.reason', stopping)
    .orderBy('cases.case_id')
    .select({ rail: 'payments.rail', caseId: 'cases.case_id', paymentId: 'payments.payment_id' });
}

interface Known {
  at: number;
  stopped: Promise<StoppedRail[]>;
}

const knownOf = new WeakMap<Database, Known>();

/** What stops a rail, as of a second ago at the most. */
export async function stopOf(db: Database, rail: string): Promise<StoppedRail | undefined> {
  let known = knownOf.get(db);
  if (!known || performance.now() - known.at > knownForMs) {
    known = { at: performance.now(), stopped: findStoppedRails(db) };
    knownOf.set(db, known);
    // What could not be asked is asked again by the next.
    known.stopped.catch(() => knownOf.delete(db));
  }
  return (await known.stopped).find((stop) => stop.rail === rail);
}

function stoppedText({ rail, caseId }: StoppedRail): string {
  return `rail ${rail} is stopped by case ${caseId}`;
}

/** What an attempt comes to while its rail is stopped: nothing is sent, and what may have been sent is not sent again. */
export function heldBack(stop: StoppedRail, { isNew }: { isNew: boolean }): Acceptance {
  const text = stoppedText(stop);
  return isNew
    ? { kind: 'refused', publicCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE', providerCode: 'STOPPED', text }
    : { kind: 'unknown', text };
}

/** @throws PaymentError PROVIDER_TEMPORARILY_UNAVAILABLE where the rail is stopped: nothing was started. */
export async function assertNotStopped(db: Database, rail: string): Promise<void> {
  const stop = await stopOf(db, rail);
  if (!stop) return;
  throw new PaymentError('PROVIDER_TEMPORARILY_UNAVAILABLE', {
    message: 'Payments of this kind are stopped until an operator has decided; nothing was started',
    detail: stoppedText(stop),
  });
}
