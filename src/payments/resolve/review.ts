import { noteOnCase, openCase, settleCase, type NewCase } from '../../controls/cases';
import type { Review } from '../../domain/commands';
import { OUTCOME_UNKNOWN, isSettled } from '../../domain/payment';
import type { PaymentsContext } from '../../rail-kit/context';
import { policyOf } from '../../rail-kit/uncertainty';
import { receiptOf, type Reading } from '../../rail-kit/provider-events';
import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { duplicateKeyOf, inTransaction, nextChange } from '../../store/transaction';
import { casesAndCodeOf } from '../read/attention';
import { nowOf } from '../read/payment-clock';
import { pendingWebhookIds } from '../read/payments';
import { disputedAccounts, reserveDisputed, lockAccounts, lockDisputed } from '../transition/disputed-funds';
import { creditColumns, recordCredit, withCredit, type Credit } from '../transition/credit';
import {
  checkDeposit,
  applyTransition,
  prepareTransition,
  type TransitionResult,
} from '../transition/transition';
import { transitionFor, type Decision } from '../transition/outcome-decision';
import { isCheckOverdue, planCheckNoLater, replanCheck } from '../transition/plan-check';
import { postponeCheck } from '../transition/postpone-check';
import { isWarnedAlike, showsReversal, warnedAtDetail, isWarned } from '../transition/warning-details';
import { assess, isIdle, type ReviewRequest, type Assessed } from './assess';
import { unknownToProviderDetails, isUnknownAlike, knownAgain } from './decide';
import { noteMissingReceipt } from './missing-receipts';

/**
 * Reviews everything known about a payment: stored notifications, and the provider's answer where it is needed. It
 * decides, and writes the decision in one transaction. It is safe to repeat, in any order, in any process.
 */
export async function review(context: PaymentsContext, request: ReviewRequest): Promise<Review> {
  for (;;) {
    const considered = await assess(context, request);
    const { payment, providerEvents, leftFor, isAsked, unanswered, decided } = considered;
    const asked = isAsked ? { asked: true as const } : {};
    if (!decided) return currentOutcome(context, { payment }, { unanswered, unconfirmed: false, ...asked });
    const { decision, credit } = await withCredit(context, payment, decided);
    const written = await write(context, payment, decision, credit);
    if (written === 'moved_meanwhile') continue;
    await markChecked(context, providerEvents, decision, leftFor);
    const { unconfirmed } = decision;
    if (written.payment.state === payment.state || unconfirmed) {
      await planNextCheck(context, considered, written.payment, { unconfirmed });
    }
    return currentOutcome(context, written, { unanswered, unconfirmed, ...asked });
  }
}

/** Undecided notifications are no backlog: they were reviewed, and will be again. */
async function markChecked(
  { db }: PaymentsContext,
  providerEvents: Reading[],
  { read, undecided = [] }: Decision,
  leftFor: string[],
): Promise<void> {
  // The reason is written first: a process that sees the review's time also sees its result.
  for (const { inboxId, reason } of undecided) {
    await db('inbox').where({ inbox_id: inboxId, state: 'new' }).update({ reason });
  }
  const unread = providerEvents
    .map(({ row }) => row.inbox_id)
    .filter((id) => !read.some(({ inboxId }) => inboxId === id));
  const ids = unread.filter((id) => !leftFor.includes(id));
  // Notifications without a poll keep their place before those with one.
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
}

/**
 * A settled deposit is read again under a lock. A duplicate flag, or its removal, changes its details without a
 * transition, and an older copy would overwrite it.
 */
function isReadAgain({ kind, state }: PaymentRow): boolean {
  return kind === 'deposit' && isSettled(state);
}

/**
 * Locks the payment, so that two processes with the same answer do not open two cases, and none opens one after the
 * provider knew the payment again.
 */
async function isAsItWas(trx: Transaction, { payment_id, details }: PaymentRow): Promise<boolean> {
  const now = await trx('payments').where({ payment_id }).forUpdate().first('details');
  return now !== undefined && isUnknownAlike(now.details, details);
}

