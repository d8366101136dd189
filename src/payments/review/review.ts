import type { Review, ReviewCause } from '../../domain/commands';
import type { Finding } from '../../domain/outcome';
import { OUTCOME_UNKNOWN } from '../../domain/payment';
import type { Transaction } from '../../store/database';
import { duplicateKeyOf, inTransaction } from '../../store/transaction';
import type { PaymentRow } from '../../store/tables';
import { askProvider, reportedReferences, type Question, type Reported } from '../instruction/ask-provider';
import { noteOnCase, openCase, settleCase, type NewCase } from '../record/cases';
import { contestedAccounts, holdContested, lockAccounts, lockContested } from '../moves/contested';
import type { PaymentsContext } from '../rail/context';
import { creditColumns, recordCredit, withCredit, type Credit } from '../moves/credit';
import { decide, wantsAnswer, type Decision, type Facts } from '../evidence/decide';
import { disownedDetails, disowningOf, isDisownedAlike, knownAgain } from '../evidence/disowned';
import { enrich, receiptOf } from '../evidence/enrich';
import { moveFor } from '../moves/move-for';
import { lookAtDeposit, movePayment, prepareMove, type Moved } from '../moves/move-payment';
import { noteMissingReceipt } from './missing-receipts';
import { referenceOf, type Reading } from '../rail/notices';
import { withoutOwnRefunds } from '../moves/own-refunds';
import { msSince, nowOf } from '../record/payment-clock';
import { getPaymentOrThrow, pendingWebhookIds } from '../record/payments';
import { isLookOverdue, replanLook } from '../moves/plan-look';
import { isRepetition } from '../evidence/store-hint';
import { policyOf } from '../rail/in-doubt';
import { accountOf, operationOf, type Operation } from '../rail/rail';
import { believed } from '../instruction/stopped-accounts';
import {
  isWarnedAlike,
  paidAgainDetail,
  showsReversal,
  warnedAtDetail,
  warnedBefore,
} from '../evidence/warnings';

export interface ReviewRequest extends Question {
  paymentId: string;
}

/**
 * Looks at everything known about a payment (stored notifications, and the provider's answer where it is wanted),
 * decides, and writes the decision down in one transaction. Safe to repeat, in any order, by anyone.
 */
export async function review(context: PaymentsContext, request: ReviewRequest): Promise<Review> {
  for (;;) {
    const { payment, operation, notices } = await load(context, request.paymentId);
    const reported = await reportedReferences(context, payment, notices);
    const seen = {
      ...factsOf(payment, notices, operation, causeOf(payment, request), reported),
      disowning: disowningOf(payment, accountOf(context.rails.get(payment.rail), payment), context.timeScale),
    };
    const {
      answer,
      reference,
      leftFor = [],
    } = wantsAnswer(seen)
      ? await askProvider(context, payment, notices, operation, reported, request)
      : { answer: undefined };
    // Of what was reported, only that counts from now on which is about the reference that the provider has confirmed.
    const facts =
      reference === undefined ? seen : { ...seen, notices: noticesOf(notices, reported, reference) };
    const unanswered = answer !== undefined && (answer === 'busy' || answer.kind === 'unknown');
    // A question without an answer is asked again with more patience before anything is decided upon it.
    if (unanswered && !request.patient) {
      return standing(context, { payment }, { unanswered, unconfirmed: false });
    }

    const shown = answer === 'busy' ? undefined : await withoutOwnRefunds(context.db, payment, answer);
    const told = await believed(context, payment, shown);
    const whenSilent = operation.inDoubt.whenSilent(payment, told);
    const decided = withReused(decide({ ...facts, answer: told, whenSilent }), reported);
    const { decision, credit } = await withCredit(context, payment, decided);
    const written = await write(context, payment, decision, credit);
    if (written === 'moved_meanwhile') continue;
    await markLookedAt(context, notices, decision, leftFor);
    const { unconfirmed } = decision;
    if (written.payment.state === payment.state || unconfirmed) {
      await replanLook(context.db, policyOf(operation), written.payment, { unconfirmed });
    }
    return standing(context, written, { unanswered, unconfirmed: decision.unconfirmed });
  }
}

/** A payment whose look is overdue is not only read anew: nobody has asked the provider when somebody should have. */
function causeOf(payment: PaymentRow, { cause }: ReviewRequest): ReviewCause {
  return cause === 'notification' && isLookOverdue(payment) ? 'check' : cause;
}

