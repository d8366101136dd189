/** Changes the state of a payment by an operator's decision: its booking, its webhook and its audit line, in one transaction. */
import { cutText } from '../domain/cut-text';
import { entrancesOf, isSettled } from '../domain/payment';
import { openAccount, type AccountKey } from '../ledger/accounts';
import { getPaymentOrThrow } from '../payments/read/payments';
import { presumePaid } from '../payments/submit/presume-sent';
import {
  disputedAccounts,
  holdAfterClosing,
  lockAccounts,
  lockDisputed,
} from '../payments/transition/disputed-funds';
import { creditColumns, creditFor, recordCredit, type Credit } from '../payments/transition/credit';
import { applyTransition, prepareTransition, type Transition } from '../payments/transition/transition';
import type { PaymentsContext } from '../rail-kit/context';
import { operationOf } from '../rail-kit/rail';
import { judgeLine } from '../reconciliation/find-evidence';
import { isIncoming, isReturnOf, lineKindOf, type StatementFormat } from '../reconciliation/statement';
import { leaveSuspense } from '../reconciliation/suspense';
import { withProviderLock } from '../reconciliation/provider-lock';
import {
  giveName,
  isNameless,
  isPossiblyMoneyOf,
  TooManyAlike,
  nameColumnOf,
  withoutLine,
} from '../reconciliation/without-receipt';
import type { Transaction } from '../store/database';
import type { PaymentRow, UnmatchedReceiptRow, ReconciliationResultRow } from '../store/tables';
import { duplicateKeyOf, inTransaction } from '../store/transaction';
import { holdRows, rowChanged } from '../users/audit-log';
import type { ActionScope } from './action';
import { ActionError } from './errors';

export interface ByHand {
  transition: Transition;
  /** Why notifications that arrived in the meantime are ignored. */
  decided: string;
  /** Runs the work in a transaction; by default in a new one. */
  within?: (work: (trx: Transaction) => Promise<PaymentRow>) => Promise<PaymentRow>;
  /** An earlier transition in the same transaction. @returns the payment after it. */
  first?: (trx: Transaction) => Promise<PaymentRow>;
  /** Further writes, after the transition of the payment is certain. */
  besides(trx: Transaction): Promise<void>;
  /** Runs at the end of the transaction. */
  last?: (trx: Transaction) => Promise<void>;
}

/** @throws ActionError if the state has changed in the meantime, or if there is no exchange rate for the booking. */
export async function applyManualTransition(
  context: PaymentsContext,
  payment: PaymentRow,
  { transition, decided, first, besides, last, within = (work) => inTransaction(context.db, work) }: ByHand,
): Promise<PaymentRow> {
  const credit = await creditOf(context, payment, transition);
  await prepareTransition(context.db, payment, transition.to);
  const disputedFunds = await disputedAccounts(context.db, payment);
  return within(async (trx) => {
    if (disputedFunds) await lockDisputed(trx, disputedFunds);
    const changes = { ...transition.changes, ...(credit && creditColumns(credit)) };
    const now = first ? await first(trx) : payment;
    const moved = await applyTransition(trx, context, now, { ...transition, changes }, async () => {
      if (credit) await recordCredit(trx, payment.payment_id, credit);
      await besides(trx);
      // The decision also covers unprocessed notifications: the workflow must not query the provider about them.
      await trx('inbox')
        .where({ payment_id: payment.payment_id, state: 'new' })
        .update({ state: 'ignored', reason: decided, processed_at: new Date() });
      if (disputedFunds) await lockAccounts(trx, disputedFunds);
    });
    if (!moved)
      throw new ActionError(
        'The state of the payment has changed in the meantime. Review it again before you decide.',
      );
    if (disputedFunds) await holdAfterClosing(trx, disputedFunds);
    await last?.(trx);
    return moved.payment;
  }).catch((error: unknown) => {
    // Another payment got this reference or receipt since the check.
    const key = duplicateKeyOf(error);
    if (key !== 'one_provider_reference' && key !== 'one_receipt') throw error;
    const { provider_reference: reference, provider_receipt: receipt } = transition.changes ?? {};
    throw new ActionError(`${reference ?? receipt ?? ''} belongs to another payment.`);
  });
}

/** Converts the amount as for a booking without an operator. */
async function creditOf(
  { db }: PaymentsContext,
  payment: PaymentRow,
  { to, changes }: Transition,
): Promise<Credit | undefined> {
  if (to !== 'succeeded' || payment.kind !== 'deposit') return undefined;
  const confirmed = BigInt(changes?.confirmed_minor ?? payment.confirmed_minor ?? 0);
  const credit = await creditFor(db, payment, confirmed);
  if (credit === 'no_rate') {
    throw new ActionError(
      `There is no fresh rate ${payment.instructed_currency} to ${payment.credited_currency ?? ''}; nothing was done.`,
    );
  }
  return credit === 'same_currency' ? undefined : credit;
}

