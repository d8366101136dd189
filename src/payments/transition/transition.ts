import { openCase } from '../../controls/cases';
import { cutText } from '../../domain/cut-text';
import { entrancesOf, isFinal, isSettled, notGone, type PaymentState } from '../../domain/payment';
import type { PaymentsContext } from '../../rail-kit/context';
import { policyOf } from '../../rail-kit/uncertainty';
import { operationOf } from '../../rail-kit/rail';
import type { Database, Transaction } from '../../store/database';
import type { AttemptRow, InboxRow, PaymentRow } from '../../store/tables';
import { rootOf, entered } from '../../telemetry/tracing/scope';
import { noteChange } from '../../users/current-action';
import { disputedAccounts, reserveDisputed, lockAccounts } from './disputed-funds';
import { chargeOf } from './fees';
import { moneyEffectOf } from './money-effects';
import { excessOf, transitionOfDeposit } from './own-refunds';
import { flagPaidTwice, reconsiderPaidTwice } from './duplicate-payments';
import { planCheck } from './plan-check';
import { writeTransitionWebhook } from './write-webhook';

export interface Transition {
  to: PaymentState;
  /** The cause for the log: `callback`, `query`, `deadline`, `refused`, … */
  cause: string;
  /** Where the proof is: an inbox row, an attempt, the provider's text. */
  evidence?: string;
  changes?: Partial<Omit<PaymentRow, 'payment_id' | 'state' | 'is_final'>>;
  /** False only where the caller itself answers the merchant, before anything was started. */
  notified?: boolean;
  /** The row that causes the transition, and what is stored in it: in the same statement. It must exist. */
  source?: SourceRow;
}

/** An attempt of the payment with its answer, or a notification in its inbox with its result. */
export type SourceRow =
  | { table: 'attempts'; row: Pick<AttemptRow, 'operation' | 'n'>; changes: Partial<AttemptRow> }
  | { table: 'inbox'; row: Pick<InboxRow, 'inbox_id'>; changes: Partial<InboxRow> };

/** A payment in its new state, and the webhook that reports it. */
export interface TransitionResult {
  payment: PaymentRow;
  webhookId?: string;
}

/**
 * The only way a payment changes its state. The caller's one transaction writes the state, its posting, the log line,
 * the merchant's event and its webhook, or none of them. The posting comes last: many payments share a wallet or a
 * float, and other transactions that book there wait for the COMMIT.
 * @param besides the caller's own writes, run after the transition is certain and before the booking.
 * @returns the payment as it is now, or undefined when another process has changed its state since it was read.
 */
export async function applyTransition(
  trx: Transaction,
  context: PaymentsContext,
  payment: PaymentRow,
  transition: Transition,
  besides: (moved: PaymentRow) => Promise<void> = () => Promise.resolve(),
): Promise<TransitionResult | undefined> {
  if (!entrancesOf(transition.to).includes(payment.state)) {
    throw new Error(`payment ${payment.payment_id} cannot change from ${payment.state} to ${transition.to}`);
  }
  const now = new Date();
  const entered: PaymentRow = {
    ...payment,
    ...transition.changes,
    details: detailsAfter(context, payment, transition),
    state: transition.to,
    is_final: isFinal(transition.to) ? 1 : 0,
    finished_at: isFinal(transition.to) ? now : null,
    finished_ahead_ms: isFinal(transition.to) ? payment.clock_ahead_ms : '0',
    updated_at: now,
    sequence: payment.sequence + 1,
  };
  const policy = policyOf(operationOf(context.rails.get(payment.rail), payment));
  const charge = await chargeOf(trx, context.db, payment, entered);
  const planned = { ...entered, ...charge, next_check_at: planCheck(policy, entered), signals: 0 };
  const sequence = await write(trx, payment, changedColumns(payment, planned), transition.source);
  if (sequence === undefined) return undefined;
  const written = { ...planned, sequence };
  const isPaid = transition.to === 'succeeded' && payment.kind === 'deposit' && !isSettled(payment.state);
  const moved = isPaid ? await flagPaidTwice(trx, context, written) : written;

  const deposit = await lockedDepositOf(trx, context, moved);
  await trx('payment_log').insert({
    payment_id: payment.payment_id,
    from_state: payment.state,
    to_state: transition.to,
    cause: transition.cause,
    evidence: transition.evidence === undefined ? null : cutText(transition.evidence, 500),
    at: now,
  });
  const webhookId = await writeTransitionWebhook(trx, context, moved, {
    before: payment,
    notified: transition.notified,
  });
  if (deposit) await followOnDeposit(trx, context, moved, deposit);
  await reconsiderPaidTwice(trx, context, moved, payment);
  await besides(moved);
  await book(trx, context, moved, payment, deposit);
  noteChange(trx, { kind: 'payment', paymentId: moved.payment_id, from: payment.state, to: moved.state });
  context.observeTransition(moved.rail, moved.kind, moved.state, transition.cause);
  traceTransition(moved, { before: payment, cause: transition.cause });
  return { payment: moved, ...(webhookId === undefined ? {} : { webhookId }) };
}