/** What could not be dealt with yet is no backlog: it was looked at, and will be again. */
async function markLookedAt(
  { db }: PaymentsContext,
  notices: Reading[],
  { read, undecided = [] }: Decision,
  leftFor: string[],
): Promise<void> {
  const unread = notices
    .map(({ row }) => row.inbox_id)
    .filter((id) => !read.some(({ inboxId }) => inboxId === id));
  const ids = unread.filter((id) => !leftFor.includes(id));
  // Those that were not asked about keep their place before those that were.
  const later = unread.filter((id) => leftFor.includes(id));
  if (later.length > 0) {
    await db('inbox')
      .whereIn('inbox_id', later)
      .where({ state: 'new' })
      .whereNull('processed_at')
      .update({ processed_at: db.ref('received_at') as never });
  }
  if (ids.length > 0) {
    await db('inbox').whereIn('inbox_id', ids).where({ state: 'new' }).update({ processed_at: new Date() });
  }
  for (const { inboxId, reason } of undecided) {
    await db('inbox').where({ inbox_id: inboxId, state: 'new' }).update({ reason });
  }
}

async function load({ db, rails }: PaymentsContext, paymentId: string) {
  const payment = await getPaymentOrThrow(db, paymentId);
  const operation = operationOf(rails.get(payment.rail), payment);
  const rows = await db('inbox').where({ payment_id: paymentId, state: 'new' }).orderBy('inbox_id');
  const notices = rows.map((row): Reading => ({ row, finding: operation.readNotification(row) }));
  return { payment, operation, notices };
}

function factsOf(
  payment: PaymentRow,
  notices: Reading[],
  operation: Operation,
  cause: ReviewCause,
  reported: Reported[],
): Omit<Facts, 'answer' | 'disowning'> {
  const { tentative_code: code, tentative_at: at } = payment.details;
  return {
    state: payment.state,
    instructedMinor: BigInt(payment.instructed_minor),
    instructedCurrency: payment.instructed_currency,
    confirmedMinor: payment.confirmed_minor === null ? undefined : BigInt(payment.confirmed_minor),
    givenBackMinor: BigInt(payment.given_back_minor),
    refundedMinor: BigInt(payment.refunded_minor),
    isContested: payment.details[warnedAtDetail] !== undefined,
    warnedBefore: warnedBefore(payment),
    wasPaidAgain: payment.details[paidAgainDetail] !== undefined,
    receipt: payment.provider_receipt ?? undefined,
    isNamed: payment.provider_reference !== null,
    failureCode: payment.failure_code ?? undefined,
    notices: noticesOf(notices, reported, payment.provider_reference),
    cause,
    msSinceAcceptance: msSince(payment, payment.accepted_at ?? payment.created_at),
    tentative: code && at ? { code, msAgo: msSince(payment, new Date(at)) } : undefined,
    notificationsAreProof: operation.notificationsAreProof,
    ...operation.inDoubt,
    whenSilent: operation.inDoubt.whenSilent(payment),
    watchedAfterSuccess: (operation.policy.afterSuccessChecksMs ?? []).length > 0,
    confirmPatienceMs: operation.policy.confirmDelaysMs.reduce((sum, delay) => sum + delay, 0),
  };
}

function noticesOf(notices: Reading[], reported: Reported[], known: string | null): Facts['notices'] {
  return notices.map(({ row, finding }) => ({
    inboxId: row.inbox_id,
    finding: aboutThis(known, reported, finding),
    isProven: row.follow_at === null,
    msAgo: Date.now() - row.received_at.getTime(),
    isRepetition: isRepetition(row),
  }));
}

/** A notification taken before our own reference was known may be about another payment: it says nothing of this one. */
function aboutThis(known: string | null, reported: Reported[], finding: Finding): Finding {
  const told = referenceOf(finding);
  const isAnothers = reported.some(({ reference, isAnothers }) => isAnothers && reference === told);
  const isThis = told === undefined || (known === null ? !isAnothers : told === known);
  return isThis ? finding : { kind: 'unknown', text: `it is about ${told}` };
}

/** Somebody reports another payment's reference for this one: a person looks at that. */
function withReused(decision: Decision, reported: Reported[]): Decision {
  const cases = reported
    .filter(({ isAnothers }) => isAnothers)
    .map(({ reference }): NewCase => ({ reason: 'reference_reused', detail: `reference ${reference}` }));
  return cases.length === 0 ? decision : { ...decision, cases: [...decision.cases, ...cases] };
}

/** Locks the payment, so that two who learn of it at once do not both ask a person, or one after it was settled. */
async function isAsItWas(trx: Transaction, { payment_id, details }: PaymentRow): Promise<boolean> {
  const now = await trx('payments').where({ payment_id }).forUpdate().first('details');
  return now !== undefined && isDisownedAlike(now.details, details);
}