// Decisions about unmatched receipts: each in one transaction, with its audit line.

/** The columns that record the decision. */
type Closing = Pick<UnmatchedReceiptRow, 'state' | 'reason'> &
  Partial<
    Pick<UnmatchedReceiptRow, 'payment_id' | 'merchant_id' | 'returned_reference' | 'beside_payment_id'>
  >;

/**
 * Settles an open or failed payment with money in suspense, as a late success does. It also settles a payout that is on hold
 * because it may have been paid before a restore of the database: the line proves that it was.
 */
export async function claimForPayment(
  session: ActionScope,
  format: StatementFormat,
  unmatched: UnmatchedReceiptRow,
  { paymentId, reason, beside }: { paymentId: string } & Going,
): Promise<PaymentRow> {
  const { context } = session;
  const payment = await getPaymentOrThrow(context.db, paymentId);
  if (isSettled(payment.state)) return nameByReceipt(session, format, unmatched, { payment, reason, beside });
  const waits = payment.kind === 'payout' && payment.state === 'received';
  refuseUnfit(format, unmatched, payment, waits);
  const id = unmatched.receipt_id;
  const evidence = `receipt ${id}, ${session.acting.by}: ${reason}`;
  let besides: Besides = {};
  return applyManualTransition(context, payment, {
    transition: transitionOf(format, unmatched, payment, evidence),
    decided: `receipt ${id} was assigned to it`,
    within: (work) => withProviderLock(context.db, unmatched.provider, work),
    // Before the payment gets the line's receipt: from then on the line names it.
    async first(trx) {
      if (!(await refuseNamed(trx, format, unmatched, { paymentId })))
        besides = await refuseMistaken(trx, format, unmatched, { beside, payment });
      return waits ? beginPaid(session, trx, paymentId, evidence) : payment;
    },
    async besides(trx) {
      const { payment_id, merchant_id } = payment;
      const closing = { state: 'assigned', reason, payment_id, merchant_id } as const;
      await close(session, trx, unmatched, { ...closing, ...columnsOf(besides) });
      const { instructed_minor: minor } = payment;
      await agree(trx, unmatched, { payment_id, ours_minor: minor, note: '' });
    },
    last: (trx) => record(session, trx, unmatched, { payment_id: payment.payment_id, ...besides }),
  });
}

/**
 * Gives a payment that was settled without a receipt the receipt of the line. The payment is booked already, so the only
 * booking takes the money out of suspense.
 */
async function nameByReceipt(
  session: ActionScope,
  format: StatementFormat,
  unmatched: UnmatchedReceiptRow,
  { payment: seen, reason, beside }: { payment: PaymentRow } & Going,
): Promise<PaymentRow> {
  const { context, acting } = session;
  const { payment_id: paymentId } = seen;
  refuseElsewhere(format, unmatched, seen);
  return withProviderLock(context.db, unmatched.provider, async (trx) => {
    const isNamed = await refuseNamed(trx, format, unmatched, { paymentId });
    const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
    const lineless = payment && (await withoutLine(trx, format, [payment]));
    if (!payment || !lineless?.length || !isNameless(format, payment))
      throw new ActionError(
        `Payment ${paymentId} is ${seen.state}: it was paid before. Assign further money to the merchant.`,
      );
    const { merchant_id, confirmed_minor: minor } = payment;
    if (minor !== unmatched.amount_minor || payment.instructed_currency !== unmatched.currency)
      throw new ActionError(`Payment ${paymentId} has another amount or currency.`);
    const besides = isNamed ? {} : await refuseMistaken(trx, format, unmatched, { beside, payment });
    const from = `receipt ${unmatched.receipt_id}, ${acting.by}`;
    if (!(await giveName(trx, format, payment, unmatched, from)))
      throw new ActionError(
        `${unmatched.provider_reference} belongs to another payment, or is not a receipt.`,
      );
    const closing = { state: 'assigned', reason, payment_id: paymentId, merchant_id } as const;
    await close(session, trx, unmatched, { ...closing, ...columnsOf(besides) });
    await agree(trx, unmatched, { payment_id: paymentId, ours_minor: minor, note: from });
    await trx('reconciliation_results')
      .where({ subject: `payment:${paymentId}` })
      .delete();
    const receipt = unmatched.provider_reference;
    await record(session, trx, unmatched, { payment_id: paymentId, receipt, ...besides });
    return { ...payment, [nameColumnOf(format, payment.kind)]: unmatched.provider_reference };
  });
}