/**
 * Writes the change with the next sequence number of the payment. If another process has only added data since, such
 * as a receipt, that has used the number: the change then takes the next one.
 * @returns the number; undefined, and nothing is written, when another process has changed the state since it was
 *   read.
 */
async function write(
  trx: Transaction,
  payment: PaymentRow,
  changes: Record<string, unknown>,
  source: SourceRow | undefined,
): Promise<number | undefined> {
  const unmoved = {
    payment_id: payment.payment_id,
    state: payment.state,
    // A deposit can be partly refunded without a change of state, so these amounts must be equal, too.
    returned_minor: payment.returned_minor,
    refunded_minor: payment.refunded_minor,
  };
  const writeAfter = async (sequence: number): Promise<boolean> => {
    const where = { ...unmoved, sequence };
    const all = { ...changes, sequence: sequence + 1 };
    if (!source) return (await trx('payments').where(where).update(all)) === 1;
    const both = await trx('payments as p')
      .join(`${source.table} as o`, 'o.payment_id', 'p.payment_id')
      .where(of('p', where))
      .where(of('o', source.row))
      .update({ ...of('p', all), ...of('o', source.changes) });
    return both > 0;
  };
  if (await writeAfter(payment.sequence)) return payment.sequence + 1;
  const known = await trx('payments').where(unmoved).forUpdate().first('sequence');
  if (!known || known.sequence === payment.sequence) return undefined;
  return (await writeAfter(known.sequence)) ? known.sequence + 1 : undefined;
}

const of = (table: 'p' | 'o', columns: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(columns).map(([name, value]) => [`${table}.${name}`, value as unknown]));

/** A refund that was not sent, or was returned, releases its amount: the provider may take that amount back again. */
async function book(
  trx: Transaction,
  { db }: PaymentsContext,
  moved: PaymentRow,
  before: PaymentRow,
  deposit: PaymentRow | undefined,
): Promise<void> {
  const isBack = notGone.some((state) => state === moved.state);
  // Both accounts are also the refund's: they were opened before the transaction began.
  const disputedFunds = deposit && isBack ? await disputedAccounts(db, deposit) : undefined;
  if (disputedFunds) await lockAccounts(trx, disputedFunds);
  await moneyEffectOf(moved.kind, moved.state)?.book(trx, db, moved, before);
  if (disputedFunds) await reserveDisputed(trx, disputedFunds);
}

/**
 * The deposit of an ended refund, locked before anything is booked: a transaction that reserves a disputed deposit
 * locks it before the accounts. Undefined where the provider neither warns of deposits nor shows refunds with them.
 */
