import type { ReviewCause } from '../../domain/commands';
import { cutText } from '../../domain/cut-text';
import type { Finding } from '../../domain/outcome';
import { isFinal, isSettled } from '../../domain/payment';
import { deadlineMs } from '../../domain/poll-schedule';
import type { PaymentsContext } from '../../rail-kit/context';
import { referenceOf, type Reading } from '../../rail-kit/provider-events';
import type { Operation, ProviderCall, UnpaidCancellation } from '../../rail-kit/rail';
import type { Database } from '../../store/database';
import type { PaymentRow, AttemptRow } from '../../store/tables';
import { duplicateKeyOf, inTransaction } from '../../store/transaction';
import { acceptanceOf, msSince } from '../read/payment-clock';
import { capture } from './send-capture';
import { sentAttempt } from './write-attempt';

/** How long the provider may take to answer: inside a workflow task, and in an activity of its own. */
const quickTimeoutMs = 2_000;
const patientTimeoutMs = 12_000;
/** A question that has less time left than this is put in the next look. */
const leastMs = 200;
/**
 * How many of the references that notifications name are asked about in one look, where ours was lost. The others have
 * their turn in the next looks, those first that have waited longest.
 */
const referencesPerCheckMax = 5;

/** A reference that notifications name for a payment whose own was lost on the way. */
export interface Reported {
  reference: string;
  /** It is known to be another payment's, so that it cannot be this one's. */
  isAnothers: boolean;
}

export interface Question {
  /** Why the payment is looked at. */
  cause: ReviewCause;
  /** False inside a workflow task, where only a quick answer is waited for. */
  patient: boolean;
  /** Lets the call to the provider happen, or says that too many are under way (see activities/bulkheads.ts). */
  ask(rail: string, call: () => Promise<Finding>): Promise<Finding | 'busy'>;
}

export interface Answered {
  answer: Finding | 'busy' | undefined;
  /** The reference that the provider has confirmed, where it was reported and not known before. */
  reference?: string;
  /** Notifications whose references were not asked about this time. */
  leftFor: string[];
}

/**
 * @returns what notifications call a payment that we know no reference of: by turns one that has just come, so that the
 * true one is asked about at once, and the one that has waited longest, so that no flood of new ones keeps it away.
 */
export async function reportedReferences(
  { db }: PaymentsContext,
  payment: PaymentRow,
  notices: Reading[],
): Promise<Reported[]> {
  if (payment.provider_reference !== null) return [];
  const waitsSince = ({ row }: Reading) => (row.processed_at ?? row.received_at).getTime();
  const inTurn = [...notices].sort((one, other) => waitsSince(one) - waitsSince(other));
  const fresh = inTurn.filter(({ row }) => row.processed_at === null);
  const waiting = inTurn.filter(({ row }) => row.processed_at !== null);
  const named = inTurn
    .flatMap((_, turn) => [fresh[turn], waiting[turn]])
    .flatMap((notice) => (notice && referenceOf(notice.finding)) ?? []);
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
 * Asks what became of a payment: by its own reference; where that was lost by each that was reported, until the
 * provider confirms one; and by our own name, where the provider knows it.
 */
export async function askProvider(
  context: PaymentsContext,
  payment: PaymentRow,
  notices: Reading[],
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
  const follow = async (answer: Finding, reference: string | null): Promise<Finding> => {
    if (isGivenUpUnpaid(operation, payment, answer, cause)) return giveUp(answer, reference);
    // What we have published as over is not paid any more.
    const approved = answer.kind === 'open' && answer.approved === true && !isFinal(payment.state);
    if (!approved || !operation.capture) return answer;
    return capture(context, operation, namedBy(reference), called());
  };
  const giveUp = async (answer: Finding, reference: string | null): Promise<Finding> => {
    const call = called();
    // Half of the time is the question's that follows.
    const said = await cancelUnpaid(context, operation, namedBy(reference), {
      ...call,
      timeoutMs: Math.ceil(call.timeoutMs / 2),
    });
    if (said === 'cancelled' || said === 'left') return answer;
    if (said !== 'refused' && !patient) return { kind: 'unknown', text: `the cancellation is ${said}` };
    // What cannot be cancelled may have been paid since it was asked about.
    return statusOf(reference);
  };
  const askAbout = async (reference: string | null) => follow(await statusOf(reference), reference);

  /** What a hint wants named in the question, where it is about this very payment. */
  function detailsFor(reference: string | null): PaymentRow['details'] {
    const hinted = notices.flatMap(({ finding }) => {
      const isOther = reference !== null && (referenceOf(finding) ?? reference) !== reference;
      return finding.kind === 'hint' && !isOther ? [finding.details] : [];
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
    let isOpen: Finding | undefined;
    for (const reference of free.slice(0, referencesPerCheckMax)) {
      if (tried.size > 0 && deadline - Date.now() < leastMs) break;
      tried.add(reference);
      const found = await statusOf(reference);
      if (referenceOf(found) === reference) {
        confirmed = reference;
        return follow(found, reference);
      }
      // A reference that is not confirmed tells of no ending.
      if (found.kind === 'open') isOpen = { kind: 'open' };
    }
    const byName = knowsOurName ? await askAbout(null) : undefined;
    if (byName && byName.kind !== 'unknown') return byName;
    return isOpen ?? byName ?? { kind: 'unknown', text: 'no reference that was reported is confirmed' };
  });
  const left = free.filter((reference) => !tried.has(reference));
  return {
    answer,
    ...(confirmed === undefined ? {} : { reference: confirmed }),
    leftFor: notices
      .filter(({ finding }) => left.includes(referenceOf(finding) ?? ''))
      .map(({ row }) => row.inbox_id),
  };
}

const operation = 'cancel';
/** In the looks at a payment that was given up, each of which may try it once in haste and once with patience. */
const triesMax = 8;
/** A try without an answer is under way for as long as a look may take, and is left to whoever began it. */
const underWayMs = 15_000;

const attemptStateAfter: Record<UnpaidCancellation['kind'], AttemptRow['state']> = {
  cancelled: 'accepted',
  refused: 'refused',
  not_sent: 'not_sent',
  unknown: 'unknown',
};

/** Whether a payment has had its time, and the provider says that it is not paid and might still be. */
function isGivenUpUnpaid(
  { cancelUnpaid, policy }: Operation,
  payment: PaymentRow,
  answer: Finding,
  cause: ReviewCause,
): boolean {
  if (!cancelUnpaid || isSettled(payment.state)) return false;
  if (answer.kind !== 'open' && answer.kind !== 'failed') return false;
  const isLate = msSince(payment, acceptanceOf(payment)) >= deadlineMs(policy, true);
  return isLate || payment.state === 'timed_out' || cause === 'deadline' || cause === 'watch_end';
}

/**
 * Has the provider cancel what was given up, so that nobody pays for it later. Each try is written down before it is
 * sent, and what the provider said to it stands there; one that was taken is the last.
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

/** Of two who look at once, the second leaves it to the first. */
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
 * Claims the question to the provider that a stranger's request is answered with, at most once in so many milliseconds
 * for one payment, and ever more rarely: not before half the time has passed again that the payment was old when it was
 * asked last, so that whoever repeats the request for hours costs some questions and not thousands. Whichever process is
 * asked: by the database's clock, in one statement.
 * @returns false where it was asked a moment ago, so that the payment is answered as it stands.
 */
export async function mayAskNow(
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
