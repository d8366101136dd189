/** What a merchant is told of its payments: an event for each change, and the webhooks that its rail sends. */
import { v7 as uuidV7 } from 'uuid';
import { eventTypeOf } from '../../domain/event';
import { isSettled, type PaymentState } from '../../domain/payment';
import { recordEvents, type NewEvent } from '../../events/record-events';
import type { PaymentsContext } from '../../rail-kit/context';
import { operationOf, type Announcement } from '../../rail-kit/rail';
import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { enqueueWebhook, supersede } from '../../webhooks/outbox';
import { nextStepAmong } from '../read/next-step';

type Told = Pick<PaymentsContext, 'rails'>;

/**
 * Writes down that a payment has entered its state, and that statuses which it replaces are not sent any more.
 * @param before what it was
 * @param announced false where the caller itself tells the merchant: there is no webhook then.
 * @returns the id of the webhook, where there is one.
 */
export async function tellOfMove(
  trx: Transaction,
  { rails }: Told,
  payment: PaymentRow,
  { before, announced = true }: { before: PaymentRow; announced?: boolean | undefined },
): Promise<string | undefined> {
  const operation = operationOf(rails.get(payment.rail), payment);
  const hasWebhook = announced && operation.announces(payment);
  if (!hasWebhook && eventTypeOf(payment) === undefined) return undefined;
  const announcement = tellOf(rails, payment, operation.tell(payment));
  const { webhookId = uuidV7() } = announcement;
  const precedence = precedenceOf(payment, before);
  await recordEvents(trx, eventsOf(payment, { ...announcement, webhookId }, before));
  if (!hasWebhook) return undefined;
  if (precedence.replaces > 0 && mayHaveToldBefore((other) => operation.announces(other), before)) {
    await supersede(trx, { paymentId: payment.payment_id, by: webhookId, replaces: precedence.replaces });
  }
  return enqueueWebhook(trx, {
    webhookId,
    sequence: payment.sequence,
    ...precedence,
    paymentId: payment.payment_id,
    merchantId: payment.merchant_id,
    toState: payment.state,
    callbackType: announcement.callbackType,
    endpoint: announcement.endpoint,
    body: announcement.body,
    requestId: payment.request_id,
    ...(announcement.sentAtField === undefined ? {} : { sentAtField: announcement.sentAtField }),
  });
}

/** Writes down that payments were taken on. */
export async function tellOfCreated(
  trx: Transaction,
  { rails }: Told,
  payments: readonly PaymentRow[],
): Promise<void> {
  const events = payments.flatMap((payment) =>
    eventsOf(payment, tellOf(rails, payment, operationOf(rails.get(payment.rail), payment).tell(payment))),
  );
  await recordEvents(trx, events);
}

/**
 * What its rail says, and what all rails say: what to do next, of what type it is, where the signature covers it, and which
 * change it tells.
 */
function tellOf(rails: Told['rails'], payment: PaymentRow, announcement: Announcement): Announcement {
  const { callbackType: callback_type, body } = announcement;
  const shared = { event_type: eventTypeOf(payment), callback_type, sequence: payment.sequence };
  return { ...announcement, body: { ...body, ...nextStepAmong(rails.all, payment), ...shared } };
}

function eventsOf(
  payment: PaymentRow,
  { webhookId = uuidV7(), callbackType, body }: Announcement,
  before?: PaymentRow,
): NewEvent[] {
  const type = eventTypeOf(payment);
  if (type === undefined) return [];
  const { payment_id: paymentId, merchant_id: merchantId, rail, sequence } = payment;
  const precedence = precedenceOf(payment, before);
  return [
    { eventId: webhookId, merchantId, paymentId, rail, type, callbackType, body, sequence, ...precedence },
  ];
}

// Which status of a payment replaces which. A status that a later one of the same payment has replaced is not sent any
// more: whoever acts on it would act on what is not so any longer. What carries an amount of its own is never replaced:
// money that goes back, comes back or is there again is a fact of its own, whatever follows.

/** As `replaceable` of an outbox row and of an event: what may replace it. */
const replaceableBy = {
  /** A refund, a reversal, a return, a correction of money; and that a payment was taken on, which stays true. */
  nothing: 0,
  /** It said that nothing is paid, or not yet. */
  anyStatus: 1,
  /** It said that it is paid: it is replaced once nothing of the money is left. */
  theEndOfTheMoney: 2,
} as const;

/** As `replaces`: it replaces what is `replaceable` up to this. */
const replaces = { nothing: 0, unpaid: 1, all: 2 } as const;

const progress: readonly PaymentState[] = ['received', 'initiating', 'pending'];
const unpaid: readonly PaymentState[] = ['queued', 'processing', 'failed', 'cancelled', 'timed_out'];

interface Precedence {
  replaceable: number;
  replaces: number;
}

/** @param before what the payment was; undefined for one that is just taken on. */
function precedenceOf(now: PaymentRow, before: PaymentRow | undefined): Precedence {
  if (progress.includes(now.state)) return { replaceable: replaceableBy.nothing, replaces: replaces.nothing };
  if (unpaid.includes(now.state)) return { replaceable: replaceableBy.anyStatus, replaces: replaces.all };
  const isPaid = now.state === 'succeeded';
  // It corrects an ending, or money is there again.
  const corrects = isPaid && before !== undefined && (before.is_final === 1 || isSettled(before.state));
  return {
    replaceable: isPaid && !corrects ? replaceableBy.theEndOfTheMoney : replaceableBy.nothing,
    replaces: isLeft(now) ? replaces.unpaid : replaces.all,
  };
}

/** Whether something is left of a deposit of which a part went back. */
function isLeft({ kind, state, confirmed_minor: confirmed, given_back_minor, refunded_minor }: PaymentRow) {
  if (kind !== 'deposit' || (state !== 'refunded' && state !== 'reversed')) return false;
  return BigInt(given_back_minor) + BigInt(refunded_minor) < BigInt(confirmed ?? 0);
}

/**
 * Whether the merchant may have been sent a webhook before that one of `now` replaces. Most payments end without: they
 * are spared the statement.
 */
function mayHaveToldBefore(announces: (payment: PaymentRow) => boolean, before: PaymentRow): boolean {
  if (progress.includes(before.state)) return false;
  if (before.state !== 'processing') return true;
  return (['queued', 'processing'] as const).some((state) => announces({ ...before, state }));
}
