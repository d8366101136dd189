import type { ReviewCause } from '../../domain/commands';
import { cutText } from '../../domain/cut-text';
import type { ProviderResult } from '../../domain/outcome';
import { isFinal, isSettled } from '../../domain/payment';
import { deadlineMs } from '../../domain/poll-schedule';
import type { PaymentsContext } from '../../rail-kit/context';
import { referenceOf, type Reading } from '../../rail-kit/provider-events';
import type { Operation, ProviderCall, UnpaidCancellation } from '../../rail-kit/rail';
import type { Database } from '../../store/database';
import type { PaymentRow, AttemptRow } from '../../store/tables';
import { duplicateKeyOf, inTransaction } from '../../store/transaction';
import { creationTimeOf, msSince } from '../read/payment-clock';
import { capture } from './send-capture';
import { sentAttempt } from './write-attempt';

/** The provider's time to answer: inside a workflow task, and in an activity of its own. */
const quickTimeoutMs = 2_000;
const patientTimeoutMs = 12_000;
/** A poll with less time left than this moves to the next check. */
const leastMs = 200;
/**
 * How many of the references in notifications are polled in one check, where ours was lost. The others follow in the
 * next checks, the longest waiting first.
 */
const referencesPerCheckMax = 5;

/** A reference that notifications name for a payment whose own reference was lost. */
export interface Reported {
  reference: string;
  /** True when the reference belongs to another payment, so that it cannot be this one's. */
  isAnothers: boolean;
}

export interface Question {
  /** The reason for the check. */
  cause: ReviewCause;
  /** False inside a workflow task, which only waits for a quick answer. */
  patient: boolean;
  /** Runs the call to the provider, or returns `busy` at the concurrency limit (see activities/bulkheads.ts). */
  ask(rail: string, call: () => Promise<ProviderResult>): Promise<ProviderResult | 'busy'>;
}

export interface Answered {
  answer: ProviderResult | 'busy' | undefined;
  /** The reference that the provider has confirmed, where it was reported and not known before. */
  reference?: string;
  /** Notifications whose references were not polled this time. */
  leftFor: string[];
}

/**
 * @returns the references in notifications of a payment whose reference we do not know. The newest and the longest
 *   waiting alternate: the true one is polled at once, and no flood of new ones can displace it.
 */
export async function reportedReferences(
  { db }: PaymentsContext,
  payment: PaymentRow,
  providerEvents: Reading[],
): Promise<Reported[]> {
  if (payment.provider_reference !== null) return [];
  const waitsSince = ({ row }: Reading) => (row.processed_at ?? row.received_at).getTime();
  const inTurn = [...providerEvents].sort((one, other) => waitsSince(one) - waitsSince(other));
  const fresh = inTurn.filter(({ row }) => row.processed_at === null);
  const waiting = inTurn.filter(({ row }) => row.processed_at !== null);
  const named = inTurn
    .flatMap((_, turn) => [fresh[turn], waiting[turn]])
    .flatMap((providerEvent) => (providerEvent && referenceOf(providerEvent.providerResult)) ?? []);
  const references = [...new Set(named)];
  if (references.length === 0) return [];
  const known = await db('payments')
    .where({ rail: payment.rail })
    .whereIn('provider_reference', references)
    .select('provider_reference');
  return references.map((reference) => ({
    reference,
    isAnothers: known.some((row) => row.provider_reference === reference),
  }));
}

/**
 * Polls the provider for a payment: by its own reference; where that was lost, by each reported one until the
 * provider confirms one; and by our own id, where the provider knows it.
 */
export async function queryProvider(
  context: PaymentsContext,
  payment: PaymentRow,
  providerEvents: Reading[],
  operation: Operation,
  reported: Reported[],
  { cause, patient, ask }: Question,
): Promise<Answered> {
  const deadline = Date.now() + (patient ? patientTimeoutMs : quickTimeoutMs);
  const requestId = payment.request_id ?? payment.payment_id;
  const called = (): ProviderCall => ({ timeoutMs: Math.max(leastMs, deadline - Date.now()), requestId });
  const namedBy = (reference: string | null): PaymentRow => ({
    ...payment,
    provider_reference: reference,
    details: detailsFor(reference),
  });
  const statusOf = (reference: string | null) => operation.retrieveStatus(namedBy(reference), called());
  const follow = async (answer: ProviderResult, reference: string | null): Promise<ProviderResult> => {
    if (isGivenUpUnpaid(operation, payment, answer, cause)) return giveUp(answer, reference);
    // A payment that we have published as ended is not captured any more.
    const approved = answer.kind === 'open' && answer.approved === true && !isFinal(payment.state);
    if (!approved || !operation.capture) return answer;
    return capture(context, operation, namedBy(reference), called());
  };
  const giveUp = async (answer: ProviderResult, reference: string | null): Promise<ProviderResult> => {
    const call = called();
    // Half of the time is left for the poll that follows.
    const cancellation = await cancelUnpaid(context, operation, namedBy(reference), {
      ...call,
      timeoutMs: Math.ceil(call.timeoutMs / 2),
    });
    if (cancellation === 'cancelled' || cancellation === 'left') return answer;
    if (cancellation !== 'refused' && !patient)
      return { kind: 'unknown', text: `the cancellation is ${cancellation}` };
    // A payment that cannot be cancelled may have been paid since the poll.
    return statusOf(reference);
  };
  const askAbout = async (reference: string | null) => follow(await statusOf(reference), reference);

  /** The details that an unverified event adds to the poll, where it concerns this payment. */
  function detailsFor(reference: string | null): PaymentRow['details'] {
    const hinted = providerEvents.flatMap(({ providerResult }) => {
      const isOther = reference !== null && (referenceOf(providerResult) ?? reference) !== reference;
      return providerResult.kind === 'unverified' && !isOther ? [providerResult.details] : [];
    });
    return Object.assign({}, payment.details, ...hinted) as PaymentRow['details'];
  }

  const { provider_reference: known } = payment;
  if (known !== null) return { answer: await ask(payment.rail, () => askAbout(known)), leftFor: [] };

  const free = reported.filter(({ isAnothers }) => !isAnothers).map(({ reference }) => reference);
  const knowsOurName = operation.recover !== undefined && !isFinal(payment.state);
  if (free.length === 0 && !knowsOurName) return { answer: undefined, leftFor: [] };
  const tried = new Set<string>();
  let confirmed: string | undefined;
  const answer = await ask(payment.rail, async () => {
    let isOpen: ProviderResult | undefined;
    for (const reference of free.slice(0, referencesPerCheckMax)) {
      if (tried.size > 0 && deadline - Date.now() < leastMs) break;
      tried.add(reference);
      const found = await statusOf(reference);
      if (referenceOf(found) === reference) {
        confirmed = reference;
        return follow(found, reference);
      }
      // A reference that is not confirmed cannot prove a final result.
      if (found.kind === 'open') isOpen = { kind: 'open' };
    }
    const byName = knowsOurName ? await askAbout(null) : undefined;
    if (byName && byName.kind !== 'unknown') return byName;
    return (
      isOpen ?? byName ?? { kind: 'unknown', text: 'the provider confirms none of the reported references' }
    );
  });
  const left = free.filter((reference) => !tried.has(reference));
  return {
    answer,
    ...(confirmed === undefined ? {} : { reference: confirmed }),
    leftFor: providerEvents
      .filter(({ providerResult }) => left.includes(referenceOf(providerResult) ?? ''))
      .map(({ row }) => row.inbox_id),
  };
}

