/** A payment that a person moves: the one way in which it is booked and told, whatever the person has decided about. */
import { cutText } from '../domain/cut-text';
import { entrancesOf, isSettled } from '../domain/payment';
import { openAccount, type AccountKey } from '../ledger/accounts';
import { getPaymentOrThrow } from '../payments/read/payments';
import { presumePaid } from '../payments/submit/presume-sent';
import {
  contestedAccounts,
  holdAfterClosing,
  lockAccounts,
  lockContested,
} from '../payments/transition/disputed-funds';
import { creditColumns, creditFor, recordCredit, type Credit } from '../payments/transition/credit';
import { movePayment, prepareMove, type Move } from '../payments/transition/transition';
import type { PaymentsContext } from '../rail-kit/context';
import { judgeLine } from '../reconciliation/find-evidence';
import { cameIn, lineKindOf, type StatementFormat } from '../reconciliation/statement';
import { leaveSuspense } from '../reconciliation/suspense';
import { inTurn } from '../reconciliation/turn';
import {
  giveName,
  isNameless,
  mayBeMoneyOf,
  TooManyAlike,
  nameColumnOf,
  withoutLine,
} from '../reconciliation/without-receipt';
import type { Transaction } from '../store/database';
import type { PaymentRow, OrphanRow, ReconciliationResultRow } from '../store/tables';
import { duplicateKeyOf, inTransaction } from '../store/transaction';
import { holdRows, rowChanged } from '../users/audit-log';
import type { ActionScope } from './action';
import { ActionError } from './errors';

export interface ByHand {
  move: Move;
  /** Why what was reported meanwhile is asked about no more. */
  decided: string;
  /** Runs it in one transaction; its own where nothing else has to be locked before. */
  within?: (work: (trx: Transaction) => Promise<PaymentRow>) => Promise<PaymentRow>;
  /** What it goes through before, in the same transaction. @returns the payment as it is then. */
  first?: (trx: Transaction) => Promise<PaymentRow>;
  /** What is written with it, done once it is certain that the payment moves. */
  besides(trx: Transaction): Promise<void>;
  /** Runs as the last of the transaction. */
  last?: (trx: Transaction) => Promise<void>;
}

/** @throws ActionError when somebody has moved it meanwhile, or there is no rate to book it at. */
export async function moveByHand(
  context: PaymentsContext,
  payment: PaymentRow,
  { move, decided, first, besides, last, within = (work) => inTransaction(context.db, work) }: ByHand,
): Promise<PaymentRow> {
  const credit = await creditOf(context, payment, move);
  await prepareMove(context.db, payment, move.to);
  const contested = await contestedAccounts(context.db, payment);
  return within(async (trx) => {
    if (contested) await lockContested(trx, contested);
    const changes = { ...move.changes, ...(credit && creditColumns(credit)) };
    const now = first ? await first(trx) : payment;
    const moved = await movePayment(trx, context, now, { ...move, changes }, async () => {
      if (credit) await recordCredit(trx, payment.payment_id, credit);
      await besides(trx);
      // What was reported is decided upon with it: nothing is left for the workflow to ask about.
      await trx('inbox')
        .where({ payment_id: payment.payment_id, state: 'new' })
        .update({ state: 'ignored', reason: decided, processed_at: new Date() });
      if (contested) await lockAccounts(trx, contested);
    });
    if (!moved) throw new ActionError('The payment has moved meanwhile; look at it again before deciding.');
    if (contested) await holdAfterClosing(trx, contested);
    await last?.(trx);
    return moved.payment;
  }).catch((error: unknown) => {
    // Somebody has given it to another payment since it was looked for.
    const key = duplicateKeyOf(error);
    if (key !== 'one_provider_reference' && key !== 'one_receipt') throw error;
    const { provider_reference: reference, provider_receipt: receipt } = move.changes ?? {};
    throw new ActionError(`${reference ?? receipt ?? ''} is another payment's.`);
  });
}