async function write(
  context: PaymentsContext,
  seen: PaymentRow,
  decision: Decision,
  credit: Credit | undefined,
): Promise<Moved | 'moved_meanwhile'> {
  const { outcome, enrichment, read, cases, settles = [], remember, noted, disowned } = decision;
  const contested = await contestedAccounts(context.db, seen, noted !== undefined);
  const idle = !outcome && !enrichment && read.length === 0 && cases.length === 0 && remember === undefined;
  if (idle && !contested && !disowned) return { payment: seen };
  if (outcome) await prepareMove(context.db, seen, outcome.to);
  try {
    return await inTransaction(context.db, async (trx) => {
      const payment = contested ? await lockContested(trx, contested) : seen;
      const isAsSeen = (['state', 'given_back_minor', 'refunded_minor'] as const).every(
        (column) => payment[column] === seen[column],
      );
      if (!isAsSeen || !isWarnedAlike(payment, seen)) return 'moved_meanwhile';
      const warned = {
        ...(noted && { ...noted, [warnedAtDetail]: new Date(nowOf(payment)).toISOString() }),
        ...(disowned && disownedDetails(payment, disowned)),
      };
      if (disowned && !(await isAsItWas(trx, seen))) return 'moved_meanwhile';
      const conclude = async (): Promise<void> => {
        for (const { inboxId, state, reason } of read) {
          await trx('inbox').where({ inbox_id: inboxId }).update({ state, reason, processed_at: new Date() });
        }
        for (const found of cases) await openCase(trx, payment.payment_id, found);
        // What it gave back all the same is booked with its deposit.
        if (cases.some(({ reason }) => reason === 'late_success')) await lookAtDeposit(trx, context, payment);
        if (disowned === 'known') await noteOnCase(trx, payment.payment_id, 'provider_disowns', knownAgain);
        for (const { reason, detail } of settles) await settleCase(trx, payment.payment_id, reason, detail);
      };
      const known = { ...payment, details: { ...payment.details, ...warned } };
      let now: Moved = { payment: known };
      if (outcome) {
        const move = moveFor(known, outcome);
        const changes = { ...move.changes, ...(credit && creditColumns(credit)) };
        const moved = await movePayment(trx, context, payment, { ...move, changes }, async (entered) => {
          if (credit) await recordCredit(trx, payment.payment_id, credit);
          if (payment.failure_code === OUTCOME_UNKNOWN) {
            const told = `the provider told of it: ${outcome.to}`;
            await settleCase(trx, payment.payment_id, 'instruction_unknown', told);
          }
          if (outcome.to === 'reversed' && showsReversal(known, outcome)) {
            const told = 'the provider shows it, and it is booked';
            await settleCase(trx, payment.payment_id, 'reversal_told', told);
          }
          await noteMissingReceipt(trx, context, entered);
          await conclude();
          if (contested) await lockAccounts(trx, contested);
        });
        if (!moved) return 'moved_meanwhile';
        now = moved;
      } else {
        await enrich(trx, payment, enrichment, { remember, warned });
        await conclude();
      }
      if (contested) await holdContested(trx, contested);
      return now;
    });
  } catch (error) {
    const key = duplicateKeyOf(error);
    if (key !== 'one_receipt' && key !== 'one_provider_reference') throw error;
    const receipt = receiptOf(outcome?.finding) ?? receiptOf(enrichment) ?? '';
    const reused: NewCase =
      key === 'one_receipt'
        ? { reason: 'receipt_reused', detail: `receipt ${receipt}` }
        : {
            reason: 'reference_reused',
            detail: `reference ${(outcome?.finding ?? enrichment)?.providerReference ?? ''}`,
          };
    await inTransaction(context.db, async (trx) => {
      await openCase(trx, seen.payment_id, reused);
      for (const { inboxId } of read) {
        await trx('inbox')
          .where({ inbox_id: inboxId })
          .update({ state: 'ignored', reason: reused.reason, processed_at: new Date() });
      }
    });
    return { payment: seen };
  }
}

/** A workflow that has just begun was told what is undelivered, so a webhook written now is all that is new. */
async function standing(
  { db }: PaymentsContext,
  { payment, webhookId }: Moved,
  rest: Pick<Review, 'unanswered' | 'unconfirmed'>,
): Promise<Review> {
  // A refund's deposit may have one, too.
  const isAll = webhookId === undefined || payment.parent_id !== null;
  const webhookIds = isAll ? await pendingWebhookIds(db, payment) : [webhookId];
  return { state: payment.state, webhookIds, ...rest };
}