const operation = 'cancel';
/**
 * Over the checks of a payment that was given up; each check may try once with the short timeout and once with the
 * long one.
 */
const triesMax = 8;
/** A try without an answer belongs for this long to the process that started it: a check cannot take longer. */
const underWayMs = 15_000;

const attemptStateAfter: Record<UnpaidCancellation['kind'], AttemptRow['state']> = {
  cancelled: 'accepted',
  refused: 'refused',
  not_sent: 'not_sent',
  unknown: 'unknown',
};

/** Whether a payment is past its time, and the provider reports it as unpaid but still payable. */
function isGivenUpUnpaid(
  { cancelUnpaid, policy }: Operation,
  payment: PaymentRow,
  answer: ProviderResult,
  cause: ReviewCause,
): boolean {
  if (!cancelUnpaid || isSettled(payment.state)) return false;
  if (answer.kind !== 'open' && answer.kind !== 'failed') return false;
  const isLate = msSince(payment, creationTimeOf(payment)) >= deadlineMs(policy, true);
  return isLate || payment.state === 'timed_out' || cause === 'deadline' || cause === 'watch_end';
}

/**
 * Asks the provider to cancel a payment that was given up, so that nobody pays it later. Each try is written before
 * it is sent, and stores the provider's answer. A try that the provider accepted is the last.
 * @returns `left` where nothing is to be done: it is cancelled or being cancelled, or was tried often enough.
 */
async function cancelUnpaid(
  { db }: Pick<PaymentsContext, 'db'>,
  rail: Operation,
  payment: PaymentRow,
  call: ProviderCall,
): Promise<UnpaidCancellation['kind'] | 'left'> {
  const { payment_id: paymentId } = payment;
  const n = await nextTry(db, paymentId);
  if (n === undefined || !rail.cancelUnpaid) return 'left';
  const { kind, text } = await rail.cancelUnpaid(payment, call);
  await db('attempts')
    .where({ payment_id: paymentId, operation, n })
    .update({ state: attemptStateAfter[kind], detail: cutText(text, 1000), answered_at: new Date() });
  return kind;
}

/** Of two concurrent checks, the second leaves the try to the first. */
async function nextTry(db: PaymentsContext['db'], paymentId: string): Promise<number | undefined> {
  try {
    return await inTransaction(db, async (trx) => {
      const all = { payment_id: paymentId, operation };
      const tries = await trx('attempts').where(all).select('state', 'sent_at');
      const since = Date.now() - underWayMs;
      const isTaken = tries.some(
        ({ state, sent_at: at }) => state === 'accepted' || (state === 'sent' && at.getTime() > since),
      );
      if (isTaken || tries.length >= triesMax) return undefined;
      const n = tries.length + 1;
      await trx('attempts').insert(sentAttempt(paymentId, operation, n));
      return n;
    });
  } catch (error) {
    if (duplicateKeyOf(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * Claims the poll for an unauthenticated request: at most once in `everyMs` for one payment, and ever more rarely.
 * The next poll must wait half the age that the payment had at the last poll. A caller who repeats the request for
 * hours therefore causes some polls and not thousands. One statement uses the database's clock, so the limit holds
 * for all processes together.
 * @returns false where the payment was polled a moment ago, so that the answer shows it as it is.
 */
export async function canQueryNow(
  db: Database,
  { payment_id }: Pick<PaymentRow, 'payment_id'>,
  everyMs: number,
): Promise<boolean> {
  const claimed = await db('payments')
    .where({ payment_id })
    .where((open) => {
      void open.whereNull('asked_at').orWhereRaw(
        `TIMESTAMPDIFF(MICROSECOND, asked_at, UTC_TIMESTAMP(3)) >=
             GREATEST(?, TIMESTAMPDIFF(MICROSECOND, created_at, asked_at) / 2)`,
        [everyMs * 1_000],
      );
    })
    .update({ asked_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
  return claimed === 1;
}