/** What is booked by a person is converted as what is booked by itself. */
async function creditOf(
  { db }: PaymentsContext,
  payment: PaymentRow,
  { to, changes }: Move,
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

// What a person decides about money without an owner: each in one transaction, with its line of the audit log.

/** What is written down of the decision. */
type Closing = Pick<OrphanRow, 'state' | 'reason'> &
  Partial<Pick<OrphanRow, 'payment_id' | 'merchant_id' | 'returned_reference' | 'beside_payment_id'>>;

/**
 * Settles a payment that is open, or ended unhappily, by money in suspense: as a late success would. So it does a payout
 * that waits because it may have been paid before the database was restored: the line is the proof that it was.
 */
export async function claimForPayment(
  session: ActionScope,
  format: StatementFormat,
  orphan: OrphanRow,
  { paymentId, reason }: { paymentId: string; reason: string },
): Promise<PaymentRow> {
  const { context } = session;
  const payment = await getPaymentOrThrow(context.db, paymentId);
  if (isSettled(payment.state)) return nameByOrphan(session, format, orphan, { payment, reason });
  const waits = payment.kind === 'payout' && payment.state === 'received';
  refuseUnfit(format, orphan, payment, waits);
  const id = orphan.orphan_id;
  const evidence = `orphan ${id}, ${session.acting.by}: ${reason}`;
  return moveByHand(context, payment, {
    move: moveOf(format, orphan, payment, evidence),
    decided: `orphan ${id} was claimed for it`,
    within: (work) => inTurn(context.db, orphan.provider, work),
    ...(waits && { first: (trx) => beginPaid(session, trx, paymentId, evidence) }),
    async besides(trx) {
      const { payment_id, merchant_id } = payment;
      await refuseNamed(trx, format, orphan, { paymentId });
      await close(session, trx, orphan, { state: 'claimed', reason, payment_id, merchant_id });
      const { instructed_minor: minor } = payment;
      await agree(trx, orphan, { payment_id, ours_minor: minor, note: '' });
    },
    last: (trx) => record(session, trx, orphan, { payment_id: payment.payment_id }),
  });
}

/**
 * What was settled without a receipt has it from the orphan's line: the money is in our books once, and stays there once.
 * Nothing is booked but that it is in suspense no more.
 */
async function nameByOrphan(
  session: ActionScope,
  format: StatementFormat,
  orphan: OrphanRow,
  { payment: seen, reason }: { payment: PaymentRow; reason: string },
): Promise<PaymentRow> {
  const { context, acting } = session;
  const { payment_id: paymentId } = seen;
  refuseElsewhere(format, orphan, seen);
  return inTurn(context.db, orphan.provider, async (trx) => {
    await refuseNamed(trx, format, orphan, { paymentId });
    const payment = await trx('payments').where({ payment_id: paymentId }).forUpdate().first();
    const lineless = payment && (await withoutLine(trx, format, [payment]));
    if (!payment || !lineless?.length || !isNameless(format, payment))
      throw new ActionError(
        `Payment ${paymentId} is ${seen.state}: it was paid before. What came beside it is the merchant's.`,
      );
    const { merchant_id, confirmed_minor: minor } = payment;
    if (minor !== orphan.amount_minor || payment.instructed_currency !== orphan.currency)
      throw new ActionError(`Payment ${paymentId} is of another amount or currency.`);
    const from = `orphan ${orphan.orphan_id}, ${acting.by}`;
    if (!(await giveName(trx, format, payment, orphan, from)))
      throw new ActionError(`${orphan.provider_reference} is another payment's, or no receipt.`);
    await close(session, trx, orphan, { state: 'claimed', reason, payment_id: paymentId, merchant_id });
    await agree(trx, orphan, { payment_id: paymentId, ours_minor: minor, note: from });
    await trx('reconciliation_results')
      .where({ subject: `payment:${paymentId}` })
      .delete();
    await record(session, trx, orphan, { payment_id: paymentId, receipt: orphan.provider_reference });
    return { ...payment, [nameColumnOf(format, payment.kind)]: orphan.provider_reference };
  });
}

async function agree(
  trx: Transaction,
  { line_id: id }: OrphanRow,
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
      `Payout ${paymentId} was never sent, and does not wait because it may have been: see malipo hold list.`,
    );
  await holdRows(trx, 'payout_holds', paymentId);
  const ended = await trx('payout_holds')
    .where({ payment_id: paymentId, released_at: null })
    .update({ released_by: acting.by, released_at: new Date(), note: cutText(evidence, 400) });
  if (ended > 0) await rowChanged(trx, 'payout_holds', paymentId);
  return begun;
}