async function agree(
  trx: Transaction,
  { line_id: id }: UnmatchedReceiptRow,
  agreed: Pick<ReconciliationResultRow, 'payment_id' | 'ours_minor' | 'note'>,
): Promise<void> {
  await trx('reconciliation_results')
    .where({ subject: `line:${id}` })
    .update({ ...agreed, outcome: 'agreed', decided_at: new Date() });
}

async function beginPaid(
  { context, acting }: ActionScope,
  trx: Transaction,
  paymentId: string,
  evidence: string,
): Promise<PaymentRow> {
  const begun = await presumePaid(trx, context, paymentId, evidence);
  if (!begun)
    throw new ActionError(
      `Payout ${paymentId} was never sent, and is not on hold because it may have been sent: see malipo hold list.`,
    );
  await holdRows(trx, 'payout_holds', paymentId);
  const ended = await trx('payout_holds')
    .where({ payment_id: paymentId, released_at: null })
    .update({ released_by: acting.by, released_at: new Date(), note: cutText(evidence, 400) });
  if (ended > 0) await rowChanged(trx, 'payout_holds', paymentId);
  return begun;
}

/** Moves an incoming receipt from suspense to the owner's account, or takes an outgoing one from it. */
export async function claimForAccount(
  session: ActionScope,
  format: StatementFormat,
  unmatched: UnmatchedReceiptRow,
  { key, merchantId, reason, beside }: { key: AccountKey; merchantId: string | null } & Going,
): Promise<void> {
  const { db } = session.context;
  const account = await openAccount(db, key);
  await withProviderLock(db, unmatched.provider, async (trx) => {
    await refuseNamed(trx, format, unmatched, { merchantId });
    const besides = await refuseAnyMistaken(session, trx, format, unmatched, beside);
    const closing = { state: 'assigned', reason, merchant_id: merchantId } as const;
    await close(session, trx, unmatched, { ...closing, ...columnsOf(besides) }, account);
    await record(session, trx, unmatched, { merchant_id: merchantId, account: key.class, ...besides });
  });
}

/** The reason, and the payment that the money came in addition to, if the line looks like that payment. */
interface Going {
  reason: string;
  beside?: string | undefined;
}

/** What two operators state, if anything; stored with the decision and in the audit log. */
type Besides = { beside_payment_id?: string } | { unclear: string };

const columnsOf = (besides: Besides) => ('beside_payment_id' in besides ? besides : {});

/**
 * Denies assigning or returning a line that may be the money of a payment that no line names: that money is booked already,
 * or will be. Two operators can state that it came in addition to that payment.
 * @param payment the payment that gets the money. Which of several unpaid payments was paid is the operator's decision, so
 *   only payments whose money is booked count, and none if the line looks like this payment, too.
 */
async function refuseMistaken(
  trx: Transaction,
  format: StatementFormat,
  { receipt_id: id, line_id: lineId }: UnmatchedReceiptRow,
  { beside, payment }: { beside?: string | undefined; payment?: PaymentRow },
): Promise<Besides> {
  const line = await trx('statement_lines').where({ line_id: lineId }).first();
  const all = line ? await isPossiblyMoneyOf(trx, format, line).catch(orUnclear) : [];
  if (all === 'unclear') {
    // The operator has found the payment among them, and another operator agrees.
    if (payment) return { unclear: 'too many payments are like this line' };
    throw new ActionError(
      'Too many payments of this amount and time have no line: this line may be the money of any of them. ' +
        'First upload the missing statements, or assign the line to its payment: a second operator must approve it.',
    );
  }
  const isIt = payment !== undefined && all.some((one) => one.payment.payment_id === payment.payment_id);
  const like = payment === undefined ? all : all.filter(({ payment: { state } }) => isSettled(state));
  if (beside !== undefined) {
    const isOther = beside !== payment?.payment_id;
    if (isOther && like.some((one) => one.payment.payment_id === beside))
      return { beside_payment_id: beside };
    throw new ActionError(
      `Receipt ${id} does not look like the money of payment ${beside}: leave out --beside.`,
    );
  }
  const [first] = isIt && isSettled(payment.state) ? [] : like;
  if (!first) return {};
  const { payment: mistaken, because } = first;
  const isNamed = isSettled(mistaken.state) && !isNameless(format, mistaken);
  const is = isSettled(mistaken.state)
    ? `was paid, but no line of a statement names it${isNamed ? '' : ': it has no receipt'}. Its money is booked already`
    : `is ${mistaken.state} and may still become paid. Its money will be booked then`;
  throw new ActionError(
    `Payment ${mistaken.payment_id} ${is}, and this line may be that money (${because.join(', ')}). ` +
      (isNamed
        ? "If it is, its receipt is damaged in this file: withdraw the file, and upload the provider's own export. "
        : `If it is, assign it to payment ${mistaken.payment_id}. `) +
      `If the money came in addition to payment ${mistaken.payment_id}, use --beside: a second operator must approve it.`,
  );
}