type Read = Decision['read'][number];
const inboxRowOf = ({ inboxId }: Read) => ({ inbox_id: inboxId });
const readingOf = ({ state, reason }: Read) => ({ state, reason, processed_at: new Date() });

async function write(
  context: PaymentsContext,
  seen: PaymentRow,
  decision: Decision,
  credit: Credit | undefined,
): Promise<TransitionResult | 'moved_meanwhile'> {
  const { outcome, enrichment, read, cases, settles = [], remember, noted, unknownToProvider } = decision;
  const disputedFunds = await disputedAccounts(context.db, seen, noted !== undefined);
  if (isIdle(decision) && !disputedFunds) return { payment: seen };
  if (outcome) await prepareTransition(context.db, seen, outcome.to);
  try {
    return await inTransaction(context.db, async (trx) => {
      const isLocked = disputedFunds !== undefined || isReadAgain(seen);
      const payment = isLocked ? await lockDisputed(trx, { paymentId: seen.payment_id }) : seen;
      const isAsSeen = (['state', 'returned_minor', 'refunded_minor'] as const).every(
        (column) => payment[column] === seen[column],
      );
      if (!isAsSeen || !isWarnedAlike(payment, seen)) return 'moved_meanwhile';
      const warned = {
        ...(noted && { ...noted, [warnedAtDetail]: new Date(nowOf(payment)).toISOString() }),
        ...(unknownToProvider && unknownToProviderDetails(payment, unknownToProvider)),
      };
      if (unknownToProvider && !(await isAsItWas(trx, seen))) return 'moved_meanwhile';
      const conclude = async (rest = read): Promise<void> => {
        for (const each of rest) await trx('inbox').where(inboxRowOf(each)).update(readingOf(each));
        for (const found of cases) await openCase(trx, payment.payment_id, found);
        // The amount that the provider gave back all the same is booked with its deposit.
        if (cases.some(({ reason }) => reason === 'late_success')) await checkDeposit(trx, context, payment);
        if (unknownToProvider === 'known')
          await noteOnCase(trx, payment.payment_id, 'unknown_to_provider', knownAgain);
        for (const { reason, detail } of settles) await settleCase(trx, payment.payment_id, reason, detail);
      };
      const known = { ...payment, details: { ...payment.details, ...warned } };
      let now: TransitionResult = { payment: known };
      if (outcome) {
        const transition = transitionFor(known, outcome);
        const changes = { ...transition.changes, ...(credit && creditColumns(credit)) };
        const [first, ...rest] = read;
        const source =
          first && ({ table: 'inbox', row: inboxRowOf(first), changes: readingOf(first) } as const);
        const moved = await applyTransition(
          trx,
          context,
          payment,
          { ...transition, changes, ...(source && { source }) },
          async (entered) => {
            if (credit) await recordCredit(trx, payment.payment_id, credit);
            if (payment.failure_code === OUTCOME_UNKNOWN) {
              const reported = `the provider reported it: ${outcome.to}`;
              await settleCase(trx, payment.payment_id, 'submission_unknown', reported);
            }
            if (outcome.to === 'reversed' && showsReversal(known, outcome)) {
              const reported = 'the provider confirmed it, and it is booked';
              await settleCase(trx, payment.payment_id, 'reversal_reported', reported);
            }
            await noteMissingReceipt(trx, context, entered);
            await conclude(rest);
            if (disputedFunds) await lockAccounts(trx, disputedFunds);
          },
        );
        if (!moved) return 'moved_meanwhile';
        now = moved;
      } else {
        await enrich(trx, payment, enrichment, { remember, warned });
        await conclude();
      }
      if (disputedFunds) await reserveDisputed(trx, disputedFunds);
      return now;
    });
  } catch (error) {
    const key = duplicateKeyOf(error);
    if (key !== 'one_receipt' && key !== 'one_provider_reference') throw error;
    const receipt = receiptOf(outcome?.providerResult) ?? receiptOf(enrichment) ?? '';
    const reused: NewCase =
      key === 'one_receipt'
        ? { reason: 'receipt_reused', detail: `receipt ${receipt}` }
        : {
            reason: 'reference_reused',
            detail: `reference ${(outcome?.providerResult ?? enrichment)?.providerReference ?? ''}`,
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

/** A workflow that has just started received the undelivered webhooks, so only a webhook written now is new. */
async function currentOutcome(
  { db }: PaymentsContext,
  { payment, webhookId }: TransitionResult,
  rest: Pick<Review, 'unanswered' | 'unconfirmed' | 'asked'>,
): Promise<Review> {
  // A refund's deposit may have a webhook, too.
  const isAll = webhookId === undefined || payment.parent_id !== null;
  const webhookIds = isAll ? await pendingWebhookIds(db, payment) : [webhookId];
  const unnamed = payment.provider_reference === null ? { unnamed: true as const } : {};
  return { state: payment.state, webhookIds, ...(await casesAndCodeOf(db, payment)), ...unnamed, ...rest };
}

/** Adds the data of a notification or an answer to a payment that stays in its state. */
export async function enrich(
  trx: Transaction,
  payment: PaymentRow,
  enrichment: Decision['enrichment'],
  { remember, warned }: { remember: string | undefined; warned: Record<string, string> | undefined },
): Promise<void> {
  const seen =
    remember === undefined
      ? {}
      : { tentative_code: remember, tentative_at: new Date(nowOf(payment)).toISOString() };
  const isNamed = enrichment?.kind === 'succeeded' && enrichment.amountMinor !== undefined;
  const wasNot = payment.details['amount_named_by'] === 'nobody';
  const reported = {
    ...enrichment?.details,
    ...(isNamed && wasNot ? { amount_named_by: 'callback' } : {}),
    ...warned,
    ...seen,
  };
  const receipt = receiptOf(enrichment);
  const reference = payment.provider_reference === null ? enrichment?.providerReference : undefined;
  const adds = Object.entries(reported).some(([name, value]) => payment.details[name] !== value);
  if (!adds && receipt === undefined && reference === undefined) return;
  await trx('payments')
    .where({
      payment_id: payment.payment_id,
      state: payment.state,
      returned_minor: payment.returned_minor,
      refunded_minor: payment.refunded_minor,
    })
    .update({
      details: JSON.stringify({ ...payment.details, ...reported }) as never,
      ...(receipt === undefined ? {} : { provider_receipt: receipt }),
      ...(reference === undefined ? {} : { provider_reference: reference }),
      ...nextChange(trx),
    });
}

/**
 * Plans the next check of a payment that was just reviewed and stays in its state. No workflow waits for the checks
 * of a paid payment. A check without an answer is postponed and never counts as done.
 * @param now the payment as the review left it.
 */
async function planNextCheck(
  { db, timeScale }: PaymentsContext,
  { payment, operation, isAsked, unanswered }: Assessed,
  now: PaymentRow,
  { unconfirmed }: { unconfirmed: boolean },
): Promise<void> {
  const policy = policyOf(operation);
  const isKeptByRow = isSettled(now.state);
  // The workflow of an open payment repeats its poll by itself. The row still expects its result.
  const isAnswered = isAsked && (!unanswered || !isKeptByRow);
  // A poll was due, but nothing could be polled.
  const isInVain = isKeptByRow
    ? !isAsked && !unanswered && payment.signals > 0
    : !isAsked && isCheckOverdue(payment);
  if (unconfirmed || isAnswered || isInVain) {
    await replanCheck(db, policy, now, { unconfirmed });
  } else if (isKeptByRow && unanswered && isCheckOverdue(payment)) {
    // Other payments come here only after a dry-run poll with an answer. A dry run without one gives up by itself.
    const mayGiveUp = isAsked && isWarned(now);
    await postponeCheck(db, policy, now, { timeScale, mayGiveUp });
  } else {
    await planCheckNoLater(db, policy, now);
  }
}