/** Moves it from suspense to an account of its owner, or takes from that what went out. */
export async function claimForAccount(
  session: ActionScope,
  format: StatementFormat,
  orphan: OrphanRow,
  { key, merchantId, reason, beside }: { key: AccountKey; merchantId: string | null } & Going,
): Promise<void> {
  const { db } = session.context;
  const account = await openAccount(db, key);
  await inTurn(db, orphan.provider, async (trx) => {
    await refuseNamed(trx, format, orphan, { merchantId });
    const besides = await refuseMistaken(trx, format, orphan, beside);
    const closing = { state: 'claimed', reason, merchant_id: merchantId, ...besides } as const;
    await close(session, trx, orphan, closing, account);
    await record(session, trx, orphan, { merchant_id: merchantId, account: key.class, ...besides });
  });
}

/** Why, and beside which payment's money, where the line could be taken for that. */
interface Going {
  reason: string;
  beside?: string | undefined;
}

/**
 * What may be the money of a payment that no line names is given to nobody, and does not go back: it is booked already,
 * or will be. Two people may say that it came beside that.
 */
async function refuseMistaken(
  trx: Transaction,
  format: StatementFormat,
  { orphan_id: id, line_id: lineId }: OrphanRow,
  beside: string | undefined,
): Promise<Pick<OrphanRow, 'beside_payment_id'> | undefined> {
  const line = await trx('statement_lines').where({ line_id: lineId }).first();
  const like = line ? await mayBeMoneyOf(trx, format, line).catch(refuseUnclear) : [];
  if (beside !== undefined) {
    if (like.some(({ payment }) => payment.payment_id === beside)) return { beside_payment_id: beside };
    throw new ActionError(
      `Orphan ${id} cannot be taken for the money of payment ${beside}: it needs no word that it came beside it.`,
    );
  }
  const [first] = like;
  if (!first) return undefined;
  const { payment, because } = first;
  const isNamed = isSettled(payment.state) && !isNameless(format, payment);
  const is = isSettled(payment.state)
    ? `was paid, and no line of a statement names it${isNamed ? '' : ': it has no receipt'}. Its money is booked already`
    : `is ${payment.state}, and may still become paid. Its money will be booked then`;
  throw new ActionError(
    `Payment ${payment.payment_id} ${is}, and this line may be that money (${because.join(', ')}). ` +
      (isNamed
        ? 'If it is, its receipt is damaged in this file: withdraw the file, and bring it as the provider exports it. '
        : `If it is, claim it for payment ${payment.payment_id}. `) +
      `If it came beside payment ${payment.payment_id}, say so (--beside): a second operator has to agree.`,
  );
}

function refuseUnclear(error: unknown): never {
  if (!(error instanceof TooManyAlike)) throw error;
  throw new ActionError(
    'So many payments of this amount and time are without a line that this line may be the money of any. ' +
      'Bring the missing statements first, or claim the line for its payment.',
  );
}

/** It went back to whom it came from, or came back to us. @param reference what the provider calls that. */
export async function returnOrphan(
  session: ActionScope,
  format: StatementFormat,
  orphan: OrphanRow,
  { reference, reason, beside }: { reference: string } & Going,
): Promise<void> {
  try {
    await inTurn(session.context.db, orphan.provider, async (trx) => {
      const besides = await refuseMistaken(trx, format, orphan, beside);
      const closing = { state: 'returned', reason, returned_reference: reference, ...besides } as const;
      await close(session, trx, orphan, closing);
      await record(session, trx, orphan, { reference, ...besides });
    });
  } catch (error) {
    if (duplicateKeyOf(error) !== 'one_return') throw error;
    throw new ActionError(`With ${reference} another orphan went back.`);
  }
}

/** Locks it first: of two who decide at the same time one waits, and is refused. */
async function close(
  { acting }: ActionScope,
  trx: Transaction,
  { orphan_id: id }: OrphanRow,
  closing: Closing,
  to?: Awaited<ReturnType<typeof openAccount>>,
): Promise<void> {
  const orphan = await trx('orphans').where({ orphan_id: id }).forUpdate().first();
  if (!orphan) throw new ActionError(`There is no orphan ${id}.`);
  refuseDecided(orphan);
  await trx('orphans')
    .where({ orphan_id: id, state: 'open' })
    .update({
      ...closing,
      claimed_by: acting.by,
      approved_by: acting.approvedBy ?? null,
      closed_at: new Date(),
    });
  const word = closing.state === 'returned' ? 'returned' : 'claimed';
  await leaveSuspense(trx, [{ ...orphan, reason: closing.reason }], word, to);
}