function orUnclear(error: unknown): 'unclear' {
  if (!(error instanceof TooManyAlike)) throw error;
  return 'unclear';
}

/**
 * As {@link refuseMistaken}, for a line that no payment gets. A line that returns the money of a settled payment is denied,
 * too, where its provider is polled for returns: the next check books the return.
 */
async function refuseAnyMistaken(
  { context }: ActionScope,
  trx: Transaction,
  format: StatementFormat,
  unmatched: UnmatchedReceiptRow,
  beside: string | undefined,
): Promise<Besides> {
  const { payment: named } = await judgeLine(trx, format, unmatched.line_id);
  const mayReturn = unmatched.kind === 'refund' || unmatched.kind === 'other';
  const returned = named && mayReturn && isReturnOf(unmatched, named.kind) && isSettled(named.state);
  if (!returned || lineKindOf[named.kind] === unmatched.kind)
    return refuseMistaken(trx, format, unmatched, { beside });
  const { payment_id: id } = named;
  if (beside === id) return { beside_payment_id: beside };
  const { policy } = operationOf(context.rails.get(named.rail), await getPaymentOrThrow(trx, id));
  if (!policy.afterSuccessChecksMs?.length) return refuseMistaken(trx, format, unmatched, { beside });
  throw new ActionError(
    `The line returns the money of payment ${id}, which is ${named.state}. ` +
      'The next check of that payment books the return: malipo payment show says when. ' +
      `If the provider never reports the return, use --beside ${id}: a second operator must approve it.`,
  );
}

/** Records that the money was returned to its sender, or to us. @param reference the provider's reference of the return. */
export async function returnReceipt(
  session: ActionScope,
  format: StatementFormat,
  unmatched: UnmatchedReceiptRow,
  { reference, reason, beside }: { reference: string } & Going,
): Promise<void> {
  try {
    await withProviderLock(session.context.db, unmatched.provider, async (trx) => {
      const besides = await refuseAnyMistaken(session, trx, format, unmatched, beside);
      const closing = { state: 'returned', reason, returned_reference: reference } as const;
      await close(session, trx, unmatched, { ...closing, ...columnsOf(besides) });
      await record(session, trx, unmatched, { reference, ...besides });
    });
  } catch (error) {
    if (duplicateKeyOf(error) !== 'one_return') throw error;
    throw new ActionError(`${reference} is the return of another unmatched receipt.`);
  }
}

/** Locks the row first: if two operators decide at the same time, the second one waits and is denied. */
async function close(
  { acting }: ActionScope,
  trx: Transaction,
  { receipt_id: id }: UnmatchedReceiptRow,
  closing: Closing,
  to?: Awaited<ReturnType<typeof openAccount>>,
): Promise<void> {
  const unmatched = await trx('unmatched_receipts').where({ receipt_id: id }).forUpdate().first();
  if (!unmatched) throw new ActionError(`There is no unmatched receipt ${id}.`);
  refuseDecided(unmatched);
  await trx('unmatched_receipts')
    .where({ receipt_id: id, state: 'open' })
    .update({
      ...closing,
      assigned_by: acting.by,
      approved_by: acting.approvedBy ?? null,
      closed_at: new Date(),
    });
  const word = closing.state === 'returned' ? 'returned' : 'assigned';
  await leaveSuspense(trx, [{ ...unmatched, reason: closing.reason }], word, to);
}

/** The approval rule is that of any action that moves this amount. */
function record(
  { acting }: ActionScope,
  trx: Transaction,
  unmatched: UnmatchedReceiptRow,
  details: Record<string, string | null>,
): Promise<void> {
  const minor = isIncoming(unmatched);
  return acting.record(trx, {
    subject: { kind: 'unmatched', id: unmatched.receipt_id },
    details: { provider: unmatched.provider, ...details },
    money: { currency: unmatched.currency, amountMinor: minor < 0n ? -minor : minor },
    ...(('beside_payment_id' in details || 'unclear' in details) && { second: 'always' }),
    changes: [
      {
        of: { kind: 'unmatched', id: unmatched.receipt_id },
        field: 'state',
        from: unmatched.state,
        to: 'reference' in details ? 'returned' : 'assigned',
      },
    ],
  });
}