async function lockedDepositOf(
  trx: Transaction,
  { rails }: PaymentsContext,
  refund: PaymentRow,
): Promise<PaymentRow | undefined> {
  const { kind, parent_id: depositId, state } = refund;
  if (kind !== 'refund' || depositId === null || !isFinal(state)) return undefined;
  const rail = rails.get(refund.rail);
  const { policy } = operationOf(rail, { ...refund, kind: 'deposit' });
  const isShown = operationOf(rail, refund).isShownWithDeposit === true;
  if (!isShown && policy.afterWarningChecksMs === undefined) return undefined;
  const deposit = await trx('payments').where({ payment_id: depositId }).forUpdate().first();
  if (!deposit) throw new Error(`refund ${refund.payment_id} has no deposit`);
  return deposit;
}

/**
 * A completed or returned refund is reported with its deposit, too. The deposit is checked soon after the refund's
 * end, because only then can the provider's own refunds be distinguished from ours.
 */
async function followOnDeposit(
  trx: Transaction,
  context: PaymentsContext,
  refund: PaymentRow,
  deposit: PaymentRow,
): Promise<void> {
  if (!isShownWithDeposit(context, refund)) return;
  const transition = transitionOfDeposit(deposit, refund);
  if (transition) await applyTransition(trx, context, deposit, transition);
  const excess = transition && excessOf(deposit, transition);
  if (excess) await openCase(trx, deposit.payment_id, excess);
  await checkDeposit(trx, context, refund);
}

/** Plans an early check of the deposit that shows a refund: it reports money that the refund itself does not book. */
export async function checkDeposit(
  trx: Transaction,
  context: PaymentsContext,
  refund: PaymentRow,
): Promise<void> {
  if (refund.parent_id === null || !isShownWithDeposit(context, refund)) return;
  await trx('payments')
    .where({ payment_id: refund.parent_id })
    .update({ next_check_at: new Date(), signals: 0 });
}

function isShownWithDeposit({ rails }: PaymentsContext, refund: PaymentRow): boolean {
  return operationOf(rails.get(refund.rail), refund).isShownWithDeposit === true;
}

/** Drops the data that only the submission needed, as soon as no submission can follow. */
function detailsAfter(
  { rails }: PaymentsContext,
  payment: PaymentRow,
  { to, changes: { details = payment.details } = {} }: Transition,
): PaymentRow['details'] {
  const { forgottenOnceInstructed: names = [] } = operationOf(rails.get(payment.rail), payment);
  if (to === 'initiating' || !names.some((name) => name in details)) return details;
  return Object.fromEntries(Object.entries(details).filter(([name]) => !names.includes(name)));
}

/** Opens the accounts that a transition will use. Called before its transaction begins. */
export async function prepareTransition(db: Database, payment: PaymentRow, to: PaymentState): Promise<void> {
  await moneyEffectOf(payment.kind, to)?.openAccounts(db, payment);
}

/** Only changed columns are written; `details` is kept as JSON text. */
function changedColumns(before: PaymentRow, after: PaymentRow): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const column of Object.keys(after) as (keyof PaymentRow)[]) {
    if (after[column] === before[column]) continue;
    changes[column] = column === 'details' ? JSON.stringify(after.details) : after[column];
  }
  return changes;
}

// The transitions in a payment's trace: in the span of each, and of the payment once it has ended.

/**
 * Must be called in the transaction that writes the transition. @param before the payment before it; undefined for a
 * new one.
 */
export function traceTransition(
  now: PaymentRow,
  { before, cause }: { before?: PaymentRow; cause: string },
): void {
  entered(() => ({
    paymentId: now.payment_id,
    attributes: {
      'malipo.merchant.id': now.merchant_id,
      'malipo.rail': now.rail,
      'malipo.operation': now.kind,
      'malipo.provider': now.provider,
      'malipo.currency': now.currency,
      'malipo.state': now.state,
      'malipo.state.before': before?.state,
      'malipo.cause': cause,
      'malipo.failure.code': now.failure_code,
    },
    ...(isFinal(now.state) && (!before || !isFinal(before.state)) && { ended: lifeOf(now) }),
  }));
}

/** A refund's trace links to that of its deposit. */
function lifeOf(payment: PaymentRow) {
  const { parent_id: parentId, created_at: at } = payment;
  return {
    begunMs: at.getTime(),
    links: parentId === null ? [] : [rootOf(parentId)],
  };
}