/** Four eyes are needed as for whatever moves as much. */
function record(
  { acting }: ActionScope,
  trx: Transaction,
  orphan: OrphanRow,
  details: Record<string, string | null>,
): Promise<void> {
  const minor = cameIn(orphan);
  return acting.record(trx, {
    subject: { kind: 'orphan', id: orphan.orphan_id },
    details: { provider: orphan.provider, ...details },
    moves: { currency: orphan.currency, amountMinor: minor < 0n ? -minor : minor },
    ...(details['beside_payment_id'] !== undefined && { second: 'always' }),
    changes: [
      {
        of: { kind: 'orphan', id: orphan.orphan_id },
        field: 'state',
        from: orphan.state,
        to: 'reference' in details ? 'returned' : 'claimed',
      },
    ],
  });
}

export function refuseDecided({ orphan_id: id, state, entry_id: entry }: OrphanRow): void {
  if (state === 'explained') throw new ActionError(`Our books have orphan ${id} by themselves now.`);
  if (state !== 'open') throw new ActionError(`Orphan ${id} was ${state} before.`);
  if (entry === null)
    throw new ActionError(`Orphan ${id} is not booked yet: malipo reconcile of its provider books it first.`);
}

/** @param waits whether it is still to be seen if the payment was paid before the database was restored. */
function refuseUnfit(format: StatementFormat, orphan: OrphanRow, payment: PaymentRow, waits: boolean): void {
  const { payment_id: id, kind, state } = payment;
  refuseElsewhere(format, orphan, payment);
  if (!isAsInstructed(orphan, payment))
    throw new ActionError(`Payment ${id} is of another amount or currency.`);
  if (!waits && !mayBecomePaid(payment))
    throw new ActionError(`A ${kind} that is ${state} cannot become paid; claim it for its merchant.`);
}

function refuseElsewhere(format: StatementFormat, orphan: OrphanRow, payment: PaymentRow): void {
  const { payment_id: id, rail, provider, kind } = payment;
  const goesThrough = format.payments.some(
    (of) => of.rail === rail && (of.provider ?? provider) === provider,
  );
  if (!goesThrough)
    throw new ActionError(`Payment ${id} goes through another account than ${orphan.provider}.`);
  if (lineKindOf[kind] !== orphan.kind)
    throw new ActionError(`Payment ${id} is a ${kind}, and the statement tells of a ${orphan.kind}.`);
}

/** What was paid out and failed has given its hold back: it is paid no more. */
function mayBecomePaid({ kind, state, is_final: isFinal }: PaymentRow): boolean {
  const isReleased = kind !== 'deposit' && isFinal === 1;
  return !isReleased && !isSettled(state) && entrancesOf('succeeded').includes(state);
}

/** What a late success of the payment that its line names would book once more is not given to anybody else. */
async function refuseNamed(
  trx: Transaction,
  format: StatementFormat,
  orphan: OrphanRow,
  to: { paymentId: string } | { merchantId: string | null },
): Promise<void> {
  // What is locked by now is looked at as it is; close() says what is wrong with an orphan that is decided.
  const { state } = (await trx('orphans').where({ orphan_id: orphan.orphan_id }).forUpdate().first()) ?? {};
  if (state !== 'open') return;
  const { outcome, payment: named } = await judgeLine(trx, format, orphan.line_id);
  const id = named?.payment_id ?? '';
  if ('paymentId' in to && to.paymentId === id) return;
  if (outcome !== 'theirs_only')
    throw new ActionError(`Our books have orphan ${orphan.orphan_id} by themselves now: reconcile again.`);
  if (!named || lineKindOf[named.kind] !== orphan.kind) return;
  const payment = await getPaymentOrThrow(trx, id);
  if (!mayBecomePaid(payment)) return;
  const says = `The line names payment ${id}, which is ${payment.state} and may still become paid`;
  if (isAsInstructed(orphan, payment)) throw new ActionError(`${says}: claim it for that payment.`);
  const isOurs = 'merchantId' in to && to.merchantId === null;
  if (!isOurs) throw new ActionError(`${says}, with another amount or currency: decide that payment first.`);
}

function isAsInstructed(orphan: OrphanRow, payment: PaymentRow): boolean {
  return payment.instructed_currency === orphan.currency && payment.instructed_minor === orphan.amount_minor;
}

function moveOf(
  { knownBy }: StatementFormat,
  { provider_reference: reference }: OrphanRow,
  payment: PaymentRow,
  evidence: string,
): Move {
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