export function refuseDecided({ receipt_id: id, state, entry_id: entry }: UnmatchedReceiptRow): void {
  if (state === 'explained') throw new ActionError(`Our books now explain receipt ${id}.`);
  if (state !== 'open') throw new ActionError(`Receipt ${id} is already ${state}.`);
  if (entry === null)
    throw new ActionError(`Receipt ${id} is not booked yet: first run malipo reconcile for its provider.`);
}

/** @param waits whether the payment is on hold because it may have been paid before a restore of the database. */
function refuseUnfit(
  format: StatementFormat,
  unmatched: UnmatchedReceiptRow,
  payment: PaymentRow,
  waits: boolean,
): void {
  const { payment_id: id, kind, state } = payment;
  refuseElsewhere(format, unmatched, payment);
  if (!isAsInstructed(unmatched, payment))
    throw new ActionError(`Payment ${id} has another amount or currency.`);
  if (!waits && !mayBecomePaid(payment))
    throw new ActionError(
      `A ${kind} that is ${state} cannot become paid; assign the receipt to its merchant.`,
    );
}

function refuseElsewhere(format: StatementFormat, unmatched: UnmatchedReceiptRow, payment: PaymentRow): void {
  const { payment_id: id, rail, provider, kind } = payment;
  const goesThrough = format.payments.some(
    (of) => of.rail === rail && (of.provider ?? provider) === provider,
  );
  if (!goesThrough)
    throw new ActionError(`Payment ${id} goes through another account than ${unmatched.provider}.`);
  if (lineKindOf[kind] !== unmatched.kind)
    throw new ActionError(`Payment ${id} is a ${kind}, but the line is a ${unmatched.kind}.`);
}

/** A failed payout or refund has released its reserve, so it cannot become paid. */
function mayBecomePaid({ kind, state, is_final: isFinal }: PaymentRow): boolean {
  const isReleased = kind !== 'deposit' && isFinal === 1;
  return !isReleased && !isSettled(state) && entrancesOf('succeeded').includes(state);
}

/**
 * Denies giving the money to anybody else if the line names a payment whose late success would book it again.
 * @returns whether the line names the payment that gets the money.
 */
async function refuseNamed(
  trx: Transaction,
  format: StatementFormat,
  unmatched: UnmatchedReceiptRow,
  to: { paymentId: string } | { merchantId: string | null },
): Promise<boolean> {
  // close() reports a receipt that is decided already.
  const { state } =
    (await trx('unmatched_receipts').where({ receipt_id: unmatched.receipt_id }).forUpdate().first()) ?? {};
  if (state !== 'open') return false;
  const { outcome, payment: named } = await judgeLine(trx, format, unmatched.line_id);
  const id = named?.payment_id ?? '';
  if ('paymentId' in to && to.paymentId === id) return true;
  if (outcome !== 'theirs_only')
    throw new ActionError(`Our books now explain receipt ${unmatched.receipt_id}: reconcile again.`);
  if (!named || lineKindOf[named.kind] !== unmatched.kind) return false;
  const payment = await getPaymentOrThrow(trx, id);
  if (!mayBecomePaid(payment)) return false;
  const says = `The line names payment ${id}, which is ${payment.state} and may still become paid`;
  if (isAsInstructed(unmatched, payment)) throw new ActionError(`${says}: assign it to that payment.`);
  const isOurs = 'merchantId' in to && to.merchantId === null;
  if (!isOurs) throw new ActionError(`${says}, with another amount or currency: decide that payment first.`);
  return false;
}

function isAsInstructed(unmatched: UnmatchedReceiptRow, payment: PaymentRow): boolean {
  return (
    payment.instructed_currency === unmatched.currency && payment.instructed_minor === unmatched.amount_minor
  );
}

function transitionOf(
  { knownBy }: StatementFormat,
  { provider_reference: reference }: UnmatchedReceiptRow,
  payment: PaymentRow,
  evidence: string,
): Transition {
  const unknown = knownBy.find((column) => payment[column] === null);
  return {
    to: 'succeeded',
    cause: 'operator',
    evidence,
    changes: {
      failure_code: null,
      corrected: payment.is_final === 1 ? 1 : 0,
      confirmed_minor: payment.instructed_minor,
      ...(unknown === undefined ? {} : { [unknown]: reference }),
    },
  };
}
